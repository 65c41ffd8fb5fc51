//! Parses the filter of events, the size of a page of them and the wait for one.

use std::collections::BTreeSet;
use std::time::Duration;

use riposte_core::feed::{EventFilter, EventKind, EventScope, MAX_WAIT};
use riposte_core::{Caller, Comments, Error, ObjectType, Reason, Result, Violation};
use riposte_sdk::v1;

use super::Violations;
use super::values::duration;

/// The maximum number of object types of a filter.
const MAX_TYPES: usize = 32;
/// The number of events of a page, if none is requested, and its maximum.
const DEFAULT_EVENTS: usize = 100;
const MAX_EVENTS: usize = 1_000;

impl Violations {
    /// Parses a filter of events that the caller may receive; `None` if it has violations.
    ///
    /// # Errors
    /// [`Error::CallerNotAllowed`], before the existence of a type is revealed.
    pub(crate) fn event_filter(
        &mut self,
        comments: &Comments,
        caller: &Caller,
        filter: Option<v1::EventFilter>,
    ) -> Result<Option<EventFilter>> {
        let v1::EventFilter { object_types, kinds, scope } = filter.unwrap_or_default();
        let scope = self.take(event_scope("filter.scope", scope));
        let kinds = self.take(event_kinds("filter.kinds", &kinds, scope));
        let types = self.take(types("filter.object_types", &object_types));
        let (Some(object_types), Some(kinds), Some(scope)) = (types, kinds, scope) else { return Ok(None) };
        let filter = EventFilter { object_types, kinds, scope };
        filter.check(caller)?;
        for object_type in &filter.object_types {
            match comments.policy(caller, object_type) {
                Ok(_) => {}
                Err(Error::ObjectTypeUnknown(_)) => {
                    self.add_metadata("object_type", object_type.as_str());
                    let unknown = Violation::field("filter.object_types", Reason::ObjectTypeUnknown.summary());
                    return Ok(self.take(Err(Violation { reason: Reason::ObjectTypeUnknown, ..unknown })));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(Some(filter))
    }
}

fn types(field: &str, names: &[String]) -> std::result::Result<BTreeSet<ObjectType>, Vec<Violation>> {
    if !(1..=MAX_TYPES).contains(&names.len()) {
        let rule = format!("must have 1 to {MAX_TYPES} entries, has {}", names.len());
        return Err(vec![Violation::field(field, rule)]);
    }
    let parse = |(n, name): (usize, &String)| ObjectType::parse(&format!("{field}[{n}]"), name);
    let (parsed, invalid): (Vec<_>, Vec<_>) = names.iter().enumerate().map(parse).partition(|parsed| parsed.is_ok());
    if invalid.is_empty() {
        Ok(parsed.into_iter().flatten().collect())
    } else {
        Err(invalid.into_iter().filter_map(std::result::Result::err).collect())
    }
}

fn event_scope(field: &str, scope: i32) -> std::result::Result<EventScope, Violation> {
    match v1::EventScope::try_from(scope) {
        Ok(v1::EventScope::Unspecified | v1::EventScope::Public) => Ok(EventScope::Public),
        Ok(v1::EventScope::Moderation) => Ok(EventScope::Moderation),
        Err(_) => Err(Violation::field(field, "is not a known value")),
    }
}

/// Parses the kinds of a scope. An invalid scope is a violation of its own, and has every kind.
fn event_kinds(
    field: &str,
    kinds: &[i32],
    scope: Option<EventScope>,
) -> std::result::Result<BTreeSet<EventKind>, Vec<Violation>> {
    let mut parsed = BTreeSet::new();
    let mut violations = Vec::new();
    for (n, number) in kinds.iter().enumerate() {
        let kind = EventKind::ALL.into_iter().find(|kind| i32::from(kind.number()) == *number);
        let field = || format!("{field}[{n}]");
        match kind {
            None => violations.push(Violation::field(field(), "is not a known value")),
            Some(kind) if scope.is_some_and(|scope| scope < kind.scope()) => {
                violations.push(Violation::field(field(), "is no kind of the scope"));
            }
            Some(kind) => drop(parsed.insert(kind)),
        }
    }
    if violations.is_empty() { Ok(parsed) } else { Err(violations) }
}

/// Parses the maximum number of events of a page.
pub(crate) fn event_limit(field: &str, size: i32) -> std::result::Result<usize, Violation> {
    match usize::try_from(size) {
        Ok(0) => Ok(DEFAULT_EVENTS),
        Ok(size) => Ok(size.min(MAX_EVENTS)),
        Err(_) => Err(Violation::field(field, "must not be negative")),
    }
}

/// Parses the wait for the first event of a page.
pub(crate) fn event_wait(field: &str, wait: Option<prost_types::Duration>) -> std::result::Result<Duration, Violation> {
    let wait = wait.map_or(Some(Duration::ZERO), |wait| duration(&wait));
    wait.filter(|wait| *wait <= MAX_WAIT).ok_or_else(|| Violation::field(field, "must be 0s to 20s"))
}
