//! The sides of the rows of events.

use super::{LoadBuilder, Side};
use crate::bench::environment::TOPIC;
use crate::bench::row::Row;
use anyhow::{Result, bail};

/// The creates per second of the rows with few of them.
const FEW: &str = "20";
/// The comments whose events a subscriber that resumes receives.
const BACKLOG: &str = "50000";
/// The seconds of load before a measurement of the topic: a broker that has just started is slow.
const BROKER_WARM_UP: &str = "15";
/// Enough subscribers that each process of two has one.
const TWO: [&str; 2] = ["--subscribers", "2"];

pub(super) fn sides(row: Row, builder: &LoadBuilder<'_, '_>) -> Result<Vec<Side>> {
    let changes = builder.pace.changes.to_string();
    let events = |rate: &str| builder.through("events", 2, &[&TWO[..], &["--rate", rate]].concat());
    // A climb begins at a rate that every machine reaches.
    let climb = |subscribers: &str, rate: &str| {
        builder.through("events", 1, &["--climb", "--subscribers", subscribers, "--rate", rate])
    };
    let ours = match row {
        Row::EventsIdle => events(FEW),
        Row::EventsLoad => events(&changes),
        Row::Events1 => climb("1", "500"),
        Row::Events100 => climb("100", "50"),
        Row::Events200 => climb("200", "20"),
        Row::Events1000 => climb("1000", "5"),
        Row::EventsResume => builder.ask("events", &["--backlog", BACKLOG]),
        Row::TopicIdle => topic(builder, FEW)?,
        Row::TopicLoad => topic(builder, &changes)?,
        Row::CreateFeed => return Ok(create_feed(builder)),
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
        | Row::PageHot
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
        | Row::Mixed => bail!("{} has no events", row.name()),
    };
    Ok(vec![Side::new("riposte", ours)])
}

/// Returns the load whose events a reader of the topic receives.
fn topic(builder: &LoadBuilder<'_, '_>, rate: &str) -> Result<Vec<String>> {
    let brokers = builder.environment.brokers()?;
    let more = ["--rate", rate, "--brokers", &brokers, "--topic", TOPIC, "--warm-up", BROKER_WARM_UP];
    Ok(builder.through("topic", 2, &more))
}

/// Returns creates without and with a subscriber, each with the statements of the database.
fn create_feed(builder: &LoadBuilder<'_, '_>) -> Vec<Side> {
    let callers = builder.pace.callers.to_string();
    let url = builder.environment.url("riposte");
    let load = ["--callers", &callers, "--statements", &url];
    let creates = |more: &[&str]| builder.through("create", 1, &[&load[..], more].concat());
    vec![Side::new("no subscriber", creates(&[])), Side::new("one subscriber", creates(&["--subscribers", "1"]))]
}
