//! The clients of commands: a command asks one address, and what else a client may be told comes from the environment.

use riposte_sdk::v1::admin_service_client::AdminServiceClient;
use riposte_sdk::{Client, Connection, Error, Options};

/// A client of the public services there.
///
/// # Errors
/// When the address makes no sense, or is not one to send a token to.
pub(super) fn public(target: &str) -> Result<Client, Error> {
    // Both are the same: an address that is not asked must not be what the token is refused for.
    let (target, admin_target) = (target.to_owned(), target.to_owned());
    Client::open(Options { target, admin_target, ..Options::from_env()? })
}

/// A client of the administration there.
///
/// # Errors
/// As for [`public`].
pub(super) fn admin(target: &str) -> Result<AdminServiceClient<Connection>, Error> {
    public(target)?.admin()
}
