//! The sides of the rows that read.

use super::{Desk, MILLION, Side, against};
use crate::bench::row::Row;
use anyhow::{Result, bail};

/// The subject with 20 threads of 4 comments.
const PAGE: [&str; 2] = ["--prefix", "page"];
/// The subjects with a million and with a thousand comments.
const FULL: [&str; 2] = ["--prefix", "full"];
const SMALL: [&str; 2] = ["--prefix", "small"];
/// The distant page that is compared with the first.
const FAR: [&str; 2] = ["--page", "5000"];
const FIRST: [&str; 2] = ["--page", "1"];

pub(super) fn sides(row: Row, desk: &mut Desk<'_, '_>) -> Result<Vec<Side>> {
    Ok(match row {
        Row::PageHot => {
            desk.arena.ask(&desk.ask("threads", &PAGE))?;
            let words = desk.ask("constant", &PAGE);
            let constant = desk.arena.serve_constant(&words)?;
            // One connection, as a load balancer's proxy has.
            let load = [&PAGE[..], &["--connections", "1"]].concat();
            let bytes = [desk.timed("page", &load), vec!["--endpoint".to_owned(), constant]].concat();
            vec![Side::new("riposte", desk.through("page", 1, &load)), Side::new("constant bytes", bytes)]
        }
        Row::PageRedis => page_redis(desk)?,
        Row::PageDb => {
            desk.arena.ask(&desk.ask("threads", &PAGE))?;
            against(desk.through("page", 1, &PAGE), desk.bare("riposte", "bare-page", &PAGE))
        }
        Row::DeepStable | Row::DeepRanked => {
            let filled = desk.arena.ask(&desk.ask("fill", &[&FULL[..], &MILLION].concat()))?;
            let by: &[&str] = if row == Row::DeepRanked { &["--ranked"] } else { &[] };
            let deep = |page: [&str; 2]| desk.through("deep", 1, &[&FULL, &page, by].concat());
            let label = format!("page 5000 of {} comments", filled["comments"]);
            vec![Side::new(&label, deep(FAR)), Side::new("page 1", deep(FIRST))]
        }
        Row::LargeStable => {
            let filled = desk.arena.ask(&desk.ask("fill", &[&FULL[..], &MILLION].concat()))?;
            desk.arena.ask(&desk.ask("fill", &[&SMALL[..], &["--comments", "1000"]].concat()))?;
            let first = |subject: [&str; 2]| desk.through("deep", 1, &[subject, FIRST].concat());
            let label = format!("{} comments", filled["comments"]);
            vec![Side::new(&label, first(FULL)), Side::new("1000 comments", first(SMALL))]
        }
        Row::StatesHit => {
            let ours = desk.through("states", 1, &["--prefix", "states"]);
            let redis = ["--callers", "16", "--url", &desk.arena.redis()?];
            let hmget = Side::new("one HMGET, 16 callers", desk.timed("bare-redis-states", &redis));
            vec![Side::new("riposte", ours), hmget]
        }
        Row::StatesMiss => {
            let load = ["--prefix", "states"];
            // The first load creates the likes that the bare loop reads.
            let ours = desk.through("states", 1, &load);
            desk.arena.ask(&desk.ask("states", &[&load[..], &["--seconds", "0.1"]].concat()))?;
            against(ours, desk.bare("riposte", "bare-states", &load))
        }
        Row::Storm => {
            let cold = ["--prefix", "storm-{round}"];
            let load = desk.ask("storm", &[&cold[..], &["--connections", "8"]].concat());
            vec![Side::new("riposte", load).after(desk.ask("threads", &cold))]
        }
        Row::Mixed => {
            let subject = ["--prefix", "mixed"];
            let hundred = ["--comments", "100000", "--within", "120"];
            let filled = desk.arena.ask(&desk.ask("fill", &[&subject[..], &hundred].concat()))?;
            let seconds = (desk.pace.minutes * 60.0).to_string();
            let counted = ["--seconds", &seconds, "--metrics", &desk.arena.metrics()?];
            let load = desk.ask("mixed", &[&subject[..], &counted].concat());
            vec![Side::new(&format!("{} comments", filled["comments"]), load)]
        }
        Row::CreateHot
        | Row::CreateSpread
        | Row::LikeHot
        | Row::LikeSpread
        | Row::CreateHot2
        | Row::LikeHot10k
        | Row::Create1m => bail!("{} does not read", row.name()),
    })
}

/// Measures the cache of many subjects, once the rank index has followed all writes and each page
/// was read: previews are cached then.
fn page_redis(desk: &mut Desk<'_, '_>) -> Result<Vec<Side>> {
    let subjects = desk.pace.subjects.to_string();
    let load = [&PAGE[..], &["--subjects", &subjects]].concat();
    desk.arena.ask(&desk.ask("threads", &load))?;
    desk.arena.ask(&["settled", "--url", &desk.arena.url("riposte")])?;
    desk.arena.ask(&desk.ask("visit", &load))?;
    let words = desk.ask("constant", &PAGE);
    let constant = desk.arena.serve_constant(&words)?;
    let redis = ["--subjects", &subjects, "--url", &desk.arena.redis()?];
    Ok(vec![
        Side::new("riposte", desk.through("page", 1, &load)),
        Side::new("bare Redis", desk.timed("bare-redis-page", &redis)),
        Side::new("constant bytes", desk.timed("page", &[&PAGE[..], &["--endpoint", &constant]].concat())),
    ])
}
