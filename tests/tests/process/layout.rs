//! The layout of a database: what the configuration leaves open follows the database, and another
//! value is refused.

use anyhow::{Context, Result, ensure};

use super::migrate::{REFERENCE, TABLES, fresh, migrate, usable};

/// Returns the settings with a range of subject tables for each of their two sources.
fn with_ranges(sets: &[String], ranges: [&str; 2]) -> Result<Vec<String>> {
    let at = sets.iter().position(|set| set.starts_with("store.sources")).context("no sources")?;
    let [first, second] = ranges.map(|range| format!(", subject_tables=\"{range}\"}}"));
    let (one, two) = sets[at].split_once("},").context("two sources")?;
    let two = two.strip_suffix("}]").context("a list of tables")?;
    let mut sets = sets.to_vec();
    sets[at] = format!("{one}{first},{two}{second}]");
    Ok(sets)
}

#[tokio::test]
async fn a_database_of_the_earlier_default_is_served_by_an_unchanged_configuration() -> Result<()> {
    let Some(sets) = fresh().await? else { return Ok(()) };
    migrate(&sets, &REFERENCE, "up").await?.ended(0)?;
    // The earlier configuration named no counts.
    migrate(&sets, &[], "status").await?.ended(0)?;
    migrate(&sets, &[], "up").await?.ended(0)?.says(&["0 tables made"])?;
    usable(&sets, &[]).await?;
    // It may have divided the tables between its sources.
    usable(&with_ranges(&sets, ["0-24", "25-49"])?, &[]).await
}

#[tokio::test]
async fn a_new_database_has_8_and_32_tables_and_the_plan_states_their_cost() -> Result<()> {
    let Some(sets) = fresh().await? else { return Ok(()) };
    let plan = migrate(&sets, &[], "plan").await?.ended(0)?.says(&[
        "-- 8/32 tables (subject/index) over 2 of at most 8 data sources",
        "subject tables 4-7, 192 tables in all",
        "table_open_cache and innodb_open_files of at least 192, and some ",
    ])?;
    ensure!(plan.out.contains("`comment_index_31`") && !plan.out.contains("`comment_index_32`"));
    migrate(&sets, &[], "up").await?.ended(0)?;
    for tables in [&[][..], &["--set", "store.index_tables=32"], &["--set", "store.subject_tables=8"]] {
        migrate(&sets, tables, "status").await?.ended(0)?;
    }
    for (tables, cure) in [
        (&REFERENCE[..], "set the counts to 8 and 32"),
        (&["--set", "store.index_tables=64"], "set the counts to 8 and 32"),
    ] {
        for verb in ["status", "plan", "up"] {
            migrate(&sets, tables, verb).await?.ended(2)?.says(&["made for 8/32 tables", cure])?;
        }
    }
    usable(&sets, &[]).await
}

#[tokio::test]
async fn ranges_of_sources_follow_the_database_and_others_are_refused() -> Result<()> {
    let Some(sets) = fresh().await? else { return Ok(()) };
    let uneven = with_ranges(&sets, ["0-2", "3-3"])?;
    let indexes = ["--set", "store.index_tables=8"];
    migrate(&uneven, &indexes, "up").await?.ended(0)?;
    for sets in [&sets, &uneven] {
        migrate(sets, &[], "status").await?.ended(0)?;
        usable(sets, &[]).await?;
    }
    let even = with_ranges(&sets, ["0-1", "2-3"])?;
    let refused = ["made for 4/8 tables", "with subject tables 0-2", "set those of this one to 0-2"];
    migrate(&even, &[], "status").await?.ended(2)?.says(&refused)?;
    migrate(&sets, &TABLES, "up").await?.ended(2)?.says(&["set the counts to 4 and 8"])?;
    Ok(())
}
