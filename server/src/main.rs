//! The `riposte` binary: all of its functions are subcommands, and each subcommand is a file of
//! `riposte::cli`.

use std::process::ExitCode;

/// Every call allocates page-sized buffers. The system allocator would cost a tenth of the
/// throughput of responses from the response cache.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    riposte::main_with(riposte::Decorators::default())
}
