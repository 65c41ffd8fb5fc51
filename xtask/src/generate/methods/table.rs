//! The rows of methods.yaml, checked against the contract.

use crate::generate::contract::{Contract, Message, Method};
use crate::repo::Repo;
use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// The source of all facts of methods.
pub(crate) const FILE: &str = "proto/riposte/v1/methods.yaml";

/// The messages by which a request names subjects, or an object type.
const SUBJECTS: [&str; 4] = ["SubjectKey", "Subject", "SubjectScope", "MemberStanding"];

/// The types of fields that only audit records name, and whether they are lists. None is a text.
const AUDITED: [(&str, bool); 5] = [
    ("int64", true),
    ("VerdictTarget", true),
    ("ModerationAction", false),
    ("ModerationMode", false),
    ("MemberStanding", false),
];

/// The rows of all methods, by the path in HTTP/2: `/riposte.v1.CommentService/GetComment`.
#[derive(Debug)]
pub(crate) struct Table(BTreeMap<String, Row>);

/// The facts of one method.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    /// `CommentService/GetComment`.
    pub(crate) rpc: String,
    pub(crate) role: Role,
    pub(crate) pool: Pool,
    pub(crate) admission_class: MethodClass,
    pub(crate) profile: Profile,
    client_timeout: String,
    pub(crate) retry: Retry,
    pub(crate) audited: bool,
    /// The facts that errors report, each with its field of the request.
    pub(crate) error_metadata: BTreeMap<String, String>,
    /// The facts that only audit records report, each with its field of the request.
    #[serde(default)]
    pub(crate) audit_details: BTreeMap<String, String>,
}

/// The role that a caller needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Role {
    Reader,
    Writer,
    Moderator,
    Operator,
    Subscriber,
}

/// The admission pool of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Pool {
    Reads,
    Writes,
    Streams,
}

/// The priority of a call within its pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MethodClass {
    Critical,
    Sheddable,
    BestEffort,
}

/// The size limit and the deadline of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Profile {
    Read,
    Batch,
    Write,
    Review,
    Admin,
    Wait,
    Stream,
    Trial,
    Import,
}

/// The repeats by clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Retry {
    Read,
    Write,
    None,
}

impl Table {
    /// Reads the file. Fails for an RPC without a row, a row without an RPC, an unknown value, and
    /// facts that do not fit the RPC.
    pub(crate) fn read(repo: &Repo, contract: &Contract<'_>) -> Result<Self> {
        let text = fs::read_to_string(repo.at(FILE)).with_context(|| format!("cannot read {FILE}"))?;
        Self::parse(&text, contract).context(FILE)
    }

    pub(super) fn parse(text: &str, contract: &Contract<'_>) -> Result<Self> {
        let mut rows = BTreeMap::new();
        for row in yaml_serde::from_str::<Vec<Row>>(text)? {
            let path = format!("/riposte.v1.{}", row.rpc);
            if let Some(row) = rows.insert(path, row) {
                bail!("{} has two rows", row.rpc);
            }
        }
        let table = Self(rows);
        table.check(contract)?;
        Ok(table)
    }

    /// Returns the row of a method.
    pub(crate) fn row(&self, method: &Method<'_>) -> Result<&Row> {
        self.0.get(&method.path).with_context(|| format!("{FILE} has no row for {}", method.path))
    }

    fn check(&self, contract: &Contract<'_>) -> Result<()> {
        let methods: Vec<_> = contract.services.iter().flat_map(|service| &service.methods).collect();
        let paths: BTreeSet<&str> = methods.iter().map(|method| method.path.as_str()).collect();
        if let Some((_, row)) = self.0.iter().find(|(path, _)| !paths.contains(path.as_str())) {
            bail!("the row of {} has no RPC in the contract", row.rpc);
        }
        let mut requests = BTreeMap::new();
        for method in methods {
            let row = self.row(method)?;
            row.check(method, contract).with_context(|| row.rpc.clone())?;
            if let Some(other) = requests.insert(method.says.input_type(), &row.rpc) {
                bail!("{} and {other} have the same request message; each RPC has its own", row.rpc);
            }
        }
        Ok(())
    }
}

impl Row {
    /// Returns the deadline that clients set, in seconds; `None` for a stream.
    pub(crate) fn client_seconds(&self) -> Result<Option<u64>> {
        if self.client_timeout == "none" {
            return Ok(None);
        }
        let seconds = self.client_timeout.strip_suffix('s').and_then(|text| text.parse::<u64>().ok());
        let seconds = seconds.filter(|seconds| *seconds >= 2);
        // The core of gRPC starts to count up to two seconds early: with a deadline of 1.5 s, half
        // of all processes would have no time left.
        let fault =
            || format!("client_timeout {:?} is not `none` and not 2s or more in whole seconds", self.client_timeout);
        seconds.map(Some).with_context(fault)
    }

    fn check(&self, method: &Method<'_>, contract: &Contract<'_>) -> Result<()> {
        let (many, streams) = (method.says.client_streaming(), method.says.server_streaming());
        ensure!(!many || streams, "a stream of requests without a stream of responses has no dispatch");
        ensure!((self.profile == Profile::Import) == many, "the profile IMPORT is for streams of requests");
        let stays = matches!(self.profile, Profile::Stream | Profile::Trial | Profile::Import);
        ensure!(stays == streams, "the profiles STREAM, TRIAL and IMPORT are for streams");
        let is_open = streams || self.profile == Profile::Wait;
        ensure!((self.pool == Pool::Streams) == is_open, "the pool `streams` is for streams and the profile WAIT");
        ensure!(self.client_seconds()?.is_none() == streams, "client_timeout is `none` for streams, and only for them");
        ensure!((self.retry == Retry::None) == streams, "retry is `none` for streams, and only for them");
        let request = contract.message(method.says.input_type())?;
        let reads =
            ["Get", "BatchGet", "List", "BatchList", "Check"].iter().any(|read| method.says.name().starts_with(read));
        match self.retry {
            Retry::Read => ensure!(reads, "retry is `read`, but only Get, List, their batches and Check are reads"),
            Retry::Write => ensure!(
                request.find("request_id").is_some(),
                "retry is `write`, but {} has no request_id, so a repeat would write twice",
                request.name
            ),
            Retry::None => {}
        }
        ensure!(!many || self.error_metadata.is_empty(), "a stream of requests has no error_metadata");
        self.error_metadata.iter().try_for_each(|(fact, field)| fits(fact, field, request))?;
        ensure!(self.audited || self.audit_details.is_empty(), "audit_details are for audited methods");
        ensure!(!many || self.audit_details.is_empty(), "a stream of requests has no audit_details");
        for (fact, field) in &self.audit_details {
            let found = request.field(field).with_context(|| format!("audit_details {fact}"))?;
            let kind = found.type_name();
            let fit = AUDITED.contains(&(&*kind, found.is_repeated()));
            ensure!(fit, "audit_details {fact}: {field} of type {kind} cannot be its source");
        }
        Ok(())
    }
}

/// Checks that a field can be the source of a fact.
fn fits(fact: &str, field: &str, request: &Message<'_>) -> Result<()> {
    if fact == "subject" && request.oneofs().any(|oneof| oneof == field) {
        return Ok(());
    }
    let found = request.field(field).with_context(|| format!("error_metadata {fact}"))?;
    let kind = found.type_name();
    let fit = if fact == "subject" { SUBJECTS.contains(&&*kind) } else { ["string", "int64"].contains(&&*kind) };
    ensure!(fit && !found.is_repeated(), "error_metadata {fact}: {field} of type {kind} cannot be its source");
    Ok(())
}

#[cfg(test)]
mod tests;
