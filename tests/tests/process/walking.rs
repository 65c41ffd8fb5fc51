//! Walks by rank over several servers, also after one of them has stopped.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::{CommentSort, LikeValue, ListCommentsRequest};
use riposte_tests::{Say, Server, mysql};

/// A small ranking, so that the walk extends beyond it; one token key for all servers.
const SETS: [&str; 4] =
    ["--set", "rankings.depth=20", "--set", "page_tokens.keys=[\"MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=\"]"];

#[tokio::test(flavor = "multi_thread")]
async fn a_ranked_walk_continues_at_another_server_while_others_write_and_the_first_server_stops() -> Result<()> {
    let Some(databases) = mysql::servers() else { return Ok(()) };
    let name = mysql::fresh_name();
    // The first server migrates, and the others share its databases.
    drop(Server::serve(&databases, &name).await?);
    let sets = [riposte_tests::settings::on_databases(&databases, &name), SETS.map(str::to_owned).to_vec()].concat();
    let first = Server::serve_with(&sets).await?;
    let second = Server::serve_with(&sets).await?;
    let here = Say::on(&first.client()?, "article");
    let there = Say { client: second.client()?, key: here.key.clone() };
    let mut stood = Vec::new();
    for n in 0..60 {
        stood.push(there.comment("m", &n.to_string()).await?.id);
        if n % 3 == 0 {
            there.like(stood[n], "m", LikeValue::Like).await?;
        }
    }
    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..2)
        .map(|kind| {
            let (say, stop, ids) = (there.clone(), Arc::clone(&stop), stood.clone());
            tokio::spawn(async move {
                let mut written = 0;
                while !stop.load(Ordering::Relaxed) {
                    match kind {
                        0 => drop(say.like(ids[written * 13 % 60], &format!("w{written}"), LikeValue::Like).await?),
                        _ => drop(say.comment("w", "more").await?),
                    }
                    written += 1;
                }
                Ok::<_, tonic::Status>(written)
            })
        })
        .collect();
    let mut walked = Vec::new();
    let mut request =
        ListCommentsRequest { sort: CommentSort::Hot.into(), page_size: 7, ..ListCommentsRequest::default() };
    let mut first = Some(first);
    for page in 0.. {
        let say = if page % 2 == 0 && first.is_some() { &here } else { &there };
        let response = say.list(request.clone()).await?;
        for thread in response.threads {
            walked.push(thread.comment.context("a thread without its root")?.id);
        }
        request.page_token = response.next_page_token;
        if request.page_token.is_empty() {
            break;
        }
        if page == 4 {
            let ended = first.take().context("it ends once")?.stop().await?;
            ensure!(ended == Some(0), "{ended:?}");
        }
    }
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        ensure!(writer.await?? > 0, "nothing was written meanwhile");
    }
    ensure!(first.is_none(), "the walk was over before the first server was");
    let unique: HashSet<i64> = walked.iter().copied().collect();
    ensure!(unique.len() == walked.len(), "something came twice");
    let missing: Vec<_> = stood.iter().filter(|id| !unique.contains(id)).collect();
    ensure!(missing.is_empty(), "{missing:?} did not come");
    Ok(())
}
