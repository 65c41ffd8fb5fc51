//! The command line as a user runs it: processes, ports, signals, files and exit codes.

mod process {
    mod access;
    mod cache;
    mod dev;
    mod exec;
    mod files;
    mod hot;
    mod lanes;
    mod leases;
    mod metrics;
    mod migrate;
    mod overload;
    mod reflection;
    mod refusals;
    mod serve;
    mod smoke;
    mod stop;
    mod upkeep;
    mod walking;
    mod watching;
}
