//! Reads and writes on one subject at the same time, as people do both.

use crate::clients::Target;
use crate::closed::{Caller, Span};
use crate::create::Creates;
use crate::like::Likes;
use crate::members::Members;
use crate::page::{Pages, request};
use crate::prepare;
use crate::report::Report;
use anyhow::{Result, ensure};
use bytes::Bytes;
use prost::Message;
use std::sync::Arc;

/// How much of what.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    target: Target,
    /// Callers, each of which waits for its answer before it asks again
    #[arg(long, default_value_t = 64)]
    callers: usize,
    /// Of a hundred calls so many read; of the others half create and half like
    #[arg(long, default_value_t = 95, value_parser = clap::value_parser!(u8).range(1..=99))]
    reads: u8,
    #[command(flatten)]
    span: Span,
}

/// One caller, who does anything.
struct Everything {
    reads: u8,
    /// Whether the last call was a write.
    wrote: bool,
    pages: Pages,
    creates: Creates,
    likes: Likes,
}

/// Prepares comments to like, then measures; the figures are of the reads, and beside them stands how long writes took.
pub(crate) async fn run(args: &Args) -> Result<Report> {
    let clients = args.target.open()?;
    let subjects = Arc::new(prepare::subjects(&clients, &args.target, 1).await?);
    let comments = Arc::new(prepare::comments(&clients, &args.target, 20, 1).await?);
    let (members, connections) = (Arc::new(Members::default()), args.target.open_raw()?);
    ensure!(args.callers > 0, "at least one caller");
    let requests = Arc::new(vec![Bytes::from(request(subjects[0].clone()).encode_to_vec())]);
    let caller = |number: usize| Everything {
        reads: args.reads,
        wrote: false,
        pages: Pages { connection: connections[number % connections.len()].clone(), requests: Arc::clone(&requests) },
        creates: Creates {
            comments: clients.of(number).comments(),
            subjects: Arc::clone(&subjects),
            next: number << 32,
        },
        likes: Likes {
            likes: clients.of(number).likes(),
            comments: Arc::clone(&comments),
            members: Arc::clone(&members),
        },
    };
    args.span.closed((0..args.callers).map(caller).collect()).await
}

impl Caller for Everything {
    async fn call(&mut self) -> Result<()> {
        self.wrote = rand::random_range(0..100) >= self.reads;
        match (self.wrote, rand::random::<bool>()) {
            (false, _) => self.pages.call().await,
            (true, false) => self.creates.call().await,
            (true, true) => self.likes.call().await,
        }
    }

    fn is_aside(&self) -> bool {
        self.wrote
    }
}
