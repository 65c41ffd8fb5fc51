//! Trials of policies on stored comments.

use std::collections::BTreeSet;

use async_trait::async_trait;

use crate::domain::content::Content;
use crate::domain::error::Result;
use crate::domain::evaluation::{CandidatePolicy, TriedRule};
use crate::domain::object_type::ObjectType;
use crate::domain::time::Millis;

/// Prepares trials.
#[async_trait]
pub trait PolicyTrials: Send + Sync + std::fmt::Debug {
    /// Prepares a trial of a candidate, or of the policy in force if it is empty. Entries that have
    /// expired at the time `now` find nothing.
    ///
    /// # Errors
    /// [`Error::WordListInvalid`](crate::Error::WordListInvalid) for a wrong line of the list;
    /// [`Error::Invalid`](crate::Error::Invalid) for a wrong rule.
    async fn prepare(
        &self,
        object_type: &ObjectType,
        candidate: &CandidatePolicy,
        now: Millis,
    ) -> Result<Box<dyn PolicyTrial>>;
}

/// A policy on trial. Nothing is stored and nothing is counted.
pub trait PolicyTrial: Send + Sync + std::fmt::Debug {
    /// Returns what the policy finds in a stored text, each entry and rule once, those in dry run
    /// too. A term about a fact that stored comments do not have is false.
    fn find(&self, content: &Content, is_edited: bool) -> BTreeSet<TriedRule>;

    /// Returns the names of the facts that the rules compare and stored comments do not have.
    fn unknown_fact_names(&self) -> Vec<&'static str>;
}
