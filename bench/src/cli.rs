//! The command line: one measurement per subcommand.

use crate::{
    bare, batch, constant, create, database, deep, delay, events, fill, idle, like, like_open, mixed, overload, page,
    probe, settled, states, storm, threads, visit,
};
use anyhow::Result;
use clap::{Parser, Subcommand};

/// One measurement of Riposte, or of the bare loop as its baseline; the output is one line of JSON.
#[derive(Debug, Parser)]
#[command(name = "riposte-bench", version, max_term_width = 110, after_help = AFTER_HELP)]
pub(crate) struct Cli {
    #[command(subcommand)]
    measure: Measure,
}

#[derive(Debug, Subcommand)]
enum Measure {
    /// CreateComment on one or many subjects, in closed loops
    Create(create::Args),
    /// SetLike by distinct members on one or many comments, in closed loops
    Like(like::Args),
    /// SetLike on one comment at a steady rate; latencies count from the moment each call was due
    LikeOpen(like_open::Args),
    /// ListComments of a first page over one or many subjects, in closed loops
    Page(page::Args),
    /// ListComments of a page far down the list, in closed loops
    Deep(deep::Args),
    /// BatchGetLikeStates of a hundred comments, in closed loops
    States(states::Args),
    /// BatchGetSubjects of a hundred subjects in all tables, in closed loops
    BatchSubjects(batch::Args),
    /// BatchGetComments of two hundred comments in all tables, in closed loops
    BatchComments(batch::Args),
    /// The cost of a service that nothing calls, once its polling has settled
    Idle(idle::Args),
    /// ListComments of one subject by many readers at the same moment
    Storm(storm::Args),
    /// Subscribe by many while comments are created at a steady rate; latencies count from commits
    Events(events::Args),
    /// Read the Kafka topic while comments are created at a steady rate; latencies as of events
    Topic(events::topic::Args),
    /// ListComments, CreateComment and SetLike on one subject, in closed loops
    Mixed(mixed::Args),
    /// The statements of a first page, by hand, on the tables of the service
    BarePage(bare::page::Args),
    /// One range of a member's likes, by hand, on the tables of the service
    BareStates(bare::states::Args),
    /// A hundred subjects by their keys, by hand, on the tables of the service
    BareSubjects(bare::batch::Args),
    /// Two hundred comments by their ids, by hand, on the tables of the service
    BareComments(bare::batch::Args),
    /// The commands of a first page, by hand, in a Redis of its own
    BareRedisPage(bare::redis::Args),
    /// One HMGET of a member's likes, by hand, in a Redis of its own
    BareRedisStates(bare::redis::Args),
    /// Serve one page of the service to every call, as constant bytes
    Constant(constant::Args),
    /// Create threads with replies in subjects, up to a number, through the API
    Threads(threads::Args),
    /// Read the first page of subjects once each, through the API
    Visit(visit::Args),
    /// Wait until the member histories and the rank index have applied all commits
    Settled(settled::Args),
    /// Comments on bare tables, one hand-written transaction each
    BareCreate(bare::create::Args),
    /// Likes on bare tables, one hand-written transaction each
    BareLike(bare::like::Args),
    /// Create comments in a subject, up to a number, through the API
    Fill(fill::Args),
    /// Create the database of a URL again, empty
    Database(database::Args),
    /// ListComments or CreateComment at several times the rate that the service can serve, with
    /// deadlines
    Overload(overload::Args),
    /// Thousands of resets or idle connections together with an honest caller, and the memory that
    /// they cost
    Hostile(overload::hostile::Args),
    /// Forward all data to and from a server with a delay, until the process is ended
    Delay(delay::Args),
    /// Time a fixed piece of work on every core at once, to find a processor that is not available
    Probe,
}

const AFTER_HELP: &str = "\
A measurement writes {operations, errors, seconds, rate, p50_ms, p99_ms, p999_ms, client_cpu_us, watched_cpu_us}.
Rates are per second; CPU is in microseconds per operation, of this process and of those named with --watch.

Examples:
  riposte-bench create --endpoint http://127.0.0.1:7171
  riposte-bench like --endpoint http://127.0.0.1:7171 --comments 10000 --seconds 10
  riposte-bench like-open --endpoint http://127.0.0.1:7171 --rate 10000
  riposte-bench bare-create --url mysql://root@127.0.0.1:3306/bare --connections 16

`cargo xtask bench write`, `read` and `events` run all of them against servers of their own.";

impl Cli {
    /// Runs the measurement, and returns the line to print.
    pub(crate) async fn run(self) -> Result<String> {
        let report = match self.measure {
            Measure::Create(args) => create::run(&args).await?,
            Measure::Like(args) => like::run(&args).await?,
            Measure::LikeOpen(args) => like_open::run(&args).await?,
            Measure::BareCreate(args) => bare::create::run(&args).await?,
            Measure::BareLike(args) => bare::like::run(&args).await?,
            Measure::Page(args) => page::run(&args).await?,
            Measure::Deep(args) => deep::run(&args).await?,
            Measure::States(args) => states::run(&args).await?,
            Measure::BatchSubjects(args) => batch::subjects(&args).await?,
            Measure::BatchComments(args) => batch::comments(&args).await?,
            Measure::Storm(args) => storm::run(&args).await?,
            Measure::Events(args) => events::run(&args).await?,
            Measure::Topic(args) => events::topic::run(&args).await?,
            Measure::Mixed(args) => mixed::run(&args).await?,
            Measure::BarePage(args) => bare::page::run(&args).await?,
            Measure::BareStates(args) => bare::states::run(&args).await?,
            Measure::BareSubjects(args) => bare::batch::subjects(&args).await?,
            Measure::BareComments(args) => bare::batch::comments(&args).await?,
            Measure::BareRedisPage(args) => bare::redis::pages(&args).await?,
            Measure::BareRedisStates(args) => bare::redis::states(&args).await?,
            Measure::Idle(args) => return idle::run(&args).await,
            Measure::Constant(args) => return constant::run(&args).await,
            Measure::Threads(args) => return threads::run(&args).await,
            Measure::Visit(args) => return visit::run(&args).await,
            Measure::Settled(args) => return settled::run(&args).await,
            Measure::Fill(args) => return fill::run(&args).await,
            Measure::Database(args) => return database::run(&args).await,
            Measure::Overload(args) => return Ok(serde_json::to_string(&overload::run(&args).await?)?),
            Measure::Hostile(args) => return Ok(serde_json::to_string(&overload::hostile::run(&args).await?)?),
            Measure::Delay(args) => return delay::run(&args).await,
            Measure::Probe => return probe::run(),
        };
        Ok(serde_json::to_string(&report)?)
    }
}
