//! Two moderators judge the same comments at the same time: one verdict on each etag wins, and the
//! error of the other one names the decision.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail, ensure};
use futures::future::try_join;
use futures::stream::{self, StreamExt, TryStreamExt};
use riposte_sdk::v1::verdict_result::Result as Outcome;
use riposte_sdk::v1::{
    CommentState, GetModeratedCommentsRequest, Grounds, ModerationAction, SubmitVerdictsRequest, VerdictResult,
    VerdictTarget,
};
use riposte_tests::{Say, Server};

/// The number of comments; the variable RIPOSTE_TEST_JUDGED_ITEMS sets another one. Each
/// moderator judges each comment twice.
const ITEMS: usize = 200;
const MODERATORS: [&str; 2] = ["one", "two"];
/// The creates, and the pairs of batches, that are under way at the same time.
const CREATES: usize = 16;
const PAIRS: usize = 2;
/// The targets of a batch that moderators read, and then judge.
const BATCH: usize = 50;

/// A comment as both moderators read it: its id, its etag and its state.
type Read = (i64, String, CommentState);

/// Lets a moderator judge what was read.
async fn submit(
    server: &Server,
    moderator: &str,
    action: ModerationAction,
    seen: &[&Read],
) -> Result<Vec<VerdictResult>> {
    if seen.is_empty() {
        return Ok(Vec::new());
    }
    let request = SubmitVerdictsRequest {
        action: action.into(),
        grounds: Some(Grounds { code: "spam".to_owned(), ..Grounds::default() }),
        targets: seen.iter().map(|(id, etag, _)| VerdictTarget { comment_id: *id, etag: etag.clone() }).collect(),
        moderator_id: moderator.to_owned(),
        request_id: uuid::Uuid::now_v7().to_string(),
        ..SubmitVerdictsRequest::default()
    };
    Ok(server.moderation()?.submit_verdicts(request).await?.into_inner().results)
}

/// Returns how the comment is after the verdicts of both moderators, of which exactly one won.
fn winner(pair: [VerdictResult; 2]) -> Result<Read> {
    let [first, second] = pair;
    let (won, lost) =
        if matches!(first.result, Some(Outcome::Decision(_))) { (first, second) } else { (second, first) };
    let (Some(Outcome::Decision(decision)), Some(Outcome::Error(error))) = (&won.result, &lost.result) else {
        bail!("not one decision: {won:?}, {lost:?}");
    };
    ensure!(error.reason == "ETAG_MISMATCH", "{lost:?}");
    ensure!(error.metadata.get("decision_id") == Some(&decision.id), "{lost:?} does not name {}", decision.id);
    ensure!(error.metadata.get("etag") == Some(&won.etag), "{lost:?} does not name {}", won.etag);
    Ok((won.comment_id, won.etag.clone(), decision.to_state()))
}

/// Lets both moderators judge a batch at the same time, each by its own action.
async fn judge(server: &Server, actions: [ModerationAction; 2], seen: Vec<&Read>) -> Result<Vec<Read>> {
    let of = |n: usize| submit(server, MODERATORS[n], actions[n], &seen);
    let (one, two) = try_join(of(0), of(1)).await?;
    ensure!(one.len() == seen.len() && two.len() == seen.len());
    one.into_iter().zip(two).map(|(one, two)| winner([one, two])).collect()
}

async fn read(server: &Server, ids: &[i64]) -> Result<Vec<Read>> {
    let request = GetModeratedCommentsRequest { ids: ids.to_vec(), allow_missing: false };
    let found = server.moderation()?.get_moderated_comments(request).await?.into_inner().comments;
    let seen = |of: riposte_sdk::v1::ModeratedComment| {
        let comment = of.comment.context("no comment")?;
        Ok((comment.id, of.etag, comment.state()))
    };
    found.into_iter().map(seen).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn one_decision_on_each_etag_is_made_and_the_refusal_names_it() -> Result<()> {
    let items = std::env::var_os("RIPOSTE_TEST_JUDGED_ITEMS");
    let items = items.map(|items| items.to_string_lossy().parse()).transpose()?;
    let items: usize = items.unwrap_or(ITEMS);
    let server = Server::dev_with(None, &["--moderate", "pre"]).await?;
    let say = &Say::on(&server.client()?, "article");
    let made = stream::iter(0..items).map(async |n| say.comment("ann", &format!("text {n}")).await);
    let made: Vec<i64> = made.buffer_unordered(CREATES).map_ok(|comment| comment.id).try_collect().await?;
    let server = &server;
    let judged = stream::iter(made.chunks(BATCH)).map(async |ids| {
        let seen = read(server, ids).await?;
        ensure!(seen.iter().all(|(_, _, state)| *state == CommentState::Pending), "{seen:?}");
        let actions = [ModerationAction::Approve, ModerationAction::Reject];
        let first = judge(server, actions, seen.iter().collect()).await?;
        // Both know the new etag without another read.
        let of = |wanted: CommentState| first.iter().filter(move |(_, _, state)| *state == wanted).collect();
        let (hide, approve) = (ModerationAction::Hide, ModerationAction::Approve);
        let (shown, refused) = try_join(
            judge(server, [hide, ModerationAction::Reject], of(CommentState::Active)),
            judge(server, [approve, approve], of(CommentState::Rejected)),
        )
        .await?;
        ensure!(shown.len() + refused.len() == ids.len(), "{first:?}");
        let second: BTreeSet<Read> = shown.into_iter().chain(refused).collect();
        ensure!(read(server, ids).await?.into_iter().collect::<BTreeSet<_>>() == second);
        anyhow::Ok(ids.len())
    });
    let judged: Vec<usize> = judged.buffer_unordered(PAIRS).try_collect().await?;
    ensure!(judged.iter().sum::<usize>() == items, "{judged:?}");
    println!("{items} comments, {} verdicts, {} decisions", 4 * items, 2 * items);
    Ok(())
}
