//! The file that says how Vitess distributes the rows over its shards: by the column `part`. Tables
//! without it are small, and all their rows are on one shard.

use super::Table;
use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

/// The names of the functions that map a row to a shard.
const BY_PARTITION: &str = "partition";
const ON_ONE_SHARD: &str = "one_shard";

/// Returns the file for these tables, with one table of each kind.
pub(super) fn file(tables: &[Table]) -> Result<String> {
    let mut places = Map::new();
    for table in tables {
        let (column, name) = if table.has(&["part".to_owned()]) {
            ("part", BY_PARTITION)
        } else {
            (table.primary.first().context("a table has no primary key")?.as_str(), ON_ONE_SHARD)
        };
        let place = json!({ "column_vindexes": [{ "column": column, "name": name }] });
        places.insert(table.module().to_owned(), place);
    }
    let vindexes = json!({ BY_PARTITION: { "type": "xxhash" }, ON_ONE_SHARD: { "type": "null" } });
    let file: Value = json!({ "sharded": true, "vindexes": vindexes, "tables": places });
    Ok(serde_json::to_string_pretty(&file)? + "\n")
}
