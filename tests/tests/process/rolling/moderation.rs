//! A process of a version before moderation beside one of this version: no comment waits until the
//! old one has stopped, and all other calls work.

use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use riposte_sdk::v1::{
    CommentSort, CommentState, ErrorReason, ModerationMode, Subject, UpdateCommentRequest, UpdateSubjectRequest,
};
use riposte_tests::say::content;
use riposte_tests::{Say, Server, command, refused, until};
use tonic::Code;

use super::super::metrics::ask;
use super::deployment::{Deployment, RedisKind, Version};

/// The type whose comments wait at processes of this version. The older one does not know the key.
const GATED: &str = "gated";
const PRE: [&str; 2] = ["--set", "object_types.gated.moderation=pre"];
/// The plain calls to either process in each phase.
const CALLS: usize = 50;
/// The number of subjects, of which some lie on each data source.
const SUBJECTS: usize = 16;

#[tokio::test(flavor = "multi_thread")]
async fn no_comment_waits_beside_a_process_of_before_moderation_and_all_other_calls_work() -> Result<()> {
    let Some(deployment) = Deployment::fresh(RedisKind::One).await? else { return Ok(()) };
    let [before, now] = &deployment.versions[..] else {
        eprintln!("SKIPPED: RIPOSTE_TEST_BIN_BEFORE names no binary");
        return Ok(());
    };
    let new = now.start_with(&PRE).await?;
    let say = Say::on(&new.client()?, GATED);
    let [waits, later] = [say.comment("ann", "unjudged one").await?, say.comment("ann", "unjudged two").await?];
    ensure!(waits.state() == CommentState::Pending && later.state() == CommentState::Pending, "{waits:?}");

    // Of the type, no comment waits; of this subject, all do.
    let strict = Say::on(&say.client, "article");
    let root = strict.comment("ann", "before").await?.id;
    hold(&strict).await?;
    ensure!(strict.comment("ann", "held").await?.state() == CommentState::Pending);

    let old = before.start().await?;
    let begun = Instant::now();
    write_everywhere(&old).await?;
    until("comments that would wait are refused", async || is_refused(say.comment("ann", "late").await)).await?;
    println!("the gate closed {:?} after the old process began to write", begun.elapsed());
    // Each data source has a gate.
    until("the mode of a subject counts", async || is_refused(strict.comment("ann", "late").await)).await?;
    ensure!(is_refused(strict.reply(root, "ann", "late").await)?, "a reply would wait");
    ensure!(is_refused(edit(&strict, root).await)?, "an edit would wait");
    plain_calls(&old, &new).await?;
    unseen(&old, &say).await?;
    until("the old process is counted", async || {
        // A process that does not write lets its leases end.
        write_everywhere(&old).await?;
        let text = ask(new.metrics_target(), "GET", "/metrics").await?;
        let count = text.lines().find_map(|line| line.strip_prefix("riposte_old_writers "));
        Ok(count.is_some_and(|count| count != "0"))
    })
    .await?;
    // A verdict that leaves nothing behind passes.
    moderate(&new, &["approve", &waits.id.to_string()]).await?;

    ensure!(old.stop().await? == Some(0));
    let begun = Instant::now();
    until("comments wait again", async || match say.comment("ann", "after").await {
        Ok(made) => Ok(made.state() == CommentState::Pending),
        error => is_refused(error).map(|_| false),
    })
    .await?;
    until("comments under the subject wait again", async || Ok(!is_refused(strict.reply(root, "ann", "after").await)?))
        .await?;
    edit(&strict, root).await?;
    println!("the gate opened {:?} after the old process had stopped", begun.elapsed());
    back_and_forth(before, &new, &say).await?;
    ensure!(new.stop().await? == Some(0));
    Ok(())
}

/// Turns moderation off, runs the older version, and turns it on again.
async fn back_and_forth(before: &Version, new: &Server, say: &Say) -> Result<()> {
    let off = moderate(new, &["off", "--reject"]).await?;
    ensure!(off.contains("only their authors see: 0 PENDING"), "{off}");
    let old = before.start().await?;
    plain_calls(&old, new).await?;
    unseen(&old, say).await?;
    ensure!(is_refused(say.comment("ann", "while off").await)?);
    ensure!(old.stop().await? == Some(0));
    let on = moderate(new, &["on"]).await?;
    ensure!(on.contains("moderation is on"), "{on}");
    until("comments wait again", async || match say.comment("ann", "at last").await {
        Ok(made) => Ok(made.state() == CommentState::Pending),
        error => is_refused(error).map(|_| false),
    })
    .await?;
    ensure!(riposte_tests::thread_tree::verify(new, GATED).await? == 1);
    Ok(())
}

/// Returns `false` for a comment that was made; fails with any error but that of the gate.
fn is_refused<T: std::fmt::Debug>(made: Result<T, tonic::Status>) -> Result<bool> {
    match made {
        Ok(_) => Ok(false),
        Err(status) => match refused(Err::<T, _>(status))? {
            (Code::ResourceExhausted | Code::Unavailable, ErrorReason::Overloaded) => Ok(true),
            other => bail!("{other:?}"),
        },
    }
}

/// Lets the comments of a subject wait.
async fn hold(say: &Say) -> Result<()> {
    let (key, moderation_mode) = (Some(say.key.clone()), ModerationMode::Pre.into());
    let request = UpdateSubjectRequest {
        subject: Some(Subject { key, moderation_mode, ..Subject::default() }),
        update_mask: Some(prost_types::FieldMask { paths: vec!["moderation_mode".to_owned()] }),
        ..UpdateSubjectRequest::default()
    };
    say.client.subjects().update_subject(request).await?;
    Ok(())
}

async fn edit(say: &Say, id: i64) -> Result<(), tonic::Status> {
    let (member_id, content) = ("ann".to_owned(), content("edited"));
    let request = UpdateCommentRequest { id, member_id, content, ..UpdateCommentRequest::default() };
    say.client.comments().update_comment(request).await.map(drop)
}

/// Lets a process write to every data source. A process takes its leases with its first writes.
async fn write_everywhere(server: &Server) -> Result<()> {
    let client = server.client()?;
    for _ in 0..SUBJECTS {
        Say::on(&client, "article").comment("m", "plain").await?;
    }
    Ok(())
}

/// Creates, likes and lists at both processes; none may fail.
async fn plain_calls(old: &Server, new: &Server) -> Result<()> {
    for server in [old, new] {
        let say = Say::on(&server.client()?, "article");
        for n in 0..CALLS {
            let made = say.comment("m", &n.to_string()).await.with_context(|| format!("create {n}"))?;
            let reply = say.reply(made.id, "x", "reply").await?;
            say.like(reply.id, "y", riposte_sdk::v1::LikeValue::Like).await?;
        }
        ensure!(say.roots(CommentSort::Newest, 100).await?.len() == CALLS);
    }
    Ok(())
}

/// Checks that the older version shows no text that waits or was refused.
async fn unseen(old: &Server, say: &Say) -> Result<()> {
    let mut seen = Say::on(&old.client()?, GATED);
    seen.key = say.key.clone();
    for _ in 0..3 {
        let page = format!("{:?}", seen.page(CommentSort::Newest, 50).await?);
        ensure!(!page.contains("unjudged two"), "{page}");
    }
    Ok(())
}

async fn moderate(server: &Server, words: &[&str]) -> Result<String> {
    let mut all = vec!["moderate"];
    all.extend(words);
    all.extend(["--target", server.admin_target()]);
    Ok(command::run(all).await?.ended(0)?.out)
}
