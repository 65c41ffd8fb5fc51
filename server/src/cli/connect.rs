//! Clients for subcommands. A subcommand calls one address; all other client options come from the
//! environment.

use riposte_sdk::v1::admin_service_client::AdminServiceClient;
use riposte_sdk::v1::moderation_service_client::ModerationServiceClient;
use riposte_sdk::{Client, Connection, Error, Options};

/// Returns a client of the public services at `target`.
///
/// # Errors
/// The address is malformed, or a token must not be sent to it.
pub(super) fn public(target: &str) -> Result<Client, Error> {
    // Both addresses are the same, so that an unused address cannot cause the rejection of the
    // token.
    let (target, admin_target) = (target.to_owned(), target.to_owned());
    Client::open(Options { target, admin_target, ..Options::from_env()? })
}

/// Returns a client of the administration at `target`.
///
/// # Errors
/// Same as for [`public`].
pub(super) fn admin(target: &str) -> Result<AdminServiceClient<Connection>, Error> {
    public(target)?.admin()
}

/// Returns a client of the work of moderators at `target`.
///
/// # Errors
/// Same as for [`public`].
pub(super) fn moderation(target: &str) -> Result<ModerationServiceClient<Connection>, Error> {
    public(target)?.moderation()
}
