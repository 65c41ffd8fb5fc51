//! Commits against real tables: races of two processes, callers that drop their calls, and commands
//! that make a batch fail.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Waker};

use riposte_conformance::stores::root_location;
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

use crate::databases::{ManualClock, NOON, Place, everywhere};

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
    Command { subject: subject.clone(), verb, request, now: Millis(NOON) }
}

async fn new_id(store: &SqlStore, subject: &SubjectKey) -> CommentId {
    store.ids().comment(subject.partition()).await.expect("an id")
}

pub(crate) async fn create(store: &SqlStore, subject: &SubjectKey) -> Command {
    let (id, auto) = (new_id(store, subject).await, new_id(store, subject).await);
    let content = Content::stored("text 🏠".to_owned(), vec![member("m")], Metadata::new());
    let client = ClientInfo { ip: "10.1.2.3".parse().ok(), platform: "ios".to_owned(), device: String::new() };
    command(
        store,
        subject,
        Create { id, member: member("a"), content, client, auto_create: Some(SubjectId::from(auto)) },
    )
}

async fn reply(store: &SqlStore, subject: &SubjectKey, parent: &Comment) -> Command {
    let id = new_id(store, subject).await;
    let target = root_location(subject, parent.reference.id);
    let content = Content::stored("reply".to_owned(), Vec::new(), Metadata::new());
    let verb = Reply { id, parent: target, member: member("b"), content, client: ClientInfo::default(), max_depth: 2 };
    command(store, subject, verb)
}

pub(crate) fn like(
    store: &SqlStore,
    subject: &SubjectKey,
    comment: CommentId,
    who: &str,
    value: LikeValue,
) -> LikeCommand {
    let operation = RequestId::from_bytes(store.ids().request());
    command(store, subject, SetLike { comment_id: comment, member: member(who), value, operation })
}

pub(crate) async fn one<K: BatchType>(store: &SqlStore, command: &Command<K>) -> Result<CommandOutput, Error> {
    store.writer().commit(&vec![command.clone()].into()).await.expect("committed").remove(0)
}

pub(crate) fn comment(output: &CommandOutput) -> Comment {
    let Effect::Comment(view) = &output.effect else { panic!("{output:?} is about no comment") };
    view.comment.clone()
}

pub(crate) async fn assign_sequence(store: &SqlStore, sql: &str) -> i64 {
    let pool = store.sources().all()[0].write_pool();
    let row =
        pool.query_one_raw(Statement::from_string(pool.get_database_backend(), sql)).await.expect(sql).expect("a row");
    row.try_get_by_index(0).expect("a number")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_is_one_transaction_and_a_refused_command_leaves_its_neighbours_alone() {
    for place in everywhere().await {
        let store = place.migrated(&ManualClock::at_noon()).await;
        let subject = key("batch");
        let first = create(&store, &subject).await;
        let root = comment(&one(&store, &first).await.expect("created"));
        let mut orphan = root.clone();
        orphan.reference.id = CommentId::new(1).expect("an id");
        let batch = [
            create(&store, &subject).await,
            reply(&store, &subject, &orphan).await,
            reply(&store, &subject, &root).await,
            create(&store, &subject).await,
        ];
        let answers = store.writer().commit(&batch.to_vec().into()).await.expect("committed");
        let floors: Vec<_> = answers
            .iter()
            .map(|a| a.as_ref().map(|r| (comment(r).reference.floor, r.revision)).map_err(Clone::clone))
            .collect();
        assert_eq!(floors, [Ok((2, 2)), Err(Error::CommentNotFound), Ok((1, 2)), Ok((3, 2))]);
        // Each command again, in another order: the first results, and no new rows.
        for (command, answer) in batch.iter().zip(&answers).rev() {
            let again = one(&store, command).await;
            match answer {
                Ok(before) => {
                    let again = again.expect("answered again");
                    assert!(again.replayed);
                    assert_eq!(
                        (comment(&again).reference.id, again.revision),
                        (comment(before).reference.id, before.revision)
                    );
                }
                Err(error) => assert_eq!(again.as_ref().err(), Some(error)),
            }
        }
        assert_eq!(assign_sequence(&store, "SELECT COUNT(*) FROM comment_index").await, 4);
        assert_eq!(assign_sequence(&store, "SELECT COUNT(*) FROM comment_content").await, 4);
        assert_eq!(assign_sequence(&store, "SELECT COUNT(*) FROM comment_client").await, 3);
        assert_eq!(assign_sequence(&store, "SELECT comment_count FROM comment_subject").await, 4);
        store.close().await;
        place.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_that_create_one_subject_at_once_share_it_and_its_floors() {
    for place in everywhere().await {
        let clock = ManualClock::at_noon();
        let stores = [place.migrated(&clock).await, place.open(&clock)];
        for round in 0..10 {
            let subject = key(&format!("race {round}"));
            let mut runs = Vec::new();
            for n in 0..8 {
                let store = stores[n % 2].clone();
                let command = create(&store, &subject).await;
                runs.push(tokio::spawn(async move { one(&store, &command).await.expect("created") }));
            }
            let mut floors = Vec::new();
            for run in runs {
                floors.push(comment(&run.await.expect("ran")).reference.floor);
            }
            floors.sort_unstable();
            assert_eq!(floors, (1..=8).collect::<Vec<_>>());
        }
        assert_eq!(assign_sequence(&stores[0], "SELECT COUNT(*) FROM comment_subject").await, 10);
        assert_eq!(
            assign_sequence(&stores[0], "SELECT MIN(next_floor * 1000 + comment_count) FROM comment_subject").await,
            9008
        );
        for store in &stores {
            store.close().await;
        }
        place.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_that_goes_away_at_any_moment_leaves_nothing_half_done() {
    for place in everywhere().await {
        let store = place.migrated(&ManualClock::at_noon()).await;
        let subject = key("cancelled");
        let mut commands = Vec::new();
        for n in 0..30 {
            let command = create(&store, &subject).await;
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
        // A repeat of each command returns its result, and completes it.
        let mut floors = Vec::new();
        for command in &commands {
            floors.push(comment(&one(&store, command).await.expect("settled")).reference.floor);
        }
        floors.sort_unstable();
        assert_eq!(floors, (1..=30).collect::<Vec<_>>());
        assert_eq!(assign_sequence(&store, "SELECT comment_count FROM comment_subject").await, 30);
        store.close().await;
        place.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_item_that_the_database_refuses_does_not_fail_the_rest() {
    for place in everywhere().await {
        let store = place.migrated(&ManualClock::at_noon()).await;
        let subject = key("spoilt");
        let taken = create(&store, &subject).await;
        one(&store, &taken).await.expect("created");
        let mut batch = Vec::new();
        for _ in 0..6 {
            batch.push(create(&store, &subject).await);
        }
        // The same id under another request: no rule of the domain rejects it, but the primary key
        // does.
        let CommandKind::Create(verb) = &mut batch[3].verb else { panic!("a create") };
        verb.id = taken.verb.comment_id().expect("an id");
        let answers = store.writer().commit(&batch.to_vec().into()).await.expect("committed");
        for (n, answer) in answers.iter().enumerate() {
            assert_eq!(matches!(answer, Err(Error::Internal(_))), n == 3, "{n}: {answer:?}");
        }
        assert_eq!(assign_sequence(&store, "SELECT comment_count FROM comment_subject").await, 6);
        assert_eq!(assign_sequence(&store, "SELECT next_floor FROM comment_subject").await, 7);
        store.close().await;
        place.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_row_spoils_the_commands_on_it_and_no_other() {
    for place in everywhere().await {
        let store = place.migrated(&ManualClock::at_noon()).await;
        let subjects = ["sound", "damaged", "sound too"].map(key);
        for subject in &subjects {
            one(&store, &create(&store, subject).await).await.expect("created");
        }
        // Ids are bytes: SQLite does not compare them with text.
        let most = format!(
            "UPDATE comment_subject SET comment_count = {most}, root_count = {most} WHERE object_id = X'64616D61676564'",
            most = i32::MAX
        );
        let pool = store.sources().all()[0].write_pool();
        assert_eq!(pool.execute_unprepared(&most).await.expect("damaged").rows_affected(), 1);
        let mut batch = Vec::new();
        for n in 0..6 {
            batch.push(create(&store, &subjects[n % 3]).await);
        }
        let answers = store.writer().commit(&batch.to_vec().into()).await.expect("committed");
        for (n, answer) in answers.iter().enumerate() {
            assert_eq!(matches!(answer, Err(Error::Internal(_))), n % 3 == 1, "{n}: {answer:?}");
        }
        assert_eq!(assign_sequence(&store, "SELECT COUNT(*) FROM comment_index").await, 7);
        assert_eq!(assign_sequence(&store, "SELECT MIN(comment_count) FROM comment_subject").await, 3);
        store.close().await;
        place.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn likes_of_many_members_at_once_are_counted_exactly() {
    for place in everywhere().await {
        let clock = ManualClock::at_noon();
        let stores = [place.migrated(&clock).await, place.open(&clock)];
        let subject = key("likes");
        let root = comment(&one(&stores[0], &create(&stores[0], &subject).await).await.expect("created"));
        let mut runs = Vec::new();
        for lane in 0..4_usize {
            let store = stores[lane % 2].clone();
            let (subject, id) = (subject.clone(), root.reference.id);
            runs.push(tokio::spawn(async move {
                for round in 0..5 {
                    let value = if round % 2 == 0 { LikeValue::Like } else { LikeValue::Dislike };
                    let batch: Vec<_> =
                        (0..25).map(|n| like(&store, &subject, id, &format!("m{}", lane * 20 + n), value)).collect();
                    for answer in store.writer().commit(&batch.to_vec().into()).await.expect("committed") {
                        answer.expect("set");
                    }
                }
            }));
        }
        for run in runs {
            run.await.expect("ran");
        }
        let rows = assign_sequence(&stores[0], "SELECT COUNT(*) FROM comment_like WHERE value = 1").await;
        assert_eq!(assign_sequence(&stores[0], "SELECT like_count FROM comment_index").await, rows);
        let rows = assign_sequence(&stores[0], "SELECT COUNT(*) FROM comment_like WHERE value = -1").await;
        assert_eq!(assign_sequence(&stores[0], "SELECT dislike_count FROM comment_index").await, rows);
        assert_eq!(assign_sequence(&stores[0], "SELECT COUNT(*) FROM comment_like").await, 85);
        for store in &stores {
            store.close().await;
        }
        place.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn large_batches_and_rare_verbs_go_through_every_table() {
    for place in everywhere().await {
        let store = place.migrated(&ManualClock::at_noon()).await;
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
        one(&store, &command(&store, &subject, verb)).await.expect("created");
        let mut batch = Vec::new();
        for _ in 0..500 {
            batch.push(create(&store, &subject).await);
        }
        let answers = store.writer().commit(&batch.to_vec().into()).await.expect("committed");
        let roots: Vec<_> = answers.into_iter().map(|a| comment(&a.expect("created"))).collect();
        assert_eq!(roots.iter().map(|c| c.reference.floor).collect::<Vec<_>>(), (1..=500).collect::<Vec<_>>());
        let likes: Vec<_> =
            roots.iter().map(|c| like(&store, &subject, c.reference.id, "fan", LikeValue::Like)).collect();
        assert!(store.writer().commit(&likes.into()).await.expect("committed").iter().all(Result::is_ok));
        let target = |c: &Comment| root_location(&subject, c.reference.id);
        let actor = DeleteActor::Owner(member("o"));
        let batch = [
            command(&store, &subject, Delete { target: target(&roots[0]), actor, etag: String::new() }),
            command(&store, &subject, Hide { target: target(&roots[1]) }),
        ];
        assert!(store.writer().commit(&batch.to_vec().into()).await.expect("committed").iter().all(Result::is_ok));
        let again = store.writer().commit(&batch.to_vec().into()).await.expect("committed");
        assert!(again.into_iter().all(|answer| answer.is_ok_and(|output| output.replayed)));
        assert_eq!(assign_sequence(&store, "SELECT comment_count FROM comment_subject").await, 498);
        assert_eq!(assign_sequence(&store, "SELECT COUNT(*) FROM comment_request").await, 3);
        assert_eq!(assign_sequence(&store, "SELECT COUNT(*) FROM comment_index WHERE listed = 1").await, 498);
        store.close().await;
        place.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_over_two_data_sources_is_a_fault() {
    let Some(place) = Place::servers(2, TableCounts { subject: 2, index: 4 }).await else { return };
    let clock = ManualClock::at_noon();
    let store = place.migrated(&clock).await;
    let source = |key: &SubjectKey| store.sources().map().source(key.partition());
    let one = key("1");
    let two = (2..).map(|n| key(&n.to_string())).find(|other| source(other) != source(&one)).expect("another source");
    let batch = [create(&store, &one).await, create(&store, &two).await];
    assert!(matches!(store.writer().commit(&batch.to_vec().into()).await, Err(Error::Internal(_))));
    store.close().await;
    place.drop().await;
}
