//! The command line as a user runs it: processes, ports, signals, files and exit codes.

mod process {
    mod access;
    mod aging;
    mod balance;
    mod cache;
    mod comment;
    mod compose;
    mod control_frames;
    mod dev;
    mod doctor;
    mod exec;
    mod files;
    mod health;
    mod held_subjects;
    mod hidden_texts;
    mod idle;
    mod import_streams;
    mod imports;
    mod layout;
    mod leases;
    mod metrics;
    mod migrate;
    mod numbering;
    mod overload;
    mod readme;
    mod reflection;
    mod rejections;
    mod response_cache;
    mod roles;
    mod rolling;
    mod secrets;
    mod serve;
    mod smoke;
    mod stop;
    mod storms;
    mod telemetry;
    mod unavailable;
    mod upkeep;
    mod walking;
    mod watching;
    mod wild;
    mod words;
    mod write_queues;
}
