//! The sides of the rows that read.

use super::{LoadBuilder, MILLION, Side, against};
use crate::bench::row::Row;
use crate::bench::variant::Tables;
use anyhow::{Result, bail};

/// The subject with 20 threads of 4 comments.
const PAGE: [&str; 2] = ["--prefix", "page"];
/// The subjects with a million and with a thousand comments.
const FULL: [&str; 2] = ["--prefix", "full"];
const SMALL: [&str; 2] = ["--prefix", "small"];
/// The creates that wait for review beside the pages, per second.
const HELD_PER_SECOND: &str = "500";
/// The distant page that is compared with the first.
const FAR: [&str; 2] = ["--page", "5000"];
const FIRST: [&str; 2] = ["--page", "1"];

pub(super) fn sides(row: Row, builder: &mut LoadBuilder<'_, '_>) -> Result<Vec<Side>> {
    Ok(match row {
        Row::PageHot => {
            builder.environment.ask(&builder.ask("threads", &PAGE))?;
            let words = builder.ask("constant", &PAGE);
            let constant = builder.environment.serve_constant(&words)?;
            // One connection, as a load balancer's proxy has.
            let load = [&PAGE[..], &["--connections", "1"]].concat();
            let bytes = [builder.timed("page", &load), vec!["--endpoint".to_owned(), constant]].concat();
            vec![Side::new("riposte", builder.through("page", 1, &load)), Side::new("constant bytes", bytes)]
        }
        Row::PageHotPre => page_hot_pre(builder)?,
        Row::PageRedis => page_redis(builder)?,
        Row::PageDb => {
            builder.environment.ask(&builder.ask("threads", &PAGE))?;
            against(builder.through("page", 1, &PAGE), bare_statements(builder, "bare-page", &PAGE))
        }
        Row::DeepStable | Row::DeepRanked => {
            let filled = builder.environment.ask(&builder.ask("fill", &[&FULL[..], &MILLION].concat()))?;
            let by: &[&str] = if row == Row::DeepRanked { &["--ranked"] } else { &[] };
            let deep = |page: [&str; 2]| builder.through("deep", 1, &[&FULL, &page, by].concat());
            let label = format!("page 5000 of {} comments", filled["comments"]);
            vec![Side::new(&label, deep(FAR)), Side::new("page 1", deep(FIRST))]
        }
        Row::LargeStable => large_stable(builder)?,
        Row::StatesHit => {
            let ours = builder.through("states", 1, &["--prefix", "states"]);
            let redis = ["--callers", "16", "--url", &builder.environment.redis()?];
            let hmget = Side::new("one HMGET, 16 callers", builder.timed("bare-redis-states", &redis));
            vec![Side::new("riposte", ours), hmget]
        }
        Row::StatesMiss => {
            let load = ["--prefix", "states"];
            // The first load creates the likes that the bare loop reads.
            let ours = builder.through("states", 1, &load);
            builder.environment.ask(&builder.ask("states", &[&load[..], &["--seconds", "0.1"]].concat()))?;
            against(ours, bare_statements(builder, "bare-states", &load))
        }
        Row::Subjects100 | Row::Comments200 => batch(row, builder)?,
        Row::Storm => {
            let cold = ["--prefix", "storm-{round}"];
            let load = builder.ask("storm", &[&cold[..], &["--connections", "8"]].concat());
            vec![Side::new("riposte", load).after(builder.ask("threads", &cold))]
        }
        Row::Mixed => mixed(builder)?,
        Row::CreateHot
        | Row::CreateSpread
        | Row::LikeHot
        | Row::LikeSpread
        | Row::LayoutCreate
        | Row::LayoutLike
        | Row::CreateHot2
        | Row::LikeHot10k
        | Row::Create1m
        | Row::CreatePre
        | Row::Idle
        | Row::EventsIdle
        | Row::EventsLoad
        | Row::Events1
        | Row::Events100
        | Row::Events200
        | Row::Events1000
        | Row::EventsResume
        | Row::TopicIdle
        | Row::TopicLoad
        | Row::CreateFeed => bail!("{} does not read", row.name()),
    })
}

/// Returns first pages of a subject with a million comments, and of one with a thousand.
fn large_stable(builder: &LoadBuilder<'_, '_>) -> Result<Vec<Side>> {
    let filled = builder.environment.ask(&builder.ask("fill", &[&FULL[..], &MILLION].concat()))?;
    builder.environment.ask(&builder.ask("fill", &[&SMALL[..], &["--comments", "1000"]].concat()))?;
    let first = |subject: [&str; 2]| builder.through("deep", 1, &[subject, FIRST].concat());
    let label = format!("{} comments", filled["comments"]);
    Ok(vec![Side::new(&label, first(FULL)), Side::new("1000 comments", first(SMALL))])
}

/// Returns reads and writes of a subject with a hundred thousand comments.
fn mixed(builder: &LoadBuilder<'_, '_>) -> Result<Vec<Side>> {
    let subject = ["--prefix", "mixed"];
    let hundred = ["--comments", "100000", "--within", "120"];
    let filled = builder.environment.ask(&builder.ask("fill", &[&subject[..], &hundred].concat()))?;
    let seconds = (builder.pace.minutes * 60.0).to_string();
    let counted = ["--seconds", &seconds, "--metrics", &builder.environment.metrics()?];
    let load = builder.ask("mixed", &[&subject[..], &counted].concat());
    Ok(vec![Side::new(&format!("{} comments", filled["comments"]), load)])
}

/// Returns first pages of a subject whose new comments wait for review, and of one without creates.
fn page_hot_pre(builder: &LoadBuilder<'_, '_>) -> Result<Vec<Side>> {
    let held = ["--prefix", "held"];
    for subject in [PAGE, held] {
        builder.environment.ask(&builder.ask("threads", &subject))?;
    }
    let beside = [&held[..], &["--held-creates", HELD_PER_SECOND]].concat();
    Ok(vec![
        Side::new("riposte", builder.through("page", 1, &beside)),
        Side::new("without creates", builder.through("page", 1, &PAGE)),
    ])
}

/// Returns the bare statements on the tables of the service, of which there must be one of each:
/// with more tables they run beside the service that has one.
fn bare_statements(builder: &LoadBuilder<'_, '_>, verb: &str, load: &[&str]) -> Vec<Side> {
    if builder.environment.tables == Tables::One { builder.bare("riposte", verb, load) } else { Vec::new() }
}

/// Measures batch reads of one caller, alone. The bare loop reads the tables of the service if
/// there is one of each.
fn batch(row: Row, builder: &LoadBuilder<'_, '_>) -> Result<Vec<Side>> {
    let subjects = ["batch-subjects", "bare-subjects"];
    let [verb, bare] = if row == Row::Subjects100 { subjects } else { ["batch-comments", "bare-comments"] };
    let load = ["--prefix", "batch"];
    let mut sides = vec![Side::new("riposte", builder.through(verb, 1, &load))];
    if builder.environment.tables == Tables::One {
        // The first load creates the rows that the bare loop reads.
        builder.environment.ask(&builder.ask(verb, &[&load[..], &["--seconds", "0.1"]].concat()))?;
        let url = builder.environment.url("riposte");
        let one = [&load[..], &["--connections", "1", "--url", &url]].concat();
        sides.push(Side::new("bare, 1 conn.", builder.timed(bare, &one)));
    }
    Ok(sides)
}

/// Measures the cache of many subjects, once the rank index has followed all writes and each page
/// was read: previews are cached then.
fn page_redis(builder: &mut LoadBuilder<'_, '_>) -> Result<Vec<Side>> {
    let subjects = builder.pace.subjects.to_string();
    let load = [&PAGE[..], &["--subjects", &subjects]].concat();
    builder.environment.ask(&builder.ask("threads", &load))?;
    builder.environment.ask(&["settled", "--url", &builder.environment.url("riposte")])?;
    builder.environment.ask(&builder.ask("visit", &load))?;
    let words = builder.ask("constant", &PAGE);
    let constant = builder.environment.serve_constant(&words)?;
    let redis = ["--subjects", &subjects, "--url", &builder.environment.redis()?];
    Ok(vec![
        Side::new("riposte", builder.through("page", 1, &load)),
        Side::new("bare Redis", builder.timed("bare-redis-page", &redis)),
        Side::new("constant bytes", builder.timed("page", &[&PAGE[..], &["--endpoint", &constant]].concat())),
    ])
}
