//! Notices: the members that a text that comes in sight may notify, as the events name them.

use riposte_core::act::CommentAct;
use riposte_core::disposition::Disposition;
use riposte_core::event::{ChangeKind, DecisionNumbers, ModerationDetails, NoticeReason};
use riposte_core::object_type::ModerationMode;
use riposte_core::origin::ImportOrigin;
use riposte_core::subject::Metadata;
use riposte_core::verbs::{Create, Edit, Import, ImportTimes, Reply};
use riposte_core::{ClientInfo, Command, CommandKind, CommentId, CommentState, Content, Millis, SubjectKey};

use super::backend::Backend;
use super::fixture::{Fixture, member};
use super::relay::Relay;

use NoticeReason::{Mention, Owner, Thread};

fn mentioning(members: &[&str]) -> Content {
    let mentions = members.iter().map(|name| member(name)).collect();
    Content::stored("a text".to_owned(), mentions, Metadata::new())
}

/// Returns the notices of a text that mentions these members.
fn mentions(names: &[&str]) -> Vec<(String, NoticeReason)> {
    names.iter().map(|name| ((*name).to_owned(), Mention)).collect()
}

impl Fixture {
    /// Runs commands as one batch and returns the notices of a comment in its event.
    async fn notices(&self, batch: &[Command], id: CommentId) -> Vec<(String, NoticeReason)> {
        let results = self.commit(batch).await;
        assert!(results.iter().all(Result::is_ok), "{results:?}");
        let events = self.events(&batch[0].subject).await;
        let last = events.last().expect("an event");
        last.changes.notices(id).iter().map(|notice| (notice.member.as_str().to_owned(), notice.reason)).collect()
    }

    async fn notices_of(
        &self,
        key: &SubjectKey,
        verb: impl Into<CommandKind>,
        id: CommentId,
    ) -> Vec<(String, NoticeReason)> {
        let command = self.command(key, verb.into());
        self.notices(&[command], id).await
    }

    /// Returns an edit of a comment by its author.
    async fn mentioning_edit(&self, id: CommentId, members: &[&str]) -> Edit {
        let target = self.target(id).await;
        let by = target.member.clone();
        Edit::allowed(target, by, mentioning(members))
    }
}

pub(super) async fn a_first_publication_names_each_member_once(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_first_publication_names_each_member_once");
    let _relay = Relay::of(&backend).await; // prevents concurrent trims
    let key = fixture.key();
    fixture.open(&key).await;
    let root = Create { member: member("first"), ..fixture.root_verb(&key, "first").await };
    let root_id = root.id;
    assert_eq!(fixture.notices_of(&key, root, root_id).await, [("owner".to_owned(), Owner)]);
    let content = mentioning(&["x", "first", "y", "x"]);
    let reply = Reply { member: member("second"), content, ..fixture.reply_verb(&key, root_id, 9).await };
    let reply_id = reply.id;
    let found = fixture.notices_of(&key, reply, reply_id).await;
    let reply_to = |name: &str| (name.to_owned(), NoticeReason::Reply);
    let owner = ("owner".to_owned(), Owner);
    assert_eq!(found, [vec![reply_to("first")], mentions(&["x", "y"]), vec![owner.clone()]].concat());
    // Where the type notifies of the thread, the author of the root is named too. The parent is no
    // ancestor of a reply at the last level.
    let deep = Reply { member: member("third"), ..fixture.reply_verb(&key, reply_id, 2).await };
    let deep_id = deep.id;
    let command = Command { notify_thread: true, ..fixture.command(&key, CommandKind::from(deep)) };
    let thread = ("first".to_owned(), Thread);
    assert_eq!(fixture.notices(&[command], deep_id).await, [reply_to("second"), owner.clone(), thread.clone()]);
    // A reply that waits names the same members when it is approved, and none before.
    let reply = fixture.reply_verb(&key, deep_id, 2).await;
    let reply = Reply { member: member("fourth"), moderation: ModerationMode::Pre, ..reply };
    let waiting = reply.id;
    assert_eq!(fixture.notices_of(&key, reply, waiting).await, []);
    let verdict = fixture.verdict(waiting, CommentAct::Approve).await;
    let command = Command { notify_thread: true, ..fixture.command(&key, verdict) };
    assert_eq!(fixture.notices(&[command], waiting).await, [reply_to("third"), owner, thread]);
    fixture.check_counts(&key).await;
}

pub(super) async fn an_edit_names_the_members_that_no_public_text_mentioned(backend: Backend) {
    let fixture = Fixture::new(&backend, "an_edit_names_the_members_that_no_public_text_mentioned");
    let _relay = Relay::of(&backend).await; // prevents concurrent trims
    let key = fixture.key();
    fixture.open(&key).await;
    let root = fixture.root(&key).await.comment.reference.id;
    let reply = Reply { content: mentioning(&["a"]), ..fixture.reply_verb(&key, root, 2).await };
    let id = reply.id;
    fixture.notices_of(&key, reply, id).await;
    for (members, expected) in [
        (&["a", "b"][..], &["b"][..]),
        (&[], &[]),
        (&["b", "c", "a"], &["c"]),
        (&["author", "owner", "replier", "d"], &["d"]),
    ] {
        let edit = fixture.mentioning_edit(id, members).await;
        assert_eq!(fixture.notices_of(&key, edit, id).await, mentions(expected), "{members:?}");
    }
    // A proposal notifies when it is approved.
    let edit = fixture.mentioning_edit(id, &["d", "e"]).await;
    let proposed = Edit { judged: Disposition::Hold.into(), ..edit };
    assert_eq!(fixture.notices_of(&key, proposed, id).await, []);
    let etag = fixture.proposal_etag(id).await;
    let verdict = fixture.verdict_on(id, CommentAct::ApproveEdit, etag).await;
    assert_eq!(fixture.notices_of(&key, verdict, id).await, mentions(&["e"]));
    // Several edits of one batch are like several batches.
    let mut batch = Vec::new();
    for members in [&["e", "f"][..], &["f", "g"]] {
        let edit = fixture.mentioning_edit(id, members).await;
        batch.push(fixture.command(&key, CommandKind::from(edit)));
    }
    assert_eq!(fixture.notices(&batch, id).await, mentions(&["f", "g"]));
    fixture.check_counts(&key).await;
}

pub(super) async fn a_text_that_changed_out_of_sight_notifies_of_new_mentions_only(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_text_that_changed_out_of_sight_notifies_of_new_mentions_only");
    let _relay = Relay::of(&backend).await; // prevents concurrent trims
    let key = fixture.key();
    fixture.open(&key).await;
    let create = Create { content: mentioning(&["a"]), ..fixture.root_verb(&key, "author").await };
    let id = create.id;
    fixture.notices_of(&key, create, id).await;
    let verdict = fixture.verdict(id, CommentAct::Withhold).await;
    assert_eq!(fixture.notices_of(&key, verdict, id).await, []);
    // The text "b" is never in sight; the first one was, before it was replaced out of sight.
    for members in [&["b"][..], &["a", "c"]] {
        let edit = fixture.mentioning_edit(id, members).await;
        assert_eq!(fixture.notices_of(&key, edit, id).await, [], "{members:?}");
    }
    let verdict = fixture.verdict(id, CommentAct::Approve).await;
    assert_eq!(fixture.notices_of(&key, verdict, id).await, mentions(&["c"]));
    // The same text comes back.
    for act in [CommentAct::Hide, CommentAct::Unhide] {
        let verdict = fixture.verdict(id, act).await;
        assert_eq!(fixture.notices_of(&key, verdict, id).await, [], "{act:?}");
    }
    let edit = fixture.mentioning_edit(id, &["a", "b", "c"]).await;
    assert_eq!(fixture.notices_of(&key, edit, id).await, mentions(&["b"]));
    fixture.check_counts(&key).await;
}

pub(super) async fn an_imported_comment_notifies_no_member(backend: Backend) {
    let fixture = Fixture::new(&backend, "an_imported_comment_notifies_no_member");
    let _relay = Relay::of(&backend).await; // prevents concurrent trims
    let key = fixture.key();
    fixture.open(&key).await;
    let imports = [
        (CommentState::Active, None),
        (CommentState::Pending, Some(CommentAct::Approve)),
        (CommentState::Hidden, Some(CommentAct::Unhide)),
    ];
    for (state, shows) in imports {
        let import = Import {
            id: fixture.id(&key).await,
            parent: None,
            member: member("old author"),
            content: mentioning(&["a"]),
            client: ClientInfo::default(),
            origin: ImportOrigin { source: "elsewhere".to_owned(), external_id: format!("{state}") },
            state,
            deleted_by: None,
            times: ImportTimes { create: Millis(1_000), edit: None, delete: None },
            max_depth: 2,
            auto_create: None,
        };
        let id = import.id;
        assert_eq!(fixture.notices_of(&key, import, id).await, [], "{state}");
        if let Some(act) = shows {
            let verdict = fixture.verdict(id, act).await;
            assert_eq!(fixture.notices_of(&key, verdict, id).await, [], "{state}");
        }
        let edit = fixture.mentioning_edit(id, &["b"]).await;
        assert_eq!(fixture.notices_of(&key, edit, id).await, [], "{state}");
    }
    fixture.check_counts(&key).await;
}

pub(super) async fn acts_that_change_nothing_in_sight_are_noted(backend: Backend) {
    let fixture = Fixture::new(&backend, "acts_that_change_nothing_in_sight_are_noted");
    let relay = Relay::of(&backend).await; // prevents concurrent trims
    let key = fixture.key();
    fixture.open(&key).await;
    let id = fixture.root(&key).await.comment.reference.id;
    let revision = fixture.subject(&key).await.revision;
    let report = fixture.new_report(id, "reader", 1);
    fixture.process.reports.report(&report).await.expect("reported");
    fixture.process.reports.report(&report).await.expect("repeated");
    let verdict = fixture.verdict(id, CommentAct::Keep).await;
    fixture.run(&key, verdict).await;
    assert_eq!(fixture.subject(&key).await.revision, revision);
    relay.assign_sequence(500).await;
    let subject = fixture.subject(&key).await.id;
    let mut events = relay.sequenced(relay.source_of(subject).await, subject).await;
    events.retain(|sequenced| sequenced.event.revision.is_none());
    let found: Vec<(ModerationDetails, bool)> = events
        .iter()
        .map(|sequenced| {
            let changes = &sequenced.event.changes;
            let outcome = changes.outcome(id).expect("an outcome");
            assert_eq!((outcome.before, outcome.after), (Some(CommentState::Active), CommentState::Active));
            assert!(changes.comments.iter().all(|change| change.kind == ChangeKind::Noted) && !outcome.moderation.held);
            (outcome.moderation, sequenced.event.is_unseen())
        })
        .collect();
    let reported = ModerationDetails { reported: true, ..ModerationDetails::NONE };
    let number = fixture.decisions(id).await[0].id.number;
    let decisions = Some(DecisionNumbers::of(number));
    assert_eq!(found, [(reported, true), (ModerationDetails { decisions, ..ModerationDetails::NONE }, true)]);
}
