//! The next command of a walk.

use std::time::Duration;

use rand::RngExt;
use rand::seq::IndexedRandom;
use riposte_core::comment::{proposal_etag, review_etag};
use riposte_core::content::ClientInfo;
use riposte_core::decision::{Automation, Grounds, RuleHit};
use riposte_core::disposition::Disposition;
use riposte_core::object_type::ModerationMode;
use riposte_core::origin::ImportOrigin;
use riposte_core::policy_judgement::{MaskedText, PolicyJudgement};
use riposte_core::ports::{CommentRows, ReviewRows, SubjectRows};
use riposte_core::request::RequestId;
use riposte_core::review::{ReviewCause, ReviewCauses, ReviewPriority};
use riposte_core::subject::Metadata;
use riposte_core::verbs::{
    Approve, ApproveEdit, Create, CreateSubject, Delete, DeleteActor, DeleteSubject, Edit, EditWindows, Hide, Import,
    ImportLike, ImportParent, ImportTimes, Keep, Pin, Reject, RejectEdit, Reply, Ruling, RulingForm, SetLike,
    SetSubjectMode, SubjectModes, Undelete, UndeleteSubject, Unhide, Unpin, UpdateSubject, Withhold,
};
use riposte_core::{
    Command, CommandKind, CommentId, CommentLocation, CommentState, Content, DeletedBy, LikeCommandKind, LikeValue,
    MemberId, Millis, SubjectId, SubjectKey, SubjectState,
};

use super::Walker;
use crate::stores::fixture::{by_moderator, member, ruling};
use crate::stores::likes::operation;
use crate::stores::root_location;

/// The members that write and like.
pub(super) const MEMBERS: [&str; 6] = ["owner", "x", "x ", "é", "e\u{301}", "🏠"];

impl Walker {
    /// Returns a random verb for a subject or one of its comments.
    pub(super) async fn verb(&mut self, key: &SubjectKey, batch: &[Command]) -> CommandKind {
        if self.chance(55) {
            return self.new_comment(key, batch).await;
        }
        let id = self.comment_of(key).await;
        let target = self.target(id).await;
        let (member, etag) = (self.member(), self.etag(id).await);
        // Permitted members are chosen more often than chance would choose them.
        let author = self.author(id).await.unwrap_or_else(|| member.clone());
        let window = self.chance(50).then_some(Duration::from_secs(60));
        match self.random_below(18) {
            0..=2 => {
                let windows = EditWindows { created: window, ..EditWindows::OPEN };
                let (content, judged) = (self.content(), self.judgement());
                let moderation = if self.chance(20) { ModerationMode::Pre } else { ModerationMode::Post };
                Edit { etag, windows, moderation, judged, ..Edit::allowed(target, author, content) }.into()
            }
            3..=5 => Delete { target, actor: self.actor(author), etag }.into(),
            6..=7 => Undelete { target, member: if self.chance(70) { author } else { member } }.into(),
            8 => Hide { target, ruling: ruling() }.into(),
            9 => Unhide { target, ruling: ruling() }.into(),
            10..=11 => Pin { target, member: self.mostly_owner() }.into(),
            12 => Unpin { target, member: self.mostly_owner() }.into(),
            13..=14 => self.verdict(target, id).await,
            15.. => self.subject_verb(key).await,
        }
    }

    async fn subject_verb(&mut self, key: &SubjectKey) -> CommandKind {
        let subject = self.oracle.subjects(std::slice::from_ref(key)).await.expect("read").remove(0);
        let current = subject.as_ref().map(riposte_core::Subject::etag).unwrap_or_default();
        let etag = if self.chance(80) { String::new() } else { current };
        let deleted = subject.is_some_and(|subject| subject.delete_time.is_some());
        match self.random_below(10) {
            _ if deleted && self.chance(60) => UndeleteSubject.into(),
            0 => DeleteSubject { etag }.into(),
            1 => UndeleteSubject.into(),
            2..=3 => CreateSubject {
                id: self.subject_id(key).await,
                owner: Some(member("owner")),
                state: self.state(),
                metadata: self.metadata(),
                create_time: self.now(),
            }
            .into(),
            4 => SetSubjectMode { mode: self.subject_mode(), modes: self.subject_modes() }.into(),
            5.. => UpdateSubject {
                owner: self.chance(40).then(|| Some(member("owner"))),
                state: self.chance(70).then(|| self.state()),
                metadata: self.chance(30).then(|| self.metadata()),
                moderation: self.chance(30).then(|| self.subject_mode()),
                modes: self.subject_modes(),
                etag,
            }
            .into(),
        }
    }

    /// Returns a mode of a subject, mostly that of its type.
    fn subject_mode(&mut self) -> Option<ModerationMode> {
        let modes = [ModerationMode::Post, ModerationMode::PreNewMembers, ModerationMode::Pre];
        if self.chance(60) { None } else { modes.choose(&mut self.rng).copied() }
    }

    fn subject_modes(&mut self) -> SubjectModes {
        SubjectModes { of_type: ModerationMode::Post, counts_members: self.chance(80) }
    }

    async fn new_comment(&mut self, key: &SubjectKey, batch: &[Command]) -> CommandKind {
        let id = self.fixture.id(key).await;
        let (member, content, client) = (self.member(), self.content(), self.client());
        let auto_create = if self.chance(70) { Some(self.subject_id(key).await) } else { None };
        let is_reply = self.chance(self.mix.replies);
        let max_depth = self.mix.depth_limits.choose(&mut self.rng).copied().unwrap_or(2);
        if self.chance(self.mix.imports) {
            let parent = if is_reply { Some(self.imported_parent(key, batch).await) } else { None };
            let state = *[CommentState::Active, CommentState::Active, CommentState::Hidden, CommentState::Deleted]
                .choose(&mut self.rng)
                .expect("four of them");
            let deleted = state == CommentState::Deleted;
            let create = Millis(self.rng.random_range(1_000..1_000_000));
            let times =
                ImportTimes { create, edit: self.chance(20).then_some(create), delete: deleted.then_some(create) };
            let external_id = self.next_number().to_string();
            let origin = ImportOrigin { source: "walk".to_owned(), external_id };
            let deleted_by = deleted.then_some(DeletedBy::Author);
            let import = Import {
                id,
                parent,
                member,
                content,
                client,
                origin,
                state,
                deleted_by,
                times,
                max_depth,
                auto_create,
            };
            return import.into();
        }
        let moderation = if self.chance(25) { ModerationMode::Pre } else { ModerationMode::Post };
        let judged = self.judgement();
        if is_reply {
            let parent = self.comment_of(key).await;
            let parent = self.target(parent).await;
            return Reply { id, parent, member, content, client, max_depth, moderation, judged }.into();
        }
        Create { id, member, content, client, auto_create, moderation, judged }.into()
    }

    /// Returns a comment that exists already, or one that this batch creates.
    async fn imported_parent(&mut self, key: &SubjectKey, batch: &[Command]) -> ImportParent {
        let created = batch.iter().filter(|c| c.subject == *key && c.verb.creates_comment());
        let created: Vec<_> = created.filter_map(|c| c.verb.comment_id()).collect();
        if let Some(id) = created.choose(&mut self.rng).copied()
            && self.chance(60)
        {
            return ImportParent::InBatch(id);
        }
        let id = self.comment_of(key).await;
        ImportParent::Stored(self.target(id).await)
    }

    /// Returns a random like of a comment, mostly under this subject.
    pub(super) fn like(&mut self, key: &SubjectKey) -> LikeCommandKind {
        let of_key: Vec<_> = self.created.iter().filter(|(subject, _)| subject == key).map(|(_, id)| *id).collect();
        let any = self.created.choose(&mut self.rng).map(|(_, id)| *id);
        // A comment of the batch's partition; for an empty subject an id that does not exist.
        let existing = of_key.choose(&mut self.rng).copied().or(any.filter(|id| id.partition() == key.partition()));
        let comment_id = existing.or(CommentId::new(1)).expect("one is positive");
        let value = *[LikeValue::Like, LikeValue::Dislike, LikeValue::None].choose(&mut self.rng).expect("three");
        let client = self.rng.random_range(1..=3);
        // Most operations are newer than all earlier ones; some are older and arrive late.
        let late = if self.chance(20) { self.rng.random_range(1..20) } else { 0 };
        let operation = operation(self.next_number().saturating_sub(late), client);
        let like = SetLike { comment_id, member: self.member(), value, operation };
        if self.chance(15) {
            let operation = RequestId::from_bytes(self.rng.random());
            return ImportLike { like: SetLike { operation, ..like }, time: Millis(self.time - 1_000_000) }.into();
        }
        like.into()
    }

    /// Returns the location of a comment from the oracle. An absent id is its own root.
    async fn target(&self, id: CommentId) -> CommentLocation {
        let found = self.oracle.locate(&[id]).await.expect("located").remove(0);
        found.unwrap_or_else(|| root_location(&SubjectKey::stored(String::new(), String::new()), id))
    }

    async fn author(&self, id: CommentId) -> Option<MemberId> {
        self.oracle.locate(&[id]).await.expect("located").remove(0).map(|at| at.member)
    }

    /// Returns no etag, the current one, or an outdated one.
    async fn etag(&mut self, id: CommentId) -> String {
        match self.random_below(10) {
            0 => "1.1".to_owned(),
            1..=2 => {
                let view = self.oracle.comments(&[id]).await.expect("read").remove(0);
                view.map(|view| view.comment.etag()).unwrap_or_default()
            }
            3.. => String::new(),
        }
    }

    async fn subject_id(&self, key: &SubjectKey) -> SubjectId {
        self.backend.ids.subject(key.partition()).await.expect("an id")
    }

    /// Returns a random verdict, which mostly names the present review or any.
    async fn verdict(&mut self, target: CommentLocation, id: CommentId) -> CommandKind {
        let found = self.oracle.comments(&[id]).await.expect("read").remove(0);
        let review = self.oracle.reviews(&[id]).await.expect("read").remove(0);
        let of_proposal = self.chance(30);
        let etag = if of_proposal { proposal_etag } else { review_etag };
        let current = found.map(|view| etag(&view.comment, review.as_ref())).unwrap_or_default();
        let etag = if self.chance(80) { current } else { String::new() };
        let form = if self.chance(70) { RulingForm::Verdict } else { RulingForm::Order };
        let ruling = Ruling { etag, form, ..ruling() };
        match self.random_below(5) {
            0..=2 if of_proposal => ApproveEdit { target, ruling }.into(),
            3.. if of_proposal => RejectEdit { target, ruling }.into(),
            0..=1 => Approve { target, ruling }.into(),
            2 => Reject { target, ruling }.into(),
            3 => Withhold { target, ruling }.into(),
            4.. => Keep { target, ruling }.into(),
        }
    }

    /// Returns the judgement of the policy on a text: mostly, it allows it. Some have reasons that
    /// become decisions.
    fn judgement(&mut self) -> PolicyJudgement {
        let hit = |n: u32| RuleHit {
            source: "walk".to_owned(),
            version: "0123456789abcdef".to_owned(),
            rule: n.to_string(),
            start: n,
            end: n + 1,
            dry_run: n == 1,
        };
        let hits = (0..self.random_below(3)).map(hit).collect();
        let grounds = Grounds { code: "walk.1".to_owned(), automation: Automation::Full, hits, ..Grounds::default() };
        let grounds = self.chance(70).then(|| Box::new(grounds));
        let masked = self.chance(20).then(|| {
            let grounds = Grounds { code: "walk.mask".to_owned(), ..Grounds::default() };
            Box::new(MaskedText { text: "***".to_owned(), grounds })
        });
        let disposition = self.disposition();
        let more_causes = match self.random_below(10) {
            _ if disposition == Disposition::Reject => ReviewCauses::NONE,
            0 => ReviewCauses::of(&[ReviewCause::ServiceUnavailable]),
            1 => ReviewCauses::of(&[ReviewCause::Flag]),
            2.. => ReviewCauses::NONE,
        };
        let (trusted, established) = (self.random_below(20) == 0, self.chance(50));
        let priority = ReviewPriority::new(if self.chance(10) { 100 } else { 0 });
        PolicyJudgement { disposition, grounds, more_causes, priority, masked, trusted, established }
    }

    fn disposition(&mut self) -> Disposition {
        match self.random_below(20) {
            0 => Disposition::Flag,
            1..=4 => Disposition::Hold,
            5 => Disposition::Unchecked,
            6 => Disposition::Reject,
            7.. => Disposition::Allow,
        }
    }

    fn actor(&mut self, author: MemberId) -> DeleteActor {
        match self.random_below(6) {
            0..=2 => DeleteActor::Author(author),
            3 => DeleteActor::Owner(self.mostly_owner()),
            4 => DeleteActor::Author(self.member()),
            5.. => by_moderator(),
        }
    }

    /// Returns the owner, or sometimes another member.
    fn mostly_owner(&mut self) -> MemberId {
        if self.chance(85) { member("owner") } else { self.member() }
    }

    pub(super) fn member(&mut self) -> MemberId {
        member(MEMBERS.choose(&mut self.rng).expect("six of them"))
    }

    /// Returns a subject state, mostly active, because other states refuse most commands.
    fn state(&mut self) -> SubjectState {
        match self.random_below(10) {
            0 => SubjectState::ReadOnly,
            1 => SubjectState::Hidden,
            2.. => SubjectState::Active,
        }
    }

    fn content(&mut self) -> Content {
        let number = self.next_number();
        let mentions = if self.chance(20) { vec![self.member(), self.member()] } else { Vec::new() };
        Content::stored(format!("text {number} 🏠 \u{202e}"), mentions, self.metadata())
    }

    fn metadata(&mut self) -> Metadata {
        let number = self.next_number();
        if self.chance(70) { Metadata::new() } else { Metadata::from([("k ".to_owned(), number.to_string())]) }
    }

    fn client(&mut self) -> ClientInfo {
        if self.chance(70) {
            return ClientInfo::default();
        }
        let ip = Some(std::net::IpAddr::from(self.rng.random::<[u8; 4]>()));
        ClientInfo { ip, platform: "ios".to_owned(), device: String::new() }
    }

    /// Returns a number that the walk has not used.
    pub(super) fn next_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }
}
