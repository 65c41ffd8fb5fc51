//! The `riposte` binary: all of its functions are subcommands, and each subcommand is a file of
//! `riposte::cli`.

use std::process::ExitCode;

/// Every call allocates page-sized buffers. The system allocator would cost a tenth of the
/// throughput of responses from the response cache.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // With two providers in one process rustls panics at the first handshake, so the provider is
    // chosen before anything else runs. The call fails only if a provider is already installed,
    // which then stays.
    drop(rustls::crypto::ring::default_provider().install_default());
    riposte::cli::run()
}
