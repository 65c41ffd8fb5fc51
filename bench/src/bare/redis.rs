//! Redis by hand, through the client library of the service: the commands that a page, or a
//! member's like states of a hundred comments, needs at least. The data is artificial and has the
//! size of the service's cached data.

use crate::closed::{Caller, MeasureTime};
use crate::report::Report;
use anyhow::{Result, ensure};
use fred::clients::{Client, Pool};
use fred::interfaces::ClientLike;
use fred::types::config::Config;
use fred::types::{Builder, ClusterHash, CustomCommand, Value};
use futures::{StreamExt, TryStreamExt, stream};

/// The number of comments of a page: 20 roots with 3 replies each.
const ON_PAGE: usize = 80;
const ROOTS: usize = 20;
/// The size of a cached comment: its head of 64 bytes, its row, and 80 bytes of text; also the size
/// of a subject's row.
const COPY: usize = 260;
const SUBJECT: usize = 64;
/// The number of comments whose like states are read.
const STATES: usize = 100;
/// The number of subjects that are written at a time.
const WIDTH: usize = 64;

/// The address of Redis, and the distribution of the load.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// redis://host:port
    #[arg(long)]
    url: String,
    /// Connections that the callers share
    #[arg(long, default_value_t = 4)]
    connections: usize,
    /// Subjects that the reads are spread over at random
    #[arg(long, default_value_t = 1)]
    subjects: usize,
    /// Concurrent callers; each makes its next call when it has the response to the last one
    #[arg(long, default_value_t = 64)]
    callers: usize,
    #[command(flatten)]
    span: MeasureTime,
}

/// Reads pages: a subject's row, the slice of its list and all its comments, in one round trip.
pub(crate) async fn pages(args: &Args) -> Result<Report> {
    let pool = args.open().await?;
    let writes = (0..args.subjects).map(|subject| write_page(pool.next().clone(), subject));
    stream::iter(writes).buffer_unordered(WIDTH).try_collect::<()>().await?;
    let subjects = args.subjects;
    let caller = |_| Pages { client: pool.next().clone(), subjects };
    args.span.closed((0..args.callers).map(caller).collect()).await
}

/// Reads a member's like states of a hundred comments: one HMGET.
pub(crate) async fn states(args: &Args) -> Result<Report> {
    let pool = args.open().await?;
    let fields = (0..STATES).flat_map(|number| [field(number), Value::from("1")]);
    let written: Value = ask(pool.next(), "HSET", [Value::from(MEMBER)].into_iter().chain(fields)).await?;
    ensure!(!written.is_null(), "nothing was written");
    let caller = |_| States { client: pool.next().clone() };
    args.span.closed((0..args.callers).map(caller).collect()).await
}

impl Args {
    async fn open(&self) -> Result<Pool> {
        ensure!(self.subjects > 0 && self.connections > 0, "at least one subject, and one connection");
        let mut builder = Builder::from_config(Config::from_url(&self.url)?);
        builder.with_connection_config(|of| of.tcp.nodelay = Some(true));
        let pool = builder.build_pool(self.connections)?;
        pool.init().await?;
        Ok(pool)
    }
}

/// Sends a command and returns its response.
async fn ask(client: &Client, command: &'static str, words: impl IntoIterator<Item = Value>) -> Result<Value> {
    Ok(client.custom(named(command), words.into_iter().collect::<Vec<_>>()).await?)
}

fn named(command: &'static str) -> CustomCommand {
    CustomCommand::new_static(command, ClusterHash::FirstKey, false)
}

fn key(subject: usize, what: &str) -> String {
    format!("bare:{subject}:{what}")
}

fn keys(subject: usize) -> impl Iterator<Item = String> {
    (0..ON_PAGE).map(move |number| key(subject, &format!("c:{number:016x}")))
}

async fn write_page(client: Client, subject: usize) -> Result<()> {
    let members =
        (0..ROOTS).flat_map(|number| [Value::from(number.to_string()), Value::from(format!("{number:016x}"))]);
    ask(&client, "ZADD", [Value::from(key(subject, "z"))].into_iter().chain(members)).await?;
    let values = keys(subject).flat_map(|key| [Value::from(key), Value::from("c".repeat(COPY))]);
    let row = [Value::from(key(subject, "h")), Value::from("s".repeat(SUBJECT))];
    ask(&client, "MSET", row.into_iter().chain(values)).await?;
    Ok(())
}

struct Pages {
    client: Client,
    subjects: usize,
}

impl Caller for Pages {
    async fn call(&mut self) -> Result<()> {
        let subject = rand::random_range(0..self.subjects);
        let trip = self.client.pipeline();
        let _: Value = trip.custom(named("GET"), vec![key(subject, "h")]).await?;
        let slice = vec![key(subject, "z"), "0".to_owned(), (ROOTS - 1).to_string()];
        let _: Value = trip.custom(named("ZREVRANGE"), slice).await?;
        let _: Value = trip.custom(named("MGET"), keys(subject).collect()).await?;
        let found: Vec<Value> = trip.all().await?;
        let comments = found.last().map_or(0, |values| values.clone().into_array().len());
        ensure!(comments == ON_PAGE, "{comments} comments");
        Ok(())
    }
}

/// The member's key.
const MEMBER: &str = "bare:member";

fn field(number: usize) -> Value {
    Value::from(format!("{number:016x}"))
}

struct States {
    client: Client,
}

impl Caller for States {
    async fn call(&mut self) -> Result<()> {
        let words = [Value::from(MEMBER)].into_iter().chain((0..STATES).map(field));
        let values = ask(&self.client, "HMGET", words).await?.into_array();
        ensure!(values.len() == STATES, "{} states", values.len());
        Ok(())
    }
}
