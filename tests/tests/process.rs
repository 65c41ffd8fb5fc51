//! The command line as a user runs it: processes, ports, signals, files and exit codes.

mod process {
    mod access;
    mod aging;
    mod away;
    mod balance;
    mod cache;
    mod dev;
    mod doctor;
    mod exec;
    mod files;
    mod health;
    mod hot;
    mod lanes;
    mod leases;
    mod metrics;
    mod migrate;
    mod overload;
    mod reflection;
    mod refusals;
    mod roles;
    mod rolling;
    mod secrets;
    mod serve;
    mod smoke;
    mod stop;
    mod storms;
    mod telemetry;
    mod upkeep;
    mod walking;
    mod watching;
    mod wild;
}
