//! Migrations that are complete, resumed, run by two processes at once, or rejected.

use riposte_migrations::{Error, PlannedStatement, StatementCost, plan, status, up};
use riposte_store::SqlStore;
use riposte_store::schema::{STEPS, SourceSchema};
use riposte_store::shard::TableCounts;
use sea_orm::{ConnectionTrait, Statement};

use crate::databases::{ManualClock, TestDatabase, all_databases};

async fn run(store: &SqlStore, source: usize, sql: &str) {
    let pool = store.sources().all()[source].write_pool();
    pool.execute_raw(Statement::from_string(pool.get_database_backend(), sql)).await.expect(sql);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fresh_database_reports_its_missing_steps_and_has_all_after_one_run() {
    for database in all_databases().await {
        let store = database.open(&ManualClock::at_noon());
        assert_eq!(status(&store).await, [SourceSchema::Missing(STEPS.to_vec())]);
        let planned = plan(&store).await.expect("a plan");
        assert!(
            planned.iter().all(|p| ["CREATE", "INSERT", "DROP", "ALTER"].iter().any(|verb| p.sql.starts_with(verb))),
            "{planned:?}"
        );
        // No version before this index writes reports, so their table is empty. Standings are few.
        let small = ["comment_report_comment", "member_standing_of_type"];
        let instant = |p: &PlannedStatement| {
            matches!(p.cost, StatementCost::Instant | StatementCost::InstantColumn)
                || small.iter().any(|index| p.sql.contains(&format!("INDEX `{index}`")))
                || small.iter().any(|index| p.sql.contains(&format!("INDEX \"{index}\"")))
        };
        assert!(planned.iter().all(instant), "{planned:?}");
        let mut progress = Vec::new();
        up(&store, |step| progress.push(step)).await.expect("migrated");
        assert!(progress.iter().any(|p| p.table == "comment_index"), "{progress:?}");
        assert_eq!(progress.last().map(|p| p.done), progress.last().map(|p| p.total));
        assert_eq!(status(&store).await, [SourceSchema::Ready]);
        assert_eq!(plan(&store).await.expect("a plan"), []);
        up(&store, |step| panic!("{step:?} ran twice")).await.expect("nothing to do");
        store.close().await;
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_run_is_resumed_by_the_next() {
    for database in all_databases().await {
        let store = database.fresh().await;
        // The state of a run that stopped inside its last eight steps; the literal is m0006 as
        // bytes.
        run(&store, 0, "DELETE FROM riposte_schema WHERE step >= x'6d30303036'").await;
        run(&store, 0, "DROP TABLE comment_epoch").await;
        let SourceSchema::Missing(missing) = status(&store).await.remove(0) else { panic!("steps are missing") };
        assert_eq!(
            missing,
            [
                "m0006_requests",
                "m0007_projections",
                "m0008_ranked_lists",
                "m0009_commits",
                "m0010_content_extra",
                "m0011_commit_partitions",
                "m0012_moderation",
                "m0013_proposals_and_reports",
                "m0014_reports_and_appeals",
                "m0015_member_standing",
                "m0016_standings_by_type"
            ]
        );
        // The added columns are there and are not added again.
        let planned = plan(&store).await.expect("a plan");
        assert!(planned.iter().all(|p| !p.sql.starts_with("ALTER")), "{planned:?}");
        up(&store, |_| ()).await.expect("resumed");
        assert_eq!(status(&store).await, [SourceSchema::Ready]);
        run(&store, 0, "DELETE FROM comment_epoch").await;
        store.close().await;
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_migrate_at_once_and_both_succeed() {
    for database in all_databases().await {
        let clock = ManualClock::at_noon();
        let (one, two) = (database.open(&clock), database.open(&clock));
        let (a, b) = tokio::join!(up(&one, |_| ()), up(&two, |_| ()));
        assert_eq!((a, b), (Ok(()), Ok(())));
        assert_eq!(status(&two).await, [SourceSchema::Ready]);
        one.close().await;
        two.close().await;
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_table_counts_than_the_recorded_ones_are_rejected() {
    for database in all_databases().await {
        let clock = ManualClock::at_noon();
        database.migrated(&clock).await.close().await;
        let mut config = database.config();
        config.layout = config.layout.with_counts(TableCounts { subject: 1, index: 4 });
        let store = SqlStore::open(&config, clock).expect("the configuration is sound");
        let SourceSchema::Mismatch(text) = status(&store).await.remove(0) else { panic!("not rejected") };
        assert!(text.contains("made for 1/1 tables") && text.contains("says 1/4 tables"), "{text}");
        assert!(matches!(up(&store, |_| ()).await, Err(Error::Refused { source: 0, .. })));
        assert!(plan(&store).await.is_err());
        store.close().await;
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reference_layout_is_divided_between_two_servers_and_swapped_servers_are_rejected() {
    let Some(database) = TestDatabase::servers(2, TableCounts { subject: 50, index: 200 }).await else { return };
    let clock = ManualClock::at_noon();
    let store = database.open(&clock);
    let begin = std::time::Instant::now();
    let mut tables = [0, 0];
    up(&store, |progress| tables[progress.source] += 1).await.expect("migrated");
    // Per server: 13 single tables and one that is dropped again, half of the 50 subject tables,
    // half of the 200 tables of each of 11 kinds, the column that two of these kinds get later,
    // the six columns of single tables, the indexes of reports and standings, and the column of the
    // subject tables.
    assert_eq!(tables, [14 + 25 + 1100 + 200 + 6 + 2 + 25; 2]);
    println!("50/200 tables over two servers: {:?}", begin.elapsed());
    store.close().await;

    let TestDatabase::Servers(urls, layout) = &database else { unreachable!("servers") };
    let swapped = [urls[1].clone(), urls[0].clone()];
    let store = SqlStore::open(&riposte_store::StoreConfig::mysql(&swapped, *layout), clock)
        .expect("the configuration is sound");
    assert!(store.schema().await.iter().all(|schema| matches!(schema, SourceSchema::Mismatch(_))));
    store.close().await;
    database.drop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_source_reports_its_settings() {
    for database in all_databases().await {
        let store = database.open(&ManualClock::at_noon());
        let [diagnosis] = store.diagnose().await.try_into().expect("one source");
        assert_eq!(diagnosis.unreachable, None);
        let setting =
            |name| diagnosis.variables.iter().find(|(key, _)| *key == name).and_then(|(_, value)| value.as_deref());
        assert!(setting("version").is_some_and(|version| version.contains('.')), "{diagnosis:?}");
        if let TestDatabase::Servers(..) = database {
            assert_eq!(setting("isolation"), Some("READ-COMMITTED"));
            assert_eq!(setting("innodb_flush_log_at_trx_commit"), Some("1"));
            assert_eq!(setting("innodb_lock_wait_timeout"), Some("5"));
            assert!(setting("sync_binlog").is_some() && setting("sql_mode").is_some());
            assert!(setting("table_definition_cache").is_some() && setting("table_open_cache").is_some());
            assert!(setting("innodb_open_files").is_some() && setting("open_files_limit").is_some());
            assert_eq!(diagnosis.tables, Some(0));
        } else {
            assert_eq!(diagnosis.tables, None);
            assert_eq!((setting("journal_mode"), setting("synchronous")), (Some("wal"), Some("2")));
        }
        store.close().await;
        database.drop().await;
    }
}

#[tokio::test]
async fn a_source_that_is_down_is_reported_as_unreachable() {
    let mut config = riposte_store::StoreConfig::mysql(
        &["mysql://root@127.0.0.1:1/x".to_owned()],
        TableCounts { subject: 1, index: 1 },
    );
    config.read.acquire_timeout = std::time::Duration::from_millis(200);
    config.write.acquire_timeout = config.read.acquire_timeout;
    let store = SqlStore::open(&config, ManualClock::at_noon()).expect("opening sends no query");
    assert!(matches!(store.schema().await.as_slice(), [SourceSchema::Unreachable(_)]));
    assert!(store.diagnose().await[0].unreachable.is_some());
    let id = store.ids().comment(riposte_core::Partition::number(0)).await;
    assert_eq!(id, Err(riposte_core::Error::ShardUnavailable));
    assert!(!format!("{config:?}").contains("root"), "addresses contain passwords");
    store.close().await;
}
