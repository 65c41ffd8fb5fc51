//! Texts that a filter judges, with outages. No text is in sight that the filter has not allowed,
//! but where the fallback of its type says so. What a word list holds stays so, whatever the filter
//! says. The filter learns no name of an author. A text of a new member waits, also while the
//! comments of its author cannot be counted.

use std::collections::BTreeMap;

use super::super::tables::StoredRows;
use super::super::{Findings, refused_calls};
use super::{DISPOSITIONS, drained, policy_call};
use crate::histcheck::history::{
    Fallback, FilterResult, History, Nanos, Op, Outcome, PolicyCall, PolicyResponse, RequestId, WrittenComment, state,
};
use crate::histcheck::names;

/// The name of the rule about what the filter learns.
const QUESTIONS: &str = "filter questions";

/// The error of a text that is refused because the filter does not respond. Another attempt of the
/// request may still be executed.
const UNAVAILABLE: &str = "POLICY_UNAVAILABLE";

/// Finds texts in sight that no filter allowed, and at the end those that still wait for it.
pub(in crate::histcheck::check) fn check(history: &History, stored: Option<&StoredRows<'_>>, findings: &mut Findings) {
    let outages = outages(&history.ops);
    let mut begun = BTreeMap::<RequestId, Nanos>::new();
    findings.begin(DISPOSITIONS);
    for (number, op) in (0..).zip(&history.ops) {
        let Some(call) = policy_call(op) else { continue };
        let first = *begun.entry(op.request).or_insert(op.begun);
        let is_outage = outages.iter().any(|(down, up)| *down <= first && op.ended <= *up);
        let violation = match call {
            PolicyCall::CreateFiltered { result, is_listed, .. } => created(op, (result, is_listed), is_outage),
            PolicyCall::EditFiltered { result, .. } => edited(op, result, is_outage),
            PolicyCall::CreateNew { .. } => created_new(op),
            PolicyCall::SetList { .. }
            | PolicyCall::SetStanding { .. }
            | PolicyCall::Create { .. }
            | PolicyCall::SetFilter { .. }
            | PolicyCall::JudgeHeld { .. }
            | PolicyCall::Get { .. } => continue,
        };
        findings.cases(1);
        findings.add_if_any(violation, number);
    }
    check_questions(history, findings);
    drained::check(history, stored, findings);
}

/// Returns the violation of the response to a create.
fn created(op: &Op, (result, is_listed): (FilterResult, bool), is_outage: bool) -> Option<String> {
    let fallback = names::fallback(op.call.subject());
    let outage = if is_outage { " during an outage" } else { "" };
    if let Some(reason) = op.outcome.refused() {
        return (!refused_calls::is_transient(reason)).then(|| format!("refused for {reason}{outage}"));
    }
    if let Outcome::Unknown(reason) = &op.outcome {
        let is_explained = **reason != *UNAVAILABLE || fallback == Fallback::Refuse;
        return (!is_explained).then(|| format!("refused for {reason}{outage}"));
    }
    let Outcome::Policy(PolicyResponse::Written(WrittenComment { state, .. })) = op.outcome else { return None };
    let right: &[i8] = match (fallback, result) {
        (Fallback::Show, _) => &[state::ACTIVE],
        (Fallback::Refuse, _) if is_outage => &[],
        (Fallback::Refuse, _) => &[state::ACTIVE],
        (Fallback::Hold, _) if is_outage => &[state::PENDING],
        (Fallback::Hold, FilterResult::Allow) if is_listed => &[state::PENDING],
        (Fallback::Hold, FilterResult::Allow) => &[state::ACTIVE, state::PENDING],
        (Fallback::Hold, FilterResult::Hold | FilterResult::Open) => &[state::PENDING],
        (Fallback::Hold, FilterResult::Reject) => &[state::REJECTED, state::PENDING],
    };
    let listed = if is_listed { " and a list holds it" } else { "" };
    let is_right = right.contains(&state);
    (!is_right).then(|| format!("the state {state}{outage}: the filter says {result:?}{listed}, and {fallback:?}"))
}

/// Returns the violation of the response to an edit of a comment in sight.
fn edited(op: &Op, result: FilterResult, is_outage: bool) -> Option<String> {
    if let Some(reason) = op.outcome.refused() {
        return (!refused_calls::is_transient(reason)).then(|| format!("an edit is refused for {reason}"));
    }
    let Outcome::Policy(PolicyResponse::Edited { proposal }) = op.outcome else { return None };
    let is_shown = proposal == 0;
    let may_show = result == FilterResult::Allow && !is_outage;
    (is_shown && !may_show).then(|| format!("the edit is in sight, and the filter says {result:?}"))
}

/// Returns the violation of the response to a create of a new member.
fn created_new(op: &Op) -> Option<String> {
    if let Some(reason) = op.outcome.refused() {
        return (!refused_calls::is_transient(reason)).then(|| format!("refused for {reason}"));
    }
    let Outcome::Policy(PolicyResponse::Written(WrittenComment { state, .. })) = op.outcome else { return None };
    (state != state::PENDING).then(|| format!("the state {state}, and the member is new"))
}

/// Finds names of authors that the filter got, and tokens that are those of several authors.
fn check_questions(history: &History, findings: &mut Findings) {
    findings.begin(QUESTIONS);
    findings.cases(history.questions.len());
    let members = names::FILTERED_MEMBERS..names::FILTERED_MEMBERS + names::FILTERED_MEMBER_COUNT;
    let ids: Vec<String> = members.map(names::member_id).collect();
    let mut authors = BTreeMap::new();
    for op in &history.ops {
        if let (Some(PolicyCall::CreateFiltered { member, .. }), Outcome::Policy(PolicyResponse::Written(written))) =
            (policy_call(op), &op.outcome)
        {
            authors.insert(written.id, (op.call.subject(), member));
        }
    }
    let mut tokens = BTreeMap::new();
    for question in &history.questions {
        let mut texts = question.others.iter().chain([&question.token]);
        if texts.any(|text| ids.iter().any(|id| text.contains(id))) {
            findings.add(|| format!("the filter gets the name of an author: {question:?}"), &[]);
        }
        if let Some((subject, member)) = authors.get(&question.comment) {
            let author = (names::key(*subject).object_type, *member);
            let first = tokens.entry(&question.token).or_insert_with(|| author.clone());
            if *first != author {
                findings.add(|| format!("{question:?} has the token of {first:?}, and its author is {author:?}"), &[]);
            }
        }
    }
}

/// Returns the times between which the filter responds no call.
fn outages(ops: &[Op]) -> Vec<(Nanos, Nanos)> {
    let (mut outages, mut down) = (Vec::new(), None);
    for op in ops {
        match policy_call(op) {
            Some(PolicyCall::SetFilter { responds: false }) => down = down.or(Some(op.ended)),
            Some(PolicyCall::SetFilter { responds: true }) => outages.extend(down.take().zip(Some(op.begun))),
            Some(_) | None => {}
        }
    }
    outages.extend(down.zip(Some(Nanos::MAX)));
    outages
}

#[cfg(test)]
mod tests {
    use super::super::sample::PolicySample;
    use crate::histcheck::history::FilterResult::{Allow, Hold, Open, Reject};
    use crate::histcheck::history::state::{ACTIVE, PENDING, REJECTED};
    use crate::histcheck::names::{FILTERED, NEWCOMERS, SHOWN, STRICT};

    #[test]
    fn only_what_the_filter_allows_is_in_sight() {
        for (result, state, is_right) in [
            (Allow, ACTIVE, true),
            (Allow, PENDING, true),
            (Allow, REJECTED, false),
            (Hold, PENDING, true),
            (Hold, ACTIVE, false),
            (Reject, REJECTED, true),
            (Reject, PENDING, true),
            (Reject, ACTIVE, false),
            (Open, PENDING, true),
            (Open, ACTIVE, false),
        ] {
            let mut sample = PolicySample::default();
            sample.filtered(20, FILTERED, result, state);
            if is_right {
                sample.finds_nothing();
            } else {
                sample.finds("dispositions", "the filter says");
            }
        }
    }

    #[test]
    fn during_an_outage_the_fallback_of_the_type_decides() {
        let at = |at, subject, result, state| {
            let mut sample = PolicySample::default();
            sample.filter(10, false).filtered(at, subject, result, state).filter(30, true);
            sample
        };
        at(20, FILTERED, Allow, PENDING).finds_nothing();
        at(20, FILTERED, Allow, ACTIVE).finds("dispositions", "during an outage");
        at(20, FILTERED, Reject, REJECTED).finds("dispositions", "during an outage");
        // The call may have come before or after.
        for time in [10, 30, 40] {
            at(time, FILTERED, Allow, ACTIVE).finds_nothing();
            at(time, STRICT, Allow, ACTIVE).finds_nothing();
        }
        at(20, SHOWN, Allow, ACTIVE).finds_nothing();
        at(20, SHOWN, Allow, PENDING).finds("dispositions", "Show");
        at(20, STRICT, Allow, PENDING).finds("dispositions", "Refuse");
        at(20, STRICT, Allow, ACTIVE).finds("dispositions", "Refuse");
        let refused = |subject| {
            let mut sample = PolicySample::default();
            sample.filter(10, false).filtered_refused(20, subject, "POLICY_UNAVAILABLE");
            sample
        };
        refused(STRICT).finds_nothing();
        refused(FILTERED).finds("dispositions", "refused for POLICY_UNAVAILABLE");
        refused(SHOWN).finds("dispositions", "refused for POLICY_UNAVAILABLE");
    }

    #[test]
    fn what_a_list_holds_is_not_released() {
        let listed = |state| {
            let mut sample = PolicySample::default();
            sample.listed(20, Allow, state);
            sample
        };
        listed(PENDING).finds_nothing();
        listed(ACTIVE).finds("dispositions", "a list holds it");
    }

    #[test]
    fn an_edit_is_in_sight_only_if_the_filter_allows_it() {
        let edited = |result, proposal| {
            let mut sample = PolicySample::default();
            sample.filtered(5, FILTERED, Allow, ACTIVE).edited(20, result, proposal);
            sample
        };
        edited(Allow, 0).finds_nothing();
        edited(Allow, 1).finds_nothing();
        edited(Hold, 1).finds_nothing();
        edited(Hold, 0).finds("dispositions", "the edit is in sight");
        let mut sample = PolicySample::default();
        sample.filtered(5, FILTERED, Allow, ACTIVE).filter(10, false).edited(20, Allow, 0);
        sample.finds("dispositions", "the edit is in sight");
    }

    #[test]
    fn a_new_member_waits() {
        let mut sample = PolicySample::default();
        sample.new_member(20, NEWCOMERS, PENDING).finds_nothing();
        sample.new_member(30, NEWCOMERS, ACTIVE).finds("dispositions", "the member is new");
    }

    #[test]
    fn the_filter_learns_no_name() {
        let questioned = |token, other| {
            let mut sample = PolicySample::default();
            sample.filtered(5, FILTERED, Allow, ACTIVE).filtered(6, FILTERED, Allow, ACTIVE);
            sample.questioned(1, "a", "").questioned(2, token, other);
            sample
        };
        questioned("a", "film").finds_nothing();
        questioned("a", "m850003").finds("filter questions", "the name of an author");
        questioned("m850003", "").finds("filter questions", "the name of an author");
        let mut sample = questioned("a", "");
        sample.filtered(7, SHOWN, Allow, ACTIVE).questioned(3, "a", "").finds("filter questions", "has the token of");
    }
}
