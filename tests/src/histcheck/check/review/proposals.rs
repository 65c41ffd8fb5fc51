//! An edit of a comment in sight waits beside the approved text, which stays in sight without a
//! break. The edit is shown to the author and to moderators only, until a moderator has approved
//! this one; one that was refused, replaced or dropped is never shown to others.

use super::super::{Findings, MAX_AGE};
use super::life::CommentLife;
use super::lives::Lives;
use crate::histcheck::history::{
    Nanos, Op, PublicRead, ReviewCall, ReviewResponse, SeenComment, SeenProposal, proposal_state, state,
};

/// The size of a first page of roots.
const PAGE: usize = 50;

/// Finds edits that did not wait, proposals that are shown or judged wrongly, and approved texts
/// that are missing meanwhile.
pub(super) fn check(lives: &Lives<'_>, findings: &mut Findings) {
    for life in lives.comments.values() {
        for (description, op) in &life.edit_violations {
            findings.add(|| description.clone(), &[life.created, *op]);
        }
        check_rows(lives, findings, life);
    }
    for ((comment, _), row) in &lives.proposals {
        findings.cases(1);
        if lives.written.get(&row.text) != Some(comment) {
            findings.add(|| format!("no edit of {comment} was requested with this text: {row:?}"), &[]);
        }
    }
    for (number, call, response) in lives.responses() {
        let op = lives.op(number);
        match (call, response) {
            (ReviewCall::Edit { comment, text, .. }, ReviewResponse::Written { comment: shown, proposal, .. }) => {
                let violation = edit_violation(lives, op, (*text, shown), proposal.as_ref());
                if let Some(violation) = violation {
                    findings.add(|| format!("an edit of {comment} returns {violation}"), &[number]);
                }
            }
            (ReviewCall::Public { read, viewer, fresh }, ReviewResponse::Seen { comments, proposals, .. }) => {
                let since = if *fresh { op.begun } else { op.begun.saturating_sub(MAX_AGE) };
                let public = PublicResponse { read: *read, viewer: *viewer, since, comments, proposals, number };
                public.check(lives, findings, op);
            }
            _other => {}
        }
        for item in response.moderated() {
            let Some(seen) = &item.proposal else { continue };
            findings.cases(1);
            let waits = seen.state == proposal_state::WAITING;
            if !is_stored(lives, item.id, seen) || !waits && !item.proposal_etag.is_empty() {
                findings.add(|| format!("a moderator reads {item:?}"), &[number]);
            }
        }
    }
}

/// Checks the stored proposals of a comment: numbered without a gap, each in the state to which the
/// changes led.
fn check_rows(lives: &Lives<'_>, findings: &mut Findings, life: &CommentLife) {
    let rows: Vec<_> = lives.proposals.range((life.id, i32::MIN)..=(life.id, i32::MAX)).map(|(_, row)| row).collect();
    let last = lives.reviews.get(&life.id).map_or(0, |review| review.proposal);
    if !rows.iter().map(|row| row.number).eq(1..=last) {
        findings.add(|| format!("{} has {last} proposals, and these rows: {rows:?}", life.id), &[life.created]);
    }
    if life.uncertain {
        return;
    }
    let derived = life.proposals.iter().map(|proposal| (proposal.number, proposal.text, proposal.state));
    if !rows.iter().map(|row| (row.number, row.text, row.state)).eq(derived) {
        let description = || format!("{} has these rows: {rows:?}; its changes lead to {:?}", life.id, life.proposals);
        let edits = life.proposals.iter().map(|proposal| proposal.op);
        findings.add(description, &edits.chain([life.created]).collect::<Vec<u32>>());
    }
}

/// Returns true if a proposal of this number and text is stored. Its state may be a later one.
fn is_stored(lives: &Lives<'_>, id: i64, seen: &SeenProposal) -> bool {
    let is_readable = matches!(seen.state, proposal_state::WAITING | proposal_state::REJECTED);
    is_readable && lives.proposals.get(&(id, seen.number)).is_some_and(|row| row.text == seen.text)
}

/// Returns the violation of the response to an edit, which has the proposal that the edit became,
/// or at a repeat the same one in its present state, and the text in sight.
fn edit_violation(
    lives: &Lives<'_>,
    op: &Op,
    (text, shown): (u64, &SeenComment),
    proposal: Option<&SeenProposal>,
) -> Option<String> {
    if let Some(seen) = proposal
        && (seen.text != text || !is_stored(lives, shown.id, seen))
    {
        return Some(format!("the proposal {seen:?}"));
    }
    let life = lives.comments.get(&shown.id).filter(|life| !life.uncertain)?;
    let first = lives.requests.get(&op.request).map_or(op.begun, |request| lives.op(request.attempts[0]).begun);
    let had = life.points_within(first, op.ended).any(|point| point.text == shown.text);
    (shown.text != 0 && !had).then(|| format!("the text {}, which the comment did not have", shown.text))
}

/// A response of the public port.
struct PublicResponse<'h> {
    read: PublicRead,
    viewer: Option<u32>,
    /// The time from which on the response may show the rows.
    since: Nanos,
    comments: &'h [SeenComment],
    proposals: &'h [(i64, SeenProposal)],
    number: u32,
}

impl PublicResponse<'_> {
    fn check(&self, lives: &Lives<'_>, findings: &mut Findings, op: &Op) {
        self.check_proposals(lives, findings, op);
        for shown in self.comments {
            let Some(life) = lives.comments.get(&shown.id) else { continue };
            let waits = |from, to| life.proposals.iter().any(|proposal| proposal.may_wait(from, to));
            if matches!(self.read, PublicRead::History(_)) || !waits(op.begun, op.ended) {
                continue;
            }
            findings.cases(1);
            if life.is_in_sight(self.since, op.ended) && (shown.text == 0 || shown.state != state::ACTIVE) {
                let description = || format!("{} is shown as {shown:?} while its edit waits", life.id);
                findings.add(description, &[life.created, self.number]);
            }
        }
        for life in self.missing(lives, op) {
            let description = || format!("{} is missing in {:?}, and is in sight", life.id, self.read);
            findings.add(description, &[life.created, self.number]);
        }
    }

    /// Checks the proposals in a response: only the author reads them, as they may have been.
    fn check_proposals(&self, lives: &Lives<'_>, findings: &mut Findings, op: &Op) {
        for (id, seen) in self.proposals {
            findings.cases(1);
            let life = lives.comments.get(id);
            let violation = if life.is_some_and(|life| self.viewer != Some(life.author)) {
                Some("it is not the author's")
            } else if !is_stored(lives, *id, seen) {
                Some("it is not stored")
            } else {
                life.filter(|life| !life.uncertain && !may_be(life, seen, op)).map(|_| "it was not in this state")
            };
            if let Some(violation) = violation {
                let description = || format!("{:?} reads {seen:?} of {id}: {violation}", self.viewer);
                findings.add(description, &[self.number]);
            }
        }
        let PublicRead::Get(id) = self.read else { return };
        let Some(life) = lives.comments.get(&id).filter(|life| self.viewer == Some(life.author)) else { return };
        let waits = life.proposals.iter().any(|proposal| proposal.waits(op.begun, op.ended));
        if waits && life.is_in_sight(self.since, op.ended) && self.proposals.is_empty() {
            findings.add(|| format!("the author of {id} does not read the edit that waits"), &[self.number]);
        }
    }

    /// Returns the comments in sight with an edit that waits which the response should have: the
    /// one that the call names, or all roots down to the last one of a page.
    fn missing<'l>(&self, lives: &'l Lives<'_>, op: &Op) -> Vec<&'l CommentLife> {
        let is_shown = |id: i64| self.comments.iter().any(|shown| shown.id == id);
        let is_expected = |life: &&CommentLife| {
            let waits = life.proposals.iter().any(|proposal| proposal.may_wait(op.begun, op.ended));
            waits && life.is_in_sight(self.since, op.ended) && !is_shown(life.id)
        };
        match self.read {
            PublicRead::Get(id)
            | PublicRead::Batch(id)
            | PublicRead::Thread(id)
            | PublicRead::Conversation(id)
            | PublicRead::Replies(id) => lives.comments.get(&id).filter(is_expected).into_iter().collect(),
            PublicRead::List => {
                let row = |id: i64| lives.stored.comments.get(&id).filter(|row| row.root == 0);
                let floors: Vec<i32> = self.comments.iter().filter_map(|shown| Some(row(shown.id)?.floor)).collect();
                let last = floors.iter().min().copied().filter(|_| floors.len() >= PAGE).unwrap_or(0);
                let subject = |id: i64| lives.stored.subjects.get(&id).map(|subject| subject.subject);
                let is_on_page = |life: &&CommentLife| {
                    row(life.id)
                        .is_some_and(|row| row.floor > last && subject(row.subject_id) == Some(op.call.subject()))
                };
                lives.comments.values().filter(|life| is_expected(life) && is_on_page(life)).collect()
            }
            PublicRead::History(_) | PublicRead::OfMember(_) | PublicRead::Unlisted => Vec::new(),
        }
    }
}

/// Returns true if a proposal may have been in the state that a read shows.
fn may_be(life: &CommentLife, seen: &SeenProposal, op: &Op) -> bool {
    let Some(proposal) = life.proposals.iter().find(|proposal| proposal.number == seen.number) else { return false };
    match seen.state {
        proposal_state::WAITING => proposal.may_wait(op.begun, op.ended),
        _refused => proposal.state == proposal_state::REJECTED && proposal.end_begun < op.ended,
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{AUTHOR, ReviewSample, edited_text, sample_decision};
    use crate::histcheck::history::{
        ModeratorAct, Outcome, ProposalRow, PublicRead, ReviewCall, ReviewResponse, SeenComment, SeenProposal,
        proposal_state, state,
    };

    /// Root 11, in sight since second 4, of which an edit waits since second 5.
    fn proposed() -> ReviewSample {
        let mut sample = ReviewSample::default();
        sample.propose(5, 11, 1, 4);
        sample
    }

    fn read(sample: &mut ReviewSample, at: u64, viewer: Option<u32>, text: u64, proposal: Option<SeenProposal>) {
        let comments = [SeenComment { id: 11, text, state: state::ACTIVE }].into();
        let proposals = proposal.map(|proposal| (11, proposal)).into_iter().collect();
        let response = ReviewResponse::Seen { comments, proposals, counts: None, names_moderator: false };
        sample.op(
            at,
            ReviewCall::Public { read: PublicRead::Get(11), viewer, fresh: true },
            Outcome::Reviewed(response),
        );
    }

    fn waiting(number: i32) -> SeenProposal {
        SeenProposal { number, text: edited_text(number), state: proposal_state::WAITING }
    }

    #[test]
    fn an_edit_waits_and_shows_from_its_approval_on() {
        let mut sample = proposed();
        read(&mut sample, 6, None, 11, None);
        read(&mut sample, 6, Some(AUTHOR), 11, Some(waiting(1)));
        sample.read_proposal(7, 11, "11.p1", 1, 1).finds_nothing();
        sample.judge_proposal(8, (11, "11.p1"), (2, 1), 5);
        read(&mut sample, 9, None, edited_text(1), None);
        sample.finds_nothing();
    }

    #[test]
    fn an_edit_that_was_refused_never_shows() {
        let mut sample = proposed();
        sample.read_proposal(6, 11, "11.p1", 1, 1).judge_proposal(7, (11, "11.p1"), (2, 1), 0);
        let refused = SeenProposal { state: proposal_state::REJECTED, ..waiting(1) };
        read(&mut sample, 8, Some(AUTHOR), 11, Some(refused));
        sample.finds_nothing();
        read(&mut sample, 9, None, edited_text(1), None);
        sample.finds("unseen", "text 101 was not public during the call");
    }

    #[test]
    fn an_edit_that_waits_is_read_by_its_author_alone() {
        let found = |viewer, text, proposal| {
            let mut sample = proposed();
            read(&mut sample, 6, viewer, text, proposal);
            sample
        };
        found(Some(9), 11, Some(waiting(1))).finds("proposals", "it is not the author's");
        found(None, edited_text(1), None).finds("unseen", "text 101 was not public during the call");
        found(Some(AUTHOR), 11, None).finds("proposals", "the author of 11 does not read the edit that waits");
        found(Some(AUTHOR), 11, Some(waiting(2))).finds("proposals", "it is not stored");
        let refused = SeenProposal { state: proposal_state::REJECTED, ..waiting(1) };
        found(Some(AUTHOR), 11, Some(refused)).finds("proposals", "it was not in this state");
    }

    #[test]
    fn an_approved_text_stays_in_sight() {
        let mut sample = proposed();
        read(&mut sample, 6, None, 0, None);
        sample.finds("proposals", "while its edit waits");
        let listed = |ids: &[i64]| {
            let mut sample = proposed();
            let shown = |id: &i64| SeenComment { id: *id, text: *id as u64, state: state::ACTIVE };
            let comments = ids.iter().map(shown).collect();
            let response =
                ReviewResponse::Seen { comments, proposals: [].into(), counts: None, names_moderator: false };
            let call = ReviewCall::Public { read: PublicRead::List, viewer: None, fresh: true };
            sample.op(6, call, Outcome::Reviewed(response));
            sample
        };
        listed(&[11]).finds_nothing();
        listed(&[]).finds("proposals", "11 is missing in List");
    }

    #[test]
    fn an_edit_in_sight_that_does_not_wait_is_found() {
        let mut sample = ReviewSample::default();
        let edit = ReviewCall::Edit { comment: 11, member: AUTHOR, text: 70 };
        sample.write(5, edit, SeenComment { id: 11, text: 70, state: state::ACTIVE }, 4);
        sample.finds("proposals", "11 is in sight, and its edit 70 did not wait");
    }

    #[test]
    fn a_judgement_of_an_edit_that_does_not_wait_is_found() {
        let mut replaced = proposed();
        replaced.read_proposal(6, 11, "11.p1", 1, 1).propose(7, 11, 2, 5).judge_proposal(8, (11, "11.p1"), (2, 1), 6);
        replaced.finds("proposals", "when number 1 is judged");
        let mut newer = proposed();
        newer.read_proposal(6, 11, "11.p1", 1, 1).propose(7, 11, 2, 5).judge_proposal(8, (11, "11.p1"), (2, 2), 6);
        newer.finds("verdicts", "proposal 2 was judged, and 1 was read");
        let mut dropped = proposed();
        let hidden = sample_decision(11, 2, ModeratorAct::Hide, state::ACTIVE, state::HIDDEN);
        let shown = sample_decision(11, 3, ModeratorAct::Unhide, state::HIDDEN, state::ACTIVE);
        dropped.judge(6, 1, (11, "11.2"), hidden, 5).proposal(11, 1, |row| row.state = proposal_state::DROPPED);
        dropped.judge(7, 1, (11, "11.3"), shown, 6).finds_nothing();
        dropped.judge_proposal(8, (11, "11.p1"), (4, 1), 7).finds("proposals", "when number 1 is judged");
    }

    #[test]
    fn rows_that_no_change_explains_are_found() {
        let with = |change: &dyn Fn(&mut ReviewSample)| {
            let mut sample = proposed();
            change(&mut sample);
            sample
        };
        let row = |change: fn(&mut ProposalRow)| {
            with(&|sample| {
                sample.proposal(11, 1, change);
            })
        };
        with(&|_| {}).finds_nothing();
        row(|row| row.state = proposal_state::DROPPED).finds("proposals", "11 has these rows");
        row(|row| row.number = 2).finds("proposals", "and these rows");
        row(|row| row.text = 99).finds("proposals", "no edit of 11 was requested");
        let closed = with(&|sample| {
            sample.review(11, |row| (row.is_open, row.questions) = (0, 0));
        });
        closed.finds("queue", "11 is in state 1");
    }

    #[test]
    fn the_response_to_an_edit_has_the_edit_and_the_text_in_sight() {
        let returned = |text, proposal| {
            let mut sample = proposed();
            let comment = SeenComment { id: 11, text, state: state::ACTIVE };
            let outcome = Outcome::Reviewed(ReviewResponse::Written { comment, revision: 4, proposal });
            sample.repeat(7, outcome);
            sample
        };
        returned(11, Some(waiting(1))).finds_nothing();
        returned(11, None).finds_nothing();
        returned(11, Some(waiting(2))).finds("proposals", "an edit of 11 returns the proposal");
        returned(edited_text(1), None).finds("proposals", "an edit of 11 returns the text 101");
    }
}
