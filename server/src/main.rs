//! The `riposte` binary: everything it does is a subcommand, and each subcommand is a file of `riposte::cli`.

use std::process::ExitCode;

/// Page-sized allocations on every call: the system allocator costs a tenth of the rate of hot pages.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // With two providers in one process rustls panics at the first handshake, so ours is named before anything runs.
    // It fails only if one is installed already, and then that one holds.
    drop(rustls::crypto::ring::default_provider().install_default());
    riposte::cli::run()
}
