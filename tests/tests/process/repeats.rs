//! Repeats of committed creates under load, while the word list and the standings of their authors
//! change: each gets its first response.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, ensure};
use futures::stream::{self, StreamExt, TryStreamExt};
use riposte_sdk::Error;
use riposte_sdk::v1::{
    CreateCommentRequest, CreateCommentResponse, ErrorReason, MemberOfType, MemberStanding, SetMemberStandingRequest,
    Standing,
};
use riposte_tests::mysql::{self, Databases};
use riposte_tests::say::content;
use riposte_tests::{Say, Server};

/// The creates of each round, repeats included, and those that are under way at one time.
const CALLS: usize = 150;
const AT_ONCE: usize = 8;
/// One call of this number is a repeat.
const REPEATED: usize = 10;
const MEMBERS: usize = 20;
const TYPE: &str = "repeated";
/// The word of half of the texts.
const WORD: &str = "unspeakable";

/// Replaces the file of the list by one with another outcome.
fn write_list(file: &Path, outcome: &str) -> Result<()> {
    let new = file.with_extension("new");
    std::fs::write(&new, format!("{{\"word\":\"{WORD}\",\"outcome\":\"{outcome}\"}}\n"))?;
    Ok(std::fs::rename(new, file)?)
}

async fn set(server: &Server, member: usize, standing: Standing) -> Result<()> {
    let member = Some(MemberOfType { object_type: TYPE.to_owned(), member_id: format!("m{member}") });
    let standing = Some(MemberStanding { member, standing: standing.into(), ..MemberStanding::default() });
    let (moderator_id, request_id) = ("mod-1".to_owned(), uuid::Uuid::now_v7().to_string());
    server.policy()?.set_member_standing(SetMemberStandingRequest { standing, moderator_id, request_id }).await?;
    Ok(())
}

/// The creates of the test, at all servers.
struct Creates<'s> {
    says: &'s [Say],
    committed: Mutex<Vec<(CreateCommentRequest, CreateCommentResponse)>>,
    repeats: AtomicUsize,
    rejections: AtomicUsize,
}

impl Creates<'_> {
    async fn send(&self, number: usize) -> Result<()> {
        let say = &self.says[number % self.says.len()];
        if number.is_multiple_of(REPEATED)
            && let Some((request, first)) = self.earlier(number)
        {
            return self.repeat(say, &request, &first).await;
        }
        let text = if number.is_multiple_of(2) { format!("an {WORD} text") } else { "a text".to_owned() };
        let request = CreateCommentRequest {
            subject: Some(say.key.clone()),
            member_id: format!("m{}", number % MEMBERS),
            content: content(&text),
            request_id: uuid::Uuid::now_v7().to_string(),
            ..CreateCommentRequest::default()
        };
        match say.client.comments().create_comment(request.clone()).await {
            Ok(created) => {
                let mut committed = self.committed.lock().ok().context("a client panicked")?;
                committed.push((request, created.into_inner()));
            }
            Err(status) => {
                let error = Error::from(status);
                let reasons = [ErrorReason::ContentBlocked, ErrorReason::MemberSuspended];
                ensure!(reasons.contains(&error.reason()), "{error:?}");
                self.rejections.fetch_add(1, Ordering::Relaxed);
            }
        }
        Ok(())
    }

    fn earlier(&self, number: usize) -> Option<(CreateCommentRequest, CreateCommentResponse)> {
        let committed = self.committed.lock().ok()?;
        (!committed.is_empty()).then(|| committed[number * 7_919 % committed.len()].clone())
    }

    /// Sends a committed create again.
    async fn repeat(&self, say: &Say, request: &CreateCommentRequest, first: &CreateCommentResponse) -> Result<()> {
        let again = say.client.comments().create_comment(request.clone()).await;
        let again = again.map_err(Error::from).with_context(|| format!("a repeat of {request:?}"))?.into_inner();
        ensure!(again.subject_revision == first.subject_revision, "{again:?}, and first {first:?}");
        let (again, first) = (again.comment.context("a comment")?, first.comment.as_ref().context("a comment")?);
        ensure!((again.id, again.state()) == (first.id, first.state()), "{again:?}, and first {first:?}");
        self.repeats.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn repeats_of_committed_creates_get_their_first_response_while_lists_and_bans_change() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("words.jsonl");
    write_list(&file, "flag")?;
    let list = format!("policy.lists=[{{name=\"words\", file={file:?}, object_types=[\"{TYPE}\"]}}]");
    let sets = ["--set", &list, "--set", "auth.reload_interval=1s"];
    let servers = match mysql::servers() {
        Some(servers) => {
            let databases = Databases::on(&servers, sets).await?;
            vec![Server::serve_with(&databases.arguments).await?, Server::serve_with(&databases.arguments).await?]
        }
        None => vec![Server::dev_with(None, &sets).await?],
    };
    let first = Say::on(&servers[0].client()?, TYPE);
    let others = servers.iter().skip(1).map(|server| Ok(Say { client: server.client()?, key: first.key.clone() }));
    let mut says = others.collect::<Result<Vec<Say>>>()?;
    says.push(first);
    let creates = Creates {
        says: &says,
        committed: Mutex::default(),
        repeats: AtomicUsize::new(0),
        rejections: AtomicUsize::new(0),
    };
    for (round, outcome) in ["hold", "refuse", "reject", "flag", "refuse"].into_iter().enumerate() {
        let calls = stream::iter(round * CALLS..(round + 1) * CALLS);
        let sent = calls.map(|number| creates.send(number)).buffer_unordered(AT_ONCE).try_collect::<Vec<()>>();
        // List and standings change in the middle of the calls.
        let change = async {
            write_list(&file, outcome)?;
            for member in 0..MEMBERS {
                let is_banned = (member + round).is_multiple_of(3);
                set(&servers[0], member, if is_banned { Standing::Banned } else { Standing::Normal }).await?;
            }
            anyhow::Ok(())
        };
        tokio::try_join!(sent, change)?;
    }
    for member in 0..MEMBERS {
        set(&servers[0], member, Standing::Banned).await?;
    }
    let committed = creates.committed.lock().ok().context("a client panicked")?.clone();
    for (number, (request, first)) in committed.iter().enumerate() {
        creates.repeat(&says[number % says.len()], request, first).await?;
    }
    let [repeats, rejections] = [&creates.repeats, &creates.rejections].map(|count| count.load(Ordering::Relaxed));
    println!("{} creates, {repeats} repeats of them, {rejections} rejections of others", committed.len());
    ensure!(repeats > committed.len() && rejections > 0, "{repeats} repeats, {rejections} rejections");
    for server in servers {
        server.stop().await?;
    }
    Ok(())
}
