//! The commands that a closed gate of moderation refuses.

use std::time::Duration;

use super::fixture::{Fixture, view};
use super::verbs::{author, moderator, ruling};
use crate::domain::disposition::Disposition;
use crate::domain::error::Error;
use crate::domain::ids::CommentId;
use crate::domain::object_type::ModerationMode;
use crate::domain::state::CommentState;
use crate::write::change::AuthorAppeal;
use crate::write::command_output::Effect;
use crate::write::unit_of_work::ModerationGate;
use crate::write::verbs::{
    Appeal, Approve, CommandKind, Create, Edit, Hide, Keep, Reject, Reply, Ruling, RulingForm, Withhold,
};

/// A visible comment, one that waits, and one that was deleted while it waited.
struct Comments {
    active: CommentId,
    pending: CommentId,
    deleted: CommentId,
}

/// Makes a command about one of the comments.
type MakeCommand = fn(&mut Fixture, &Comments) -> CommandKind;

/// Commands that a closed gate refuses.
const REFUSED: [(&str, MakeCommand); 13] = [
    ("a create that waits", |fixture, _| Create { moderation: ModerationMode::Pre, ..fixture.create() }.into()),
    ("a reply that waits", |fixture, of| {
        Reply { moderation: ModerationMode::Pre, ..fixture.reply_to(of.active, 2) }.into()
    }),
    ("an import that waits", |fixture, _| fixture.import(CommentState::Pending).into()),
    ("Withhold", |fixture, of| Withhold { target: fixture.target(of.active), ruling: ruling() }.into()),
    ("Reject", |fixture, of| Reject { target: fixture.target(of.active), ruling: ruling() }.into()),
    ("Approve in sight", |fixture, of| Approve { target: fixture.target(of.active), ruling: ruling() }.into()),
    ("Keep", |fixture, of| {
        let flag = Edit { judged: Disposition::Flag.into(), ..fixture.edit(of.active, "author", "flagged") };
        fixture.run(flag);
        Keep { target: fixture.target(of.active), ruling: ruling() }.into()
    }),
    ("an appeal", |fixture, of| {
        let verdict = Ruling { form: RulingForm::Verdict, ..ruling() };
        let hidden = fixture.run(Hide { target: fixture.target(of.active), ruling: verdict });
        let Effect::Decision(hidden) = hidden.effect else { panic!("a verdict returns a decision") };
        let appeal = AuthorAppeal { contested: hidden.decision, text: "A quotation.".to_owned() };
        Appeal { target: fixture.target(of.active), appeal, window: Duration::from_secs(60) }.into()
    }),
    ("a proposal", |fixture, of| {
        Edit { judged: Disposition::Hold.into(), ..fixture.edit(of.active, "author", "other") }.into()
    }),
    ("a refused proposal", |fixture, of| {
        Edit { judged: Disposition::Reject.into(), ..fixture.edit(of.active, "author", "other") }.into()
    }),
    ("an edit of a comment that waits", |fixture, of| fixture.edit(of.pending, "author", "other").into()),
    ("an undelete that waits again", |fixture, of| fixture.undelete(of.deleted, "author").into()),
    ("an undelete with a proposal that waits again", |fixture, of| {
        fixture.run(Edit { judged: Disposition::Hold.into(), ..fixture.edit(of.active, "author", "other") });
        fixture.run(fixture.delete(of.active, author("author")));
        fixture.undelete(of.active, "author").into()
    }),
];

/// Commands that run.
const OTHERS: [(&str, MakeCommand); 8] = [
    ("a create", |fixture, _| fixture.create().into()),
    ("a reply", |fixture, of| fixture.reply_to(of.active, 2).into()),
    ("an import", |fixture, _| fixture.import(CommentState::Hidden).into()),
    ("an edit in sight", |fixture, of| fixture.edit(of.active, "author", "other").into()),
    ("Hide", |fixture, of| fixture.hide(of.active).into()),
    ("Approve out of sight", |fixture, of| Approve { target: fixture.target(of.pending), ruling: ruling() }.into()),
    ("a deletion", |fixture, of| fixture.delete(of.pending, moderator()).into()),
    ("an author's deletion", |fixture, of| fixture.delete(of.pending, author("author")).into()),
];

#[test]
fn a_closed_gate_refuses_what_an_older_process_does_not_know_and_nothing_else() {
    let refused = REFUSED.map(|case| (case, true));
    for ((name, make), is_refused) in refused.into_iter().chain(OTHERS.map(|case| (case, false))) {
        for gate in [ModerationGate::Open, ModerationGate::Closed, ModerationGate::Unknown] {
            let mut fixture = Fixture::open();
            let active = fixture.root();
            let waiting = [(); 2].map(|()| {
                let import = fixture.import(CommentState::Pending);
                view(&fixture.run(import)).comment.reference.id
            });
            let [pending, deleted] = waiting;
            fixture.run(fixture.delete(deleted, author("author")));
            let verb = make(&mut fixture, &Comments { active, pending, deleted });
            let command = fixture.command(verb);
            fixture.gate = gate;
            let is_overloaded = matches!(fixture.run_command(&command), Err(Error::Overloaded { .. }));
            assert_eq!(is_overloaded, is_refused && gate != ModerationGate::Open, "{name}: {gate:?}");
            fixture.gate = ModerationGate::Open;
            assert!(is_overloaded || fixture.run_command(&command).is_ok(), "{name}: {gate:?}");
        }
    }
}
