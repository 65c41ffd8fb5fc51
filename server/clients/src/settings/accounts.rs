//! The settings of the account service.

use std::path::PathBuf;
use std::sync::Arc;

use riposte_settings::{ConfigErrors, ErrorScope, TimeSpan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ServiceSettings, service_files};
use crate::accounts::GrpcAccountClient;
use crate::observer::CallObserver;

/// The account service, which another team provides. Object types choose whether it is asked.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct AccountSettings {
    /// The address; empty for no account service.
    pub endpoint: String,
    /// The deadline of a call.
    pub timeout: TimeSpan,
    /// The number of calls under way.
    pub in_flight: u32,
    /// The longest wait for one of them to end.
    pub wait: TimeSpan,
    /// The authorities in PEM that are trusted; without it those of the public web.
    pub ca_file: Option<PathBuf>,
    /// A client certificate in PEM.
    pub cert_file: Option<PathBuf>,
    /// Its key in PEM.
    pub key_file: Option<PathBuf>,
    /// A bearer token.
    pub token_file: Option<PathBuf>,
}

impl AccountSettings {
    /// Adds an error for each value that is out of bounds or conflicts with another one.
    pub fn validate(&self, report: &mut ErrorScope<'_>) {
        self.service().validate(report);
    }

    /// Returns `true` if there is an account service.
    #[must_use]
    pub const fn is_set(&self) -> bool {
        !self.endpoint.is_empty()
    }

    /// Returns the files of the connection, which are read again when they change.
    pub fn connection_files(&self) -> impl Iterator<Item = &PathBuf> {
        self.service().files.into_iter().filter_map(|(_, file)| file)
    }

    /// Reads all files and connects to nothing.
    ///
    /// # Errors
    /// A file that cannot be used.
    pub fn check_files(&self) -> Result<(), ConfigErrors> {
        if self.is_set() { self.service().check_files() } else { Ok(()) }
    }

    /// Returns a client of the account service, which reports its calls to `observer`; `None` if
    /// there is no such service. It connects when the first write needs it.
    ///
    /// # Errors
    /// A file that cannot be used.
    pub fn client(&self, observer: Arc<dyn CallObserver>) -> Result<Option<GrpcAccountClient>, ConfigErrors> {
        if !self.is_set() {
            return Ok(None);
        }
        let service = self.service();
        let client = GrpcAccountClient::new(service.address()?, service.endpoint_files(), service.limits(), observer);
        client.map(Some).map_err(|error| service.fault(&error).into())
    }

    fn service(&self) -> ServiceSettings<'_> {
        let Self { endpoint, timeout, in_flight, wait, ca_file, cert_file, key_file, token_file } = self;
        let files = service_files(ca_file, cert_file, key_file, token_file);
        ServiceSettings { table: "accounts", endpoint, timeout: *timeout, in_flight: *in_flight, wait: *wait, files }
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    use riposte_settings::ErrorReport;

    use super::AccountSettings;
    use crate::Unobserved;

    fn settings() -> AccountSettings {
        AccountSettings {
            endpoint: "127.0.0.1:1".to_owned(),
            timeout: "60ms".parse().unwrap(),
            in_flight: 256,
            wait: "20ms".parse().unwrap(),
            ca_file: None,
            cert_file: None,
            key_file: None,
            token_file: None,
        }
    }

    #[test]
    fn values_that_conflict_are_faults_of_their_keys() {
        let file = || Some(PathBuf::from("/etc/accounts.pem"));
        for (settings, expected) in [
            (settings(), None),
            (AccountSettings { endpoint: String::new(), key_file: file(), ..settings() }, None),
            (AccountSettings { endpoint: "http://a.example:80".to_owned(), ..settings() }, Some("accounts.endpoint")),
            (AccountSettings { timeout: "501ms".parse().unwrap(), ..settings() }, Some("accounts.timeout")),
            (AccountSettings { in_flight: 10_001, ..settings() }, Some("accounts.in_flight")),
            (AccountSettings { key_file: file(), ..settings() }, Some("accounts.cert_file")),
            (AccountSettings { ca_file: Some(PathBuf::new()), ..settings() }, Some("accounts.ca_file")),
        ] {
            let mut report = ErrorReport::default();
            settings.validate(&mut report.under("accounts"));
            let keys: Vec<String> = report.into_faults().into_iter().map(|fault| fault.path).collect();
            assert_eq!(keys, expected.into_iter().collect::<Vec<_>>(), "{settings:?}");
        }
    }

    #[tokio::test]
    async fn files_that_cannot_be_used_are_faults_and_no_service_reads_none() {
        let missing = || Some(Path::new("/missing").to_owned());
        let good = AccountSettings { token_file: None, ..settings() };
        assert!(good.check_files().is_ok() && good.client(Arc::new(Unobserved)).unwrap().is_some());
        let bad = AccountSettings { token_file: missing(), ..settings() };
        assert_eq!(bad.check_files().unwrap_err().0[0].path, "accounts");
        assert_eq!(bad.client(Arc::new(Unobserved)).unwrap_err().0[0].path, "accounts");
        let none = AccountSettings { endpoint: String::new(), ..bad };
        assert!(none.check_files().is_ok() && none.client(Arc::new(Unobserved)).unwrap().is_none());
    }
}
