//! Commits to real tables: races of two processes, calls that are dropped, and commands that make a
//! batch fail.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Waker};

use riposte_conformance::stores::{root_location, ruling};
use riposte_core::object_type::ModerationMode;
use riposte_core::policy_judgement::PolicyJudgement;
use riposte_core::request::{Fingerprint, IdempotencyKey, RequestId, RequestIdentity};
use riposte_core::subject::Metadata;
use riposte_core::verbs::{BatchType, BatchVerb, Create, CreateSubject, Delete, DeleteActor, Hide, Reply, SetLike};
use riposte_core::{
    Batch, ClientInfo, Command, CommandKind, CommandOutput, Comment, CommentId, Content, Effect, Error, LikeCommand,
    LikeValue, MemberId, Millis, SubjectId, SubjectKey, SubjectState,
};
use riposte_store::SqlStore;
use riposte_store::shard::TableCounts;
use sea_orm::{ConnectionTrait, Statement};

use crate::databases::{ManualClock, NOON, TestDatabase, all_databases};

pub(crate) fn key(id: &str) -> SubjectKey {
    SubjectKey::stored("video".to_owned(), id.to_owned())
}

fn member(name: &str) -> MemberId {
    MemberId::stored(name.to_owned())
}

pub(crate) fn command<V: BatchVerb>(store: &SqlStore, subject: &SubjectKey, verb: V) -> Command<V::Type> {
    let verb = verb.into_type();
    let request = RequestIdentity {
        key: IdempotencyKey(store.ids().request()),
        fingerprint: Fingerprint::of(&[format!("{verb:?}").as_bytes()]),
    };
    Command { subject: subject.clone(), verb, request, now: Millis(NOON), notify_thread: false }
}

async fn new_id(store: &SqlStore, subject: &SubjectKey) -> CommentId {
    store.ids().comment(subject.partition()).await.expect("an id")
}

pub(crate) async fn create_command(store: &SqlStore, subject: &SubjectKey) -> Command {
    let (id, auto) = (new_id(store, subject).await, new_id(store, subject).await);
    let content = Content::stored("text 🏠".to_owned(), vec![member("m")], Metadata::new());
    let client = ClientInfo { ip: "10.1.2.3".parse().ok(), platform: "ios".to_owned(), device: String::new() };
    command(
        store,
        subject,
        Create {
            id,
            member: member("a"),
            content,
            client,
            auto_create: Some(SubjectId::from(auto)),
            moderation: ModerationMode::Post,
            judged: PolicyJudgement::default(),
        },
    )
}

async fn reply_command(store: &SqlStore, subject: &SubjectKey, parent: &Comment) -> Command {
    let id = new_id(store, subject).await;
    let target = root_location(subject, parent.reference.id);
    let content = Content::stored("reply".to_owned(), Vec::new(), Metadata::new());
    let verb = Reply {
        id,
        parent: target,
        member: member("b"),
        content,
        client: ClientInfo::default(),
        max_depth: 2,
        moderation: ModerationMode::Post,
        judged: PolicyJudgement::default(),
    };
    command(store, subject, verb)
}

pub(crate) fn like_command(
    store: &SqlStore,
    subject: &SubjectKey,
    comment: CommentId,
    member_id: &str,
    value: LikeValue,
) -> LikeCommand {
    let operation = RequestId::from_bytes(store.ids().request());
    command(store, subject, SetLike { comment_id: comment, member: member(member_id), value, operation })
}

pub(crate) async fn commit_one<K: BatchType>(store: &SqlStore, command: &Command<K>) -> Result<CommandOutput, Error> {
    store.writer().commit(&vec![command.clone()].into()).await.expect("committed").remove(0)
}

pub(crate) fn comment(output: &CommandOutput) -> Comment {
    let Effect::Comment(view) = &output.effect else { panic!("{output:?} is about no comment") };
    view.comment.clone()
}

pub(crate) async fn query_number(store: &SqlStore, sql: &str) -> i64 {
    let pool = store.sources().all()[0].write_pool();
    let row =
        pool.query_one_raw(Statement::from_string(pool.get_database_backend(), sql)).await.expect(sql).expect("a row");
    row.try_get_by_index(0).expect("a number")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_is_one_transaction_and_a_rejected_command_does_not_affect_the_others() {
    for database in all_databases().await {
        let store = database.migrated(&ManualClock::at_noon()).await;
        let subject = key("batch");
        let first = create_command(&store, &subject).await;
        let root = comment(&commit_one(&store, &first).await.expect("created"));
        let mut orphan = root.clone();
        orphan.reference.id = CommentId::new(1).expect("an id");
        let batch = [
            create_command(&store, &subject).await,
            reply_command(&store, &subject, &orphan).await,
            reply_command(&store, &subject, &root).await,
            create_command(&store, &subject).await,
        ];
        let results = store.writer().commit(&batch.to_vec().into()).await.expect("committed");
        let floors: Vec<_> = results
            .iter()
            .map(|a| a.as_ref().map(|r| (comment(r).reference.floor, r.revision)).map_err(Clone::clone))
            .collect();
        assert_eq!(floors, [Ok((2, 2)), Err(Error::CommentNotFound), Ok((1, 2)), Ok((3, 2))]);
        // A repeat of each command, in another order, returns the first result and adds no row.
        for (command, result) in batch.iter().zip(&results).rev() {
            let again = commit_one(&store, command).await;
            match result {
                Ok(before) => {
                    let again = again.expect("the first result");
                    assert!(again.replayed);
                    assert_eq!(
                        (comment(&again).reference.id, again.revision),
                        (comment(before).reference.id, before.revision)
                    );
                }
                Err(error) => assert_eq!(again.as_ref().err(), Some(error)),
            }
        }
        assert_eq!(query_number(&store, "SELECT COUNT(*) FROM comment_index").await, 4);
        assert_eq!(query_number(&store, "SELECT COUNT(*) FROM comment_content").await, 4);
        assert_eq!(query_number(&store, "SELECT COUNT(*) FROM comment_client").await, 3);
        assert_eq!(query_number(&store, "SELECT comment_count FROM comment_subject").await, 4);
        store.close().await;
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_that_create_one_subject_at_once_share_it_and_its_floors() {
    for database in all_databases().await {
        let clock = ManualClock::at_noon();
        let stores = [database.migrated(&clock).await, database.open(&clock)];
        for round in 0..10 {
            let subject = key(&format!("race {round}"));
            let mut runs = Vec::new();
            for n in 0..8 {
                let store = stores[n % 2].clone();
                let command = create_command(&store, &subject).await;
                runs.push(tokio::spawn(async move { commit_one(&store, &command).await.expect("created") }));
            }
            let mut floors = Vec::new();
            for run in runs {
                floors.push(comment(&run.await.expect("ran")).reference.floor);
            }
            floors.sort_unstable();
            assert_eq!(floors, (1..=8).collect::<Vec<_>>());
        }
        assert_eq!(query_number(&stores[0], "SELECT COUNT(*) FROM comment_subject").await, 10);
        assert_eq!(
            query_number(&stores[0], "SELECT MIN(next_floor * 1000 + comment_count) FROM comment_subject").await,
            9008
        );
        for store in &stores {
            store.close().await;
        }
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_dropped_at_any_time_is_complete_or_has_no_effect() {
    for database in all_databases().await {
        let store = database.migrated(&ManualClock::at_noon()).await;
        let subject = key("cancelled");
        let mut commands = Vec::new();
        for n in 0..30 {
            let command = create_command(&store, &subject).await;
            let writer = store.writer();
            let batch = Batch::from(vec![command.clone()]);
            {
                let mut commit = pin!(writer.commit(&batch));
                // The commit is polled a few times, then dropped: the work continues in its own
                // task.
                for _ in 0..=n % 4 {
                    if commit.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready() {
                        break;
                    }
                    tokio::task::yield_now().await;
                }
            }
            commands.push(command);
        }
        // A repeat of each command returns its result, or executes it if it had no effect.
        let mut floors = Vec::new();
        for command in &commands {
            floors.push(comment(&commit_one(&store, command).await.expect("committed")).reference.floor);
        }
        floors.sort_unstable();
        assert_eq!(floors, (1..=30).collect::<Vec<_>>());
        assert_eq!(query_number(&store, "SELECT comment_count FROM comment_subject").await, 30);
        store.close().await;
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_the_database_rejects_does_not_fail_the_others() {
    for database in all_databases().await {
        let store = database.migrated(&ManualClock::at_noon()).await;
        let subject = key("rejected");
        let stored = create_command(&store, &subject).await;
        commit_one(&store, &stored).await.expect("created");
        let mut batch = Vec::new();
        for _ in 0..6 {
            batch.push(create_command(&store, &subject).await);
        }
        // The same id under another request: no rule of the domain rejects it, but the primary key
        // does.
        let CommandKind::Create(verb) = &mut batch[3].verb else { panic!("a create") };
        verb.id = stored.verb.comment_id().expect("an id");
        let results = store.writer().commit(&batch.to_vec().into()).await.expect("committed");
        for (n, result) in results.iter().enumerate() {
            assert_eq!(matches!(result, Err(Error::Internal(_))), n == 3, "{n}: {result:?}");
        }
        assert_eq!(query_number(&store, "SELECT comment_count FROM comment_subject").await, 6);
        assert_eq!(query_number(&store, "SELECT next_floor FROM comment_subject").await, 7);
        store.close().await;
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_row_fails_the_commands_on_it_and_no_others() {
    for database in all_databases().await {
        let store = database.migrated(&ManualClock::at_noon()).await;
        let subjects = ["first", "damaged", "last"].map(key);
        for subject in &subjects {
            commit_one(&store, &create_command(&store, subject).await).await.expect("created");
        }
        // Ids are bytes: SQLite does not compare them with text.
        let damage = format!(
            "UPDATE comment_subject SET comment_count = {max}, root_count = {max} WHERE object_id = X'64616D61676564'",
            max = i32::MAX
        );
        let pool = store.sources().all()[0].write_pool();
        assert_eq!(pool.execute_unprepared(&damage).await.expect("damaged").rows_affected(), 1);
        let mut batch = Vec::new();
        for n in 0..6 {
            batch.push(create_command(&store, &subjects[n % 3]).await);
        }
        let results = store.writer().commit(&batch.to_vec().into()).await.expect("committed");
        for (n, result) in results.iter().enumerate() {
            assert_eq!(matches!(result, Err(Error::Internal(_))), n % 3 == 1, "{n}: {result:?}");
        }
        assert_eq!(query_number(&store, "SELECT COUNT(*) FROM comment_index").await, 7);
        assert_eq!(query_number(&store, "SELECT MIN(comment_count) FROM comment_subject").await, 3);
        store.close().await;
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn likes_of_many_members_at_once_are_counted_exactly() {
    for database in all_databases().await {
        let clock = ManualClock::at_noon();
        let stores = [database.migrated(&clock).await, database.open(&clock)];
        let subject = key("likes");
        let root =
            comment(&commit_one(&stores[0], &create_command(&stores[0], &subject).await).await.expect("created"));
        let mut runs = Vec::new();
        for writer in 0..4_usize {
            let store = stores[writer % 2].clone();
            let (subject, id) = (subject.clone(), root.reference.id);
            runs.push(tokio::spawn(async move {
                for round in 0..5 {
                    let value = if round % 2 == 0 { LikeValue::Like } else { LikeValue::Dislike };
                    let batch: Vec<_> = (0..25)
                        .map(|n| like_command(&store, &subject, id, &format!("m{}", writer * 20 + n), value))
                        .collect();
                    for result in store.writer().commit(&batch.to_vec().into()).await.expect("committed") {
                        result.expect("set");
                    }
                }
            }));
        }
        for run in runs {
            run.await.expect("ran");
        }
        let rows = query_number(&stores[0], "SELECT COUNT(*) FROM comment_like WHERE value = 1").await;
        assert_eq!(query_number(&stores[0], "SELECT like_count FROM comment_index").await, rows);
        let rows = query_number(&stores[0], "SELECT COUNT(*) FROM comment_like WHERE value = -1").await;
        assert_eq!(query_number(&stores[0], "SELECT dislike_count FROM comment_index").await, rows);
        assert_eq!(query_number(&stores[0], "SELECT COUNT(*) FROM comment_like").await, 85);
        for store in &stores {
            store.close().await;
        }
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn large_batches_and_rare_verbs_write_every_table() {
    for database in all_databases().await {
        let store = database.migrated(&ManualClock::at_noon()).await;
        let subject = key("large");
        let id = SubjectId::from(new_id(&store, &subject).await);
        let metadata = Metadata::from([("k".to_owned(), "v".to_owned())]);
        let verb = CreateSubject {
            id,
            owner: Some(member("o")),
            state: SubjectState::Active,
            metadata,
            create_time: Millis(5),
        };
        commit_one(&store, &command(&store, &subject, verb)).await.expect("created");
        let mut batch = Vec::new();
        for _ in 0..500 {
            batch.push(create_command(&store, &subject).await);
        }
        let results = store.writer().commit(&batch.to_vec().into()).await.expect("committed");
        let roots: Vec<_> = results.into_iter().map(|a| comment(&a.expect("created"))).collect();
        assert_eq!(roots.iter().map(|c| c.reference.floor).collect::<Vec<_>>(), (1..=500).collect::<Vec<_>>());
        let likes: Vec<_> =
            roots.iter().map(|c| like_command(&store, &subject, c.reference.id, "fan", LikeValue::Like)).collect();
        assert!(store.writer().commit(&likes.into()).await.expect("committed").iter().all(Result::is_ok));
        let target = |c: &Comment| root_location(&subject, c.reference.id);
        let actor = DeleteActor::Owner(member("o"));
        let batch = [
            command(&store, &subject, Delete { target: target(&roots[0]), actor, etag: String::new() }),
            command(&store, &subject, Hide { target: target(&roots[1]), ruling: ruling() }),
        ];
        assert!(store.writer().commit(&batch.to_vec().into()).await.expect("committed").iter().all(Result::is_ok));
        let again = store.writer().commit(&batch.to_vec().into()).await.expect("committed");
        assert!(again.into_iter().all(|result| result.is_ok_and(|output| output.replayed)));
        assert_eq!(query_number(&store, "SELECT comment_count FROM comment_subject").await, 498);
        assert_eq!(query_number(&store, "SELECT COUNT(*) FROM comment_request").await, 3);
        assert_eq!(query_number(&store, "SELECT COUNT(*) FROM comment_index WHERE listed = 1").await, 498);
        store.close().await;
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_over_two_data_sources_is_an_internal_error() {
    let Some(database) = TestDatabase::servers(2, TableCounts { subject: 2, index: 4 }).await else { return };
    let clock = ManualClock::at_noon();
    let store = database.migrated(&clock).await;
    let source = |key: &SubjectKey| store.sources().map().source(key.partition());
    let one = key("1");
    let two = (2..).map(|n| key(&n.to_string())).find(|other| source(other) != source(&one)).expect("another source");
    let batch = [create_command(&store, &one).await, create_command(&store, &two).await];
    assert!(matches!(store.writer().commit(&batch.to_vec().into()).await, Err(Error::Internal(_))));
    store.close().await;
    database.drop().await;
}
