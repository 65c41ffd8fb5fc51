//! The plan of the statement on SQLite, which has no hints that name an index.

use riposte_core::page::LikersQuery;
use riposte_core::{CommentId, LikeValue, MemberId, SubjectKey};
use sea_orm::{ConnectOptions, ConnectionTrait, Database, DbBackend, Statement};

use super::Branches;

/// The mark of the tables of a partition in the names of tables and keys.
const MARKER: &str = "_@";
const TABLES: &str = include_str!("../../../../../../migrations/golden/sqlite.sql");

#[tokio::test]
async fn every_branch_on_sqlite_reads_bounded_ranges_of_keys_and_sorts_nothing() {
    let mut options = ConnectOptions::new("sqlite::memory:");
    options.max_connections(1);
    let database = Box::pin(Database::connect(options)).await.expect("a database in memory");
    for statement in TABLES.lines().filter(|line| line.starts_with("CREATE")) {
        database.execute_unprepared(&statement.replace(MARKER, "")).await.expect(statement);
    }
    let ids = [3, 4];
    let first = ["m1", "m2", "m3"].map(|name| MemberId::stored(name.to_owned())).to_vec();
    let query = LikersQuery {
        ids: ids.map(|id| CommentId::new(id).expect("an id")).to_vec(),
        value: LikeValue::Like,
        first,
        limit: 3,
    };
    let mut branches = Branches::new(DbBackend::Sqlite, 7);
    branches.subject(&SubjectKey::stored("video".to_owned(), "1".to_owned()));
    branches.comments(&ids, query.value);
    branches.named(&ids, &query);
    branches.latest(&ids, &query);
    let Statement { sql, values, db_backend } = branches.into_statement();
    let explained = Statement { sql: format!("EXPLAIN QUERY PLAN {}", sql.replace(MARKER, "")), values, db_backend };
    let plan = database.query_all_raw(explained).await.expect("a plan");
    let mut steps: Vec<String> = plan.iter().map(|row| row.try_get("", "detail").expect("a step")).collect();
    steps.retain(|step| step.starts_with("SEARCH") || step.starts_with("SCAN") || step.contains("TEMP"));
    // The members are a list of the statement, and a range that was read is a list too.
    steps.retain(|step| !["SCAN m", "SCAN latest"].contains(&step.as_str()) && !step.contains("CONSTANT ROW"));
    let key = "USING INDEX sqlite_autoindex_comment_like_1 (subject_id=? AND member_id=? AND comment_id=?)";
    let range = "SEARCH comment_like USING INDEX comment_like_likers (comment_id=? AND value=?)";
    let (named, latest): (Vec<_>, Vec<_>) =
        steps.iter().filter(|step| step.contains("like")).partition(|step| step.starts_with("SEARCH l "));
    assert_eq!(named, [&format!("SEARCH l {key}")], "{steps:?}");
    assert_eq!(latest.len(), ids.len(), "{steps:?}");
    assert!(latest.iter().all(|step| **step == range), "{steps:?}");
    let others: Vec<_> = steps.iter().filter(|step| !step.contains("like")).collect();
    assert_eq!(others.len(), 3, "the subject, and the comments twice: {steps:?}");
    assert!(others.iter().all(|step| step.starts_with("SEARCH")), "{steps:?}");
}
