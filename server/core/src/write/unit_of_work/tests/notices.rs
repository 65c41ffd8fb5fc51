//! The notices of a batch: that a new text in sight notifies, each member once.

use super::fixture::{Fixture, key, key_named, member};
use super::verbs::{author, create_subject, ruling};
use crate::domain::content::Content;
use crate::domain::disposition::Disposition;
use crate::domain::event::{MAX_NOTICES, Notice, NoticeReason};
use crate::domain::ids::CommentId;
use crate::domain::object_type::ModerationMode;
use crate::domain::state::CommentState;
use crate::domain::subject::Metadata;
use crate::write::verbs::{Approve, ApproveEdit, Command, CommandKind, Create, CreateSubject, Edit, Reply, Withhold};

use NoticeReason::{Mention, Owner, Thread};

fn mentioning(members: &[&str]) -> Content {
    let mentions = members.iter().map(|name| member(name)).collect();
    Content::stored("a text".to_owned(), mentions, Metadata::new())
}

/// Runs commands as one batch and returns the notices of a comment.
fn notices_of(fixture: &mut Fixture, batch: &[Command], id: CommentId) -> Vec<(String, NoticeReason)> {
    let (results, unit) = fixture.commit(batch);
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    let events = unit.events().expect("all subjects are loaded");
    let notices = events.iter().flat_map(|(_, _, changes)| changes.notices(id));
    notices.map(|Notice { member, reason }| (member.as_str().to_owned(), *reason)).collect()
}

fn notices(fixture: &mut Fixture, verb: impl Into<CommandKind>, id: CommentId) -> Vec<(String, NoticeReason)> {
    let command = fixture.command(verb.into());
    notices_of(fixture, &[command], id)
}

fn named(notices: &[(&str, NoticeReason)]) -> Vec<(String, NoticeReason)> {
    notices.iter().map(|(name, reason)| ((*name).to_owned(), *reason)).collect()
}

/// Returns the notices of a text that mentions these members.
fn mentions(names: &[&str]) -> Vec<(String, NoticeReason)> {
    names.iter().map(|name| ((*name).to_owned(), Mention)).collect()
}

fn edit(fixture: &Fixture, id: CommentId, members: &[&str]) -> Edit {
    let by = fixture.row(id).reference.member.as_str().to_owned();
    Edit { content: mentioning(members), ..fixture.edit(id, &by, "a text") }
}

#[test]
fn a_first_publication_names_each_member_once_for_the_strongest_reason() {
    let mut fixture = Fixture::open();
    let root = Create { member: member("first"), ..fixture.create() };
    let root_id = root.id;
    assert_eq!(notices(&mut fixture, root, root_id), named(&[("owner", Owner)]));
    let reply = Reply { member: member("second"), ..fixture.reply_to(root_id, 9) };
    let reply_id = reply.id;
    let found = notices(&mut fixture, reply, reply_id);
    assert_eq!(found, named(&[("first", NoticeReason::Reply), ("owner", Owner)]));

    // The type notifies of the whole thread.
    fixture.notify_thread = true;
    let content = mentioning(&["x", "third", "second", "x", "owner"]);
    let deep = Reply { member: member("third"), content, ..fixture.reply_to(reply_id, 9) };
    let deep_id = deep.id;
    let found = notices(&mut fixture, deep, deep_id);
    let expected = [("second", NoticeReason::Reply), ("x", Mention), ("owner", Mention), ("first", Thread)];
    assert_eq!(found, named(&expected));
    // The author of the root is the author of the parent too. The author of the text is not
    // notified.
    let own = Reply { member: member("first"), ..fixture.reply_to(root_id, 9) };
    let own_id = own.id;
    assert_eq!(notices(&mut fixture, own, own_id), named(&[("owner", Owner)]));
}

#[test]
fn a_root_without_mentions_under_a_subject_without_owner_records_nothing() {
    let mut fixture = Fixture::default();
    let id = fixture.subject_id();
    fixture.run(CreateSubject { owner: None, ..create_subject(id) });
    let create = fixture.create();
    let id = create.id;
    let command = fixture.command(create);
    let (_, unit) = fixture.commit(&[command]);
    let events = unit.events().expect("all subjects are loaded");
    let (_, _, changes) = &events[0];
    assert!(changes.notices.is_empty() && changes.outcomes.is_empty(), "{changes:?}");
    assert_eq!(changes.comments.iter().map(|change| change.id).collect::<Vec<_>>(), [id]);
}

#[test]
fn a_comment_that_waits_notifies_when_it_is_approved_and_never_again() {
    let mut fixture = Fixture::open();
    let content = mentioning(&["a"]);
    let create = Create { moderation: ModerationMode::Pre, content, ..fixture.create() };
    let id = create.id;
    assert_eq!(notices(&mut fixture, create, id), []);
    let other = edit(&fixture, id, &["a", "b"]);
    assert_eq!(notices(&mut fixture, other, id), []);
    let approve = |fixture: &Fixture| Approve { target: fixture.target(id), ruling: ruling() };
    let first = approve(&fixture);
    assert_eq!(notices(&mut fixture, first, id), named(&[("a", Mention), ("b", Mention), ("owner", Owner)]));
    let (hide, unhide) = (fixture.hide(id), fixture.unhide(id));
    let (delete, undelete) = (fixture.delete(id, author("author")), fixture.undelete(id, "author"));
    let again: [CommandKind; 4] = [hide.into(), unhide.into(), delete.into(), undelete.into()];
    for verb in again {
        assert_eq!(notices(&mut fixture, verb.clone(), id), [], "{verb:?}");
    }
}

#[test]
fn an_edit_names_the_members_that_no_earlier_public_text_mentioned() {
    let mut fixture = Fixture::open();
    let root = Create { member: member("first"), ..fixture.create() };
    let root_id = root.id;
    notices(&mut fixture, root, root_id);
    let parent = Reply { member: member("second"), ..fixture.reply_to(root_id, 9) };
    let parent_id = parent.id;
    notices(&mut fixture, parent, parent_id);
    let reply = Reply { member: member("third"), content: mentioning(&["a"]), ..fixture.reply_to(parent_id, 9) };
    let id = reply.id;
    notices(&mut fixture, reply, id);
    for (members, thread, expected) in [
        (&["a", "b"][..], false, &["b"][..]),
        (&[], false, &[]),
        (&["b", "a", "c"], false, &["c"]),
        (&["second", "owner", "third", "d"], false, &["d"]),
        (&["first"], true, &[]),
    ] {
        fixture.notify_thread = thread;
        let verb = edit(&fixture, id, members);
        assert_eq!(notices(&mut fixture, verb, id), mentions(expected), "{members:?}");
    }
    // Two edits of one batch are like two batches.
    let batch = [edit(&fixture, id, &["e"]), edit(&fixture, id, &["e", "f"])].map(|verb| fixture.command(verb));
    assert_eq!(notices_of(&mut fixture, &batch, id), mentions(&["e", "f"]));
}

#[test]
fn a_proposed_edit_notifies_when_it_is_approved() {
    let mut fixture = Fixture::open();
    let id = fixture.root();
    let first = edit(&fixture, id, &["a"]);
    assert_eq!(notices(&mut fixture, first, id), mentions(&["a"]));
    let waits =
        |fixture: &Fixture, members: &[&str]| Edit { judged: Disposition::Hold.into(), ..edit(fixture, id, members) };
    let approve = |fixture: &Fixture| ApproveEdit { target: fixture.target(id), ruling: ruling() };
    let proposed = waits(&fixture, &["a", "b"]);
    assert_eq!(notices(&mut fixture, proposed, id), []);
    let verdict = approve(&fixture);
    assert_eq!(notices(&mut fixture, verdict, id), mentions(&["b"]));
    // The proposal and its approval in one batch.
    let batch: [CommandKind; 2] = [waits(&fixture, &["b", "c"]).into(), approve(&fixture).into()];
    let batch = batch.map(|verb| fixture.command(verb));
    assert_eq!(notices_of(&mut fixture, &batch, id), mentions(&["c"]));
}

#[test]
fn a_text_that_changed_out_of_sight_notifies_of_new_mentions_when_it_comes_in_sight() {
    let mut fixture = Fixture::open();
    let create = Create { content: mentioning(&["a"]), ..fixture.create() };
    let id = create.id;
    notices(&mut fixture, create, id);
    let withhold = |fixture: &Fixture| Withhold { target: fixture.target(id), ruling: ruling() };
    let approve = |fixture: &Fixture| Approve { target: fixture.target(id), ruling: ruling() };
    let verb = withhold(&fixture);
    assert_eq!(notices(&mut fixture, verb, id), []);
    // The text "b" was never in sight.
    for members in [&["b", "c"][..], &["a", "c"]] {
        let verb = edit(&fixture, id, members);
        assert_eq!(notices(&mut fixture, verb, id), []);
    }
    let verb = approve(&fixture);
    assert_eq!(notices(&mut fixture, verb, id), mentions(&["c"]));
    let verb = edit(&fixture, id, &["a", "b", "c"]);
    assert_eq!(notices(&mut fixture, verb, id), mentions(&["b"]));
    // All of it in one batch.
    let batch: [CommandKind; 3] =
        [withhold(&fixture).into(), edit(&fixture, id, &["b", "d"]).into(), approve(&fixture).into()];
    let batch = batch.map(|verb| fixture.command(verb));
    assert_eq!(notices_of(&mut fixture, &batch, id), mentions(&["d"]));
    // The same text comes back.
    for verb in [CommandKind::from(withhold(&fixture)), approve(&fixture).into()] {
        assert_eq!(notices(&mut fixture, verb, id), []);
    }
}

#[test]
fn an_imported_comment_notifies_no_member() {
    let mut fixture = Fixture::open();
    for state in [CommentState::Active, CommentState::Pending] {
        let import = crate::write::verbs::Import { content: mentioning(&["a"]), ..fixture.import(state) };
        let id = import.id;
        assert_eq!(notices(&mut fixture, import, id), [], "{state}");
        if state == CommentState::Pending {
            let approve = Approve { target: fixture.target(id), ruling: ruling() };
            assert_eq!(notices(&mut fixture, approve, id), [], "{state}");
        }
        let verb = edit(&fixture, id, &["b"]);
        assert_eq!(notices(&mut fixture, verb, id), [], "{state}");
    }
}

#[test]
fn a_comment_that_is_created_and_hidden_in_one_batch_keeps_its_notices() {
    let mut fixture = Fixture::open();
    let create = fixture.create();
    let id = create.id;
    let batch: [CommandKind; 2] = [create.into(), fixture.hide(id).into()];
    let batch = batch.map(|verb| fixture.command(verb));
    assert_eq!(notices_of(&mut fixture, &batch, id), named(&[("owner", Owner)]));
}

#[test]
fn notices_belong_to_the_event_of_their_subject_and_are_at_most_64() {
    let mut fixture = Fixture::open();
    let other = key_named("2");
    let id = fixture.subject_id();
    let subject = fixture.command_on(&other, create_subject(id));
    fixture.run_command(&subject).expect("created");
    let (here, there) = (fixture.create(), fixture.create());
    let ids = [here.id, there.id];
    let batch = [fixture.command_on(&key(), here), fixture.command_on(&other, there)];
    let (_, unit) = fixture.commit(&batch);
    let events = unit.events().expect("all subjects are loaded");
    for ((subject, _, changes), id) in events.iter().zip(ids) {
        let found: Vec<_> = changes.notices.keys().copied().collect();
        assert_eq!(found, [id], "{:?}", subject.key);
    }
    let id = ids[0];
    let names = |from: usize| (from..from + 40).map(|n| format!("m{n}")).collect::<Vec<_>>();
    let edits = [0, 40].map(|from| {
        let names = names(from);
        edit(&fixture, id, &names.iter().map(String::as_str).collect::<Vec<_>>())
    });
    let batch = edits.map(|verb| fixture.command(verb));
    assert_eq!(notices_of(&mut fixture, &batch, id).len(), MAX_NOTICES);
}
