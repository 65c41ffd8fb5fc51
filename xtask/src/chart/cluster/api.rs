//! Requests to the API server, sent by curl.

use crate::chart::objects::{title, word};
use crate::run::output_of;
use crate::servers::Kube;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::fs;
use std::time::{Duration, Instant};

/// The field manager of the applied fields.
const MANAGER: &str = "riposte";
/// The time within which the server must serve a newly defined kind.
const DEFINED_WITHIN: Duration = Duration::from_secs(60);

/// One server.
#[derive(Debug)]
pub(super) struct Api<'a> {
    kube: &'a Kube,
}

/// A response of the server.
#[derive(Debug)]
struct ApiResponse {
    status: u16,
    /// The server's warnings about an object that it accepts.
    warnings: Vec<String>,
    body: Value,
}

impl<'a> Api<'a> {
    pub(super) fn new(kube: &'a Kube) -> Self {
        Self { kube }
    }

    /// Returns the path of an object, in `namespace` if its kind is namespaced.
    pub(super) fn place(&self, object: &Value, namespace: &str) -> Result<String> {
        let base = base(word(&object["apiVersion"]));
        let resource = self.resource(&base, word(&object["kind"]))?;
        let resource = resource.with_context(|| format!("the server does not know the kind of {}", title(object)))?;
        let within = if resource["namespaced"] == true { format!("/namespaces/{namespace}") } else { String::new() };
        Ok(format!("{base}{within}/{}/{}", word(&resource["name"]), word(&object["metadata"]["name"])))
    }

    /// Applies an object on the server and returns the server's version of it. A warning is an
    /// error.
    pub(super) fn apply(&self, path: &str, object: &Value) -> Result<Value> {
        let query = format!("{path}?fieldManager={MANAGER}&force=true&fieldValidation=Strict");
        let response = self.ask("PATCH", &query, Some(object))?;
        ensure!(matches!(response.status, 200 | 201), "{}: {}", response.status, message(&response.body));
        ensure!(response.warnings.is_empty(), "taken with a warning: {}", response.warnings.join("; "));
        Ok(response.body)
    }

    /// Deletes the object and checks that it is gone.
    pub(super) fn delete(&self, path: &str) -> Result<()> {
        let response = self.ask("DELETE", &format!("{path}?propagationPolicy=Background"), None)?;
        ensure!(matches!(response.status, 200 | 202), "{}: {}", response.status, message(&response.body));
        let left = self.ask("GET", path, None)?;
        ensure!(left.status == 404, "it is still there after its deletion");
        Ok(())
    }

    /// Waits until a newly defined kind is served.
    pub(super) fn until_served(&self, version: &str, kind: &str) -> Result<()> {
        let deadline = Instant::now() + DEFINED_WITHIN;
        while self.resource(&base(version), kind)?.is_none() {
            ensure!(Instant::now() < deadline, "{version} {kind} is not served within {} s", DEFINED_WITHIN.as_secs());
            std::thread::sleep(Duration::from_millis(200));
        }
        Ok(())
    }

    /// Returns the server's description of a kind below a path, if the server knows it.
    fn resource(&self, base: &str, kind: &str) -> Result<Option<Value>> {
        let all = self.ask("GET", base, None)?.body;
        let mut named = all["resources"].as_array().into_iter().flatten().filter(|of| of["kind"] == kind);
        // A name with a slash belongs to a subresource.
        Ok(named.find(|of| !word(&of["name"]).contains('/')).cloned())
    }

    fn ask(&self, verb: &str, path: &str, body: Option<&Value>) -> Result<ApiResponse> {
        let mut curl = self.kube.curl(path);
        curl.args(["--include", "--request", verb, "--header", "Expect:"]);
        if let Some(body) = body {
            let file = self.kube.folder().join("body.json");
            fs::write(&file, body.to_string())?;
            // JSON is valid YAML.
            curl.args(["--header", "Content-Type: application/apply-patch+yaml", "--data-binary"]);
            curl.arg(format!("@{}", file.display()));
        }
        ApiResponse::read(&output_of(&mut curl)?)
    }
}

impl ApiResponse {
    /// Parses the header lines, an empty line and a body.
    fn read(text: &str) -> Result<Self> {
        let (head, body) = text.split_once("\r\n\r\n").context("the API server answers without a head")?;
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|code| code.parse().ok());
        let Some(status) = status else { bail!("the API server answers strangely: {head}") };
        let named = lines.filter_map(|line| line.split_once(": "));
        let warnings = named.filter(|(name, _)| name.eq_ignore_ascii_case("warning")).map(|(_, text)| text.to_owned());
        let body = serde_json::from_str(body).unwrap_or_else(|_| Value::from(body));
        Ok(Self { status, warnings: warnings.collect(), body })
    }
}

/// Returns the base path of a group's version in the API.
fn base(version: &str) -> String {
    if version.contains('/') { format!("/apis/{version}") } else { format!("/api/{version}") }
}

/// Returns the message of an error response.
fn message(body: &Value) -> String {
    body["message"].as_str().map_or_else(|| body.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_a_status_its_warnings_and_a_body() {
        let text = "HTTP/1.1 201 Created\r\nWarning: 299 - \"old\"\r\nDate: now\r\n\r\n{\"kind\": \"Pod\"}";
        let response = ApiResponse::read(text).unwrap();
        assert_eq!((response.status, response.warnings.len(), word(&response.body["kind"])), (201, 1, "Pod"));
        assert_eq!(ApiResponse::read("HTTP/1.1 403 Forbidden\r\n\r\nno").unwrap().body, "no");
        assert!(ApiResponse::read("nothing").is_err());
        assert_eq!((base("v1"), base("apps/v1")), ("/api/v1".to_owned(), "/apis/apps/v1".to_owned()));
    }
}
