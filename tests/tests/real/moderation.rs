//! Real comments that wait for moderators: two Polis conversations with the verdicts of their own
//! moderators, and all of Decide Madrid; at two servers on the same databases.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use futures::{StreamExt, TryStreamExt};
use prost::Message;
use riposte_sdk::v1::import_item::Kind;
use riposte_sdk::v1::{
    Comment, CommentChangeKind, CommentSort, CommentState, CreateCommentRequest, Decision, ErrorReason,
    GetCommentRequest, ImportCommentsRequest, ImportOutcome, ListCommentsRequest, ListReviewItemsRequest,
    ListUnlistedCommentsRequest, ModerationAction, ReleaseReviewItemsRequest, SubjectChange,
};
use riposte_tests::real::madrid::{self, Madrid, Orphans};
use riposte_tests::real::moderators::{Judgement, Moderators, Rulings, decisions};
use riposte_tests::real::polis::{self, Polis};
use riposte_tests::real::{self, Storage};
use riposte_tests::say::content;
use riposte_tests::thread_tree::{Node, Tree, verify};
use riposte_tests::{Say, Server, Watch, refused};
use tokio::sync::watch;

/// The key of the facts of a comment under which it has its id in the file.
const ROW: &str = "row";
/// The number of concurrent reads of decisions.
const READS: usize = 16;

#[tokio::test(flavor = "multi_thread")]
async fn the_judgements_of_vtaiwan_are_repeated_by_four_moderators_at_two_servers() -> Result<()> {
    replay("vtaiwan.uberx", (99, 78, 20)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_judgements_of_biodiversity_are_repeated_by_four_moderators_at_two_servers() -> Result<()> {
    replay("scoop-hivemind.biodiversity", (154, 162, 0)).await
}

/// A conversation and its comments at two servers.
struct Replay {
    polis: Polis,
    servers: [Server; 2],
    says: [Say; 2],
    /// The comments by their ids in the file.
    ids: HashMap<String, i64>,
}

async fn replay(conversation: &str, expected: (usize, usize, usize)) -> Result<()> {
    let set = format!("object_types.{}.moderation=pre", polis::OBJECT_TYPE);
    let (Some(data), Some(storage)) = (real::data(), Storage::mariadb_with(&[&set]).await?) else { return Ok(()) };
    let polis = Polis::read(&data.join("polis-votes").join(conversation))?;
    let count = |judgement| polis.judgements.values().filter(|each| **each == judgement).count();
    let counts = (count(Judgement::Approved), count(Judgement::Rejected), count(Judgement::Undecided));
    ensure!(counts == expected && counts.0 + counts.1 + counts.2 == polis.comments.len(), "{counts:?}");
    let servers = [storage.start().await?, storage.start().await?];
    let key = real::key(polis::OBJECT_TYPE, conversation);
    let say = |server: &Server| anyhow::Ok(Say { client: server.client()?, key: key.clone() });
    let says = [say(&servers[0])?, say(&servers[1])?];
    let (last, feeds) = watch::channel(0);
    let mut changes = Vec::new();
    for say in &says {
        changes.push(tokio::spawn(collect(Watch::open(say, 0).await?, feeds.clone())));
    }
    let judgements = polis.judgements.clone();
    let judge = move |comment: &Comment| {
        let row = comment.content.as_ref().and_then(|content| content.metadata.get(ROW)).context("no row")?;
        judgements.get(row).copied().context("an unknown row")
    };
    let moderators = Moderators::new(polis::OBJECT_TYPE, polis.comments.len(), judge);
    let (end, is_over) = watch::channel(false);
    let readers = says.clone().map(|say| tokio::spawn(Arc::clone(&moderators).read(say, is_over.clone())));
    let begin = std::time::Instant::now();
    let (ids, work) = tokio::try_join!(create(&polis, &says), moderators.work(&servers, 4))?;
    let took = begin.elapsed();
    end.send_replace(true);
    let mut pages = 0;
    for reader in readers {
        pages += reader.await??;
    }
    println!("{conversation}: {counts:?} in {took:.1?}; {pages} pages were read meanwhile");
    let replay = Replay { polis, servers, says, ids };
    let revision = replay.compare_pages().await?;
    last.send_replace(revision);
    for feed in changes {
        replay.compare_feed(&feed.await??, &work)?;
    }
    replay.compare_decisions(&work).await?;
    replay.compare_own_views().await?;
    replay.compare_queue(&work).await?;
    ensure!(verify(&replay.servers[1], polis::OBJECT_TYPE).await? == 1);
    Ok(())
}

/// Creates the comments in the order of their times, in turn at each server.
async fn create(polis: &Polis, says: &[Say]) -> Result<HashMap<String, i64>> {
    let mut ids = HashMap::new();
    for ((id, author, text, _), say) in polis.comments.iter().zip(says.iter().cycle()) {
        let mut content = content(text);
        content.get_or_insert_default().metadata.insert(ROW.to_owned(), id.clone());
        let request = CreateCommentRequest {
            subject: Some(say.key.clone()),
            member_id: author.clone(),
            content,
            request_id: uuid::Uuid::now_v7().to_string(),
            ..CreateCommentRequest::default()
        };
        let made = say.client.comments().create_comment(request).await?.into_inner().comment.context("no comment")?;
        ensure!(made.state() == CommentState::Pending, "{made:?}");
        ids.insert(id.clone(), made.id);
    }
    Ok(ids)
}

/// Receives the changes of a subject, each once and in order, until the last one is known.
async fn collect(mut feed: Watch, mut last: watch::Receiver<i64>) -> Result<Vec<SubjectChange>> {
    let mut changes = Vec::new();
    let mut revision = feed.opened();
    while *last.borrow_and_update() != revision || revision == 0 {
        tokio::select! {
            change = feed.change() => {
                let change = change?;
                revision += 1;
                ensure!(change.revision == revision, "{} instead of {revision}", change.revision);
                changes.push(change);
            }
            known = last.changed() => known?,
        }
    }
    Ok(changes)
}

impl Replay {
    /// Returns the rows of the file with a judgement, in the order of their times, each with its
    /// place among all.
    fn judged(&self, judgement: Judgement) -> impl Iterator<Item = (i32, i64, &str, &str)> {
        let all = (1..).zip(&self.polis.comments);
        let of_file = all.filter(move |(_, (id, ..))| self.polis.judgements[id] == judgement);
        of_file.map(|(floor, (id, author, text, _))| (floor, self.ids[id], author.as_str(), text.as_str()))
    }

    /// Compares counts and pages with the file, and those of one server with those of the other;
    /// returns the revision of the subject.
    async fn compare_pages(&self) -> Result<i64> {
        let first = self.says[0].page(CommentSort::Newest, 1).await?;
        let subject = first.subject.unwrap_or_default();
        let approved: Vec<_> = self.judged(Judgement::Approved).collect();
        let count = i32::try_from(approved.len())?;
        ensure!((subject.root_count, subject.comment_count) == (count, count), "{subject:?}");
        for sort in [CommentSort::Newest, CommentSort::Oldest] {
            let pages = [self.pages(0, sort, subject.revision).await?, self.pages(1, sort, subject.revision).await?];
            let bytes = pages.each_ref().map(|pages| pages.iter().map(Message::encode_to_vec).collect::<Vec<_>>());
            ensure!(bytes[0] == bytes[1], "the servers show other pages");
            let [pages, _] = pages;
            let shown = pages.into_iter().flat_map(|page| page.threads).filter_map(|thread| thread.comment);
            let mut shown: Vec<Comment> = shown.collect();
            if sort == CommentSort::Newest {
                shown.reverse();
            }
            ensure!(shown.len() == approved.len(), "{} comments are listed", shown.len());
            for (comment, (floor, id, author, text)) in shown.iter().zip(&approved) {
                let stored = comment.content.as_ref().map_or("", |content| &content.text);
                ensure!((comment.id, comment.floor) == (*id, *floor), "{floor}: {comment:?}");
                ensure!(comment.member_id == *author && stored == *text, "{floor}: {comment:?}");
                ensure!(comment.state() == CommentState::Active && comment.edit_time.is_none(), "{comment:?}");
            }
        }
        Ok(subject.revision)
    }

    async fn pages(
        &self,
        server: usize,
        sort: CommentSort,
        min_revision: i64,
    ) -> Result<Vec<riposte_sdk::v1::ListCommentsResponse>> {
        let say = &self.says[server];
        let subject = Some(say.key.clone());
        let request =
            ListCommentsRequest { subject, sort: sort.into(), page_size: 50, min_revision, ..Default::default() };
        let (mut walk, mut pages) = (say.client.list(request)?, Vec::new());
        while let Some(mut page) = walk.next().await? {
            // Tokens are sealed, each time otherwise.
            (page.next_page_token, page.previous_page_token) = Default::default();
            pages.push(page);
        }
        Ok(pages)
    }

    /// Compares a feed with the file: exactly the approved comments are reported, each as created
    /// at the revision of its decision.
    fn compare_feed(&self, feed: &[SubjectChange], work: &Rulings) -> Result<()> {
        let mut reported = BTreeMap::new();
        for change in feed {
            for comment in &change.comments {
                ensure!(comment.kind() == CommentChangeKind::Created, "{change:?}");
                ensure!(reported.insert(comment.comment_id, change.revision).is_none(), "reported twice: {change:?}");
            }
        }
        let approvals = work.decisions.iter().filter(|(decision, _)| decision.action() == ModerationAction::Approve);
        let expected: BTreeMap<i64, i64> =
            approvals.map(|(decision, revision)| (decision.comment_id, *revision)).collect();
        ensure!(reported == expected, "{} reported, {} approved", reported.len(), expected.len());
        let approved: HashSet<i64> = self.judged(Judgement::Approved).map(|(_, id, ..)| id).collect();
        ensure!(approved == reported.into_keys().collect(), "other comments than the approved ones are reported");
        println!("{} changes of the subject, {} of them reported", feed.len(), approved.len());
        Ok(())
    }

    /// Compares the stored decisions with the file: one of each judged comment, none of others.
    async fn compare_decisions(&self, work: &Rulings) -> Result<()> {
        let taken: HashMap<i64, &Decision> =
            work.decisions.iter().map(|(decision, _)| (decision.comment_id, decision)).collect();
        let service = self.servers[0].moderation()?;
        for (name, id) in &self.ids {
            let stored = decisions(&service, *id).await?;
            let expected = match self.polis.judgements[name] {
                Judgement::Approved => Some((ModerationAction::Approve, CommentState::Active)),
                Judgement::Rejected => Some((ModerationAction::Reject, CommentState::Rejected)),
                Judgement::Undecided => None,
            };
            let found: Vec<_> = stored.iter().map(|one| (one.action(), one.to_state())).collect();
            ensure!(found == expected.into_iter().collect::<Vec<_>>(), "{name}: {stored:?}");
            ensure!(stored.first() == taken.get(id).copied(), "{name}: {stored:?}");
            ensure!(stored.iter().all(|one| one.from_state() == CommentState::Pending), "{stored:?}");
        }
        Ok(())
    }

    /// Compares the views of authors with the file, and checks that other members see none of it.
    async fn compare_own_views(&self) -> Result<()> {
        let mut unlisted: BTreeMap<&str, HashSet<i64>> = BTreeMap::new();
        let states = [(Judgement::Rejected, CommentState::Rejected), (Judgement::Undecided, CommentState::Pending)];
        for (judgement, state) in states {
            for (_, id, author, text) in self.judged(judgement) {
                unlisted.entry(author).or_default().insert(id);
                let see = async |viewer: &str| {
                    let request = GetCommentRequest { id, viewer_member_id: viewer.to_owned(), ..Default::default() };
                    self.says[1].client.comments().get_comment(request).await
                };
                ensure!(refused(see("a stranger").await)?.1 == ErrorReason::CommentNotFound);
                let own = see(author).await?.into_inner().comment.unwrap_or_default();
                let stored = own.content.as_ref().map_or("", |content| &content.text);
                ensure!((own.state(), stored) == (state, text), "{own:?}");
            }
        }
        let authors: HashSet<&String> = self.polis.comments.iter().map(|(_, author, ..)| author).collect();
        for author in authors {
            let (subject, member_id) = (Some(self.says[0].key.clone()), author.clone());
            let request = ListUnlistedCommentsRequest { subject, member_id, ..Default::default() };
            let mut walk = self.says[0].client.list(request)?;
            let mut found = HashSet::new();
            while let Some(page) = walk.next().await? {
                found.extend(page.comments.into_iter().filter_map(|own| own.comment).map(|comment| comment.id));
            }
            let expected = unlisted.get(author.as_str()).cloned().unwrap_or_default();
            ensure!(found == expected, "{author}: {found:?}, {expected:?}");
        }
        Ok(())
    }

    /// Compares the queue with the file: the undecided comments in the order of their times, leased
    /// until their moderators give them back.
    async fn compare_queue(&self, work: &Rulings) -> Result<()> {
        let undecided: Vec<i64> = self.judged(Judgement::Undecided).map(|(_, id, ..)| id).collect();
        ensure!(self.queue(0, true).await? == undecided && self.queue(1, false).await?.is_empty());
        for ((lease_token, moderator_id), ids) in &work.undecided {
            let (lease_token, moderator_id) = (lease_token.clone(), moderator_id.clone());
            let comment_ids = ids.clone();
            let request =
                ReleaseReviewItemsRequest { comment_ids, lease_token, moderator_id, request_id: String::new() };
            let released = self.servers[1].moderation()?.release_review_items(request).await?.into_inner().released;
            ensure!(usize::try_from(released)? == ids.len(), "{released} of {ids:?}");
        }
        ensure!(self.queue(1, false).await? == undecided);
        Ok(())
    }

    async fn queue(&self, server: usize, leased: bool) -> Result<Vec<i64>> {
        let object_type = polis::OBJECT_TYPE.to_owned();
        let request = ListReviewItemsRequest { object_type, leased, page_size: 100, ..Default::default() };
        let items = self.servers[server].moderation()?.list_review_items(request).await?.into_inner().items;
        Ok(items.into_iter().filter_map(|item| Some(item.comment?.comment?.id)).collect())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn eight_moderators_judge_each_comment_of_madrid_once() -> Result<()> {
    let set = format!("object_types.{}.moderation=pre", madrid::OBJECT_TYPE);
    let (Some(data), Some(storage)) = (real::data(), Storage::mariadb_with(&[&set]).await?) else { return Ok(()) };
    let madrid = Madrid::read(&data, Orphans::Reject)?;
    let gone = madrid.comments().filter(|node| node.gone).count();
    let waiting = madrid.comments().count() - gone;
    ensure!((waiting, gone) == (5_210, 7), "{waiting} and {gone}");
    let servers = [storage.start().await?, storage.start().await?];
    let moderators = Moderators::new(madrid::OBJECT_TYPE, waiting, |_: &Comment| Ok(Judgement::Approved));
    let begin = std::time::Instant::now();
    let (ids, work) = tokio::try_join!(import(&madrid, &servers[0]), moderators.work(&servers, 8))?;
    println!("{waiting} comments judged once in {:.1?}, {gone} came in as deleted", begin.elapsed());
    let judged: HashSet<i64> = work.decisions.iter().map(|(decision, _)| decision.comment_id).collect();
    ensure!(judged.len() == waiting && work.decisions.len() == waiting, "{} decisions", work.decisions.len());
    let service = servers[1].moderation()?;
    let reads = ids.into_iter().map(|id| {
        let (service, expected) = (&service, usize::from(judged.contains(&id)));
        async move {
            let stored = decisions(service, id).await?;
            ensure!(stored.len() == expected, "{id}: {stored:?}");
            anyhow::Ok(())
        }
    });
    futures::stream::iter(reads).buffer_unordered(READS).try_collect::<()>().await?;
    let without_likes = |tree: &Tree| {
        let node = |node: &Node| Node { likes: 0, dislikes: 0, ..node.clone() };
        tree.iter().map(|(id, each)| (id.clone(), node(each))).collect::<Tree>()
    };
    let trees: BTreeMap<String, Tree> =
        madrid.trees.iter().map(|(id, tree)| (id.clone(), without_likes(tree))).collect();
    for server in &servers {
        real::compare(server, madrid::OBJECT_TYPE, storage.levels(), &trees).await?;
    }
    ensure!(verify(&servers[1], madrid::OBJECT_TYPE).await? == madrid.proposals.len());
    let request =
        ListReviewItemsRequest { object_type: madrid::OBJECT_TYPE.into(), leased: true, ..Default::default() };
    let open = servers[0].moderation()?.list_review_items(request).await?.into_inner().items;
    ensure!(open.is_empty(), "{open:?}");
    Ok(())
}

/// Imports the proposals and their comments, of which all but the deleted ones wait; returns the
/// ids of the comments.
async fn import(madrid: &Madrid, server: &Server) -> Result<Vec<i64>> {
    let waits = |mut item: riposte_sdk::v1::ImportItem| {
        if let Some(Kind::Comment(comment)) = &mut item.kind
            && comment.state() == CommentState::Active
        {
            comment.set_state(CommentState::Pending);
        }
        ImportCommentsRequest { item: Some(item) }
    };
    let requests: Vec<_> = madrid.items().into_iter().map(waits).collect();
    let mut responses = server.admin()?.import_comments(futures::stream::iter(requests)).await?.into_inner();
    let mut ids = Vec::new();
    while let Some(response) = responses.message().await? {
        ensure!(response.outcome() == ImportOutcome::Created, "{response:?}");
        // A subject has no id of a comment.
        ids.extend(Some(response.comment_id).filter(|id| *id != 0));
    }
    ensure!(ids.len() == madrid.comments().count(), "{} comments were imported", ids.len());
    Ok(ids)
}
