//! The address of Redis, which is fixed for the life of the process, and the credentials, which may
//! be replaced.

use std::fmt;
use std::sync::{PoisonError, RwLock};

use async_trait::async_trait;
use fred::types::config::{Config, CredentialProvider, Server, ServerConfig};

/// User and password; each may be absent.
type Credentials = (Option<String>, Option<String>);

/// The address and the current credentials. See the module. Every new connection, including one to
/// a node of a cluster, gets its credentials from here.
pub(super) struct Endpoint {
    servers: ServerConfig,
    database: Option<u8>,
    tls: bool,
    credentials: RwLock<Credentials>,
}

impl Endpoint {
    /// Creates the endpoint of an address.
    pub(super) fn new(address: &Config) -> Self {
        let Config { server, database, tls, username, password, .. } = address.clone();
        let credentials = RwLock::new((username, password));
        Self { servers: server, database, tls: tls.is_some(), credentials }
    }

    /// Checks that an address differs in nothing but user and password.
    ///
    /// # Errors
    /// A description without the address, if it names other servers.
    pub(super) fn require_same_servers(&self, address: &Config) -> Result<(), String> {
        let new = Self::new(address);
        if (&new.servers, new.database, new.tls) == (&self.servers, self.database, self.tls) {
            return Ok(());
        }
        Err("names other servers than before, which needs a restart".to_owned())
    }

    /// Makes new connections use the user and password of this address from now on. Open
    /// connections stay open.
    pub(super) fn replace_credentials(&self, address: Config) {
        *self.credentials.write().unwrap_or_else(PoisonError::into_inner) = (address.username, address.password);
    }
}

#[async_trait]
impl CredentialProvider for Endpoint {
    async fn fetch(&self, _: Option<&Server>) -> Result<Credentials, fred::error::Error> {
        Ok(self.credentials.read().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("servers", &self.servers).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::{Config, CredentialProvider, Endpoint};
    use crate::redis::client::parse_url;

    fn endpoint(url: &str) -> Endpoint {
        Endpoint::new(&Config::from_url(url).expect("an address"))
    }

    #[tokio::test]
    async fn user_and_password_may_change_and_nothing_else() {
        let before = "redis-cluster://a:b@127.0.0.1:7000?node=127.0.0.1:7001";
        let endpoint = endpoint(before);
        for other in [
            "redis-cluster://c:d@127.0.0.1:7000?node=127.0.0.1:7002",
            "rediss-cluster://c:d@127.0.0.1:7000?node=127.0.0.1:7001",
            "redis://c:d@127.0.0.1:7000",
            "nonsense",
        ] {
            let reason = parse_url(other).and_then(|other| endpoint.require_same_servers(&other)).expect_err(other);
            assert!(!reason.contains("c:d"), "{reason}");
        }
        let current = async || endpoint.fetch(None).await.expect("credentials");
        assert_eq!(current().await, (Some("a".to_owned()), Some("b".to_owned())));
        for (prefix, user, password) in [("c:d%2F@", Some("c"), Some("d/")), (":e@", None, Some("e")), ("", None, None)]
        {
            let new = parse_url(&before.replace("a:b@", prefix)).expect("an address");
            endpoint.require_same_servers(&new).expect("the same servers");
            endpoint.replace_credentials(new);
            assert_eq!(current().await, (user.map(str::to_owned), password.map(str::to_owned)), "{prefix}");
        }
        assert!(!format!("{endpoint:?}").contains("d/"));
    }
}
