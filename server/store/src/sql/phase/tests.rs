//! Phases on a real server (RIPOSTE_TEST_MYSQL_1): what is written is what is stored, and results
//! that are not those of the statements are found.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use riposte_core::Partition;
use sea_orm::{ConnectionTrait, DbBackend, Statement, Value};
use sqlx::mysql::{MySqlConnectOptions, MySqlConnection, MySqlPool};
use sqlx::{Connection, Row};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::literal::write_literal;
use super::{BoundStatement, Phase, StatementGroup, StatementKind};
use crate::config::{StoreConfig, TextMode};
use crate::error::ErrorClass;
use crate::shard::TableCounts;
use crate::sql::pool::DataSources;

/// The text of a member, which must be in no error and no log.
const CANARY: &str = "canary text of a member";

/// Returns the address of a fresh database, without its name, and its name.
async fn database(name: &str) -> Option<(String, String)> {
    #[expect(clippy::disallowed_methods, reason = "the servers of a test run are named by the environment")]
    let Some(server) = std::env::var("RIPOSTE_TEST_MYSQL_1").ok().filter(|url| !url.is_empty()) else {
        eprintln!("SKIPPED: RIPOSTE_TEST_MYSQL_1 names no server");
        return None;
    };
    let name = format!("phase_{name}_{}", std::process::id());
    let options: MySqlConnectOptions = server.parse().expect("an address");
    let mut connection = MySqlConnection::connect_with(&options).await.expect("the test server is up");
    for sql in [format!("DROP DATABASE IF EXISTS {name}"), format!("CREATE DATABASE {name}")] {
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut connection).await.expect("a fresh database");
    }
    Some((server, name))
}

/// Opens a store in a fresh database with some tables `t_0`, `t_1`, ….
async fn sources(name: &str, change: impl FnOnce(&mut StoreConfig)) -> Option<Arc<DataSources>> {
    let (server, database) = database(name).await?;
    Some(open(&format!("{server}/{database}"), change).await)
}

/// Opens a store in a database, and creates the tables.
async fn open(url: &str, change: impl FnOnce(&mut StoreConfig)) -> Arc<DataSources> {
    let mut config = StoreConfig::mysql(&[url.to_owned()], TableCounts { subject: 1, index: 16 });
    change(&mut config);
    let sources = Arc::new(DataSources::open(&config).expect("opened"));
    for table in 0..16 {
        let columns = "id BIGINT PRIMARY KEY, b MEDIUMBLOB NULL, t MEDIUMTEXT CHARACTER SET utf8mb4 NULL, \
                       d DOUBLE NULL, u BIGINT UNSIGNED NULL, UNIQUE u (u)";
        let sql = format!("CREATE TABLE t_{table} ({columns})");
        let create = Statement::from_string(DbBackend::MySql, sql);
        sources.all()[0].write_pool().execute_raw(create).await.expect("created");
    }
    sources
}

impl Phase {
    /// Adds a statement of a test, routed to a table by the marker `t_@`.
    fn raw(&mut self, table: u16, kind: StatementKind, (sql, expected): (&str, Option<u64>), values: Vec<Value>) {
        let statement = Statement::from_sql_and_values(DbBackend::MySql, sql, values);
        let slot = Some(self.sources.slot(Partition::number(table)));
        let build = move |_| vec![BoundStatement { statement, expected }];
        self.groups.push(StatementGroup { slot, kind, build: Box::new(build) });
    }

    fn insert_text(&mut self, table: u16, id: i64, text: &str) {
        let values = vec![id.into(), text.into()];
        self.raw(table, StatementKind::Write, ("INSERT INTO `t_@` (`id`, `t`) VALUES (?, ?)", None), values);
    }

    fn read_text(&mut self, table: u16, id: i64) -> super::RowsSlot {
        self.raw(table, StatementKind::Read, ("SELECT `id`, `t` FROM `t_@` WHERE `id` = ?", None), vec![id.into()]);
        super::RowsSlot(self.groups.len() - 1)
    }
}

#[tokio::test]
async fn every_value_is_stored_as_it_is_written_whatever_the_mode_of_the_server() {
    let Some((server, database)) = database("values").await else { return };
    let options: MySqlConnectOptions = format!("{server}/{database}").parse().expect("an address");
    let mut connection = MySqlConnection::connect_with(&options).await.expect("connected");
    let every_byte: Vec<u8> = (0..=255).collect();
    for mode in ["DEFAULT", "'NO_BACKSLASH_ESCAPES,ANSI_QUOTES'"] {
        let set = format!("SET sql_mode = {mode}");
        sqlx::raw_sql(sqlx::AssertSqlSafe(set)).execute(&mut connection).await.expect("set");
        let create = "CREATE OR REPLACE TABLE v (b MEDIUMBLOB NULL, t MEDIUMTEXT CHARACTER SET utf8mb4 NULL, \
                      i BIGINT NULL, u BIGINT UNSIGNED NULL, d DOUBLE NULL)";
        sqlx::raw_sql(create).execute(&mut connection).await.expect("created");
        let strategy = (
            prop_oneof![Just(None), Just(Some(every_byte.clone())), any::<Option<Vec<u8>>>()],
            prop_oneof![Just(Some("'\\\"`\0\u{1a}\n%_;--".to_owned())), any::<Option<String>>()],
            prop_oneof![Just(Some(i64::MIN)), any::<Option<i64>>()],
            any::<Option<u64>>(),
            prop_oneof![Just(None), prop::num::f64::NORMAL.prop_map(Some), Just(Some(0.1))],
        );
        let mut runner = TestRunner::new(Config::default());
        for _ in 0..200 {
            let (b, t, i, u, d) = strategy.new_tree(&mut runner).expect("a value").current();
            let values: [Value; 5] = [b.clone().into(), t.clone().into(), i.into(), u.into(), d.into()];
            let mut text = "DELETE FROM v; INSERT INTO v VALUES (".to_owned();
            for (n, value) in values.iter().enumerate() {
                text.push_str(if n > 0 { ", " } else { "" });
                write_literal(&mut text, value).expect("a literal");
            }
            text.push_str("); SELECT b, t, i, u, d FROM v");
            let rows = sqlx::raw_sql(sqlx::AssertSqlSafe(text)).fetch_all(&mut connection).await.expect("rows");
            let row = rows.first().expect("a row");
            assert_eq!(row.get::<Option<Vec<u8>>, _>(0), b, "{mode}");
            assert_eq!(row.get::<Option<String>, _>(1), t, "{mode}");
            assert_eq!(row.get::<Option<i64>, _>(2), i, "{mode}");
            assert_eq!(row.get::<Option<u64>, _>(3), u, "{mode}");
            assert_eq!(row.get::<Option<f64>, _>(4), d, "{mode}");
        }
    }
}

#[tokio::test]
async fn a_phase_of_many_tables_returns_the_rows_of_each_and_commits_with_the_last_one() {
    let Some(sources) = sources("results", |config| config.write.connections = 1).await else { return };
    let tx = sources.open_write(0, false).await.expect("opened");
    let mut reads = tx.phase();
    let slots: Vec<_> = (0..16).map(|table| reads.read_text(table, 1)).collect();
    let mut results = tx.run(reads).await.expect("read");
    assert!(slots.into_iter().all(|slot| results.rows(slot).expect("rows").is_empty()));
    let mut writes = tx.phase();
    (0..16).for_each(|table| writes.insert_text(table, 1, CANARY));
    tx.finish(writes).await.expect("committed");
    let mut phase = sources.phase();
    let slots: Vec<_> = (0..16).map(|table| phase.read_text(table, 1)).collect();
    let mut results = sources.read_phase(0, phase).await.expect("read");
    for slot in slots {
        assert_eq!(results.tuples::<(i64, String)>(slot).expect("rows"), [(1, CANARY.to_owned())]);
    }
}

#[tokio::test]
async fn an_error_names_its_statement_and_no_value_and_leaves_nothing_behind() {
    let Some(sources) = sources("errors", |config| config.write.connections = 1).await else { return };
    for first in [0, 9] {
        let tx = sources.open_write(0, false).await.expect("opened");
        let mut phase = tx.phase();
        for table in 0..16 {
            let values = vec![i64::from(table).into(), CANARY.into(), 7_u64.into()];
            let target = if table == 9 { first } else { table };
            let sql = ("INSERT INTO `t_@` (`id`, `t`, `u`) VALUES (?, ?, ?)", None);
            phase.raw(target, StatementKind::Write, sql, values);
        }
        let failure = tx.finish(phase).await.err();
        if first == 9 {
            assert!(failure.is_none(), "the connection is usable, and no row was left: {failure:?}");
            continue;
        }
        let failure = failure.expect("a duplicate");
        assert!(!failure.outcome_unknown);
        assert_eq!(failure.fault.class(), ErrorClass::Duplicate);
        let text = format!("{:?} {}", failure.fault, riposte_core::Error::from(failure.fault.clone()));
        assert!(text.contains("INSERT INTO `t_0`") && text.contains("1062"), "{text}");
        assert!(!text.contains(CANARY), "{text}");
    }
}

#[tokio::test]
async fn an_update_that_matches_other_rows_than_expected_is_not_committed() {
    let Some(sources) = sources("matched", |config| config.write.connections = 1).await else { return };
    for (expected, commits) in [(2, false), (1, true)] {
        let tx = sources.open_write(0, false).await.expect("opened");
        let mut phase = tx.phase();
        (0..16).for_each(|table| phase.insert_text(table, 1, CANARY));
        let update = ("UPDATE `t_@` SET `t` = ? WHERE `id` = ?", Some(expected));
        // The same text again: rows are counted as matched, not as changed.
        phase.raw(3, StatementKind::Write, update, vec![CANARY.into(), 1.into()]);
        match tx.finish(phase).await {
            Ok(_) => assert!(commits),
            Err(failure) => {
                assert!(!commits && !failure.outcome_unknown, "{failure:?}");
                assert_eq!(failure.fault.class(), ErrorClass::Fatal);
            }
        }
    }
}

#[tokio::test]
async fn results_that_are_not_those_of_the_statements_are_an_error() {
    let Some(sources) = sources("mismatch", |_| ()).await else { return };
    let read = |kind, sql: &'static str| {
        let mut phase = sources.phase();
        (0..16).for_each(|table| _ = phase.read_text(table, 1));
        phase.raw(3, kind, (sql, None), Vec::new());
        let sources = Arc::clone(&sources);
        async move { sources.read_phase(0, phase).await.map(|_| ()) }
    };
    assert!(read(StatementKind::Read, "SELECT 1 FROM DUAL").await.is_ok());
    // Rows where none are expected, and another column than the template names.
    for (kind, sql) in
        [(StatementKind::Write, "SELECT 1 FROM DUAL"), (StatementKind::Read, "SELECT 1 AS `a``b` FROM DUAL")]
    {
        assert!(read(kind, sql).await.is_err(), "{sql}");
    }
    assert!(read(StatementKind::Read, "SELECT 1 FROM DUAL").await.is_ok(), "later queries are answered as sent");
}

#[tokio::test]
async fn a_phase_longer_than_a_packet_is_several_queries_and_one_transaction() {
    let Some(sources) = sources("packets", |config| config.write.connections = 1).await else { return };
    let text = "\u{1f40d}".repeat(5_000);
    let tx = sources.open_write(0, false).await.expect("opened");
    let mut phase = tx.phase();
    for id in 0..512 {
        phase.insert_text((id % 16) as u16, id, &text);
    }
    tx.finish(phase).await.expect("committed");
    let mut phase = sources.phase();
    let slots: Vec<_> = (0..512).map(|id| phase.read_text((id % 16) as u16, id)).collect();
    let mut results = sources.read_phase(0, phase).await.expect("read");
    for slot in slots {
        assert_eq!(results.tuples::<(i64, String)>(slot).expect("rows")[0].1, text);
    }
}

#[tokio::test]
async fn the_same_phases_work_where_text_is_off() {
    let Some(sources) = sources("off", |config| config.text = TextMode::Off).await else { return };
    let tx = sources.open_write(0, false).await.expect("opened");
    let mut phase = tx.phase();
    (0..16).for_each(|table| phase.insert_text(table, 1, CANARY));
    tx.finish(phase).await.expect("committed");
    let mut phase = sources.phase();
    let slots: Vec<_> = (0..16).map(|table| phase.read_text(table, 1)).collect();
    let mut results = sources.read_phase(0, phase).await.expect("read");
    assert!(slots.into_iter().all(|slot| results.rows(slot).expect("rows").len() == 1));
}

#[tokio::test]
async fn a_dead_connection_is_replaced_before_anything_is_done() {
    let Some(sources) = sources("dead", |config| config.write.connections = 1).await else { return };
    let pool: &MySqlPool = sources.all()[0].write_pool().get_mysql_connection_pool();
    let mut held = Box::pin(pool.acquire()).await.expect("a connection");
    let id: u64 = sqlx::query_scalar("SELECT CONNECTION_ID()").fetch_one(&mut *held).await.expect("answered");
    drop(held);
    let options = (*pool.connect_options()).clone();
    let mut other = MySqlConnection::connect_with(&options).await.expect("connected");
    sqlx::raw_sql(sqlx::AssertSqlSafe(format!("KILL {id}"))).execute(&mut other).await.expect("killed");
    let tx = sources.open_write(0, false).await.expect("opened");
    let mut phase = tx.phase();
    (0..16).for_each(|table| _ = phase.read_text(table, 1));
    tx.run(phase).await.expect("read on another connection");
}

#[tokio::test]
async fn a_connection_that_is_lost_once_commit_was_sent_leaves_the_outcome_unknown() {
    let Some((server, name)) = database("lost").await else { return };
    let (user, address) = server.rsplit_once('@').expect("user@server");
    let port = proxy_that_ends_at_commit(address.to_owned()).await;
    let sources = open(&format!("{user}@127.0.0.1:{port}/{name}"), |config| config.write.connections = 1).await;
    for commits in [false, true] {
        let tx = sources.open_write(0, false).await.expect("opened");
        let mut phase = tx.phase();
        (0..16).for_each(|table| phase.insert_text(table, 1, CANARY));
        if commits {
            let failure = tx.finish(phase).await.expect_err("the connection is lost");
            assert!(failure.outcome_unknown && failure.fault.class() == ErrorClass::Lost, "{failure:?}");
        } else {
            tx.run(phase).await.expect("nothing is lost before COMMIT");
            tx.rollback().await;
        }
    }
}

/// Starts a proxy that closes a connection instead of forwarding a query that ends with COMMIT.
async fn proxy_that_ends_at_commit(server: String) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("bound").port();
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let server = TcpStream::connect(&server).await.expect("the test server is up");
            tokio::spawn(forward(client, server));
        }
    });
    port
}

async fn forward(mut client: TcpStream, mut server: TcpStream) {
    let (mut query, mut response) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        tokio::select! {
            Ok(len @ 1..) = client.read(&mut query) => {
                if query[..len].ends_with(b"COMMIT") || server.write_all(&query[..len]).await.is_err() {
                    return;
                }
            }
            Ok(len @ 1..) = server.read(&mut response) => {
                if client.write_all(&response[..len]).await.is_err() {
                    return;
                }
            }
            else => return,
        }
    }
}

#[tokio::test]
async fn no_text_of_a_member_reaches_a_log_or_a_span_even_of_slow_and_failed_queries() {
    let capture = CapturedTelemetry::default();
    let guard = tracing::subscriber::set_default(capture.clone());
    let Some(sources) = sources("telemetry", |config| config.write.connections = 1).await else { return };
    for sql in ["DO SLEEP(1.1)", "SELECT `no column` FROM `t_@`", "INSERT INTO `t_@` (`id`, `t`) VALUES (1, ?)"] {
        let tx = sources.open_write(0, false).await.expect("opened");
        let mut phase = tx.phase();
        (0..16).for_each(|table| phase.insert_text(table, 1, CANARY));
        let values = if sql.contains('?') { vec![CANARY.into()] } else { Vec::new() };
        phase.raw(3, StatementKind::Write, (sql, None), values);
        let outcome = tx.finish(phase).await;
        assert_eq!(outcome.is_ok(), sql.contains("SLEEP"), "{outcome:?}");
        let error = outcome.err().map(|failure| riposte_core::Error::from(failure.fault));
        tracing::error!(?error, "the fault of a call");
    }
    drop(guard);
    let text = capture.0.lock().expect("recorded").clone();
    assert!(text.contains("the fault of a call") && text.contains("1062"), "{text}");
    let hex: String = CANARY.bytes().map(|byte| format!("{byte:02x}")).collect();
    assert!(!text.contains(CANARY) && !text.contains(&hex), "{text}");
}

/// Records the fields of every event and span of this thread, at all levels.
#[derive(Debug, Default, Clone)]
struct CapturedTelemetry(Arc<std::sync::Mutex<String>>);

impl tracing::field::Visit for CapturedTelemetry {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        self.0.lock().expect("recorded").push_str(&format!("{field}={value:?}\n"));
    }
}

impl tracing::Subscriber for CapturedTelemetry {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        span.record(&mut self.clone());
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, values: &tracing::span::Record<'_>) {
        values.record(&mut self.clone());
    }

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        event.record(&mut self.clone());
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}
