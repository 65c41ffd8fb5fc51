//! The statements to a member are the decisions that restrict its comments, each once, and name
//! no moderator. One that was contested is not contestable again.

use std::collections::BTreeSet;

use super::super::Findings;
use super::lives::Lives;
use crate::histcheck::history::{DecisionRow, ModeratorAct, Op, ReviewCall, ReviewResponse, SeenStatement};

/// Finds statements of other members, those that no row explains, and those that are missing.
pub(super) fn check(lives: &Lives<'_>, findings: &mut Findings) {
    for (number, call, response) in lives.responses() {
        let (ReviewCall::Statements { member }, ReviewResponse::Statements { statements, has_secret }) =
            (call, response)
        else {
            continue;
        };
        let op = lives.op(number);
        if *has_secret {
            findings.add(|| format!("the statements to {member} name a moderator or have its note"), &[number]);
        }
        let mut shown = BTreeSet::new();
        for statement in statements {
            findings.cases(1);
            let is_first = shown.insert((statement.comment, statement.number));
            let violation =
                if is_first { violation(lives, op, (*member, statement)) } else { Some("it is shown twice") };
            if let Some(violation) = violation {
                findings.add(|| format!("{member} reads {statement:?}: {violation}"), &[number]);
            }
        }
        for row in missing(lives, op, *member, &shown) {
            findings.add(|| format!("the statement to {member} about {row:?} is missing"), &[number]);
        }
    }
}

fn violation(lives: &Lives<'_>, op: &Op, (member, statement): (u32, &SeenStatement)) -> Option<&'static str> {
    let SeenStatement { comment, number, act, of_proposal, from, to, is_contestable } = *statement;
    let Some(row) = lives.decisions.get(&(comment, number)) else { return Some("it has no row") };
    if (row.act, row.proposal > 0, row.from, row.to) != (act, of_proposal, from, to) {
        return Some("its row differs");
    }
    if !restricts(row) {
        return Some("it restricts nothing");
    }
    if lives.comments.get(&comment).is_some_and(|life| life.author != member) {
        return Some("the comment is another member's");
    }
    // What was known before the call forbids an appeal: another one, and a later decision.
    let is_known = |row: &DecisionRow| {
        let decided = lives.decided.get(&(comment, row.number));
        decided.is_some_and(|(_, known)| *known < op.begun)
    };
    let forbids = |other: &DecisionRow| other.number > number && is_known(other);
    let is_restriction = matches!(ModeratorAct::of(act), Some(ModeratorAct::Reject | ModeratorAct::Hide));
    if is_contestable && (of_proposal || !is_restriction) {
        return Some("such a decision is not contestable");
    }
    (is_contestable && lives.decisions_on(comment).any(forbids)).then_some("it may not be contested any more")
}

/// Returns true for a decision of which the author reads the reasons.
fn restricts(row: &DecisionRow) -> bool {
    use ModeratorAct::{Delete, Hide, Reject, Withhold};
    matches!(ModeratorAct::of(row.act), Some(Reject | Hide | Delete | Withhold))
}

/// Returns the decisions that were known before a read and that it lacks.
fn missing<'l>(
    lives: &'l Lives<'_>,
    op: &Op,
    member: u32,
    shown: &BTreeSet<(i64, i32)>,
) -> impl Iterator<Item = &'l DecisionRow> {
    lives.decisions.values().filter(move |row| {
        let name = (row.comment, row.number);
        let is_of_member = lives.comments.get(&row.comment).is_some_and(|life| life.author == member);
        let is_known = || lives.decided.get(&name).is_some_and(|(_, known)| *known < op.begun);
        is_of_member && restricts(row) && is_known() && !shown.contains(&name)
    })
}

#[cfg(test)]
mod tests {
    use super::super::sample::{AUTHOR, ReviewSample};
    use crate::histcheck::history::{ModeratorAct, Outcome, ReviewCall, ReviewResponse, SeenStatement, state};

    const HIDDEN: SeenStatement = SeenStatement {
        comment: 11,
        number: 2,
        act: ModeratorAct::Hide as i32,
        of_proposal: false,
        from: state::ACTIVE,
        to: state::HIDDEN,
        is_contestable: true,
    };

    /// Adds a read of the statements to a member to a history in which root 11 is hidden.
    fn read(member: u32, statements: &[SeenStatement]) -> ReviewSample {
        let mut sample = ReviewSample::default();
        sample.hide(5, 1);
        add(&mut sample, member, statements);
        sample
    }

    fn add(sample: &mut ReviewSample, member: u32, statements: &[SeenStatement]) {
        let response = ReviewResponse::Statements { statements: statements.into(), has_secret: false };
        sample.op(9, ReviewCall::Statements { member }, Outcome::Reviewed(response));
    }

    #[test]
    fn an_author_reads_each_restriction_once() {
        read(AUTHOR, &[HIDDEN]).finds_nothing();
        read(9, &[]).finds_nothing();
        read(AUTHOR, &[]).finds("statements", "is missing");
        read(AUTHOR, &[HIDDEN, HIDDEN]).finds("statements", "it is shown twice");
    }

    #[test]
    fn a_statement_is_a_restriction_of_an_own_comment() {
        read(9, &[HIDDEN]).finds("statements", "the comment is another member's");
        let changed = |change: fn(&mut SeenStatement)| {
            let mut statement = HIDDEN;
            change(&mut statement);
            read(AUTHOR, &[HIDDEN, statement])
        };
        changed(|it| it.number = 3).finds("statements", "it has no row");
        changed(|it| (it.number, it.act) = (1, ModeratorAct::Hide as i32)).finds("statements", "its row differs");
        let approved = |it: &mut SeenStatement| {
            (it.number, it.act) = (1, ModeratorAct::Approve as i32);
            (it.from, it.to, it.is_contestable) = (state::PENDING, state::ACTIVE, false);
        };
        changed(approved).finds("statements", "it restricts nothing");
    }

    #[test]
    fn what_was_contested_is_not_contestable_again() {
        let mut sample = ReviewSample::default();
        sample.hide(5, 1).appeal(6, (11, 2), 3);
        add(&mut sample, AUTHOR, &[SeenStatement { is_contestable: false, ..HIDDEN }]);
        sample.finds_nothing();
        add(&mut sample, AUTHOR, &[HIDDEN]);
        sample.finds("statements", "it may not be contested any more");
    }

    #[test]
    fn a_secret_in_the_statements_is_found() {
        let mut sample = ReviewSample::default();
        let response = ReviewResponse::Statements { statements: [].into(), has_secret: true };
        sample.op(9, ReviewCall::Statements { member: AUTHOR }, Outcome::Reviewed(response));
        sample.finds("statements", "name a moderator");
    }
}
