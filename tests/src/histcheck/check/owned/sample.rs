//! A small valid history of a subject with an owner, and variants with a deliberate violation.
//!
//! The subject is created at revision 1 and has the roots 11 and 12. A call of second `n` begins
//! then and lasts half a second. The text number of a root is its id.

use super::super::Findings;
use crate::histcheck::history::{
    Call, History, Op, Outcome, OwnedCall, OwnedResponse, OwnedState, SeenRoot, SeenSubject,
};
use crate::histcheck::names::OWNED;

/// A history under construction.
pub(super) struct OwnedSample(History);

impl Default for OwnedSample {
    fn default() -> Self {
        let mut sample = Self(History::default());
        sample.write(1, OwnedCall::Make, 0, 1);
        sample.write(2, OwnedCall::Root { member: 9, text: 11 }, 11, 2);
        sample.write(3, OwnedCall::Root { member: 9, text: 12 }, 12, 3);
        sample
    }
}

impl OwnedSample {
    fn op(&mut self, at: u64, call: OwnedCall, outcome: Outcome) -> &mut Self {
        let request = if call.reads().is_none() { (1, self.0.ops.len() as u64 + 1) } else { (0, 0) };
        let (begun, ended) = (at * 1_000_000_000, at * 1_000_000_000 + 500_000_000);
        let call = Call::Owned { subject: OWNED, call };
        self.0.ops.push(Op { client: 1, server: 0, begun, ended, request, call, outcome });
        self
    }

    /// Adds an acknowledged write.
    pub(super) fn write(&mut self, at: u64, call: OwnedCall, comment: i64, revision: i64) -> &mut Self {
        self.op(at, call, Outcome::Owned(OwnedResponse::Written { comment, revision }))
    }

    /// Adds a refused call.
    pub(super) fn refused(&mut self, at: u64, call: OwnedCall, reason: &str) -> &mut Self {
        self.op(at, call, Outcome::Refused(reason.into()))
    }

    /// Adds a page of visible roots, each with whether it is pinned.
    pub(super) fn page(&mut self, at: u64, revision: i64, roots: &[(i64, bool)], pinned: &[i64]) -> &mut Self {
        let seen = |(id, pinned): (i64, bool)| SeenRoot { id, text: id as u64, pinned };
        let subject =
            SeenSubject { revision, state: Some(OwnedState::Active), deleted: false, roots: roots.len() as i32 };
        let is_pinned = |id: &i64| roots.iter().any(|(root, pinned)| root == id && *pinned);
        let pinned = pinned.iter().map(|id| seen((*id, is_pinned(id)))).collect();
        let page = OwnedResponse::Page { subject, roots: roots.iter().copied().map(seen).collect(), pinned };
        self.op(at, OwnedCall::List { fresh: false }, Outcome::Owned(page))
    }

    /// Adds a fresh read of a visible root.
    pub(super) fn get(&mut self, at: u64, id: i64, pinned: bool) -> &mut Self {
        let root = SeenRoot { id, text: id as u64, pinned };
        self.op(at, OwnedCall::Get { comment: id, fresh: true }, Outcome::Owned(OwnedResponse::Comment(root)))
    }

    fn anomalies(&self) -> Vec<(&'static str, String)> {
        let mut findings = Findings::default();
        super::check(&self.0, &mut findings);
        findings.anomalies.into_iter().map(|anomaly| (anomaly.rule, anomaly.description)).collect()
    }

    /// Fails if an anomaly is found.
    pub(super) fn finds_nothing(&self) {
        assert_eq!(self.anomalies(), []);
    }

    /// Fails unless this rule finds an anomaly whose description contains this text.
    pub(super) fn finds(&self, rule: &str, text: &str) {
        let all = self.anomalies();
        let is_found = all.iter().any(|(found, description)| *found == rule && description.contains(text));
        assert!(is_found, "{rule}: {text:?} is not in {all:#?}");
    }
}
