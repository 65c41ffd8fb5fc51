//! Clients for subcommands. A subcommand calls one address; all other client options come from the
//! environment.

use riposte_sdk::v1::admin_service_client::AdminServiceClient;
use riposte_sdk::v1::moderation_service_client::ModerationServiceClient;
use riposte_sdk::v1::policy_service_client::PolicyServiceClient;
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

/// Returns a client of AdminService at `target`; without it at the address that the environment
/// names.
///
/// # Errors
/// Same as for [`public`], and an address that is not known.
pub(super) fn admin(target: Option<String>) -> Result<AdminServiceClient<Connection>, Error> {
    AdminAddress { target }.client()
}

/// The address of the admin port.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct AdminAddress {
    /// The address of the server's admin port [default: http://127.0.0.1:7172, unless
    /// RIPOSTE_TARGET names another server]
    #[arg(long, value_name = "URL", env = "RIPOSTE_ADMIN_TARGET")]
    target: Option<String>,
}

impl AdminAddress {
    /// Returns a client of AdminService.
    ///
    /// # Errors
    /// Same as for [`public`], and an address that is not known.
    pub(super) fn client(&self) -> Result<AdminServiceClient<Connection>, Error> {
        public(&self.known()?)?.admin()
    }

    /// Returns a client of the work of moderators.
    ///
    /// # Errors
    /// Same as for [`Self::client`].
    pub(super) fn moderation(&self) -> Result<ModerationServiceClient<Connection>, Error> {
        public(&self.known()?)?.moderation()
    }

    /// Returns a client of the policy.
    ///
    /// # Errors
    /// Same as for [`Self::client`].
    pub(super) fn policy(&self) -> Result<PolicyServiceClient<Connection>, Error> {
        public(&self.known()?)?.policy()
    }

    fn known(&self) -> Result<String, Error> {
        match self.target.clone().filter(|target| !target.is_empty()) {
            Some(target) => Ok(target),
            None => Ok(Options::from_env()?.admin_address()?.to_owned()),
        }
    }
}
