//! Repair of counts that SQL statements have corrupted.

use std::sync::Arc;
use std::time::Duration;

use riposte_conformance::stores::{root_location, ruling};
use riposte_core::change::AuthorAppeal;
use riposte_core::disposition::Disposition;
use riposte_core::event::{ChangeKind, CommentChange};
use riposte_core::page::CountDrift;
use riposte_core::ports::RepairReport;
use riposte_core::rank::RankingConfig;
use riposte_core::review::OpenQuestions;
use riposte_core::subject::Metadata;
use riposte_core::verbs::{Appeal, BatchVerb, Edit, Hide, Keep, Ruling, Unhide, Withhold};
use riposte_core::{Comment, CommentId, Content, Error, Millis};
use riposte_store::SqlStore;

use crate::commits::query_number;
use crate::databases::{ManualClock, all_databases};
use crate::subject::{Subject, member, run};

const NOW: Millis = Millis(77);

/// A subject with three roots, a thread of three levels under the first, and likes on two comments.
struct Thread {
    subject: Subject,
    roots: Vec<CommentId>,
    replies: Vec<CommentId>,
    deep: Vec<CommentId>,
}

impl Thread {
    async fn new(store: &SqlStore) -> Self {
        let subject = Subject::new(store, "counted");
        let roots = subject.create_roots(3).await;
        let replies = subject.create_replies(&roots[..1], 3, 4).await;
        let deep = subject.create_replies(&[roots[0], replies[1]], 2, 4).await;
        subject.add_likes(roots[2], 3).await;
        subject.add_likes(deep[1], 2).await;
        Self { subject, roots, replies, deep }
    }

    async fn revision(&self, store: &SqlStore) -> i64 {
        let found = store.reader().subjects(std::slice::from_ref(&self.subject.key)).await.expect("read").remove(0);
        found.expect("exists").revision
    }

    async fn repair(&self, store: &SqlStore) -> RepairReport {
        store.repairer().repair(&self.subject.key, NOW).await.expect("repaired").expect("exists")
    }

    async fn drifts(&self, store: &SqlStore) -> Vec<CountDrift> {
        store.reader().verify(&self.subject.key).await.expect("verified").drifts
    }

    /// Returns the comment changes in the event of a revision.
    async fn changes_of_revision(&self, store: &SqlStore, revision: i64) -> Vec<CommentChange> {
        let (at, id) = (self.subject.key.partition(), row(store, self.roots[0]).await.reference.subject_id);
        let mut events = store.outbox().of_subject(at, id, revision - 1, 9).await.expect("read");
        assert_eq!(events.len(), 1, "a revision has one event");
        let event = events.remove(0);
        assert_eq!((event.revision, event.time, event.changes.subject), (Some(revision), NOW, false));
        event.changes.comments
    }
}

async fn row(store: &SqlStore, id: CommentId) -> Comment {
    store.reader().comments(&[id]).await.expect("read").remove(0).expect("exists").comment
}

async fn corrupt(store: &SqlStore, assignments: &str, comment: Option<CommentId>) {
    let sql = match comment {
        Some(id) => format!("UPDATE comment_index SET {assignments} WHERE id = {}", id.get()),
        None => format!("UPDATE comment_subject SET {assignments}"),
    };
    run(store, sql).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_wrong_count_is_found_and_repaired() {
    for database in all_databases().await {
        let store = database.migrated(&ManualClock::at_noon()).await;
        let thread = Thread::new(&store).await;
        let (root, reply, deep) = (Some(thread.roots[0]), Some(thread.replies[1]), Some(thread.deep[1]));
        let corruptions = [
            (None, "root_count", -9, 3),
            (None, "comment_count", 0, 8),
            (None, "next_floor", 2, 4),
            (root, "reply_count", 1, 5),
            (root, "next_floor", 1, 6),
            (root, "live_below", 99, 5),
            (root, "dislike_count", 1, 0),
            (reply, "reply_count", -1, 2),
            (reply, "live_below", 0, 2),
            (reply, "listed", 0, 1),
            (deep, "like_count", 0, 2),
        ];
        for (comment, count, stored, actual) in corruptions {
            let before = thread.revision(&store).await;
            let before_row = row(&store, comment.unwrap_or(thread.roots[1])).await;
            corrupt(&store, &format!("{count} = {stored}"), comment).await;
            let repaired = thread.repair(&store).await;
            let drifts = vec![CountDrift { comment, count, stored, actual }];
            assert_eq!(repaired, RepairReport { drifts, revision: before + 1 });
            assert_eq!(thread.revision(&store).await, before + 1);
            assert_eq!(thread.drifts(&store).await, Vec::new());
            // The row is as before, except for its own revision; its etag stays.
            let increment = i64::from(comment.is_some());
            let mut expected = before_row.clone();
            expected.lifecycle.revision += increment;
            assert_eq!(row(&store, before_row.reference.id).await, expected);
            let changes =
                comment.map(|id| CommentChange { id, root: before_row.reference.root_id, kind: ChangeKind::Recounted });
            assert_eq!(thread.changes_of_revision(&store, before + 1).await, changes.into_iter().collect::<Vec<_>>());
            let again = thread.repair(&store).await;
            assert_eq!(
                again,
                RepairReport { drifts: Vec::new(), revision: before + 1 },
                "a correct subject does not change"
            );
        }
        store.close().await;
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_wrong_counts_are_repaired_in_one_revision() {
    for database in all_databases().await {
        let store = database.migrated(&ManualClock::at_noon()).await;
        let thread = Thread::new(&store).await;
        let before = thread.revision(&store).await;
        corrupt(&store, "root_count = 9, comment_count = -1, next_floor = 1", None).await;
        run(&store, "UPDATE comment_index SET like_count = 5, live_below = 7, next_floor = 1, listed = 0".to_owned())
            .await;
        let drifts = thread.drifts(&store).await;
        let repaired = thread.repair(&store).await;
        assert_eq!(repaired, RepairReport { drifts, revision: before + 1 });
        assert_eq!(thread.drifts(&store).await, Vec::new());
        assert_eq!(thread.changes_of_revision(&store, before + 1).await.len(), 8);
        store.close().await;
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn next_floor_is_never_lowered() {
    for database in all_databases().await {
        let store = database.migrated(&ManualClock::at_noon()).await;
        let thread = Thread::new(&store).await;
        let before = thread.revision(&store).await;
        corrupt(&store, "next_floor = 50", None).await;
        corrupt(&store, "next_floor = 60", Some(thread.roots[0])).await;
        assert_eq!(thread.repair(&store).await, RepairReport { drifts: Vec::new(), revision: before });
        assert_eq!(thread.drifts(&store).await.len(), 2, "they are reported all the same");
        // A repair of other counts leaves them as they are.
        corrupt(&store, "reply_count = 0", Some(thread.roots[0])).await;
        assert_eq!(thread.repair(&store).await.drifts.len(), 1);
        assert_eq!(row(&store, thread.roots[0]).await.next_floor, 60);
        let next = thread.subject.create_roots(1).await;
        assert_eq!(row(&store, next[0]).await.reference.floor, 50);
        store.close().await;
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_are_repaired_during_concurrent_writes() {
    for database in all_databases().await {
        let store = database.migrated(&ManualClock::at_noon()).await;
        let thread = Arc::new(Thread::new(&store).await);
        let write = |n: usize| {
            let thread = Arc::clone(&thread);
            tokio::spawn(async move {
                for step in 0..12 {
                    match n {
                        0 => drop(thread.subject.create_roots(2).await),
                        1 => drop(thread.subject.create_replies(&thread.roots[..1], 2, 4).await),
                        2 => drop(thread.subject.create_replies(&[thread.roots[0], thread.replies[1]], 2, 4).await),
                        3.. => thread.subject.add_likes(thread.roots[n % 3], 5 + step).await,
                    }
                }
            })
        };
        let writers: Vec<_> = (0..6).map(write).collect();
        let mut repairs = 0;
        while !writers.iter().all(tokio::task::JoinHandle::is_finished) {
            corrupt(&store, "comment_count = comment_count + 7, root_count = root_count - 1", None).await;
            corrupt(&store, "like_count = like_count + 3", Some(thread.roots[repairs % 3])).await;
            corrupt(&store, "live_below = live_below - 2, reply_count = 0", Some(thread.replies[1])).await;
            let drifts = thread.repair(&store).await.drifts;
            assert!(!drifts.is_empty());
            repairs += 1;
        }
        for writer in writers {
            writer.await.expect("no panic");
        }
        assert_eq!(thread.drifts(&store).await, Vec::new());
        let id = row(&store, thread.roots[0]).await.reference.subject_id;
        let events = store.outbox().of_subject(thread.subject.key.partition(), id, 0, 10_000).await.expect("read");
        let revisions: Vec<i64> = events.into_iter().filter_map(|event| event.revision).collect();
        assert_eq!(revisions, (1..=thread.revision(&store).await).collect::<Vec<_>>(), "every revision has one event");
        assert!(repairs > 0);
        store.close().await;
        database.drop().await;
    }
}

/// Rebuilds the ranks of a subject; returns the number of changes.
async fn rebuild_ranks(store: &SqlStore, subject: &Subject) -> Result<usize, Error> {
    let (ranks, _) = store.ranks(RankingConfig { depth: RankingConfig::DEPTH, policies: Arc::default() });
    let (mut changed, mut after) = (0, None);
    loop {
        let progress = ranks.rebuild(&subject.key, after, 2).await?;
        changed += progress.changed;
        after = progress.next;
        if after.is_none() {
            return Ok(changed);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_rows_of_the_rank_index_are_replaced_by_a_rebuild() {
    for database in all_databases().await {
        let store = database.migrated(&ManualClock::at_noon()).await;
        let thread = Thread::new(&store).await;
        rebuild_ranks(&store, &thread.subject).await.expect("built");
        let rows =
            "SELECT CAST(COALESCE(SUM(comment_id % 1000000007 * (floor + sort + 10)), 0) AS SIGNED) FROM comment_rank";
        let sound = (query_number(&store, rows).await, query_number(&store, "SELECT COUNT(*) FROM comment_rank").await);
        assert!(sound.1 > 3, "{sound:?}");
        for damage in [
            "UPDATE comment_rank SET comment_id = comment_id + 1",
            "UPDATE comment_rank SET floor = floor + 900",
            "UPDATE comment_rank SET score = score + 0.5",
            "UPDATE comment_rank SET comment_id = 7, score = score + 0.5",
        ] {
            run(&store, damage.to_owned()).await;
            assert!(rebuild_ranks(&store, &thread.subject).await.expect(damage) > 0);
            let rebuilt =
                (query_number(&store, rows).await, query_number(&store, "SELECT COUNT(*) FROM comment_rank").await);
            assert_eq!(rebuilt, sound, "{damage}");
            assert_eq!(rebuild_ranks(&store, &thread.subject).await, Ok(0), "{damage}");
        }
        store.close().await;
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_error_of_a_row_names_its_table_and_its_id_and_not_its_text() {
    for database in all_databases().await {
        let store = database.migrated(&ManualClock::at_noon()).await;
        let thread = Thread::new(&store).await;
        let (root, subject) = (thread.roots[0], row(&store, thread.roots[0]).await.reference.subject_id);
        run(&store, format!("UPDATE comment_content SET metadata = '{{secret' WHERE comment_id = {}", root.get()))
            .await;
        let error = store.reader().comments(&[root]).await.expect_err("no version writes that");
        assert_eq!(error, Error::internal(format!("comment_content, row of {}: metadata cannot be read", root.get())));
        run(&store, "UPDATE comment_subject SET metadata = '{\"a\": \"secret'".to_owned()).await;
        let error = store.reader().subjects(std::slice::from_ref(&thread.subject.key)).await;
        let message = format!("comment_subject, row of {}: metadata cannot be read", subject.get());
        assert_eq!(error, Err(Error::internal(message)));
        let keys = store.reader().subject_keys(None, Default::default(), 9).await.expect("the keys can be read");
        assert_eq!(keys, (vec![(subject, thread.subject.key.clone())], None));
        store.close().await;
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_that_contradicts_its_comment_is_found_and_repaired_in_both_directions() {
    const OPEN: &str = "review_open";
    for database in all_databases().await {
        let store = database.migrated(&ManualClock::at_noon()).await;
        let thread = Thread::new(&store).await;
        let id = thread.roots[2];
        let is_open = async || {
            let review = store.reader().reviews(&[id]).await.expect("read").remove(0);
            review.is_some_and(|review| !review.open().is_empty())
        };
        // No row: the comment waits, and is in no queue.
        corrupt(&store, "state = 2, prior_state = 2, listed = 0", Some(id)).await;
        corrupt(&store, "root_count = root_count - 1, comment_count = comment_count - 1", None).await;
        let drift = |stored: i64| CountDrift { comment: Some(id), count: OPEN, stored, actual: 1 - stored };
        assert_eq!(thread.drifts(&store).await, [drift(0)]);
        assert_eq!(thread.repair(&store).await.drifts, [drift(0)]);
        assert_eq!((thread.drifts(&store).await, is_open().await), (Vec::new(), true));
        // A closed row of a comment that waits.
        run(&store, "UPDATE comment_review SET is_open = 0, open_bits = 0".to_owned()).await;
        assert_eq!(thread.repair(&store).await.drifts, [drift(0)]);
        assert_eq!((thread.drifts(&store).await, is_open().await), (Vec::new(), true));
        // An open row of a comment that is hidden.
        corrupt(&store, "state = 4, prior_state = 4", Some(id)).await;
        assert_eq!(thread.repair(&store).await.drifts, [drift(1)]);
        assert_eq!((thread.drifts(&store).await, is_open().await), (Vec::new(), false));
        store.close().await;
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proposal_that_contradicts_its_review_is_found_and_repaired_in_both_directions() {
    for database in all_databases().await {
        let store = database.migrated(&ManualClock::at_noon()).await;
        let thread = Thread::new(&store).await;
        let id = thread.roots[2];
        let content = Content::stored("another text".to_owned(), Vec::new(), Metadata::new());
        let edit = Edit::allowed(root_location(&thread.subject.key, id), member(2), content);
        thread.subject.commit(vec![Edit { judged: Disposition::Hold.into(), ..edit }.into_type()]).await;
        assert_eq!(thread.drifts(&store).await, Vec::new());
        let is_open = async || {
            let review = store.reader().reviews(&[id]).await.expect("read").remove(0);
            review.is_some_and(|review| review.open().intersects(OpenQuestions::EDIT))
        };
        let drift = |stored: i64| CountDrift { comment: Some(id), count: "proposal", stored, actual: 1 - stored };
        // A proposal that waits and is in no queue.
        run(&store, "UPDATE comment_review SET is_open = 0, open_bits = 0, causes = 0, due_time = 0".to_owned()).await;
        assert_eq!(thread.drifts(&store).await, [drift(0)]);
        assert_eq!(thread.repair(&store).await.drifts, [drift(0)]);
        assert_eq!((thread.drifts(&store).await, is_open().await), (Vec::new(), true));
        // An open question without a proposal.
        run(&store, "UPDATE comment_withheld SET state = 3".to_owned()).await;
        assert_eq!(thread.repair(&store).await.drifts, [drift(1)]);
        assert_eq!((thread.drifts(&store).await, is_open().await), (Vec::new(), false));
        store.close().await;
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_appeal_that_contradicts_its_decisions_is_found_and_repaired_in_both_directions() {
    const OPEN: &str = "UPDATE comment_review SET is_open = 1, open_bits = 4, causes = 32, due_time = 9";
    for database in all_databases().await {
        let store = database.migrated(&ManualClock::at_noon()).await;
        let thread = Thread::new(&store).await;
        let id = thread.roots[2];
        let target = || root_location(&thread.subject.key, id);
        thread.subject.commit(vec![Hide { target: target(), ruling: ruling() }.into_type()]).await;
        let contested = store.reader().decisions(id, None, 1).await.expect("read").remove(0);
        let author = (contested.id.number, contested.actor.clone());
        let appeal = AuthorAppeal { contested, text: "It is a quotation.".to_owned() };
        let window = Duration::from_secs(60);
        let drift = |count, stored| CountDrift { comment: Some(id), count, stored, actual: 1 - stored };
        // An open question without an appeal.
        run(&store, OPEN.to_owned()).await;
        assert_eq!(thread.repair(&store).await.drifts, [drift("appeal", 1)]);
        assert_eq!(thread.drifts(&store).await, Vec::new());
        thread.subject.commit(vec![Appeal { target: target(), appeal, window }.into_type()]).await;
        assert_eq!(thread.drifts(&store).await, Vec::new());
        let appealed = async || {
            let review = store.reader().reviews(&[id]).await.expect("read").remove(0).expect("a review");
            assert_eq!(review.appealed().is_some(), !review.open().is_empty(), "in the queue");
            review.appealed().map(|contested| (contested, review.barred))
        };
        assert_eq!(appealed().await, Some(author.clone()));
        // An appeal that is in no queue: with its question, without it, and without its cause.
        let without_question = "is_open = 0, open_bits = 0";
        let without_cause = format!("{without_question}, causes = 0, due_time = 0");
        for (set, count) in [("is_open = 0", "review_open"), (without_question, "appeal"), (&without_cause, "appeal")] {
            run(&store, format!("UPDATE comment_review SET {set}")).await;
            assert_eq!(thread.drifts(&store).await, [drift(count, 0)], "{set}");
            assert_eq!(thread.repair(&store).await.drifts, [drift(count, 0)], "{set}");
            assert_eq!((thread.drifts(&store).await, appealed().await), (Vec::new(), Some(author.clone())), "{set}");
        }
        // A question about an appeal that was decided.
        let other = Ruling { moderator: member(9), ..ruling() };
        thread.subject.commit(vec![Keep { target: target(), ruling: other }.into_type()]).await;
        assert_eq!((thread.drifts(&store).await, appealed().await), (Vec::new(), None));
        run(&store, OPEN.to_owned()).await;
        assert_eq!(thread.repair(&store).await.drifts, [drift("appeal", 1)]);
        assert_eq!((thread.drifts(&store).await, appealed().await), (Vec::new(), None));
        store.close().await;
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_that_differ_from_the_reports_that_count_are_found_and_repaired() {
    for database in all_databases().await {
        let store = database.migrated(&ManualClock::at_noon()).await;
        let thread = Thread::new(&store).await;
        let id = thread.roots[2];
        let target = root_location(&thread.subject.key, id);
        thread.subject.commit(vec![Hide { target, ruling: ruling() }.into_type()]).await;
        let settled = store.reader().reviews(&[id]).await.expect("read").remove(0).expect("a review").settled_version;
        // Two reports count. The version of the third is settled, and the fourth does not count.
        for (name, version, counted) in
            [("m5", settled + 1, 1), ("m6", settled + 2, 1), ("m7", settled, 1), ("m8", settled + 1, 0)]
        {
            let key: String = name.bytes().map(|byte| format!("{byte:02x}")).collect();
            let columns = "comment_id, member_id, part, object_type, reason, text, claims_illegal, legal_reference, \
                 version, weight, counted, request_key, request_print, first, key_id, time";
            let (id, part) = (id.get(), id.partition().get());
            let zero = "00".repeat(16);
            run(
                &store,
                format!(
                    "INSERT INTO comment_report ({columns}) VALUES ({id}, x'{key}', {part}, x'766964656f', 1, '', 0, \
                     x'', {version}, 100, {counted}, x'{zero}', 0, 0, 0, 0)"
                ),
            )
            .await;
        }
        let drift = |count, actual| CountDrift { comment: Some(id), count, stored: 0, actual };
        let drifts = [drift("reports", 2), drift("report_weight", 200)];
        assert_eq!(thread.drifts(&store).await, drifts);
        assert_eq!(thread.repair(&store).await.drifts, drifts);
        assert_eq!(thread.drifts(&store).await, Vec::new());
        // Without the review all that were counted differ. The decisions say which of them are
        // settled; the rest is open, and a moderator judges the comment if it is in sight.
        for is_visible in [false, true] {
            if is_visible {
                let target = root_location(&thread.subject.key, id);
                thread.subject.commit(vec![Unhide { target, ruling: ruling() }.into_type()]).await;
            }
            run(&store, format!("DELETE FROM comment_review WHERE comment_id = {}", id.get())).await;
            let drifts = [drift("reports", 3), drift("report_weight", 300)];
            assert_eq!(thread.drifts(&store).await, drifts);
            assert_eq!(thread.repair(&store).await.drifts, drifts);
            assert_eq!(thread.drifts(&store).await, Vec::new());
            let review = store.reader().reviews(&[id]).await.expect("read").remove(0).expect("a review");
            assert_eq!(!review.causes.is_empty(), is_visible, "{review:?}");
            assert_eq!((review.decisions, review.never_public), (1 + i32::from(is_visible), false), "{review:?}");
        }
        store.close().await;
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_was_not_in_sight_is_withheld_and_in_no_public_history() {
    for database in all_databases().await {
        let store = database.migrated(&ManualClock::at_noon()).await;
        let thread = Thread::new(&store).await;
        let id = thread.roots[2];
        let target = || root_location(&thread.subject.key, id);
        let edit = |text: &str| {
            Edit::allowed(target(), member(2), Content::stored(text.to_owned(), Vec::new(), Metadata::new()))
        };
        thread.subject.commit(vec![edit("in sight").into_type()]).await;
        thread.subject.commit(vec![Withhold { target: target(), ruling: ruling() }.into_type()]).await;
        thread
            .subject
            .commit(vec![edit("first"), edit("second")].into_iter().map(BatchVerb::into_type).collect())
            .await;
        let count = async |sql: &str| query_number(&store, sql).await;
        assert_eq!(count("SELECT COUNT(*) FROM comment_edit").await, 1);
        assert_eq!(count("SELECT COUNT(*) FROM comment_withheld WHERE kind = 3 AND state = 0").await, 2);
        assert_eq!(count("SELECT COUNT(*) FROM comment_withheld WHERE once_public = 1").await, 1);
        let texts = "SELECT COUNT(*) FROM comment_withheld WHERE text IN ('in sight', 'first')";
        assert_eq!(count(texts).await, 2);
        store.close().await;
        database.drop().await;
    }
}
