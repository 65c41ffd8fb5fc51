//! The settings of the filter.

use std::path::PathBuf;
use std::sync::Arc;

use riposte_settings::{ConfigError, ConfigErrors, ErrorScope, TimeSpan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ServiceSettings, service_files};
use crate::filter::GrpcFilterClient;
use crate::member_token::MemberTokens;
use crate::observer::CallObserver;

/// The filter, which another team provides. Object types choose whether it judges their texts.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FilterSettings {
    /// The address; empty for no filter.
    pub endpoint: String,
    /// The deadline of a call.
    pub timeout: TimeSpan,
    /// The number of calls under way.
    pub in_flight: u32,
    /// The longest wait for one of them to end.
    pub wait: TimeSpan,
    /// If true, a text that the filter allows is not held by word lists and rules.
    pub may_release: bool,
    /// The keys of metadata that are sent.
    pub send_metadata: Vec<String>,
    /// The key of the tokens of members.
    pub member_key_file: Option<PathBuf>,
    /// The authorities in PEM that are trusted; without it those of the public web.
    pub ca_file: Option<PathBuf>,
    /// A client certificate in PEM.
    pub cert_file: Option<PathBuf>,
    /// Its key in PEM.
    pub key_file: Option<PathBuf>,
    /// A bearer token.
    pub token_file: Option<PathBuf>,
}

impl FilterSettings {
    /// Adds an error for each value that is out of bounds or conflicts with another one.
    pub fn validate(&self, report: &mut ErrorScope<'_>) {
        self.service().validate(report);
        let are_keys = self.send_metadata.iter().all(|key| !key.is_empty());
        report.require(are_keys, "send_metadata", "has an empty key: leave it out");
        report.require(!self.may_release || self.is_set(), "may_release", "has no effect without endpoint");
        report.path("member_key_file", self.member_key_file.as_ref());
        let has_key = self.member_key_file.is_some() || !self.is_set();
        report.require(has_key, "member_key_file", "is required with endpoint: the filter gets tokens for members");
    }

    /// Returns `true` if there is a filter.
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
        if !self.is_set() {
            return Ok(());
        }
        self.tokens()?;
        self.service().check_files()
    }

    /// Returns a client of the filter, which reports its calls to `observer`; `None` if there is
    /// no filter. It connects when the first text needs it.
    ///
    /// # Errors
    /// A file that cannot be used.
    pub fn client(&self, observer: Arc<dyn CallObserver>) -> Result<Option<GrpcFilterClient>, ConfigErrors> {
        if !self.is_set() {
            return Ok(None);
        }
        let (service, metadata) = (self.service(), self.send_metadata.iter().cloned().collect());
        let (endpoint, files, limits) = (service.address()?, service.endpoint_files(), service.limits());
        let client = GrpcFilterClient::new(endpoint, files, limits, self.tokens()?, metadata, observer);
        client.map(Some).map_err(|error| service.fault(&error).into())
    }

    fn service(&self) -> ServiceSettings<'_> {
        let Self { endpoint, timeout, in_flight, wait, ca_file, cert_file, key_file, token_file, .. } = self;
        let files = service_files(ca_file, cert_file, key_file, token_file);
        ServiceSettings { table: "filter", endpoint, timeout: *timeout, in_flight: *in_flight, wait: *wait, files }
    }

    fn tokens(&self) -> Result<MemberTokens, ConfigErrors> {
        let Some(path) = &self.member_key_file else {
            return Err(ConfigError::at("filter.member_key_file", "is required with endpoint").into());
        };
        MemberTokens::read(path).map_err(|what| ConfigError::at("filter.member_key_file", what).into())
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    use riposte_settings::ErrorReport;

    use super::FilterSettings;
    use crate::Unobserved;

    fn settings(folder: &Path) -> FilterSettings {
        let key = folder.join("key");
        std::fs::write(&key, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n").unwrap();
        FilterSettings {
            endpoint: "127.0.0.1:1".to_owned(),
            timeout: "80ms".parse().unwrap(),
            in_flight: 256,
            wait: "20ms".parse().unwrap(),
            may_release: false,
            send_metadata: Vec::new(),
            member_key_file: Some(key),
            ca_file: None,
            cert_file: None,
            key_file: None,
            token_file: None,
        }
    }

    #[test]
    fn values_that_conflict_are_faults_of_their_keys() {
        let folder = tempfile::tempdir().unwrap();
        let good = || settings(folder.path());
        let file = || Some(PathBuf::from("/etc/filter.pem"));
        for (settings, expected) in [
            (good(), None),
            (FilterSettings { endpoint: String::new(), member_key_file: None, ..good() }, None),
            (FilterSettings { endpoint: String::new(), may_release: true, ..good() }, Some("filter.may_release")),
            (FilterSettings { may_release: true, ..good() }, None),
            (FilterSettings { endpoint: "http://filter.example:80".to_owned(), ..good() }, Some("filter.endpoint")),
            (FilterSettings { member_key_file: None, ..good() }, Some("filter.member_key_file")),
            (FilterSettings { timeout: "501ms".parse().unwrap(), ..good() }, Some("filter.timeout")),
            (FilterSettings { timeout: "0s".parse().unwrap(), ..good() }, Some("filter.timeout")),
            (FilterSettings { wait: "21ms".parse().unwrap(), ..good() }, Some("filter.wait")),
            (FilterSettings { in_flight: 0, ..good() }, Some("filter.in_flight")),
            (FilterSettings { send_metadata: vec![String::new()], ..good() }, Some("filter.send_metadata")),
            (FilterSettings { cert_file: file(), ..good() }, Some("filter.cert_file")),
            (FilterSettings { token_file: Some(PathBuf::new()), ..good() }, Some("filter.token_file")),
        ] {
            let mut report = ErrorReport::default();
            settings.validate(&mut report.under("filter"));
            let keys: Vec<String> = report.into_faults().into_iter().map(|fault| fault.path).collect();
            assert_eq!(keys, expected.into_iter().collect::<Vec<_>>(), "{settings:?}");
        }
    }

    #[tokio::test]
    async fn files_that_cannot_be_used_are_faults_and_no_filter_reads_none() {
        let folder = tempfile::tempdir().unwrap();
        let good = settings(folder.path());
        assert!(good.check_files().is_ok());
        assert!(good.client(Arc::new(Unobserved)).unwrap().is_some());
        let missing = || Some(folder.path().join("missing"));
        let faults = [
            FilterSettings { member_key_file: missing(), ..good.clone() },
            FilterSettings { token_file: missing(), ..good.clone() },
            FilterSettings { ca_file: missing(), endpoint: "https://a.example:1".to_owned(), ..good.clone() },
            FilterSettings { ca_file: missing(), ..good.clone() },
        ];
        for (settings, key) in faults.into_iter().zip(["filter.member_key_file", "filter", "filter", "filter"]) {
            assert_eq!(settings.check_files().unwrap_err().0[0].path, key, "{settings:?}");
            assert_eq!(settings.client(Arc::new(Unobserved)).unwrap_err().0[0].path, key, "{settings:?}");
        }
        let none = FilterSettings { endpoint: String::new(), member_key_file: missing(), ..good };
        assert!(none.check_files().is_ok() && none.client(Arc::new(Unobserved)).unwrap().is_none());
    }
}
