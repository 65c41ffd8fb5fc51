//! The sides of the rows that write.

use super::{LoadBuilder, MILLION, Role, Side, against};
use crate::bench::row::{HELD_TYPE, Row};
use anyhow::{Result, bail};

/// The number of subjects, or of comments, of the spread rows.
const MANY: &str = "10000";
/// The number of callers that write to other subjects beside a hot one.
const BYSTANDERS: &str = "8";

pub(super) fn sides(row: Row, builder: &LoadBuilder<'_, '_>) -> Result<Vec<Side>> {
    let callers = builder.pace.callers.to_string();
    let through = |verb: &str, servers: usize, more: &[&str]| {
        builder.through(verb, servers, &[more, &["--callers", &callers]].concat())
    };
    let bare = |verb: &str, more: &[&str]| builder.bare("bare", verb, more);
    Ok(match row {
        Row::CreateHot => against(through("create", 1, &[]), bare("bare-create", &[])),
        Row::CreateSpread => {
            against(spread(builder, "create", "--subjects")?, bare("bare-create", &["--subjects", MANY]))
        }
        Row::LikeHot => against(through("like", 1, &[]), bare("bare-like", &[])),
        Row::LikeSpread => against(spread(builder, "like", "--comments")?, bare("bare-like", &["--comments", MANY])),
        Row::LayoutCreate => vec![Side::new("riposte", spread(builder, "create", "--subjects")?)],
        Row::LayoutLike => vec![Side::new("riposte", spread(builder, "like", "--comments")?)],
        Row::CreateHot2 => {
            let beside = ["--bystanders", BYSTANDERS];
            let alone = ["--prefix", "bystander", "--subjects", "1000", "--callers", BYSTANDERS];
            vec![
                Side::new("two processes", through("create", 2, &beside)),
                Side::new("one process", through("create", 1, &beside)),
                Side::new("others alone", builder.through("create", 2, &alone)).playing(Role::Alone),
            ]
        }
        Row::CreatePre => vec![
            Side::new("held", through("create", 1, &["--object-type", HELD_TYPE])),
            Side::new("create_hot", through("create", 1, &[])),
        ],
        Row::Idle => vec![idle(builder)?],
        Row::LikeHot10k => {
            vec![Side::new("riposte", builder.through("like-open", 1, &["--rate", &builder.pace.rate.to_string()]))]
        }
        Row::Create1m => {
            let (full, small) = (["--prefix", "full"], ["--prefix", "small-{round}"]);
            let filled = builder.environment.ask(&builder.ask("fill", &[&full[..], &MILLION].concat()))?;
            let few = builder.ask("fill", &[&small[..], &["--comments", "1000"]].concat());
            vec![
                Side::new(&format!("{} comments", filled["comments"]), through("create", 1, &full)),
                Side::new("1000 comments", through("create", 1, &small)).after(few),
            ]
        }
        Row::PageHot
        | Row::PageHotPre
        | Row::PageRedis
        | Row::PageDb
        | Row::DeepStable
        | Row::DeepRanked
        | Row::LargeStable
        | Row::StatesHit
        | Row::StatesMiss
        | Row::Subjects100
        | Row::Comments200
        | Row::Storm
        | Row::Mixed
        | Row::EventsIdle
        | Row::EventsLoad
        | Row::Events1
        | Row::Events100
        | Row::Events200
        | Row::Events1000
        | Row::EventsResume
        | Row::TopicIdle
        | Row::TopicLoad
        | Row::CreateFeed => {
            bail!("{} does not write", row.name())
        }
    })
}

/// Returns the measurement of a service that nothing calls.
fn idle(builder: &LoadBuilder<'_, '_>) -> Result<Side> {
    let (url, redis) = (builder.environment.url("riposte"), builder.environment.redis()?);
    let seconds = builder.pace.idle_seconds.to_string();
    let load = ["idle", "--url", &url, "--redis", &redis, "--seconds", &seconds];
    Ok(Side::new("riposte", load.map(str::to_owned).to_vec()))
}

/// Returns a load that is spread over many subjects or comments, after the first calls to them.
fn spread(builder: &LoadBuilder<'_, '_>, verb: &str, over: &str) -> Result<Vec<String>> {
    let spread = ["--prefix", "spread", over, MANY];
    builder.make_ready(verb, &spread)?;
    Ok(builder.through(verb, 1, &[&spread[..], &["--callers", &builder.pace.callers.to_string()]].concat()))
}
