//! Edits, verdicts on them and reads at the same time: no reader sees a text without a verdict, and
//! an approved text does not vanish.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use futures::future::{try_join, try_join_all};
use riposte_sdk::v1::list_decisions_request::Of;
use riposte_sdk::v1::moderation_service_client::ModerationServiceClient;
use riposte_sdk::v1::verdict_result::Result as Outcome;
use riposte_sdk::v1::{
    Comment, CommentSort, CommentState, Decision, GetCommentRequest, GetModeratedCommentsRequest, GetThreadRequest,
    Grounds, ListCommentRevisionsRequest, ListCommentsRequest, ListDecisionsRequest, ModeratedComment,
    ModerationAction, SubmitVerdictsRequest, UpdateCommentRequest, VerdictTarget,
};
use riposte_tests::say::content;
use riposte_tests::{Say, Server};
use tokio::sync::watch;
use tonic::Request;
use tonic_types::StatusExt;

type Moderation = ModerationServiceClient<riposte_sdk::Connection>;

/// The number of reads of a run; the variable RIPOSTE_TEST_EDIT_READS sets another one.
const READS: u64 = 4_000;
/// The number of reads of one round, which has comments of its own: a comment with ten thousand
/// edits is no case of this test.
const ROUND: u64 = 25_000;
/// The readers, each on a connection of its own.
const READERS: usize = 8;
const COMMENTS: usize = 3;
const MODERATORS: usize = 2;
const AUTHOR: &str = "ann";

/// One comment with what moderators and readers know of it. Its texts are numbers.
struct Edited {
    id: i64,
    /// The texts for which an approval was sent.
    sent: Mutex<BTreeSet<u64>>,
    /// The texts whose approval was answered with a decision.
    approved: Mutex<BTreeSet<u64>>,
    /// The texts that readers saw.
    seen: Mutex<BTreeSet<u64>>,
    /// The number of edits that were stored: moderators wait for the next one.
    edits: watch::Sender<u64>,
    /// The number of verdicts: the author waits for the next one when too many edits wait.
    verdicts: watch::Sender<u64>,
}

impl Edited {
    fn new(id: i64) -> Self {
        let first = || Mutex::new(BTreeSet::from([0]));
        let count = || watch::Sender::new(0);
        Self { id, sent: first(), approved: first(), seen: first(), edits: count(), verdicts: count() }
    }

    fn last_approved(&self) -> u64 {
        numbers(&self.approved).last().copied().unwrap_or(0)
    }

    /// Checks what a reader got of the comment. A read of the primary copy shows at least the text
    /// `since`, which was approved before the read began.
    fn check(&self, comment: &Comment, since: u64) -> Result<()> {
        ensure!(comment.state() == CommentState::Active, "the comment is not in sight: {comment:?}");
        let number = number(comment.content.as_ref().map_or("", |content| &content.text))?;
        ensure!(numbers(&self.sent).contains(&number), "no moderator approved text {number}");
        ensure!(number >= since, "text {since} was approved, and a later read shows text {number}");
        numbers(&self.seen).insert(number);
        Ok(())
    }
}

fn numbers(set: &Mutex<BTreeSet<u64>>) -> MutexGuard<'_, BTreeSet<u64>> {
    set.lock().unwrap_or_else(PoisonError::into_inner)
}

fn number(text: &str) -> Result<u64> {
    text.parse().with_context(|| format!("the text {text:?} is no number"))
}

/// One run: the comments, and the number of reads that are left.
struct Race {
    server: Server,
    moderation: Moderation,
    say: Say,
    comments: Vec<Edited>,
    reads: AtomicU64,
    planned: u64,
    /// Set when all reads were made.
    is_over: watch::Sender<bool>,
}

impl Race {
    async fn new(reads: u64) -> Result<Self> {
        let times = ["read", "write", "admin", "call"].map(|kind| format!("server.max_{kind}_time=60s"));
        let mut settings = vec!["--moderate", "pre", "--set", "object_type_defaults.edit_window=always"];
        settings.extend(times.iter().flat_map(|time| ["--set", time]));
        let server = Server::dev_with(None, &settings).await?;
        let moderation = server.moderation()?;
        let say = Say::on(&server.client()?, "article");
        let mut comments = Vec::new();
        for n in 0..COMMENTS {
            let root = comments.first().map(|root: &Edited| root.id);
            let comment = match root {
                Some(root) if n % 2 == 1 => say.reply(root, AUTHOR, "0").await?,
                Some(_) | None => say.comment(AUTHOR, "0").await?,
            };
            comments.push(Edited::new(comment.id));
            let etag = moderated(&moderation, comment.id).await?.etag;
            verdict(&moderation, ModerationAction::Approve, comment.id, etag).await?.context("the first approval")?;
        }
        let is_over = watch::Sender::new(false);
        Ok(Self { server, moderation, say, comments, reads: AtomicU64::new(0), planned: reads, is_over })
    }

    fn ends(&self) -> bool {
        self.reads.load(Ordering::Relaxed) >= self.planned
    }

    /// Waits until a count has changed since it was last marked, or the race is over: a loop of
    /// refused calls would take the processor from the readers.
    async fn next(&self, count: &mut watch::Receiver<u64>) -> Result<()> {
        let mut is_over = self.is_over.subscribe();
        tokio::select! {
            changed = count.changed() => changed?,
            over = is_over.wait_for(|is_over| *is_over) => drop(over?),
        }
        Ok(())
    }

    /// Sends one edit after the other.
    async fn edit(&self, edited: &Edited) -> Result<u64> {
        let (mut number, mut verdicts) = (0, edited.verdicts.subscribe());
        while !self.ends() {
            number += 1;
            verdicts.mark_unchanged();
            let request = UpdateCommentRequest {
                id: edited.id,
                member_id: AUTHOR.to_owned(),
                content: content(&number.to_string()),
                ..UpdateCommentRequest::default()
            };
            match self.say.client.comments().update_comment(patient(request)).await {
                Ok(response) => {
                    let response = response.into_inner();
                    ensure!(response.proposed_edit.is_some(), "an edit does not wait: {response:?}");
                    edited.check(&response.comment.unwrap_or_default(), 0)?;
                    edited.edits.send_modify(|count| *count += 1);
                }
                Err(status) => {
                    let info = status.get_details_error_info().context("no reason")?;
                    ensure!(info.metadata.get("why").is_some_and(|cause| cause == "edits"), "{status:?}");
                    self.next(&mut verdicts).await?;
                }
            }
        }
        Ok(number)
    }

    /// Judges what waits: each third text is refused. After three refused texts, the text in sight
    /// is approved once more, which permits edits again.
    async fn moderate(&self, edited: &Edited) -> Result<()> {
        let mut edits = edited.edits.subscribe();
        while !self.ends() {
            edits.mark_unchanged();
            let read = moderated(&self.moderation, edited.id).await?;
            let Some(edit) = read.proposed_edit else {
                self.next(&mut edits).await?;
                continue;
            };
            let number = number(edit.content.as_ref().map_or("", |content| &content.text))?;
            if read.proposed_edit_etag.is_empty() {
                verdict(&self.moderation, ModerationAction::Approve, edited.id, read.etag).await?;
                edited.verdicts.send_modify(|count| *count += 1);
                self.next(&mut edits).await?;
            } else if number.is_multiple_of(3) {
                verdict(&self.moderation, ModerationAction::Reject, edited.id, read.proposed_edit_etag).await?;
            } else {
                numbers(&edited.sent).insert(number);
                let approve = ModerationAction::Approve;
                if verdict(&self.moderation, approve, edited.id, read.proposed_edit_etag).await?.is_some() {
                    numbers(&edited.approved).insert(number);
                }
            }
            edited.verdicts.send_modify(|count| *count += 1);
        }
        Ok(())
    }

    async fn read(&self) -> Result<()> {
        let say = &Say { client: self.server.client()?, key: self.say.key.clone() };
        while !self.ends() {
            let before: Vec<u64> = self.comments.iter().map(Edited::last_approved).collect();
            for (edited, since) in self.comments.iter().zip(&before) {
                for fresh in [true, false] {
                    let request = GetCommentRequest { id: edited.id, fresh, ..GetCommentRequest::default() };
                    let got = say.client.comments().get_comment(patient(request)).await?.into_inner();
                    ensure!(got.proposed_edit.is_none(), "an edit is shown: {got:?}");
                    edited.check(&got.comment.unwrap_or_default(), if fresh { *since } else { 0 })?;
                }
                let request = ListCommentRevisionsRequest { id: edited.id, ..ListCommentRevisionsRequest::default() };
                let former = say.client.comments().list_comment_revisions(patient(request)).await?.into_inner();
                for revision in former.revisions {
                    let number = number(&revision.content.unwrap_or_default().text)?;
                    ensure!(numbers(&edited.sent).contains(&number), "{number} is in the history");
                }
            }
            let request = ListCommentsRequest {
                subject: Some(say.key.clone()),
                sort: CommentSort::Newest.into(),
                page_size: 20,
                ..ListCommentsRequest::default()
            };
            let page = say.client.comments().list_comments(patient(request)).await?.into_inner();
            let request = GetThreadRequest { comment_id: self.comments[0].id, ..GetThreadRequest::default() };
            let thread = say.client.replies().get_thread(patient(request)).await?.into_inner();
            let of_page = page.threads.into_iter().flat_map(|thread| thread.comment.into_iter().chain(thread.replies));
            self.check_all(of_page.collect())?;
            let [root, reply, ..] = self.comments.as_slice() else { bail!("too few comments") };
            let found: Vec<i64> = thread.comments.iter().map(|comment| comment.id).collect();
            ensure!(found == [root.id, reply.id], "{found:?}");
            for comment in &thread.comments {
                let edited = self.comments.iter().find(|edited| edited.id == comment.id);
                edited.context("another comment")?.check(comment, 0)?;
            }
            self.reads.fetch_add(3 * self.comments.len() as u64 + 2, Ordering::Relaxed);
        }
        self.is_over.send_replace(true);
        Ok(())
    }

    /// Checks a list that has to show every comment.
    fn check_all(&self, shown: Vec<Comment>) -> Result<()> {
        for edited in &self.comments {
            let comment = shown.iter().find(|comment| comment.id == edited.id);
            edited.check(comment.context("a comment vanished from the list")?, 0)?;
        }
        Ok(())
    }

    /// Compares what readers saw with the decisions, after the race.
    async fn end(&self) -> Result<(usize, usize)> {
        let (mut approved, mut seen) = (0, 0);
        for edited in &self.comments {
            let [of_moderators, of_readers] = [&edited.approved, &edited.seen].map(|set| numbers(set).clone());
            let unjudged: Vec<_> = of_readers.difference(&of_moderators).collect();
            ensure!(unjudged.is_empty(), "readers saw texts without a verdict: {unjudged:?}");
            let decisions = self.approvals(edited.id).await?;
            ensure!(decisions == of_moderators.len() - 1, "{decisions} approvals of {}", of_moderators.len() - 1);
            approved += decisions;
            seen += of_readers.len();
        }
        Ok((approved, seen))
    }

    /// Returns the number of approved edits among the decisions on a comment.
    async fn approvals(&self, id: i64) -> Result<usize> {
        let mut service = self.moderation.clone();
        let (mut count, mut page_token) = (0, String::new());
        loop {
            let of = Some(Of::CommentId(id));
            let request = ListDecisionsRequest { of, page_size: 100, page_token };
            let page = service.list_decisions(patient(request)).await?.into_inner();
            let is_approval =
                |decision: &&Decision| decision.proposed_edit && decision.action() == ModerationAction::Approve;
            count += page.decisions.iter().filter(is_approval).count();
            if page.next_page_token.is_empty() {
                return Ok(count);
            }
            page_token = page.next_page_token;
        }
    }
}

/// Returns a request with so long a deadline that a slow machine decides nothing.
fn patient<T>(message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.set_timeout(Duration::from_secs(60));
    request
}

async fn moderated(moderation: &Moderation, id: i64) -> Result<ModeratedComment> {
    let request = GetModeratedCommentsRequest { ids: vec![id], allow_missing: false };
    let found = moderation.clone().get_moderated_comments(patient(request)).await?.into_inner().comments;
    found.into_iter().next().context("no comment")
}

/// Judges what an etag names; `None` if something else came first.
async fn verdict(moderation: &Moderation, action: ModerationAction, id: i64, etag: String) -> Result<Option<()>> {
    let request = SubmitVerdictsRequest {
        action: action.into(),
        grounds: Some(Grounds { code: "third".to_owned(), ..Grounds::default() }),
        targets: vec![VerdictTarget { comment_id: id, etag }],
        moderator_id: "mod".to_owned(),
        ..SubmitVerdictsRequest::default()
    };
    let results = moderation.clone().submit_verdicts(patient(request)).await?.into_inner().results;
    match results.into_iter().next().and_then(|result| result.result) {
        Some(Outcome::Decision(_)) => Ok(Some(())),
        Some(Outcome::Error(error)) if error.reason == "ETAG_MISMATCH" => Ok(None),
        other => bail!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_reader_sees_an_unjudged_edit_and_no_approved_text_vanishes() -> Result<()> {
    let reads = std::env::var_os("RIPOSTE_TEST_EDIT_READS").map(|reads| number(&reads.to_string_lossy()));
    let reads = reads.transpose()?.unwrap_or(READS);
    let (mut read, mut sent, mut approved, mut seen) = (0, 0, 0, 0);
    while read < reads {
        let race = Race::new(ROUND.min(reads - read)).await?;
        let edits = try_join_all(race.comments.iter().map(|edited| race.edit(edited)));
        let moderators = race.comments.iter().flat_map(|edited| (0..MODERATORS).map(move |_| edited));
        let verdicts = try_join_all(moderators.map(|edited| race.moderate(edited)));
        let readers = try_join_all((0..READERS).map(|_| race.read()));
        let ((edits, _), _) = try_join(try_join(edits, verdicts), readers).await?;
        let of_round = race.end().await?;
        read += race.reads.load(Ordering::Relaxed);
        sent += edits.iter().sum::<u64>();
        (approved, seen) = (approved + of_round.0, seen + of_round.1);
    }
    println!("{read} reads, {sent} edits sent, {approved} approved, {seen} texts seen");
    ensure!(approved > COMMENTS && seen > COMMENTS, "too little happened: {approved} approvals, {seen} texts");
    Ok(())
}
