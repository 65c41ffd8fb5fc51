//! Comments that the policy judges: a word list that changes decides about each text, and so does
//! the standing of its author. A repeat of a committed request gets the first response, whatever
//! list and standing are meanwhile.
//!
//! A server may go by a list or a standing that another one replaced a short time ago. So several
//! outcomes of a call may be right, and one that none of them explains is a violation. A server
//! that cannot read the standings goes by those that it has, so the time grows by the longest
//! fault.

mod drained;
pub(super) mod filtered;
#[cfg(test)]
mod sample;
mod timeline;

use std::collections::BTreeMap;

use super::tables::StoredRows;
use super::{Findings, MAX_AGE, refused_calls};
use crate::histcheck::history::{
    Call, History, Nanos, Op, Outcome, PolicyCall, PolicyResponse, RequestId, WrittenComment, state, word_text,
};
use crate::histcheck::names;
use timeline::{Possible, Timelines};

/// The names of the rules.
const DISPOSITIONS: &str = "dispositions";
const STANDINGS: &str = "standings";
const REPEATS: &str = "repeats";
const REFUSED: &str = "refusals";

/// The comments of the run, as the first responses show them: their texts and words, and when.
type Comments = BTreeMap<i64, ((u64, u8), WrittenComment, Nanos)>;

/// Violated rules, with descriptions and operations.
type Violations = Vec<(&'static str, String, Vec<u32>)>;

/// The result of the check of one operation: the violated rule and a description.
type Verdict = Option<(&'static str, String)>;

/// Finds texts with states that neither list nor standing explains, and repeats with other
/// responses.
pub(super) fn check(history: &History, stored: Option<&StoredRows<'_>>, findings: &mut Findings) {
    let timelines = Timelines::of(&history.ops, &history.faults);
    let longest = history.faults.iter().map(|fault| fault.ended.saturating_sub(fault.begun)).max();
    let age = MAX_AGE + longest.unwrap_or(0);
    let (requests, comments) = (requests(history), comments(history));
    let mut found = Violations::new();
    let mut cases = BTreeMap::from([(DISPOSITIONS, 0), (STANDINGS, 0), (REPEATS, 0), (REFUSED, 0)]);
    for attempts in requests.values() {
        for (at, number) in attempts.iter().enumerate() {
            let op = &history.ops[*number as usize];
            let earlier = &attempts[..at];
            let responded = earlier.iter().copied().find(|first| {
                let first = &history.ops[*first as usize];
                first.ended < op.begun && matches!(first.outcome, Outcome::Policy(_))
            });
            let (rule, violation) = match responded {
                Some(first) => (REPEATS, repeat_violation(&history.ops[first as usize], op)),
                None => {
                    let first = history.ops[attempts[0] as usize].begun;
                    first_violation(&timelines, first.saturating_sub(age), op)
                }
            };
            *cases.entry(rule).or_default() += 1;
            if let Some(description) = violation {
                found.push((rule, description, responded.into_iter().chain([*number]).collect()));
            }
        }
    }
    for (number, op) in (0..).zip(&history.ops) {
        if let Some(call @ PolicyCall::Get { .. }) = policy_call(op) {
            *cases.entry(DISPOSITIONS).or_default() += 1;
            found.extend(read_violation(&comments, op, call).map(|(rule, text)| (rule, text, vec![number])));
        }
    }
    if let Some(stored) = stored {
        let (refused, violations) = row_violations(history, stored, &comments);
        *cases.entry(REFUSED).or_default() += refused;
        found.extend(violations);
    }
    for (rule, count) in cases {
        findings.begin(rule);
        findings.cases(count);
        for (_, description, ops) in found.iter().filter(|(of, ..)| *of == rule) {
            findings.add(|| description.clone(), ops);
        }
    }
}

/// Returns the call of an operation about comments that the policy judges.
fn policy_call(op: &Op) -> Option<PolicyCall> {
    if let Call::Policy { call, .. } = op.call { Some(call) } else { None }
}

/// Returns the attempts of each create, in the order in which they began.
fn requests(history: &History) -> BTreeMap<RequestId, Vec<u32>> {
    let mut requests: BTreeMap<RequestId, Vec<u32>> = BTreeMap::new();
    for (number, op) in (0..).zip(&history.ops) {
        if let Some(PolicyCall::Create { .. }) = policy_call(op) {
            requests.entry(op.request).or_default().push(number);
        }
    }
    for attempts in requests.values_mut() {
        attempts.sort_by_key(|number| history.ops[*number as usize].begun);
    }
    requests
}

/// Returns the comments as the first responses show them.
fn comments(history: &History) -> Comments {
    let mut comments = Comments::new();
    for op in &history.ops {
        if let (Some(PolicyCall::Create { text, word, .. }), Outcome::Policy(PolicyResponse::Written(written))) =
            (policy_call(op), &op.outcome)
        {
            comments.entry(written.id).or_insert(((text, word), *written, op.ended));
        }
    }
    comments
}

/// Returns the violation of a response to a create that had none before. List and standing may be
/// any that was in force after `since`.
fn first_violation(timelines: &Timelines, since: Nanos, op: &Op) -> (&'static str, Option<String>) {
    let Some(PolicyCall::Create { member, word, .. }) = policy_call(op) else { return (DISPOSITIONS, None) };
    let possible = timelines.possible(member, word, (since, op.ended));
    if let Outcome::Unknown(reason) = &op.outcome
        && refused_calls::is_internal(reason)
    {
        return (DISPOSITIONS, Some(format!("failed with {reason}, an error of the service itself")));
    }
    if let Some(reason) = op.outcome.refused() {
        return match reason {
            reason if refused_calls::is_transient(reason) => (DISPOSITIONS, None),
            "MEMBER_SUSPENDED" => (STANDINGS, unless(&possible, possible.suspended, || reason.to_owned())),
            "CONTENT_BLOCKED" => (DISPOSITIONS, unless(&possible, possible.blocked, || reason.to_owned())),
            other => (DISPOSITIONS, Some(format!("refused for {other}, which neither list nor standing explains"))),
        };
    }
    let Outcome::Policy(PolicyResponse::Written(written)) = &op.outcome else { return (DISPOSITIONS, None) };
    let is_possible = possible.states.contains(&written.state);
    let rule = if possible.states.is_empty() { STANDINGS } else { DISPOSITIONS };
    if is_possible && written.word != word {
        let shown = word_text(word).unwrap_or_default();
        return (DISPOSITIONS, Some(format!("{written:?} does not show what it should of {shown:?}")));
    }
    (rule, unless(&possible, is_possible, || format!("the state {}", written.state)))
}

fn unless(possible: &Possible, is_possible: bool, what: impl FnOnce() -> String) -> Option<String> {
    (!is_possible).then(|| format!("{}, but list and standing explain {possible:?} alone", what()))
}

/// Returns the violation of a repeat of a create that had a response before it began.
fn repeat_violation(first: &Op, op: &Op) -> Option<String> {
    if let Some(reason) = op.outcome.refused() {
        let is_allowed = refused_calls::is_transient(reason);
        return (!is_allowed).then(|| format!("a repeat is refused for {reason}, and the first response is {first:?}"));
    }
    let Outcome::Policy(response) = &op.outcome else { return None };
    let is_first = first.outcome == Outcome::Policy(*response);
    (!is_first).then(|| format!("a repeat has the response {response:?}, and the first one {:?}", first.outcome))
}

/// Returns the violation of a read. No moderator judges these comments, so their states stay.
fn read_violation(comments: &Comments, op: &Op, call: PolicyCall) -> Verdict {
    let PolicyCall::Get { comment, by_author, .. } = call else { return None };
    let ((text, word), written, ended) = comments.get(&comment)?;
    let is_shown = by_author || written.state == state::ACTIVE;
    if let Some(reason) = op.outcome.refused() {
        // A cache may not have the comment yet.
        let may_lag = op.begun.saturating_sub(MAX_AGE) <= *ended;
        let is_absent = reason == "COMMENT_NOT_FOUND" && (!is_shown || may_lag);
        let is_allowed = is_absent || refused_calls::is_transient(reason);
        return (!is_allowed)
            .then(|| (DISPOSITIONS, format!("a read is refused for {reason}, and the comment is {written:?}")));
    }
    let Outcome::Policy(PolicyResponse::Seen { text: shown, word: shown_word, state }) = &op.outcome else {
        return None;
    };
    let is_right = is_shown && (shown, shown_word, state) == (text, word, &written.state);
    (!is_right).then(|| {
        let shown = format!("shown as {state} with text {shown} and word {shown_word}");
        (DISPOSITIONS, format!("{shown}, and it is {written:?}"))
    })
}

/// Returns the violations of the rows: a comment has the state of the response, and a create that
/// was refused in all attempts has none. Also returns the number of the latter.
fn row_violations(history: &History, stored: &StoredRows<'_>, comments: &Comments) -> (usize, Violations) {
    let mut found = Vec::new();
    for (id, (_, written, _)) in comments {
        let row = stored.comments.get(id);
        if row.is_none_or(|row| row.state != written.state) {
            found.push((DISPOSITIONS, format!("{written:?} has the row {row:?}"), Vec::new()));
        }
    }
    let mut refused: BTreeMap<u64, (bool, Vec<u32>)> = BTreeMap::new();
    for (number, op) in (0..).zip(&history.ops) {
        if let Some(text) = policy_call(op).and_then(created_text) {
            let (all, ops) = refused.entry(text).or_insert((true, Vec::new()));
            *all &= op.outcome.refused().is_some();
            ops.push(number);
        }
    }
    for row in stored.contents.values().filter(|row| names::is_judged(row.text_subject)) {
        match refused.get(&row.text) {
            Some((false, _)) => {}
            Some((true, ops)) => {
                found.push((REFUSED, format!("a refused text has the row {}", row.comment), ops.clone()));
            }
            None => found.push((DISPOSITIONS, format!("no request explains the row {row:?}"), Vec::new())),
        }
    }
    (refused.values().filter(|(all, _)| *all).count(), found)
}

/// Returns the number of the text that a call writes.
fn created_text(call: PolicyCall) -> Option<u64> {
    match call {
        PolicyCall::Create { text, .. }
        | PolicyCall::CreateFiltered { text, .. }
        | PolicyCall::EditFiltered { text, .. }
        | PolicyCall::CreateNew { text, .. } => Some(text),
        PolicyCall::SetList { .. }
        | PolicyCall::SetStanding { .. }
        | PolicyCall::SetFilter { .. }
        | PolicyCall::JudgeHeld { .. }
        | PolicyCall::Get { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::sample::PolicySample;
    use crate::histcheck::history::{SetStanding, WORD_COUNT, state};

    /// Words by what the first version of the list says of them.
    const ALLOWED: u8 = 0;
    const HELD: u8 = 2;
    const REFUSED: u8 = 4;

    #[test]
    fn a_text_has_the_state_that_its_word_asks_for() {
        for (word, right) in [(0, state::ACTIVE), (1, state::ACTIVE), (2, state::PENDING), (3, state::REJECTED)] {
            for state in [state::ACTIVE, state::PENDING, state::REJECTED] {
                let mut sample = PolicySample::default();
                sample.written(20, 1, word, state);
                if state == right {
                    sample.finds_nothing();
                } else {
                    sample.finds("dispositions", "the state");
                }
            }
        }
        PolicySample::default().refused(20, 1, REFUSED, "CONTENT_BLOCKED").finds_nothing();
        PolicySample::default().refused(20, 1, HELD, "CONTENT_BLOCKED").finds("dispositions", "CONTENT_BLOCKED");
        PolicySample::default().refused(20, 1, HELD, "INTERNAL").finds("dispositions", "refused for INTERNAL");
    }

    #[test]
    fn a_refused_text_has_no_row() {
        let mut sample = PolicySample::default();
        sample.refused(20, 1, REFUSED, "CONTENT_BLOCKED").ends(state::ACTIVE, 1, false);
        sample.finds("refusals", "a refused text has the row 1");
        let mut sample = PolicySample::default();
        sample.written(20, 1, ALLOWED, state::ACTIVE).ends(state::ACTIVE, 1, false).finds_nothing();
        sample.ends(state::ACTIVE, 9, false).finds("dispositions", "no request explains the row");
    }

    #[test]
    fn a_list_that_was_replaced_a_short_time_ago_may_still_be_in_force() {
        for (at, word, state, is_right) in [
            (22, HELD, state::PENDING, true),
            (22, HELD, state::REJECTED, true),
            (22, HELD, state::ACTIVE, false),
            (60, HELD, state::PENDING, false),
            (60, HELD, state::REJECTED, true),
        ] {
            let mut sample = PolicySample::default();
            sample.list(21, 1).written(at, 1, word, state);
            if is_right {
                sample.finds_nothing();
            } else {
                sample.finds("dispositions", "the state");
            }
        }
    }

    #[test]
    fn a_standing_holds_or_refuses_texts_and_never_releases_one() {
        let with = |standing, at, word, state| {
            let mut sample = PolicySample::default();
            sample.standing(20, 1, standing).written(at, 1, word, state);
            sample
        };
        with(SetStanding::PreModerated, 60, ALLOWED, state::PENDING).finds_nothing();
        with(SetStanding::PreModerated, 60, ALLOWED, state::ACTIVE).finds("dispositions", "the state");
        with(SetStanding::PreModerated, 22, ALLOWED, state::ACTIVE).finds_nothing();
        with(SetStanding::Trusted, 60, HELD, state::PENDING).finds_nothing();
        with(SetStanding::Trusted, 60, HELD, state::ACTIVE).finds("dispositions", "the state");
        with(SetStanding::Banned, 22, ALLOWED, state::ACTIVE).finds_nothing();
        with(SetStanding::Banned, 60, ALLOWED, state::ACTIVE).finds("standings", "the state");
        with(SetStanding::Muted, 60, HELD, state::PENDING).finds("standings", "the state");
        let suspended = |standing, at| {
            let mut sample = PolicySample::default();
            sample.standing(20, 1, standing).refused(at, 1, ALLOWED, "MEMBER_SUSPENDED");
            sample
        };
        suspended(SetStanding::Muted, 60).finds_nothing();
        suspended(SetStanding::Trusted, 60).finds("standings", "MEMBER_SUSPENDED");
        // Another member has no standing.
        PolicySample::default()
            .standing(20, 1, SetStanding::Banned)
            .refused(60, 2, ALLOWED, "MEMBER_SUSPENDED")
            .finds("standings", "MEMBER_SUSPENDED");
    }

    #[test]
    fn a_standing_with_an_end_ends_by_itself() {
        let suspended = |at| {
            let mut sample = PolicySample::default();
            sample.standing_until(20, 1, SetStanding::Muted, 25).refused(at, 1, ALLOWED, "MEMBER_SUSPENDED");
            sample
        };
        suspended(24).finds_nothing();
        suspended(39).finds_nothing();
        suspended(60).finds("standings", "MEMBER_SUSPENDED");
        // A server whose clock is set back has it in force again.
        suspended(60).step_clock((59, 61), -50).finds_nothing();
        suspended(60).step_clock((59, 61), 50).finds("standings", "MEMBER_SUSPENDED");
        suspended(90).step_clock((59, 61), -50).finds("standings", "MEMBER_SUSPENDED");
        // A standing of which no response came may not be in force, nor its end.
        let mut sample = PolicySample::default();
        sample.standing(5, 1, SetStanding::Banned).standing_until(20, 1, SetStanding::Muted, 25);
        sample.written(60, 1, ALLOWED, state::ACTIVE).finds_nothing();
    }

    #[test]
    fn a_text_shows_what_the_lists_leave_of_it() {
        let masked = WORD_COUNT - 1;
        let shown = |word, shown| {
            let mut sample = PolicySample::default();
            sample.shown(20, 1, (word, shown), state::ACTIVE);
            sample
        };
        shown(masked, masked).finds_nothing();
        shown(masked, u8::MAX).finds("dispositions", "does not show what it should");
        shown(ALLOWED, HELD).finds("dispositions", "does not show what it should");
    }

    #[test]
    fn a_repeat_gets_the_first_response_across_a_ban_and_another_list() {
        let mut sample = PolicySample::default();
        sample.written(5, 1, HELD, state::PENDING).list(21, 2).standing(22, 1, SetStanding::Banned);
        sample.repeat(60, state::PENDING).finds_nothing();
        sample.clone().repeat_refused(62, "OVERLOADED").finds_nothing();
        sample.clone().repeat(62, state::ACTIVE).finds("repeats", "and the first one");
        for reason in ["MEMBER_SUSPENDED", "CONTENT_BLOCKED", "REQUEST_ID_REUSED"] {
            sample.clone().repeat_refused(62, reason).finds("repeats", reason);
        }
    }

    #[test]
    fn reads_show_others_only_what_is_in_sight() {
        let read = |state, by_author, seen: Option<i8>, at| {
            let mut sample = PolicySample::default();
            let word = if state == state::ACTIVE { ALLOWED } else { HELD };
            sample.written(5, 1, word, state).read(at, by_author, seen);
            sample
        };
        read(state::ACTIVE, false, Some(state::ACTIVE), 60).finds_nothing();
        read(state::ACTIVE, false, None, 60).finds("dispositions", "refused for COMMENT_NOT_FOUND");
        read(state::ACTIVE, false, None, 7).finds_nothing();
        read(state::PENDING, false, None, 60).finds_nothing();
        read(state::PENDING, false, Some(state::PENDING), 60).finds("dispositions", "shown as 2");
        read(state::PENDING, true, Some(state::PENDING), 60).finds_nothing();
        read(state::PENDING, true, Some(state::ACTIVE), 60).finds("dispositions", "shown as 1");
    }
}
