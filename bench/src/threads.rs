//! A command that fills subjects with threads and replies, the contents of a first page.

use crate::clients::TargetArgs;
use crate::prepare;
use anyhow::{Context, Result};
use futures::{StreamExt, TryStreamExt, stream};
use riposte_sdk::{Client, v1};

/// The number of subjects that are prepared at a time.
const WIDTH: usize = 64;

/// The threads to create.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    target: TargetArgs,
    /// The number of subjects
    #[arg(long, default_value_t = 1)]
    subjects: usize,
    /// The number of roots of each subject
    #[arg(long, default_value_t = 20)]
    roots: usize,
    /// The number of replies of each root
    #[arg(long, default_value_t = 3)]
    replies: usize,
}

/// Creates what does not exist yet, and returns the number of comments.
pub(crate) async fn run(args: &Args) -> Result<String> {
    let clients = args.target.open()?;
    let keys = prepare::subjects(&clients, &args.target, args.subjects).await?;
    let made: Vec<usize> = stream::iter(keys.iter().enumerate())
        .map(|(number, key)| threads(clients.of(number), key, args))
        .buffer_unordered(WIDTH)
        .try_collect()
        .await?;
    Ok(serde_json::json!({ "subjects": made.len(), "comments": made.iter().sum::<usize>() }).to_string())
}

async fn threads(client: &Client, key: &v1::SubjectKey, args: &Args) -> Result<usize> {
    let request = v1::GetSubjectRequest { key: Some(key.clone()), fresh: true, ..Default::default() };
    let found = client.subjects().get_subject(request).await.context("GetSubject")?.into_inner();
    let there = found.subject.context("a response without a subject")?.comment_count;
    if there > 0 {
        return Ok(usize::try_from(there)?);
    }
    for number in 0..args.roots {
        let made = client.comments().create_comment(prepare::comment(key, number)).await.context("CreateComment")?;
        let root = made.into_inner().comment.context("a response without a comment")?.id;
        for reply in 0..args.replies {
            client.replies().create_reply(prepare::reply(root, number + reply)).await.context("CreateReply")?;
        }
    }
    Ok(args.roots * (1 + args.replies))
}
