//! The bytes of the outbox entries that commits write. What an entry has beyond a plain comment
//! costs bytes only where it is recorded.

use riposte_conformance::stores::root_location;
use riposte_core::location::CommentLocation;
use riposte_core::object_type::ModerationMode;
use riposte_core::policy_judgement::PolicyJudgement;
use riposte_core::subject::Metadata;
use riposte_core::verbs::{Create, CreateSubject, Reply};
use riposte_core::{
    ClientInfo, Command, Comment, CommentId, Content, MemberId, Millis, SubjectId, SubjectKey, SubjectState,
};
use riposte_store::SqlStore;
use sea_orm::{ConnectionTrait, Statement};

use crate::commits::{command, comment, commit_one, key};
use crate::databases::all_databases;

fn member(name: &str) -> MemberId {
    MemberId::stored(name.to_owned())
}

fn content(mentions: &[&str]) -> Content {
    Content::stored("text".to_owned(), mentions.iter().map(|name| member(name)).collect(), Metadata::new())
}

/// Creates a subject, with this owner if there is one.
async fn create_subject(store: &SqlStore, subject: &SubjectKey, owner: Option<&str>) {
    let id = SubjectId::from(store.ids().comment(subject.partition()).await.expect("an id"));
    let (owner, state) = (owner.map(member), SubjectState::Active);
    let verb = CreateSubject { id, owner, state, metadata: Metadata::new(), create_time: Millis(5) };
    commit_one(store, &command(store, subject, verb)).await.expect("created");
}

async fn root(store: &SqlStore, subject: &SubjectKey, mentions: &[&str]) -> Comment {
    let verb = Create {
        id: store.ids().comment(subject.partition()).await.expect("an id"),
        member: member("ann"),
        content: content(mentions),
        client: ClientInfo::default(),
        auto_create: None,
        moderation: ModerationMode::Post,
        judged: PolicyJudgement::default(),
    };
    comment(&commit_one(store, &command(store, subject, verb)).await.expect("created"))
}

/// Replies to the last of these comments, which begin with the root, under a type that notifies the
/// author of the root.
async fn reply(store: &SqlStore, subject: &SubjectKey, parents: &[&Comment], author: &str) -> Comment {
    let ids: Vec<CommentId> = parents.iter().map(|parent| parent.reference.id).collect();
    let parent = root_location(subject, *ids.last().expect("a parent"));
    let verb = Reply {
        id: store.ids().comment(subject.partition()).await.expect("an id"),
        parent: CommentLocation { ancestor_ids: ids, ..parent },
        member: member(author),
        content: content(&[]),
        client: ClientInfo::default(),
        max_depth: 3,
        moderation: ModerationMode::Post,
        judged: PolicyJudgement::default(),
    };
    let command = Command { notify_thread: true, ..command(store, subject, verb) };
    comment(&commit_one(store, &command).await.expect("created"))
}

/// Returns the entry of the commit that created a comment, in hexadecimal digits.
async fn stored(store: &SqlStore, comment: &Comment) -> String {
    let pool = store.sources().all()[0].write_pool();
    let (subject, revision) = (comment.reference.subject_id.get(), comment.reference.born_revision);
    let sql = format!(
        "SELECT c.events FROM outbox_revision r JOIN outbox_commit c ON c.id = r.commit_id \
         WHERE r.subject_id = {subject} AND r.revision = {revision}"
    );
    let row = pool.query_one_raw(Statement::from_string(pool.get_database_backend(), sql)).await.expect("read");
    let bytes: Vec<u8> = row.expect("an entry").try_get_by_index(0).expect("bytes");
    hex(&bytes)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns an embedded message or a string, all shorter than 128 bytes.
fn field(tag: &str, digits: &str) -> String {
    format!("{tag}{:02x}{digits}", digits.len() / 2)
}

/// Returns the entry of a created comment, encoded by hand as versions before the event feed wrote
/// it, with these notices: members with the digits of their reasons.
fn entry(comment: &Comment, notices: &[(&str, &str)]) -> String {
    let reference = &comment.reference;
    let fixed = |id: i64| hex(&id.to_le_bytes());
    let root = reference.root_id.map(|root| format!("11{}", fixed(root.get()))).unwrap_or_default();
    let notice = |(name, reason): &(&str, &str)| field("72", &(field("0a", &hex(name.as_bytes())) + reason));
    let notices: String = notices.iter().map(notice).collect();
    // The id, the root and the kind of change: created.
    let change = format!("09{}{root}1801{notices}", fixed(reference.id.get()));
    let (subject, revision) = (fixed(reference.subject_id.get()), reference.born_revision);
    assert!((1..128).contains(&revision), "one byte: {revision}");
    field("0a", &format!("09{subject}10{revision:02x}{}", field("1a", &field("0a", &change))))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_of_a_root_that_notifies_no_member_has_no_byte_more_than_before_the_event_feed() {
    const MENTION: &str = "1001";
    const OWNER: &str = "1002";
    const THREAD: &str = "1003";
    for database in all_databases().await {
        let store = database.fresh().await;
        let (plain, owned) = (key("plain"), key("owned"));
        create_subject(&store, &plain, None).await;
        create_subject(&store, &owned, Some("owner")).await;

        let first = root(&store, &plain, &[]).await;
        let bytes = stored(&store, &first).await;
        assert_eq!(bytes, entry(&first, &[]));
        assert_eq!(bytes.len() / 2, 28, "two ids, a revision and a kind of change, with their tags and lengths");
        // The author is not notified of the own comment, so such a mention takes no byte either.
        let of_author = root(&store, &plain, &["ann"]).await;
        assert_eq!(stored(&store, &of_author).await, entry(&of_author, &[]));

        let mentioning = root(&store, &plain, &["bob", "楼主"]).await;
        assert_eq!(stored(&store, &mentioning).await, entry(&mentioning, &[("bob", MENTION), ("楼主", MENTION)]));
        let of_owned = root(&store, &owned, &[]).await;
        assert_eq!(stored(&store, &of_owned).await, entry(&of_owned, &[("owner", OWNER)]));
        let direct = reply(&store, &plain, &[&first], "bob").await;
        assert_eq!(stored(&store, &direct).await, entry(&direct, &[("ann", "")]));
        let below = reply(&store, &plain, &[&first, &direct], "eve").await;
        assert_eq!(stored(&store, &below).await, entry(&below, &[("bob", ""), ("ann", THREAD)]));
        let own = reply(&store, &plain, &[&first], "ann").await;
        assert_eq!(stored(&store, &own).await, entry(&own, &[]));
        store.close().await;
        database.drop().await;
    }
}
