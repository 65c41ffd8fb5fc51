//! Texts that an outage of the filter and of the account service held are judged again, without
//! people.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use futures::stream::{self, StreamExt, TryStreamExt};
use riposte_fakes::{AccountFields, AccountScript, CallFault, CallScript, Fakes, FilterScript, Outcome, Script, State};
use riposte_sdk::v1::list_decisions_request::Of;
use riposte_sdk::v1::{
    CommentState, Detection, GetModeratedCommentsRequest, ListDecisionsRequest, ModeratedComment, ReviewCause,
    UpdateCommentRequest,
};
use riposte_tests::say::content;
use riposte_tests::{Say, Server, until};

use super::metrics::ask;

const TYPE: &str = "drained";
/// The texts of the outage, more than two questions to the filter.
const TEXTS: usize = 160;
const AT_ONCE: usize = 8;

/// Each text with what becomes of it, and the cause for which it still waits.
const CASES: [(&str, CommentState, Option<ReviewCause>); 5] = [
    ("a text", CommentState::Active, None),
    ("a flagword", CommentState::Pending, Some(ReviewCause::Flag)),
    ("a holdword", CommentState::Pending, Some(ReviewCause::Flag)),
    ("a rejectword", CommentState::Rejected, None),
    ("a refuseword", CommentState::Rejected, None),
];

fn script(calls: CallScript) -> Script {
    let words = [
        ("flagword", Outcome::Flag),
        ("holdword", Outcome::Hold),
        ("rejectword", Outcome::Reject),
        ("refuseword", Outcome::Refuse),
    ];
    let words: BTreeMap<String, Outcome> = words.map(|(word, outcome)| (word.to_owned(), outcome)).into();
    let muted = AccountFields { state: State::Muted, ..AccountFields::default() };
    let members = [("muted".to_owned(), muted)].into();
    Script {
        filter: FilterScript { calls: calls.clone(), words, ..FilterScript::default() },
        accounts: AccountScript { calls, members, ..AccountScript::default() },
    }
}

async fn moderated(server: &Server, ids: &[i64]) -> Result<Vec<ModeratedComment>> {
    let mut found = Vec::new();
    for ids in ids.chunks(50) {
        let request = GetModeratedCommentsRequest { ids: ids.to_vec(), allow_missing: false };
        found.extend(server.moderation()?.get_moderated_comments(request).await?.into_inner().comments);
    }
    Ok(found)
}

/// Returns the number of texts that an outage holds, as the metrics have it.
async fn held(server: &Server) -> Result<Option<usize>> {
    let name = format!("riposte_held_by_outage{{object_type=\"{TYPE}\"}} ");
    let metrics = ask(server.metrics_target(), "GET", "/metrics").await?;
    Ok(metrics.lines().find_map(|line| line.strip_prefix(&name)?.trim().parse().ok()))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_outage_held_is_settled_without_people() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let key = folder.path().join("member-key");
    std::fs::write(&key, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n")?;
    let fakes = Fakes::start("127.0.0.1:0".parse()?, script(CallScript::default())).await?;
    let sets = [
        format!("filter.endpoint={}", fakes.address()),
        format!("filter.member_key_file={}", key.display()),
        "filter.timeout=500ms".to_owned(),
        format!("accounts.endpoint={}", fakes.address()),
        "accounts.timeout=500ms".to_owned(),
        format!("object_types.{TYPE}.filter=hold"),
        format!("object_types.{TYPE}.accounts=pre_moderate"),
    ];
    let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", set.as_str()]).collect();
    let server = Server::dev_with(None, &sets).await?;
    let say = Say::on(&server.client()?, TYPE);
    let shown = say.comment("editor", "a text").await?;
    ensure!(shown.state() == CommentState::Active, "{shown:?}");

    fakes.set_script(script(CallScript::with(CallFault::Unavailable)));
    let creates = stream::iter(0..TEXTS).map(|n| {
        let say = &say;
        async move {
            let comment = say.comment(&format!("m{n}"), CASES[n % CASES.len()].0).await?;
            ensure!(comment.state() == CommentState::Pending, "{comment:?}");
            Ok(comment.id)
        }
    });
    let ids: Vec<i64> = creates.buffered(AT_ONCE).try_collect().await?;
    let muted = say.comment("muted", "a text").await?.id;
    let edit = UpdateCommentRequest {
        id: shown.id,
        member_id: "editor".to_owned(),
        content: content("another text"),
        ..UpdateCommentRequest::default()
    };
    say.client.comments().update_comment(edit).await?;
    until("what is held is counted", || async { Ok(held(&server).await? == Some(TEXTS + 2)) }).await?;

    fakes.set_script(script(CallScript::default()));
    until("nothing is held", || async { Ok(held(&server).await? == Some(0)) }).await?;
    let found = moderated(&server, &ids).await?;
    ensure!(found.len() == TEXTS, "{} of {TEXTS}", found.len());
    for (n, comment) in found.iter().enumerate() {
        let (text, state, cause) = CASES[n % CASES.len()];
        let is_as_expected = comment.comment.as_ref().is_some_and(|comment| comment.state() == state);
        ensure!(is_as_expected && comment.causes().eq(cause), "{text}: {comment:?}");
    }
    let muted = moderated(&server, &[muted]).await?;
    ensure!(muted.first().is_some_and(|comment| comment.causes().eq([ReviewCause::Flag])), "{muted:?}");
    let edited = moderated(&server, &[shown.id]).await?.pop().and_then(|found| found.comment).context("no comment")?;
    ensure!(edited.content.is_some_and(|content| content.text == "another text"), "the edit is approved");
    for id in [ids[0], ids[3]] {
        let request = ListDecisionsRequest { of: Some(Of::CommentId(id)), ..ListDecisionsRequest::default() };
        let decisions = server.moderation()?.list_decisions(request).await?.into_inner().decisions;
        let [decision] = decisions.as_slice() else { anyhow::bail!("one decision: {decisions:?}") };
        let grounds = decision.grounds.clone().unwrap_or_default();
        ensure!(decision.actor_id.is_empty() && grounds.detection() == Detection::FilterService, "{decision:?}");
        ensure!(grounds.code == "fake.word" && !decision.hits.is_empty(), "{decision:?}");
    }
    server.stop().await?;
    Ok(())
}
