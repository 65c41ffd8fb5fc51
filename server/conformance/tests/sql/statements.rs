//! The statements that reach a server: plain comments and likes name no table of moderation, and
//! prepared statements are closed together, because closing one alone costs a network round trip.

use std::collections::BTreeSet;

use riposte_conformance::stores::{root_location, ruling};
use riposte_core::LikeValue;
use riposte_core::object_type::ModerationMode;
use riposte_core::page::{ListOrder, PageQuery, PageStart};
use riposte_core::verbs::{BatchVerb, Hide};
use riposte_store::SqlStore;
use riposte_store::shard::TableCounts;
use sea_orm::{ConnectionTrait, DatabaseConnection, Statement};

use crate::databases::{ManualClock, TestDatabase};
use crate::subject::{Subject, member};

/// The number of statements that a connection caches in this test.
const CACHED_STATEMENTS: usize = 64;

/// Held by the test that has turned the general log of its server on, and turns it off.
pub(crate) static GENERAL_LOG: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

pub(crate) async fn query(pool: &DatabaseConnection, sql: String) -> Vec<sea_orm::QueryResult> {
    pool.query_all_raw(Statement::from_string(pool.get_database_backend(), &sql)).await.expect(&sql)
}

/// Returns the number of statements that the only connection of the pool has closed.
async fn closed_statements(pool: &DatabaseConnection) -> usize {
    session_counter(pool, "Com_stmt_close").await
}

/// Returns a counter of the only connection of a pool.
pub(crate) async fn session_counter(pool: &DatabaseConnection, name: &str) -> usize {
    let rows = query(pool, format!("SHOW SESSION STATUS LIKE '{name}'")).await;
    let count: String = rows.first().expect("a row").try_get_by_index(1).expect("a value");
    count.parse().expect("a number")
}

#[tokio::test]
async fn a_connection_closes_all_statements_at_once_when_it_has_too_many() {
    let Some(database) = TestDatabase::servers(1, TableCounts { subject: 1, index: 1 }).await else { return };
    let mut config = database.config();
    config.write.connections = 1;
    config.write.statements = CACHED_STATEMENTS;
    let store = SqlStore::open(&config, ManualClock::at_noon()).expect("the configuration is sound");
    let pool = store.sources().all()[0].write_pool();
    assert_eq!(closed_statements(pool).await, 0);
    // The query that counts closed statements is one of them.
    for n in 1..CACHED_STATEMENTS {
        query(pool, format!("SELECT {n}")).await;
        assert_eq!(closed_statements(pool).await, 0, "after {n} statements");
    }
    query(pool, "SELECT 'one too many'".to_owned()).await;
    assert_eq!(closed_statements(pool).await, CACHED_STATEMENTS + 1);
    store.close().await;
    database.drop().await;
}

/// Returns the statements of the connections to a database since the general log was turned on.
pub(crate) async fn logged_statements(pool: &DatabaseConnection, database: &str) -> Vec<String> {
    let connects = format!(
        "SELECT DISTINCT thread_id FROM mysql.general_log WHERE command_type = 'Connect' AND argument LIKE '% on {database} %'"
    );
    let sql = format!("SELECT CAST(argument AS BINARY) FROM mysql.general_log WHERE thread_id IN ({connects})");
    let text = |row: &sea_orm::QueryResult| {
        // Values of binary columns are no UTF-8.
        let bytes: Vec<u8> = row.try_get_by_index(0).expect("a text");
        String::from_utf8_lossy(&bytes).into_owned()
    };
    query(pool, sql).await.iter().map(text).collect()
}

/// Returns the statements about comments that the connections to a database prepared, without the
/// numbers of tables: the texts show all columns.
async fn prepared_statements(pool: &DatabaseConnection, database: &str) -> BTreeSet<String> {
    let connects = format!(
        "SELECT DISTINCT thread_id FROM mysql.general_log WHERE command_type = 'Connect' AND argument LIKE '% on {database} %'"
    );
    let sql = format!(
        "SELECT CAST(argument AS BINARY) FROM mysql.general_log WHERE command_type = 'Prepare' AND thread_id IN ({connects})"
    );
    let text = |row: &sea_orm::QueryResult| {
        let bytes: Vec<u8> = row.try_get_by_index(0).expect("a text");
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let rows = query(pool, sql).await;
    rows.iter().map(text).map(|sql| unnumbered(&sql)).filter(|sql| is_of_comments(sql)).collect()
}

/// Returns a statement without the numbers of tables.
pub(crate) fn unnumbered(sql: &str) -> String {
    sql.replace("_0`", "`").replace("_0_", "_")
}

/// Returns true for a statement that reads or writes rows of comments.
pub(crate) fn is_of_comments(sql: &str) -> bool {
    let of_rows = ["SELECT ", "INSERT ", "UPDATE ", "DELETE "].iter().any(|verb| sql.starts_with(verb));
    let tables = ["subject", "index", "content", "like", "request"];
    of_rows && tables.iter().any(|table| sql.contains(&format!("`comment_{table}`")))
}

/// Returns a statement without the column `policy` of subjects and, if it locks rows, without the
/// key along which it reads them.
pub(crate) fn without_later_parts(sql: &str) -> String {
    let hint = if sql.contains(" FOR UPDATE") { " FORCE INDEX (`PRIMARY`)" } else { "" };
    let sql = sql.replace(hint, "").replace(", `comment_subject`.`policy`", "");
    let inserted = sql.replace(", `policy`)", ")");
    if inserted == sql { sql } else { inserted.replacen("(?, ", "(", 1) }
}

/// The statements about comments that the version before moderation (98cfc9ca) prepared for
/// creates, replies, likes, deletions and pages, from the general log of its binary. The shapes of
/// a create, a like and a page show that no statement is missing.
pub(crate) const BEFORE_MODERATION: &str = include_str!("golden/before_moderation.sql");

#[tokio::test]
async fn plain_statements_differ_from_those_before_moderation_by_the_policy_and_the_key_of_locks() {
    let Some(database) = TestDatabase::servers(1, TableCounts { subject: 1, index: 1 }).await else { return };
    let clock = ManualClock::at_noon();
    // Before the migration, so that the log has no statement of it.
    let _alone = GENERAL_LOG.lock().await;
    let first = database.migrated(&clock).await;
    let admin = first.sources().all()[0].write_pool();
    query(admin, "SET GLOBAL log_output = 'TABLE'".to_owned()).await;
    query(admin, "SET GLOBAL general_log = 1".to_owned()).await;
    let TestDatabase::Servers(urls, _) = &database else { unreachable!("servers") };
    let name = urls[0].rsplit('/').next().expect("a database").to_owned();
    let store = database.open(&clock);
    let subject = Subject::new(&store, "plain");
    let root = subject.create_roots(1).await[0];
    subject.create_roots(1).await;
    subject.set_like(root, member(1), LikeValue::Like).await;
    let page = PageQuery { order: ListOrder::Newest, start: PageStart::Beginning, limit: 20 };
    store.reader().roots(&subject.key, page, 3).await.expect("read").expect("the subject exists");
    let now = prepared_statements(admin, &name).await;
    query(admin, "SET GLOBAL general_log = 0".to_owned()).await;
    let with_policy = now.iter().filter(|sql| sql.contains("`policy`")).count();
    assert!(with_policy > 0 && with_policy < now.len(), "{now:#?}");
    // A server first tries to lock a subject without waiting.
    let before: BTreeSet<&str> = BEFORE_MODERATION.lines().map(|sql| sql.trim_end_matches(" NOWAIT")).collect();
    let is_new = |sql: &String| !before.contains(sql.trim_end_matches(" NOWAIT"));
    let new: Vec<String> = now.iter().map(|sql| without_later_parts(sql)).filter(is_new).collect();
    assert!(new.is_empty(), "statements or columns that the version before moderation did not have: {new:#?}");
    store.close().await;
    first.close().await;
    database.drop().await;
}

/// Returns the verb and the table of each statement that reads or writes comments, and whether it
/// locks rows.
pub(crate) fn shapes(statements: &[String]) -> Vec<String> {
    let shape = |sql: &String| {
        let verb = sql.split_whitespace().next()?;
        let table = ["FROM `", "INTO `", "UPDATE `"].iter().find_map(|word| sql.split_once(word))?.1;
        let table = table.split('`').next().filter(|table| table.starts_with("comment_"))?;
        let locks = if sql.contains("FOR UPDATE") { " FOR UPDATE" } else { "" };
        Some(format!("{verb} {}{locks}", table.trim_end_matches("_0")))
    };
    let mut shapes: Vec<String> = statements.iter().filter_map(shape).collect();
    // The log has a statement when it is prepared, and again when it is executed.
    shapes.dedup();
    shapes
}

#[tokio::test]
async fn an_edit_with_moderation_off_reads_the_review_and_nothing_else_of_moderation() {
    let Some(database) = TestDatabase::servers(1, TableCounts { subject: 1, index: 1 }).await else { return };
    let clock = ManualClock::at_noon();
    // Before the migration, so that the log has no statement of it.
    let _alone = GENERAL_LOG.lock().await;
    let first = database.migrated(&clock).await;
    let admin = first.sources().all()[0].write_pool();
    query(admin, "SET GLOBAL log_output = 'TABLE'".to_owned()).await;
    query(admin, "SET GLOBAL general_log = 1".to_owned()).await;
    let TestDatabase::Servers(urls, _) = &database else { unreachable!("servers") };
    let name = urls[0].rsplit('/').next().expect("a database").to_owned();
    let store = database.open(&clock);
    let subject = Subject::new(&store, "edited");
    let root = subject.create_roots(1).await[0];
    subject.edit(root, ModerationMode::Post).await; // it prepares the statements and reads ids
    let read = [
        "SELECT comment_subject FOR UPDATE",
        "SELECT comment_index FOR UPDATE",
        "SELECT comment_review FOR UPDATE",
        "SELECT comment_content",
        "SELECT comment_index",
        "SELECT comment_request",
        "UPDATE comment_subject",
    ];
    let plain = ["UPDATE comment_index", "UPDATE comment_content", "INSERT comment_edit", "INSERT comment_request"];
    let of_edit = async |moderation| {
        let before = logged_statements(admin, &name).await.len();
        subject.edit(root, moderation).await;
        shapes(&logged_statements(admin, &name).await[before..])
    };
    assert_eq!(of_edit(ModerationMode::Post).await, [read.as_slice(), plain.as_slice()].concat());
    let held = of_edit(ModerationMode::Pre).await;
    let is_held = held.iter().any(|shape| shape == "INSERT comment_withheld");
    assert!(is_held && !held.iter().any(|shape| shape == "UPDATE comment_content"), "{held:?}");
    query(admin, "SET GLOBAL general_log = 0".to_owned()).await;
    store.close().await;
    first.close().await;
    database.drop().await;
}

/// The statements about comments that a root, a like and a page send, with moderation off: those of
/// before moderation. The subject's row has one column more, `policy`.
pub(crate) const PLAIN_CREATE: [&str; 5] = [
    "SELECT comment_subject FOR UPDATE",
    "SELECT comment_request",
    "UPDATE comment_subject",
    "INSERT comment_index",
    "INSERT comment_content",
];
pub(crate) const PLAIN_LIKE: [&str; 5] = [
    "SELECT comment_index FOR UPDATE",
    "SELECT comment_like",
    "SELECT comment_subject",
    "UPDATE comment_index",
    "INSERT comment_like",
];
pub(crate) const PLAIN_PAGE: [&str; 3] = ["SELECT comment_subject", "SELECT comment_index", "SELECT comment_content"];

#[tokio::test]
async fn a_plain_comment_and_a_like_read_and_write_no_rows_of_moderation() {
    let Some(database) = TestDatabase::servers(1, TableCounts { subject: 1, index: 1 }).await else { return };
    let clock = ManualClock::at_noon();
    // Before the migration, so that the log has no statement of it.
    let _alone = GENERAL_LOG.lock().await;
    let first = database.migrated(&clock).await;
    let admin = first.sources().all()[0].write_pool();
    query(admin, "SET GLOBAL log_output = 'TABLE'".to_owned()).await;
    query(admin, "SET GLOBAL general_log = 1".to_owned()).await;
    let TestDatabase::Servers(urls, _) = &database else { unreachable!("servers") };
    let name = urls[0].rsplit('/').next().expect("a database").to_owned();
    let store = database.open(&clock);
    let subject = Subject::new(&store, "plain");
    let roots = subject.create_roots(3).await;
    let page = PageQuery { order: ListOrder::Newest, start: PageStart::Beginning, limit: 20 };
    let list = async || store.reader().roots(&subject.key, page, 3).await.expect("read").expect("the subject exists");
    subject.create_roots(1).await;
    subject.set_like(roots[0], member(1), LikeValue::Like).await;
    list().await;
    // Statements are prepared, ids reserved and ids of subjects cached: from now on each call has
    // its own statements only.
    let mut shown = Vec::new();
    for value in [LikeValue::Dislike, LikeValue::Like] {
        let before = logged_statements(admin, &name).await.len();
        subject.create_roots(1).await;
        let created = logged_statements(admin, &name).await.len();
        subject.set_like(roots[0], member(1), value).await;
        let liked = logged_statements(admin, &name).await.len();
        list().await;
        let all = logged_statements(admin, &name).await;
        shown.push([&all[before..created], &all[created..liked], &all[liked..]].map(shapes));
    }
    for shown in shown {
        assert_eq!(shown[0], PLAIN_CREATE);
        assert_eq!(shown[1], PLAIN_LIKE);
        assert_eq!(shown[2], PLAIN_PAGE);
    }
    let replies = subject.create_replies(&roots[..1], 2, 3).await;
    subject.add_likes(roots[1], 2).await;
    store.reader().comments(&replies).await.expect("read");
    let of_moderation = |statements: &[String]| {
        let words =
            ["comment_review", "`switch`", "comment_decision", "comment_withheld", "comment_report", "UNIX_TIMESTAMP"];
        statements.iter().filter(|sql| words.iter().any(|word| sql.contains(word))).count()
    };
    let plain = logged_statements(admin, &name).await;
    assert!(plain.iter().any(|sql| sql.contains("comment_index")), "the log has the statements: {plain:?}");
    assert_eq!(of_moderation(&plain), 0, "{plain:?}");
    let target = root_location(&subject.key, roots[1]);
    subject.commit(vec![Hide { target, ruling: ruling() }.into_type()]).await;
    let decided = logged_statements(admin, &name).await;
    assert!(of_moderation(&decided) > 0, "a decision is written");
    assert!(decided.iter().any(|sql| sql.contains("`switch`")), "its gate is read");
    query(admin, "SET GLOBAL general_log = 0".to_owned()).await;
    store.close().await;
    first.close().await;
    database.drop().await;
}
