//! The review queue, comments and decisions as text for a terminal.

use crate::cli::output::{count, printable};
use prost_types::Timestamp;
use riposte_sdk::v1::{
    Comment, CommentState, Content, Decision, Grounds, ModeratedComment, ModerationAction, ReviewCause, ReviewItem,
};

/// Returns the entries of the queue, each with its due time as seen at `now` (milliseconds since
/// 1970).
pub(super) fn items(object_type: &str, items: &[ReviewItem], now: i64) -> String {
    let number = u64::try_from(items.len()).unwrap_or(u64::MAX);
    let mut text = format!("{object_type}: {}\n", count(number, "item"));
    for item in items {
        let due = item.due_time.map_or_else(String::new, |due| format!(" · {}", due_in(due, now)));
        let is_leased = item.lease_until.is_some_and(|until| millis(until) > now);
        let holder = if is_leased { format!(" · leased by {}", printable(&item.leased_by)) } else { String::new() };
        if let Some(comment) = &item.comment {
            text += &head(comment, &format!("{due}{holder}"));
        }
        if let Some(parent) = item.parent.as_ref().and_then(|parent| parent.comment.as_ref()) {
            text += &format!("   in reply to {}:\n", printable(&parent.member_id));
            push_text(&mut text, parent.content.as_ref(), "   > ");
        }
        if let Some(moderated) = &item.comment {
            push_text(&mut text, moderated.comment.as_ref().and_then(|comment| comment.content.as_ref()), "   ");
            push_edit(&mut text, moderated);
        }
    }
    text
}

/// Returns one comment, with what is open on it, its etag, and the edit that waits.
pub(super) fn comment(moderated: &ModeratedComment) -> String {
    let mut text = in_sight(moderated);
    push_edit(&mut text, moderated);
    text
}

/// Returns one comment, with what is open on it and its etag.
pub(super) fn in_sight(moderated: &ModeratedComment) -> String {
    let mut text = head(moderated, &format!(" · etag {}", moderated.etag));
    push_text(&mut text, moderated.comment.as_ref().and_then(|comment| comment.content.as_ref()), "   ");
    text
}

/// Returns decisions: the time, the moderator or `policy`, the act with its states, and the
/// reasons.
pub(super) fn decisions(decisions: &[Decision]) -> String {
    let mut text = String::new();
    for decision in decisions {
        let time = decision.time.map_or_else(String::new, |time| format!("{time} · "));
        let act = name(ModerationAction::try_from(decision.action).unwrap_or_default().as_str_name());
        let [from, to] = [decision.from_state, decision.to_state].map(state);
        let of = if decision.proposed_edit { " of the edit" } else { "" };
        let actor = if decision.actor_id.is_empty() { "policy" } else { &decision.actor_id };
        text += &format!("{time}{} · {act}{of}: {from} → {to}{}\n", printable(actor), reasons(decision));
        for line in decision.appeal_text.lines() {
            text += &format!("   > {}\n", printable(line));
        }
    }
    text
}

fn head(moderated: &ModeratedComment, more: &str) -> String {
    let Some(Comment { id, member_id, state: code, subject, create_time, .. }) = &moderated.comment else {
        return String::new();
    };
    let cause = |code: &i32| name(ReviewCause::try_from(*code).unwrap_or_default().as_str_name());
    let causes: Vec<String> = moderated.causes.iter().map(cause).collect();
    let causes = if causes.is_empty() { String::new() } else { format!(" · {}", causes.join(", ")) };
    let causes = match u64::try_from(moderated.report_count) {
        Ok(reports) if reports > 0 => format!("{causes} · {}", count(reports, "report")),
        Ok(_) | Err(_) => causes,
    };
    let key = subject.as_ref().map_or_else(String::new, |key| format!("{}/{}", key.object_type, key.object_id));
    let time = create_time.map_or_else(String::new, |time| format!(" · {time}"));
    let (key, member) = (printable(&key), printable(member_id));
    let client = client(moderated);
    format!("\nid {id} · {}{causes}{more}\n   {key} · {member}{time}{client}\n", state(*code))
}

/// Returns where a comment was written from: the platform and the token of the network, if they are
/// known.
fn client(ModeratedComment { platform, network_token, .. }: &ModeratedComment) -> String {
    let named = [("platform", platform), ("network", network_token)];
    let known = named.iter().filter(|(_, value)| !value.is_empty());
    known.map(|(name, value)| format!(" · {name} {}", printable(value))).collect()
}

/// Adds the edit of a comment that waits or was refused last.
fn push_edit(text: &mut String, moderated: &ModeratedComment) {
    let Some(edit) = &moderated.proposed_edit else { return };
    let etag = &moderated.proposed_edit_etag;
    let etag = if etag.is_empty() { String::new() } else { format!(" · etag {etag}") };
    let state = name(edit.state().as_str_name());
    *text += &format!("   edit {} · {state}{etag}\n", edit.number);
    push_text(text, edit.content.as_ref(), "   + ");
}

fn push_text(text: &mut String, content: Option<&Content>, indent: &str) {
    for line in content.iter().flat_map(|content| content.text.lines()) {
        *text += &format!("{indent}{}\n", printable(line));
    }
}

fn reasons(decision: &Decision) -> String {
    let Some(Grounds { code, explanation, note, .. }) = &decision.grounds else { return String::new() };
    let named = [("", code), ("", explanation), ("note: ", note)];
    let given = named.iter().filter(|(_, reason)| !reason.is_empty());
    given.map(|(name, reason)| format!(" · {name}{}", printable(reason))).collect()
}

fn state(code: i32) -> String {
    name(CommentState::try_from(code).unwrap_or_default().as_str_name())
}

/// Returns the name of a value of an enum without the name of its enum.
fn name(full: &str) -> String {
    let prefixes = ["COMMENT_STATE_", "MODERATION_ACTION_", "PROPOSAL_STATE_", "REVIEW_CAUSE_"];
    prefixes.iter().find_map(|prefix| full.strip_prefix(prefix)).unwrap_or(full).to_owned()
}

/// Returns a time in milliseconds since 1970.
fn millis(time: Timestamp) -> i64 {
    time.seconds.saturating_mul(1_000).saturating_add(i64::from(time.nanos) / 1_000_000)
}

/// Returns the time left until a comment is due, in whole minutes, rounded up.
fn due_in(due: Timestamp, now: i64) -> String {
    let left = millis(due).saturating_sub(now);
    let minutes = left.unsigned_abs().div_ceil(60_000);
    if left < 0 { format!("overdue by {minutes} min") } else { format!("due in {minutes} min") }
}

#[cfg(test)]
mod tests {
    use super::{comment, decisions, in_sight, items};
    use prost_types::Timestamp;
    use riposte_sdk::v1::{
        Comment, CommentState, Content, Decision, Grounds, ModeratedComment, ModerationAction, ProposalState,
        ProposedEdit, ReviewCause, ReviewItem, SubjectKey,
    };

    fn content(text: &str) -> Option<Content> {
        Some(Content { text: text.into(), ..Content::default() })
    }

    #[test]
    fn an_entry_has_state_cause_due_time_and_text() {
        let comment = Comment {
            id: 7,
            subject: Some(SubjectKey { object_type: "video".into(), object_id: "1".into() }),
            member_id: "ann".into(),
            state: CommentState::Pending.into(),
            content: content("one\ntwo"),
            ..Comment::default()
        };
        let comment = ModeratedComment {
            comment: Some(comment),
            etag: "e".into(),
            causes: vec![ReviewCause::New.into()],
            report_count: 2,
            ..ModeratedComment::default()
        };
        let due = Some(Timestamp { seconds: 1_800, nanos: 0 });
        let item = ReviewItem { comment: Some(comment), due_time: due, ..ReviewItem::default() };
        let text = items("video", std::slice::from_ref(&item), 1_000);
        let expected =
            "video: 1 item\n\nid 7 · PENDING · NEW · 2 reports · due in 30 min\n   video/1 · ann\n   one\n   two\n";
        assert_eq!(text, expected);
        assert!(items("video", std::slice::from_ref(&item), 1_861_000).contains("overdue by 2 min"));
        let leased = ReviewItem { leased_by: "mod".into(), lease_until: due, ..item };
        let holder = |now| items("video", std::slice::from_ref(&leased), now).contains(" · leased by mod");
        assert!(holder(1_799_999) && !holder(1_800_000), "a lease that has ended");
    }

    #[test]
    fn a_comment_has_its_platform_and_its_network_if_they_are_known() {
        let subject = SubjectKey { object_type: "video".into(), object_id: "1".into() };
        let written = Comment { subject: Some(subject), member_id: "ann".into(), ..Comment::default() };
        let shown = |platform: &str, network_token: &str| {
            let (platform, network_token) = (platform.into(), network_token.into());
            comment(&ModeratedComment {
                comment: Some(written.clone()),
                platform,
                network_token,
                ..ModeratedComment::default()
            })
        };
        assert!(shown("", "").ends_with("   video/1 · ann\n"), "{}", shown("", ""));
        assert!(shown("web", "").ends_with(" · ann · platform web\n"));
        assert!(shown("web", "x9").ends_with(" · ann · platform web · network x9\n"));
    }

    #[test]
    fn an_edit_that_waits_is_below_the_text_in_sight() {
        let id_and_text = Comment { id: 7, content: content("old"), ..Comment::default() };
        let edit = ProposedEdit { content: content("new"), number: 2, ..ProposedEdit::default() };
        let waiting = ProposedEdit { state: ProposalState::Waiting.into(), ..edit };
        let moderated = ModeratedComment {
            comment: Some(id_and_text),
            etag: "e".into(),
            proposed_edit: Some(waiting),
            proposed_edit_etag: "p".into(),
            ..ModeratedComment::default()
        };
        let (complete, shown) = (comment(&moderated), in_sight(&moderated));
        assert!(shown.contains("etag e") && shown.ends_with("   old\n"), "{shown}");
        assert_eq!(complete, shown + "   edit 2 · WAITING · etag p\n   + new\n");
    }

    #[test]
    fn a_decision_has_its_moderator_its_states_and_its_reasons() {
        let decision = Decision {
            action: ModerationAction::Reject.into(),
            from_state: CommentState::Pending.into(),
            to_state: CommentState::Rejected.into(),
            grounds: Some(Grounds { code: "spam".into(), note: "third".into(), ..Grounds::default() }),
            actor_id: "mod-1".into(),
            ..Decision::default()
        };
        let appeal = Decision {
            action: ModerationAction::Appeal.into(),
            from_state: CommentState::Rejected.into(),
            to_state: CommentState::Rejected.into(),
            actor_id: "ann".into(),
            appeal_text: "A quotation.".into(),
            ..Decision::default()
        };
        let expected = "mod-1 · REJECT: PENDING → REJECTED · spam · note: third\n\
                        ann · APPEAL: REJECTED → REJECTED\n   > A quotation.\n";
        assert_eq!(decisions(&[decision, appeal]), expected);
        let of_edit = Decision { proposed_edit: true, action: 1, ..Decision::default() };
        assert!(decisions(&[of_edit]).starts_with("policy · APPROVE of the edit: "), "no moderator took it");
    }
}
