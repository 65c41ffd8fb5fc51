//! The gate of moderation: it is closed while a process of an earlier version holds a lease, or
//! while moderation is off.

use std::time::Duration;

use riposte_conformance::stores::{root_location, ruling};
use riposte_core::disposition::Disposition;
use riposte_core::object_type::ModerationMode;
use riposte_core::policy_judgement::PolicyJudgement;
use riposte_core::ports::{Clock, LeaseCandidate};
use riposte_core::subject::Metadata;
use riposte_core::verbs::{Approve, Create, Edit, Hide, Reply, Undelete, Unhide, UpdateSubject, Withhold};
use riposte_core::{
    Batch, ClientInfo, Command, CommandKind, CommandOutput, CommentId, CommentState, Content, DeletedBy, Effect, Error,
    Result, SubjectKey,
};
use riposte_store::SqlStore;
use sea_orm::ConnectionTrait;

use crate::commits::{command, commit_one};
use crate::databases::{ManualClock, all_databases};
use crate::subject::{Subject, member, run};

/// A process of an earlier version, as its leases name it.
const OLD: &str = "x'0102030405060708090a0b0c0d0e0f10'";

/// The results of commands that need an open gate, and of one that does not.
struct Outcome {
    refused: usize,
    others: Vec<Result<()>>,
}

async fn send(store: &SqlStore, key: &SubjectKey, verb: impl Into<CommandKind>) -> Result<()> {
    commit_one(store, &command(store, key, verb.into())).await.map(drop)
}

async fn create(store: &SqlStore, key: &SubjectKey, moderation: ModerationMode) -> Create {
    Create {
        id: store.ids().comment(key.partition()).await.expect("an id"),
        member: member(0),
        content: content("a text"),
        client: ClientInfo::default(),
        auto_create: None,
        moderation,
        judged: PolicyJudgement::default(),
    }
}

fn content(text: &str) -> Content {
    Content::stored(text.to_owned(), Vec::new(), Metadata::new())
}

/// Sends each kind of command to a process that has just started.
async fn outcome(store: &SqlStore, key: &SubjectKey, ids: [CommentId; 4]) -> Outcome {
    let [active, pending, deleted, withheld] = ids;
    let at = |id| root_location(key, id);
    let author = |id| Edit::allowed(at(id), member(0), content("another text"));
    let needing: [CommandKind; 6] = [
        create(store, key, ModerationMode::Pre).await.into(),
        Withhold { target: at(withheld), ruling: ruling() }.into(),
        Approve { target: at(active), ruling: ruling() }.into(),
        Edit { judged: Disposition::Hold.into(), ..author(active) }.into(),
        author(pending).into(),
        Undelete { target: at(deleted), member: member(0) }.into(),
    ];
    let mut refused = 0;
    for verb in needing {
        let is_refused = matches!(send(store, key, verb).await, Err(Error::Overloaded { .. }));
        refused += usize::from(is_refused);
    }
    let free: [CommandKind; 5] = [
        create(store, key, ModerationMode::Post).await.into(),
        author(active).into(),
        Hide { target: at(active), ruling: ruling() }.into(),
        Unhide { target: at(active), ruling: ruling() }.into(),
        Approve { target: at(pending), ruling: ruling() }.into(),
    ];
    let mut others = Vec::new();
    for verb in free {
        others.push(send(store, key, verb).await);
    }
    Outcome { refused, others }
}

/// Makes a visible comment, one that waits, one that was deleted while it waited, and a visible
/// one.
async fn comments(store: &SqlStore, subject: &Subject) -> [CommentId; 4] {
    let ids = subject.create_roots(4).await;
    for (id, state) in [(ids[1], CommentState::Pending), (ids[2], CommentState::Deleted)] {
        let (code, before, id) = (state.code(), CommentState::Pending.code(), id.get());
        let deleted = if state == CommentState::Deleted { DeletedBy::Author.code() } else { 0 };
        let columns = format!("state = {code}, prior_state = {before}, deleted_by = {deleted}, listed = 0");
        run(store, format!("UPDATE comment_index SET {columns}, member_id = x'6d30' WHERE id = {id}")).await;
    }
    ids.try_into().expect("four")
}

#[tokio::test(flavor = "multi_thread")]
async fn no_command_makes_a_state_of_moderation_while_an_old_process_runs_or_moderation_is_off() {
    for database in all_databases().await {
        let clock = ManualClock::at_noon();
        let first = database.migrated(&clock).await;
        let until = clock.now().plus(Duration::from_secs(5)).0;
        let mut number = 0;
        // Each case is a change of the rows, and whether the gate is closed after it. The process
        // of a case has just started, so that it has read no gate before.
        for (sql, is_closed) in [
            (None, false),
            (Some(format!("UPDATE worker_lease SET owner = {OLD}, leased_until = {until} WHERE worker = 63")), true),
            (Some(format!("INSERT INTO process (owner, step, until) VALUES ({OLD}, 11, {until})")), true),
            (Some(format!("UPDATE process SET step = 12 WHERE owner = {OLD}")), false),
            (Some(format!("DELETE FROM process WHERE owner = {OLD}")), true),
            (Some("UPDATE worker_lease SET leased_until = 1 WHERE worker = 63".to_owned()), false),
        ] {
            if let Some(sql) = &sql {
                run(&first, sql.clone()).await;
            }
            number += 1;
            let old = first.moderation_switch().old_leases().await;
            assert_eq!(old, Ok(usize::from(is_closed)), "{sql:?}");
            check(&database.open(&clock), number, is_closed, &format!("{sql:?}")).await;
        }
        for is_off in [true, false] {
            first.moderation_switch().set(is_off).await.expect("set");
            assert_eq!(first.moderation_switch().old_leases().await, Ok(0), "a switch is no process");
            number += 1;
            check(&database.open(&clock), number, is_off, &format!("off: {is_off}")).await;
        }
        // A relay of this version says what it knows, too.
        let lease = first.outbox().acquire_lease(0, LeaseCandidate::repairing([7; 16]), clock.now()).await;
        assert!(lease.expect("acquired").is_some());
        check(&database.open(&clock), number + 1, false, "a relay of this version").await;
        run(&first, "DELETE FROM process WHERE step > 0".to_owned()).await;
        check(&database.open(&clock), number + 2, true, "a relay of an earlier version").await;
        first.close().await;
        database.drop().await;
    }
}

async fn check(store: &SqlStore, number: usize, is_closed: bool, case: &str) {
    let subject = Subject::new(store, &format!("gate{number}"));
    let ids = comments(store, &subject).await;
    let Outcome { refused, others } = outcome(store, &subject.key, ids).await;
    assert_eq!(refused, if is_closed { 6 } else { 0 }, "{case}");
    assert_eq!(others, vec![Ok(()); 5], "{case}");
    store.close().await;
}

/// Returns the change that lets new comments of a subject wait, whatever the mode of its type is.
fn hold() -> UpdateSubject {
    UpdateSubject { moderation: Some(Some(ModerationMode::Pre)), ..UpdateSubject::default() }
}

/// Returns the state of the comment that a command made.
fn state(output: Result<CommandOutput>) -> Result<CommentState> {
    let Effect::Comment(view) = output?.effect else { panic!("the command makes no comment") };
    Ok(view.comment.lifecycle.state)
}

#[tokio::test(flavor = "multi_thread")]
async fn no_comment_waits_beside_an_old_process_under_a_subject_that_alone_holds_comments() {
    for database in all_databases().await {
        let clock = ManualClock::at_noon();
        let first = database.migrated(&clock).await;
        // One batch has commands of one data source only.
        let plain = Subject::new(&first, "plain");
        let mut subjects = (0..).map(|n| Subject::new(&first, &format!("strict{n}")));
        let strict = subjects.find(|of| of.key.partition() == plain.key.partition()).expect("one of many");
        plain.create_roots(1).await;
        let root = strict.create_roots(1).await[0];
        send(&first, &strict.key, hold()).await.expect("updated");
        let until = clock.now().plus(Duration::from_secs(5)).0;
        let lease = async |until: i64| {
            let sql = format!("UPDATE worker_lease SET owner = {OLD}, leased_until = {until} WHERE worker = 63");
            for source in first.sources().all() {
                source.write_pool().execute_unprepared(&sql).await.expect(&sql);
            }
        };
        lease(until).await;
        let posts = async |store: &SqlStore| -> Vec<Command> {
            let reply = Reply {
                id: store.ids().comment(strict.key.partition()).await.expect("an id"),
                parent: root_location(&strict.key, root),
                member: member(0),
                content: content("a reply"),
                client: ClientInfo::default(),
                max_depth: 3,
                moderation: ModerationMode::Post,
                judged: PolicyJudgement::default(),
            };
            vec![
                command(store, &plain.key, create(store, &plain.key, ModerationMode::Post).await),
                command(store, &strict.key, create(store, &strict.key, ModerationMode::Post).await),
                command(store, &strict.key, reply),
            ]
        };
        let outcomes = async |store: &SqlStore| -> Vec<Result<CommentState>> {
            let batch = posts(store).await.into();
            store.writer().commit(&batch).await.expect("committed").into_iter().map(state).collect()
        };
        let beside = database.open(&clock);
        let found = outcomes(&beside).await;
        let [Ok(CommentState::Active), Err(Error::Overloaded { .. }), Err(Error::Overloaded { .. })] = found[..] else {
            panic!("{found:?}")
        };
        // The state of the gate is known now.
        let again = outcomes(&beside).await;
        assert!(again[0].is_ok() && again[1..].iter().all(Result::is_err), "{again:?}");
        beside.close().await;
        lease(1).await;
        let after = database.open(&clock);
        let waits = [Ok(CommentState::Active), Ok(CommentState::Pending), Ok(CommentState::Pending)];
        assert_eq!(outcomes(&after).await, waits);
        // The mode of a subject may change in the same batch.
        let change = command(&after, &plain.key, hold());
        let batch: Batch = [change].into_iter().chain(posts(&after).await).collect::<Vec<_>>().into();
        let outputs = after.writer().commit(&batch).await.expect("committed");
        let made: Vec<_> = outputs.into_iter().skip(1).map(state).collect();
        assert_eq!(made, vec![Ok(CommentState::Pending); 3]);
        after.close().await;
        first.close().await;
        database.drop().await;
    }
}
