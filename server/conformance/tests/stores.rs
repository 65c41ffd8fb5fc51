//! The suite of the stores, with every case on every backend: the oracle, SQLite, one server of the
//! MySQL family with one table of each kind and one with 8 and 32 tables, as a new database has
//! them, two servers with 50 and 200 tables, the reference layout, a confined store, and three
//! backends with a cache. The environment names the servers: RIPOSTE_TEST_MYSQL_1,
//! RIPOSTE_TEST_MYSQL_2, RIPOSTE_TEST_VITESS, RIPOSTE_TEST_REDIS, RIPOSTE_TEST_REDIS_CLUSTER.

#![expect(clippy::expect_used, reason = "a test ends with a panic that names what did not hold")]

#[path = "stores/cached_cluster.rs"]
mod cached_cluster;
#[path = "stores/cached_memory.rs"]
mod cached_memory;
#[path = "stores/cached_redis.rs"]
mod cached_redis;
#[path = "stores/confined.rs"]
mod confined;
#[path = "stores/databases.rs"]
mod databases;
#[path = "stores/environment.rs"]
mod environment;
#[path = "stores/mariadb_default.rs"]
mod mariadb_default;
#[path = "stores/mariadb_sharded.rs"]
mod mariadb_sharded;
#[path = "stores/mariadb_single.rs"]
mod mariadb_single;
#[path = "stores/oracle.rs"]
mod oracle;
#[expect(dead_code, reason = "other test binaries use the rest of it")]
#[path = "environment/process.rs"]
mod process;
#[path = "environment/servers.rs"]
mod servers;
#[path = "stores/sqlite.rs"]
mod sqlite;
