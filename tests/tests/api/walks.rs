//! Exact walks: every comment that existed at the start, exactly once, during concurrent writes.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, ensure};
use riposte_sdk::v1::{Comment, CommentSort};
use riposte_tests::{Case, Fixture, Say, cases};

pub(crate) const CASES: &[Case] =
    cases![a_walk_of_roots_is_exact_while_others_write_and_delete, a_walk_of_replies_is_exact_while_others_write,];

/// Fails unless the walk is in the order of floors, contains each comment of `stood`, and contains
/// no comment twice.
fn exact(sort: CommentSort, walked: &[Comment], stood: &HashSet<i64>) -> Result<()> {
    let ids: Vec<_> = walked.iter().map(|c| c.id).collect();
    let unique: HashSet<_> = ids.iter().copied().collect();
    ensure!(unique.len() == ids.len(), "{sort:?}: a comment came twice");
    let missing: Vec<_> = stood.difference(&unique).collect();
    ensure!(missing.is_empty(), "{sort:?}: {} comments are missing", missing.len());
    let descending = sort == CommentSort::Newest;
    let ordered = walked.windows(2).all(|w| if descending { w[0].floor > w[1].floor } else { w[0].floor < w[1].floor });
    ensure!(ordered, "{sort:?}: out of order");
    Ok(())
}

async fn a_walk_of_roots_is_exact_while_others_write_and_delete(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let mut stood = HashSet::new();
    let mut doomed = Vec::new();
    for n in 0..60 {
        let comment = say.comment("m", &n.to_string()).await?;
        if n % 6 == 5 {
            doomed.push(comment.id);
        } else {
            stood.insert(comment.id);
        }
    }
    let stop = Arc::new(AtomicBool::new(false));
    let writer = {
        let (say, stop) = (say.clone(), Arc::clone(&stop));
        tokio::spawn(async move {
            let mut written = 0;
            while !stop.load(Ordering::Relaxed) && written < 400 {
                say.comment("w", "more").await?;
                written += 1;
                if let Some(id) = doomed.pop() {
                    super::comments::delete(&say, id, "m").await?;
                }
            }
            Ok::<_, tonic::Status>(written)
        })
    };
    for sort in [CommentSort::Newest, CommentSort::Oldest] {
        for size in [1, 7] {
            exact(sort, &say.roots(sort, size).await?, &stood)?;
        }
    }
    stop.store(true, Ordering::Relaxed);
    ensure!(writer.await?? > 0, "nothing was written meanwhile");
    super::floors::verify(&fixture, &say).await
}

async fn a_walk_of_replies_is_exact_while_others_write(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let root = say.comment("m", "root").await?.id;
    let mut stood = HashSet::new();
    for n in 0..40 {
        stood.insert(say.reply(root, "m", &n.to_string()).await?.id);
    }
    let stop = Arc::new(AtomicBool::new(false));
    let writer = {
        let (say, stop) = (say.clone(), Arc::clone(&stop));
        tokio::spawn(async move {
            let mut written = 0;
            while !stop.load(Ordering::Relaxed) && written < 400 {
                say.reply(root, "w", "more").await?;
                written += 1;
            }
            Ok::<_, tonic::Status>(written)
        })
    };
    for sort in [CommentSort::Newest, CommentSort::Oldest] {
        exact(sort, &say.replies(root, sort, 3).await?, &stood)?;
    }
    stop.store(true, Ordering::Relaxed);
    ensure!(writer.await?? > 0, "nothing was written meanwhile");
    Ok(())
}
