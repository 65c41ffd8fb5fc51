//! The rules of object types for the accounts of members, which a service of another team knows.

use std::collections::BTreeMap;

use crate::domain::object_type::ObjectType;
use crate::domain::standing::GatedAct;

/// The treatment of a text while the account of its author is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountFallback {
    /// It waits for review.
    PreModerate,
    /// It is refused.
    Refuse,
}

/// The least levels of the accounts of members, by act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MinLevels {
    /// For a root comment.
    pub create: u8,
    /// For a reply.
    pub reply: u8,
    /// For a like.
    pub like: u8,
    /// For a report.
    pub report: u8,
}

/// The rules of one object type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccountRules {
    /// The treatment of texts while the account of their author is not known.
    pub fallback: AccountFallback,
    /// The least levels.
    pub min_levels: MinLevels,
}

/// The rules of all object types.
#[derive(Debug, Clone, Default)]
pub struct TypeAccountRules {
    /// The rules of each registered type; `None` if its members need no accounts.
    pub of_type: BTreeMap<String, Option<AccountRules>>,
    /// The rules of all other types.
    pub of_others: Option<AccountRules>,
}

impl MinLevels {
    /// Returns the least level for an act; `None` for an act that needs no account.
    #[must_use]
    pub const fn of(self, act: GatedAct) -> Option<u8> {
        match act {
            GatedAct::Create => Some(self.create),
            GatedAct::Reply => Some(self.reply),
            GatedAct::Like => Some(self.like),
            GatedAct::Report => Some(self.report),
            GatedAct::Open | GatedAct::Edit | GatedAct::Other => None,
        }
    }
}

impl TypeAccountRules {
    /// Returns the rules of a type; `None` if its members need no accounts.
    #[must_use]
    pub fn of(&self, object_type: &ObjectType) -> Option<AccountRules> {
        self.of_type.get(object_type.as_str()).copied().unwrap_or(self.of_others)
    }
}
