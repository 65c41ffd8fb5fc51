//! The sides of the rows that write.

use super::{Desk, MILLION, Side, against};
use crate::bench::row::Row;
use anyhow::{Result, bail};

/// The number of subjects, or of comments, of the spread rows.
const MANY: &str = "10000";

pub(super) fn sides(row: Row, desk: &Desk<'_, '_>) -> Result<Vec<Side>> {
    let callers = desk.pace.callers.to_string();
    let through = |verb: &str, servers: usize, more: &[&str]| {
        desk.through(verb, servers, &[more, &["--callers", &callers]].concat())
    };
    let bare = |verb: &str, more: &[&str]| desk.bare("bare", verb, more);
    Ok(match row {
        Row::CreateHot => against(through("create", 1, &[]), bare("bare-create", &[])),
        Row::CreateSpread => {
            let spread = ["--prefix", "spread", "--subjects", MANY];
            desk.make_ready("create", &spread)?;
            against(through("create", 1, &spread), bare("bare-create", &["--subjects", MANY]))
        }
        Row::LikeHot => against(through("like", 1, &[]), bare("bare-like", &[])),
        Row::LikeSpread => {
            let spread = ["--prefix", "spread", "--comments", MANY];
            desk.make_ready("like", &spread)?;
            against(through("like", 1, &spread), bare("bare-like", &["--comments", MANY]))
        }
        Row::CreateHot2 => vec![
            Side::new("two processes", through("create", 2, &[])),
            Side::new("one process", through("create", 1, &[])),
        ],
        Row::LikeHot10k => {
            vec![Side::new("riposte", desk.through("like-open", 1, &["--rate", &desk.pace.rate.to_string()]))]
        }
        Row::Create1m => {
            let (full, small) = (["--prefix", "full"], ["--prefix", "small-{round}"]);
            let filled = desk.arena.ask(&desk.ask("fill", &[&full[..], &MILLION].concat()))?;
            let few = desk.ask("fill", &[&small[..], &["--comments", "1000"]].concat());
            vec![
                Side::new(&format!("{} comments", filled["comments"]), through("create", 1, &full)),
                Side::new("1000 comments", through("create", 1, &small)).after(few),
            ]
        }
        Row::PageHot
        | Row::PageRedis
        | Row::PageDb
        | Row::DeepStable
        | Row::DeepRanked
        | Row::LargeStable
        | Row::StatesHit
        | Row::StatesMiss
        | Row::Storm
        | Row::Mixed => {
            bail!("{} does not write", row.name())
        }
    })
}
