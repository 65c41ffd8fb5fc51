//! `riposte events backfill`: its lines, applied in their order, equal the rows, although others
//! write meanwhile.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::{CommentEvent, CommentSort, EventKind};
use riposte_tests::feed::{EventPages, public};
use riposte_tests::{Say, Server, command};
use serde_json::Value;
use tokio::task::JoinHandle;

const SUBJECTS: usize = 12;
const COMMENTS: usize = 60;

/// The visible comments of each subject.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Copy(BTreeMap<String, BTreeSet<i64>>);

impl Copy {
    pub(super) fn set(&mut self, subject: &str, id: i64, is_visible: bool) {
        let comments = self.0.entry(subject.to_owned()).or_default();
        if is_visible {
            comments.insert(id);
        } else {
            comments.remove(&id);
        }
    }

    /// Applies a line of the command. Returns its token, and true for the last one.
    pub(super) fn apply_line(&mut self, line: &str) -> Result<(String, bool)> {
        let line: Value = serde_json::from_str(line)?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        if let Some(comment) = line.pointer("/comment/comment") {
            let id = text(&comment["id"]).parse()?;
            let is_visible = comment["state"] == "COMMENT_STATE_ACTIVE";
            self.set(&text(&comment["subject"]["objectId"]), id, is_visible);
        } else if let Some(event) = line.get("event").filter(|event| !event.is_null()) {
            let kind = EventKind::from_str_name(&text(&event["kind"])).context("no kind")?;
            self.apply(&text(&event["subject"]["objectId"]), kind, text(&event["commentId"]).parse()?)?;
        }
        Ok((text(&line["token"]), line.get("heartbeat").is_some_and(|heartbeat| !heartbeat.is_null())))
    }

    fn apply_event(&mut self, event: &CommentEvent) -> Result<()> {
        let subject = event.subject.clone().context("no subject")?;
        self.apply(&subject.object_id, event.kind(), event.comment_id)
    }

    fn apply(&mut self, subject: &str, kind: EventKind, id: i64) -> Result<()> {
        match kind {
            EventKind::CommentPublished | EventKind::CommentRestored => self.set(subject, id, true),
            EventKind::CommentWithdrawn | EventKind::CommentDeleted => self.set(subject, id, false),
            EventKind::CommentEdited | EventKind::CommentPinChanged | EventKind::SubjectChanged => {}
            EventKind::Unspecified
            | EventKind::CommentHeld
            | EventKind::CommentDecided
            | EventKind::CommentReported
            | EventKind::EditProposed => anyhow::bail!("{kind:?} in scope PUBLIC"),
        }
        Ok(())
    }
}

/// Comments and deletes under a subject.
fn writes(say: Say) -> JoinHandle<Result<Say>> {
    tokio::spawn(async move {
        let mut last = None;
        for n in 0..COMMENTS {
            let comment = say.comment("ann", &n.to_string()).await?;
            if let Some(earlier) = last.replace(comment.id).filter(|_| n % 3 == 0) {
                let request = riposte_sdk::v1::DeleteCommentRequest {
                    id: earlier,
                    member_id: "ann".into(),
                    ..Default::default()
                };
                say.client.comments().delete_comment(request).await?;
            }
        }
        Ok(say)
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backfill_and_the_events_after_it_equal_the_rows_while_others_write() -> Result<()> {
    let server = Server::dev().await?;
    let client = server.client()?;
    let mut tasks: Vec<_> = (0..SUBJECTS).map(|_| writes(Say::on(&client, "article"))).collect();
    let mut says = Vec::new();
    for task in tasks.drain(..SUBJECTS / 2) {
        says.push(task.await??);
    }
    // New writers begin with the walk, some under subjects that it has not seen.
    tasks.extend(says.iter().map(|say| writes(say.clone())));
    tasks.extend((0..SUBJECTS).map(|_| writes(Say::on(&client, "article"))));
    let arguments =
        ["events", "backfill", "article", "--target", server.target(), "--admin-target", server.admin_target()];
    let lines = command::run(arguments).await?.ended(0)?.out;
    let (mut copy, mut token, mut ends) = (Copy::default(), String::new(), false);
    for line in lines.lines() {
        ensure!(!ends, "a line after the heartbeat: {line}");
        let (next, is_last) = copy.apply_line(line)?;
        (token, ends) = (if next.is_empty() { token } else { next }, is_last);
    }
    ensure!(ends, "no heartbeat at the end");
    says.clear();
    for task in tasks {
        let say = task.await??;
        if says.iter().all(|known: &Say| known.key != say.key) {
            says.push(say);
        }
    }
    let mut rows = Copy::default();
    for say in &says {
        for comment in say.roots(CommentSort::Newest, 50).await? {
            let is_visible = comment.state() == riposte_sdk::v1::CommentState::Active;
            rows.set(&say.key.object_id, comment.id, is_visible);
        }
    }
    ensure!(rows.0.len() == 2 * SUBJECTS, "{} subjects", rows.0.len());
    let mut pages = EventPages::after(&client, public("article"), &token);
    let equals_rows = |copy: &Copy| rows.0.iter().all(|(subject, ids)| copy.0.get(subject) == Some(ids));
    for _ in 0..600 {
        let page = pages.page(1_000, Duration::from_millis(0)).await?;
        page.events.iter().try_for_each(|event| copy.apply_event(event))?;
        if page.events.is_empty() && equals_rows(&copy) {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    anyhow::bail!("the copy {copy:?} is not the rows {rows:?}")
}
