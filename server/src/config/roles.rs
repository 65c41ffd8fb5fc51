//! What a process does of all that a service has to do.

use super::errors::ErrorScope;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, fmt};

/// One part of the work.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
pub enum ServerRole {
    /// Serves calls: the public services and `AdminService`.
    Api,
    /// Does what is done once for all processes, on each data source that it comes to lead: gives events their numbers, keeps
    /// projections and shared copies up to date, deletes what is too old.
    Worker,
}

/// The parts that a process takes on: a set, so one that is named twice is named once.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(transparent)]
pub struct ServerRoles(BTreeSet<ServerRole>);

impl ServerRoles {
    /// Whether this part is among them.
    #[must_use]
    pub fn has(&self, role: ServerRole) -> bool {
        self.0.contains(&role)
    }

    /// Whether a single process can be the whole service.
    pub(super) fn are_all(&self) -> bool {
        [ServerRole::Api, ServerRole::Worker].iter().all(|role| self.has(*role))
    }

    pub(super) fn validate(&self, report: &mut ErrorScope<'_>) {
        report.require(!self.0.is_empty(), "roles", "must name at least one of: api, worker");
    }
}

impl fmt::Display for ServerRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Api => "api",
            Self::Worker => "worker",
        })
    }
}

impl fmt::Display for ServerRoles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names = self.0.iter();
        names.next().map_or(Ok(()), |first| write!(f, "{first}"))?;
        names.try_for_each(|name| write!(f, ", {name}"))
    }
}
