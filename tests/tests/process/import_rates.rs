//! Imports through ImportComments, of one subject and of many whose items alternate. The rates are
//! written to standard error.
//!
//! A measurement sets `RIPOSTE_TEST_IMPORT_RATES=ITEMS,SUBJECTS,PAIRS` (docs/import.md): the
//! comments of an import, the subjects among which they alternate, and the number of pairs of
//! imports.

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::{ImportCommentsRequest, ImportItem, ImportOutcome, ImportedComment, import_item::Kind};
use riposte_tests::mysql::{Databases, servers};
use riposte_tests::{Server, real, say::content};

/// The tables of a new database.
const LAYOUT: [&str; 4] = ["--set", "store.subject_tables=8", "--set", "store.index_tables=32"];

/// Imports comments that alternate among subjects, and returns the comments per second.
async fn import(server: &Server, name: &str, items: usize, subjects: usize) -> Result<f64> {
    let name = name.to_owned();
    let items_sent = futures::stream::iter((0..items).map(move |n| {
        let comment = ImportedComment {
            subject: Some(real::key("article", &format!("{name}-{}", n % subjects))),
            member_id: format!("m{}", n % 1_009),
            content: content("a comment of some length, as many are that are imported"),
            create_time: Some(prost_types::Timestamp { seconds: 1_440_000_000, nanos: 0 }),
            ..ImportedComment::default()
        };
        let external_id = format!("{name}-{n}");
        let item = ImportItem { source: "rates".into(), external_id, kind: Some(Kind::Comment(comment)) };
        ImportCommentsRequest { item: Some(item) }
    }));
    let begin = Instant::now();
    let mut responses = server.admin()?.import_comments(items_sent).await?.into_inner();
    for done in 0..items {
        let response = responses.message().await?.with_context(|| format!("the stream ended after {done}"))?;
        ensure!(response.outcome() == ImportOutcome::Created, "{response:?}");
    }
    Ok(items as f64 / begin.elapsed().as_secs_f64())
}

#[tokio::test(flavor = "multi_thread")]
async fn items_of_many_subjects_that_alternate_are_imported() -> Result<()> {
    let given = std::env::var_os("RIPOSTE_TEST_IMPORT_RATES").and_then(|given| given.into_string().ok());
    let numbers = given.as_deref().unwrap_or("400,40,1").split(',').map(str::parse).collect::<Result<Vec<usize>, _>>();
    let [items, subjects, pairs] = numbers.context("ITEMS,SUBJECTS,PAIRS")?[..] else {
        anyhow::bail!("ITEMS,SUBJECTS,PAIRS")
    };
    let databases = match servers().filter(|_| given.is_some()) {
        Some(servers) => Some(Databases::on(&servers[..1], LAYOUT).await?),
        None => None,
    };
    let server = match &databases {
        Some(databases) => Server::serve_with(&databases.arguments).await?,
        None => Server::dev().await?,
    };
    import(&server, "first", items.min(400), 4).await?;
    eprintln!("| pair | one subject, comments/s | {subjects} subjects, comments/s | ratio |\n|--:|--:|--:|--:|");
    for pair in 0..pairs {
        let one = import(&server, &format!("one{pair}"), items, 1).await?;
        let many = import(&server, &format!("many{pair}"), items, subjects).await?;
        eprintln!("| {} | {one:.0} | {many:.0} | {:.2} |", pair + 1, many / one);
    }
    ensure!(server.stop().await? == Some(0));
    Ok(())
}
