//! The parts of the store that the suite cannot test through the ports: migrations, leases, the
//! protection of the pools, and the tables themselves. SQLite always; MariaDB where
//! RIPOSTE_TEST_MYSQL_1 and RIPOSTE_TEST_MYSQL_2 name servers.

#![expect(clippy::expect_used, reason = "a test ends with a panic that names what did not hold")]

#[path = "sql/batch_commits.rs"]
mod batch_commits;
#[path = "sql/batch_reads.rs"]
mod batch_reads;
#[path = "sql/cancelled_begin.rs"]
mod cancelled_begin;
#[path = "sql/commits.rs"]
mod commits;
#[path = "sql/content_extra.rs"]
mod content_extra;
#[path = "sql/databases.rs"]
mod databases;
#[path = "sql/dead_connections.rs"]
mod dead_connections;
#[path = "sql/gate.rs"]
mod gate;
#[path = "sql/held.rs"]
mod held;
#[path = "sql/large_batches.rs"]
mod large_batches;
#[path = "sql/leases.rs"]
mod leases;
#[path = "sql/likers.rs"]
mod likers;
#[path = "sql/lost_commit.rs"]
mod lost_commit;
#[path = "sql/migrations.rs"]
mod migrations;
#[path = "sql/outbox.rs"]
mod outbox;
#[path = "sql/outbox_entries.rs"]
mod outbox_entries;
#[path = "sql/plain_statements.rs"]
mod plain_statements;
#[path = "sql/reads.rs"]
mod reads;
#[path = "sql/repair.rs"]
mod repair;
#[path = "sql/review_queue.rs"]
mod review_queue;
#[path = "sql/stalled.rs"]
mod stalled;
#[path = "sql/statements.rs"]
mod statements;
#[path = "sql/subject.rs"]
mod subject;
