//! A subject to which a test adds comments and likes.

use std::sync::atomic::{AtomicU64, Ordering};

use riposte_conformance::stores::root_location;
use riposte_core::location::CommentLocation;
use riposte_core::object_type::ModerationMode;
use riposte_core::policy_judgement::PolicyJudgement;
use riposte_core::request::{Fingerprint, IdempotencyKey, RequestId, RequestIdentity};
use riposte_core::subject::Metadata;
use riposte_core::verbs::{BatchType, BatchVerb, Create, Edit, Reply, SetLike};
use riposte_core::{ClientInfo, Command, CommentId, Content, LikeValue, MemberId, Millis, SubjectKey};
use riposte_store::SqlStore;
use sea_orm::{ConnectionTrait, Statement};

/// A subject to which a test adds comments and likes.
pub(crate) struct Subject {
    store: SqlStore,
    pub(crate) key: SubjectKey,
    requests: AtomicU64,
}

impl Subject {
    pub(crate) fn new(store: &SqlStore, name: &str) -> Self {
        let key = SubjectKey::stored("video".to_owned(), name.to_owned());
        Self { store: store.clone(), key, requests: AtomicU64::new(1) }
    }

    pub(crate) async fn commit<K: BatchType>(&self, verbs: Vec<K>) {
        let commands = verbs.into_iter().map(|verb| {
            let number = self.requests.fetch_add(1, Ordering::Relaxed);
            let request = RequestIdentity {
                key: IdempotencyKey::imported("comment", "test", &number.to_string()),
                fingerprint: Fingerprint(0),
            };
            let now = Millis(number as i64);
            Command { subject: self.key.clone(), verb, request, now, notify_thread: false }
        });
        let commands: Vec<Command<K>> = commands.collect();
        for batch in commands.chunks(200) {
            for result in self.store.writer().commit(&batch.to_vec().into()).await.expect("committed") {
                result.expect("accepted");
            }
        }
    }

    pub(crate) async fn create_roots(&self, count: usize) -> Vec<CommentId> {
        let (mut ids, mut verbs) = (Vec::new(), Vec::new());
        for n in 0..count {
            let id = self.store.ids().comment(self.key.partition()).await.expect("an id");
            ids.push(id);
            let auto_create = (n == 0).then_some(self.store.ids().subject(self.key.partition()).await.expect("an id"));
            let (content, client, moderation) = (text(n), ClientInfo::default(), ModerationMode::Post);
            verbs.push(
                Create {
                    id,
                    member: member(n),
                    content,
                    client,
                    auto_create,
                    moderation,
                    judged: PolicyJudgement::default(),
                }
                .into_type(),
            );
        }
        self.commit(verbs).await;
        ids
    }

    pub(crate) async fn create_replies(
        &self,
        ancestor_ids: &[CommentId],
        count: usize,
        max_depth: u8,
    ) -> Vec<CommentId> {
        let (mut ids, mut verbs) = (Vec::new(), Vec::new());
        let id = *ancestor_ids.last().expect("a parent");
        for n in 0..count {
            let parent = CommentLocation { ancestor_ids: ancestor_ids.to_vec(), ..root_location(&self.key, id) };
            let id = self.store.ids().comment(self.key.partition()).await.expect("an id");
            ids.push(id);
            let (content, client, moderation) = (text(n), ClientInfo::default(), ModerationMode::Post);
            verbs.push(
                Reply {
                    id,
                    parent,
                    member: member(n),
                    content,
                    client,
                    max_depth,
                    moderation,
                    judged: PolicyJudgement::default(),
                }
                .into_type(),
            );
        }
        self.commit(verbs).await;
        ids
    }

    /// Edits a root as its author.
    pub(crate) async fn edit(&self, id: CommentId, moderation: ModerationMode) {
        let edit = Edit::allowed(root_location(&self.key, id), member(0), text(99));
        self.commit(vec![Edit { moderation, ..edit }.into_type()]).await;
    }

    pub(crate) async fn add_likes(&self, comment_id: CommentId, count: usize) {
        let operation = RequestId::from_bytes([1; 16]);
        let like = |n| SetLike { comment_id, member: member(n), value: LikeValue::Like, operation }.into_type();
        self.commit((0..count).map(like).collect()).await;
    }

    /// Sets the like value of one member.
    pub(crate) async fn set_like(&self, comment_id: CommentId, member: MemberId, value: LikeValue) {
        let number = u128::from(self.requests.fetch_add(1, Ordering::Relaxed));
        let operation = RequestId::from_bytes(number.to_be_bytes());
        self.commit(vec![SetLike { comment_id, member, value, operation }.into_type()]).await;
    }
}

pub(crate) fn member(n: usize) -> MemberId {
    MemberId::stored(format!("m{n}"))
}

fn text(n: usize) -> Content {
    Content::stored(format!("text {n}"), Vec::new(), Metadata::new())
}

/// Runs a statement on the first data source.
pub(crate) async fn run(store: &SqlStore, sql: String) {
    let pool = store.sources().all()[0].write_pool();
    pool.execute_raw(Statement::from_string(pool.get_database_backend(), &sql)).await.expect(&sql);
}
