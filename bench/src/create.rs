//! CreateComment through gRPC.

use crate::clients::TargetArgs;
use crate::closed::{Caller, MeasureTime};
use crate::report::{MeasuredTime, Report};
use crate::subscribers::Subscribers;
use crate::{bare, database, prepare};
use anyhow::{Result, ensure};
use riposte_sdk::{Connection, v1};
use std::sync::Arc;
use tokio::time::sleep_until;
use v1::comment_service_client::CommentServiceClient;

/// The comments to create.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    target: TargetArgs,
    /// Subjects that the comments are spread over at random; 1 is a hot one
    #[arg(long, default_value_t = 1)]
    subjects: usize,
    /// Concurrent callers; each makes its next call when it has the response to the last one
    #[arg(long, default_value_t = 256)]
    callers: usize,
    /// Further callers that create on other subjects; their latency alone is reported, separately
    #[arg(long, default_value_t = 0)]
    bystanders: usize,
    /// Subscribe streams that are open meanwhile and receive the events
    #[arg(long, default_value_t = 0)]
    subscribers: usize,
    /// mysql://user@host:port/database of the data source, to count its statements per create
    #[arg(long, value_name = "URL")]
    statements: Option<String>,
    #[command(flatten)]
    span: MeasureTime,
}

/// The number of other subjects, and the prefix of their ids.
const BYSTANDER_SUBJECTS: usize = 1_000;
const BYSTANDER: &str = "bystander";

/// Prepares the subjects, then measures.
pub(crate) async fn run(args: &Args) -> Result<Report> {
    ensure!(args.subjects > 0, "at least one subject");
    let clients = args.target.open()?;
    let subjects = Arc::new(prepare::subjects(&clients, &args.target, args.subjects).await?);
    let others = if args.bystanders == 0 {
        Vec::new()
    } else {
        prepare::subjects(&clients, &args.target.with_prefix(BYSTANDER), BYSTANDER_SUBJECTS).await?
    };
    let others = Arc::new(others);
    let caller = |number, subjects: &Arc<Vec<v1::SubjectKey>>, aside| Creates {
        comments: clients.of(number).comments(),
        subjects: Arc::clone(subjects),
        // The numbers are far apart, so that the texts of two callers differ.
        next: number << 32,
        aside,
    };
    let callers = (0..args.callers).map(|number| caller(number, &subjects, None));
    let bystanders = (0..args.bystanders).map(|number| caller(args.callers + number, &others, Some(BYSTANDER)));
    let callers = callers.chain(bystanders).collect();
    let subscribers = Subscribers::open(&clients, &args.target, args.subscribers).await?;
    let window = args.span.begin();
    let receiving = subscribers.receive(window);
    let counting = args.statements.clone().map(|url| tokio::spawn(statements(url, window)));
    let report = args.span.closed_within(window, callers).await?;
    let received = receiving.end().await?;
    ensure!(received.dropped == 0, "{} of {} streams were ended", received.dropped, args.subscribers);
    Ok(match counting {
        Some(counting) => report.with_statements(counting.await??),
        None => report,
    })
}

/// Returns the number of statements that the database receives within the window.
async fn statements(url: String, window: MeasuredTime) -> Result<u64> {
    let mut connection = bare::open(&url).await?;
    sleep_until(window.from).await;
    let before = database::questions(&mut connection).await?;
    sleep_until(window.until).await;
    // The first count includes its own statement, the second one too.
    Ok(database::questions(&mut connection).await?.saturating_sub(before + 1))
}

/// One caller.
pub(crate) struct Creates {
    pub(crate) comments: CommentServiceClient<Connection>,
    pub(crate) subjects: Arc<Vec<v1::SubjectKey>>,
    pub(crate) next: usize,
    /// The kind of the calls if they are not the measured ones.
    pub(crate) aside: Option<&'static str>,
}

impl Caller for Creates {
    async fn call(&mut self) -> Result<()> {
        let key = &self.subjects[rand::random_range(0..self.subjects.len())];
        let request = prepare::comment(key, self.next);
        self.next += 1;
        let response = self.comments.create_comment(request).await?.into_inner();
        ensure!(response.ack() == v1::Ack::Committed, "the response came before it was durable");
        Ok(())
    }

    fn aside(&self) -> Option<&'static str> {
        self.aside
    }
}
