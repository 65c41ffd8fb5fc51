//! Texts with masked words: the masked one is the content, and the original is kept for moderators.

use riposte_core::act::CommentAct;
use riposte_core::comment::proposal_etag;
use riposte_core::decision::{Automation, Detection, Grounds};
use riposte_core::disposition::Disposition;
use riposte_core::policy_judgement::{MaskedText, PolicyJudgement};
use riposte_core::ports::Originals;
use riposte_core::verbs::{Create, Edit, Reply};
use riposte_core::{CommandKind, CommentId, CommentState, SubjectKey};

use super::backend::Backend;
use super::fixture::{Fixture, comment, member, text};

/// Returns a judgement that masks `bad` in a text, beside a disposition with reasons.
fn masking(sent: &str, disposition: Disposition) -> PolicyJudgement {
    let grounds = |code: &str| Grounds {
        code: code.to_owned(),
        detection: Detection::WordList,
        automation: Automation::Full,
        ..Grounds::default()
    };
    let masked = MaskedText { text: sent.replace("bad", "***"), grounds: grounds("mask") };
    let own = (disposition != Disposition::Allow).then(|| Box::new(grounds("own")));
    PolicyJudgement { disposition, grounds: own, masked: Some(Box::new(masked)), ..PolicyJudgement::default() }
}

impl Fixture {
    async fn masked_create(&self, key: &SubjectKey, sent: &str, disposition: Disposition) -> Create {
        let (content, judged) = (text(sent), masking(sent, disposition));
        Create { content, judged, ..self.root_verb(key, "author").await }
    }

    async fn masked_edit(&self, id: CommentId, sent: &str, disposition: Disposition) -> Edit {
        let edit = Edit::allowed(self.target(id).await, member("author"), text(sent));
        Edit { judged: masking(sent, disposition), ..edit }
    }

    async fn originals(&self, id: CommentId) -> Originals {
        self.process.reader.originals(&[id]).await.expect("read").remove(0)
    }

    /// Returns the text before words were masked.
    async fn original(&self, id: CommentId) -> Option<String> {
        self.originals(id).await.of_content.map(|content| content.text().to_owned())
    }

    /// Returns number and text of the newest proposed edit with masked words.
    async fn proposed_original(&self, id: CommentId) -> Option<(i32, String)> {
        self.originals(id).await.of_proposal.map(|(number, content)| (number, content.text().to_owned()))
    }

    async fn shown(&self, id: CommentId) -> String {
        self.view(id).await.content.map(|content| content.text().to_owned()).unwrap_or_default()
    }

    async fn acts(&self, id: CommentId) -> Vec<CommentAct> {
        self.decisions(id).await.iter().map(|decision| decision.act).collect()
    }

    async fn approve_edit(&self, id: CommentId) -> CommandKind {
        let (view, review) = (self.view(id).await, self.review(id).await);
        self.verdict_on(id, CommentAct::ApproveEdit, proposal_etag(&view.comment, review.as_ref())).await
    }
}

pub(super) async fn a_masked_text_is_stored_and_its_original_is_kept(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_masked_text_is_stored_and_its_original_is_kept");
    let key = fixture.key();
    fixture.open(&key).await;
    let root = fixture.root(&key).await.comment.reference.id;
    assert_eq!(fixture.originals(root).await, Originals::default(), "nothing was masked");
    for (disposition, state, acts) in [
        (Disposition::Allow, CommentState::Active, &[CommentAct::Mask][..]),
        (Disposition::Flag, CommentState::Active, &[CommentAct::Flag, CommentAct::Mask]),
        (Disposition::Hold, CommentState::Pending, &[CommentAct::Hold, CommentAct::Mask]),
        (Disposition::Reject, CommentState::Rejected, &[CommentAct::Reject]),
    ] {
        let create = fixture.masked_create(&key, "a bad text", disposition).await;
        let reply = Reply {
            content: text("a bad text"),
            judged: masking("a bad text", disposition),
            member: member("author"),
            ..fixture.reply_verb(&key, root, 2).await
        };
        for verb in [CommandKind::from(create), reply.into()] {
            let command = fixture.command(&key, verb);
            let view = comment(&fixture.send(&command).await.expect("written"));
            let id = view.comment.reference.id;
            let is_masked = disposition != Disposition::Reject;
            let (stored, original) =
                if is_masked { ("a *** text", Some("a bad text".to_owned())) } else { ("a bad text", None) };
            assert_eq!((view.comment.lifecycle.state, view.content), (state, Some(text(stored))), "{disposition:?}");
            assert_eq!((fixture.shown(id).await.as_str(), fixture.original(id).await), (stored, original));
            assert_eq!(fixture.acts(id).await, acts, "the newest one first");
            let decisions = fixture.decisions(id).await;
            assert!(decisions.iter().all(|decision| (decision.from, decision.to) == (None, state)), "{decisions:?}");
            assert!(fixture.send(&command).await.expect("repeated").replayed);
            fixture.check_counts(&key).await;
        }
    }
}

pub(super) async fn an_original_lasts_as_long_as_its_masked_text(backend: Backend) {
    let fixture = Fixture::new(&backend, "an_original_lasts_as_long_as_its_masked_text");
    let key = fixture.key();
    fixture.open(&key).await;
    for disposition in [Disposition::Allow, Disposition::Hold] {
        let create = fixture.masked_create(&key, "a bad text", disposition).await;
        let id = comment(&fixture.run(&key, create).await).comment.reference.id;
        // A change of the state moves the version and leaves the text.
        let acts = if disposition == Disposition::Allow {
            [CommentAct::Hide, CommentAct::Unhide]
        } else {
            [CommentAct::Reject, CommentAct::Approve]
        };
        for act in acts {
            let verdict = fixture.verdict(id, act).await;
            fixture.run(&key, verdict).await;
            assert_eq!(fixture.original(id).await.as_deref(), Some("a bad text"), "{act:?}");
        }
        let edit = fixture.masked_edit(id, "another bad text", Disposition::Allow).await;
        assert_eq!(comment(&fixture.run(&key, edit).await).content, Some(text("another *** text")));
        assert_eq!(fixture.original(id).await.as_deref(), Some("another bad text"));
        let plain = Edit::allowed(fixture.target(id).await, member("author"), text("a fine text"));
        fixture.run(&key, plain).await;
        assert_eq!(fixture.originals(id).await, Originals::default(), "the text in place has none");
        let history = fixture.process.reader.revisions(id).await.expect("read");
        let public: Vec<&str> = history.iter().map(|revision| revision.content.text()).collect();
        assert!(public.iter().all(|text| !text.contains("bad")) && public.contains(&"another *** text"), "{public:?}");
        fixture.check_counts(&key).await;
    }
    // In one batch each text replaces the one before.
    let create = fixture.masked_create(&key, "a bad text", Disposition::Allow).await;
    let id = comment(&fixture.run(&key, create).await).comment.reference.id;
    let first = fixture.masked_edit(id, "first bad text", Disposition::Allow).await;
    let second = fixture.masked_edit(id, "second bad text", Disposition::Allow).await;
    let batch = vec![fixture.command(&key, first), fixture.command(&key, second)];
    assert!(fixture.commit(&batch).await.iter().all(Result::is_ok));
    assert_eq!(fixture.original(id).await.as_deref(), Some("second bad text"));
}

pub(super) async fn the_original_of_an_approved_edit_becomes_that_of_the_text(backend: Backend) {
    let fixture = Fixture::new(&backend, "the_original_of_an_approved_edit_becomes_that_of_the_text");
    let key = fixture.key();
    fixture.open(&key).await;
    let create = fixture.masked_create(&key, "a bad text", Disposition::Allow).await;
    let id = comment(&fixture.run(&key, create).await).comment.reference.id;
    for (number, sent) in [(1, "first bad edit"), (2, "second bad edit")] {
        let before = fixture.original(id).await;
        let edit = fixture.masked_edit(id, sent, Disposition::Hold).await;
        fixture.run(&key, edit).await;
        assert_eq!(fixture.original(id).await, before, "the text in sight did not change");
        assert_eq!(fixture.proposed_original(id).await, Some((number, sent.to_owned())));
        assert_eq!(fixture.acts(id).await[..2], [CommentAct::Hold, CommentAct::Mask]);
        let verdict = fixture.approve_edit(id).await;
        fixture.run(&key, verdict).await;
        assert_eq!(fixture.shown(id).await, sent.replace("bad", "***"));
        assert_eq!((fixture.original(id).await.as_deref(), fixture.proposed_original(id).await), (Some(sent), None));
    }
    // A proposal without masked words leaves no original.
    let judged = PolicyJudgement { masked: None, ..masking("", Disposition::Hold) };
    let plain = Edit { judged, ..Edit::allowed(fixture.target(id).await, member("author"), text("fine")) };
    fixture.run(&key, plain).await;
    let verdict = fixture.approve_edit(id).await;
    fixture.run(&key, verdict).await;
    assert_eq!((fixture.shown(id).await.as_str(), fixture.originals(id).await), ("fine", Originals::default()));
    // A proposal and its approval in one batch, and then a text that replaces it.
    let edit = fixture.masked_edit(id, "third bad edit", Disposition::Hold).await;
    let approval = fixture.verdict_on(id, CommentAct::ApproveEdit, String::new()).await;
    let batch = vec![fixture.command(&key, edit), fixture.command(&key, approval)];
    assert!(fixture.commit(&batch).await.iter().all(Result::is_ok));
    assert_eq!(fixture.original(id).await.as_deref(), Some("third bad edit"));
    let edit = fixture.masked_edit(id, "fourth bad edit", Disposition::Hold).await;
    fixture.run(&key, edit).await;
    let approval = fixture.approve_edit(id).await;
    let plain = Edit::allowed(fixture.target(id).await, member("author"), text("fine again"));
    let batch = vec![fixture.command(&key, approval), fixture.command(&key, plain)];
    assert!(fixture.commit(&batch).await.iter().all(Result::is_ok));
    assert_eq!((fixture.shown(id).await.as_str(), fixture.originals(id).await), ("fine again", Originals::default()));
    fixture.check_counts(&key).await;
}
