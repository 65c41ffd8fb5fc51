//! The roles of a process in the service.

use riposte_settings::ErrorScope;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, fmt};

/// One role of a process.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
pub enum ServerRole {
    /// Serves calls: those of the public port and of the admin port.
    Api,
    /// Does the work that is done once for all processes, on each data source whose lease it
    /// acquires: assigns sequence numbers to events, keeps consumers and the shared cache up to
    /// date, and deletes expired data.
    Worker,
}

/// The roles of a process: a set, so duplicates have no effect.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize, PartialEq, Eq)]
#[serde(transparent)]
#[schemars(inline)]
pub struct ServerRoles(#[schemars(with = "Vec<ServerRole>")] BTreeSet<ServerRole>);

impl ServerRoles {
    /// Returns true if the process has this role.
    #[must_use]
    pub fn has(&self, role: ServerRole) -> bool {
        self.0.contains(&role)
    }

    /// Returns true if a single process can provide the whole service.
    #[must_use]
    pub fn are_all(&self) -> bool {
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
