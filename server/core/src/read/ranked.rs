//! Ranked lists. A page takes two steps: first the part of a ranking snapshot that it shows, as
//! floors, and then the comments of these floors in one database snapshot.

mod walk;

use std::future::Future;

use crate::domain::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::CommentId;
use crate::domain::location::CommentLocation;
use crate::domain::page::{DEFAULT_PREVIEW, ReplyPage, RootPage};
use crate::domain::rank::{RankSort, RankedList, Ranking, WALK_LIFETIME};
use crate::domain::subject::SubjectKey;
use crate::read::Comments;
use crate::read::subjects::{check_listable, implied_subject};
use crate::read::unpublished::check_published;
pub use walk::{Continuation, Direction, RankedCursor, RankedPage, RankedWalk};
use walk::{RankPageStart, WalkSlice, Walker};

/// The number of attempts to read a first page while new comments arrive between its two steps.
const MAX_ATTEMPTS: usize = 3;

/// The requested start of a ranked list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankedStart {
    /// The beginning of a new walk.
    Beginning,
    /// The end of an earlier page.
    Cursor(RankedCursor),
    /// Around this floor, in a new walk.
    Floor(i32),
    /// Around this comment, in a new walk.
    Comment(CommentId),
}

/// A request for a page of roots by rank.
#[derive(Debug, Clone)]
pub struct ListRanked {
    /// The subject.
    pub subject: SubjectKey,
    /// The sort.
    pub sort: RankSort,
    /// The start of the page.
    pub at: RankedStart,
    /// The maximum number of roots.
    pub limit: usize,
    /// The maximum number of replies in each preview, 0 to 10.
    pub previews: u8,
    /// The minimum revision of the result.
    pub min_revision: i64,
}

/// A request for a page of replies by likes − dislikes.
#[derive(Debug, Clone)]
pub struct ListRankedReplies {
    /// The root.
    pub root: CommentLocation,
    /// The start of the page.
    pub at: RankedStart,
    /// The maximum number of replies.
    pub limit: usize,
    /// The minimum revision of the result.
    pub min_revision: i64,
}

impl Comments {
    /// Returns a page of roots by rank, with their previews. A start at a reply returns the page of
    /// its root, with the preview of that thread around the reply.
    ///
    /// # Errors
    /// Those of [`Comments::list_comments`]; [`Error::PageTokenExpired`] for a walk that began too
    /// long ago.
    pub async fn list_ranked(&self, caller: &Caller, request: &ListRanked) -> Result<RankedPage<RootPage>> {
        let policy = self.policy(caller, request.subject.object_type())?;
        let (at, around) = match request.at {
            RankedStart::Comment(id) => {
                let (root_floor, location) = self.locate_around(caller, &request.subject, id).await?;
                (RankedStart::Floor(root_floor), Some(location))
            }
            at @ (RankedStart::Beginning | RankedStart::Cursor(_) | RankedStart::Floor(_)) => (at, None),
        };
        let list = RankedList::Roots(request.subject.clone(), request.sort);
        let read =
            |floors: Vec<i32>| async move { self.reader.roots_at(&request.subject, &floors, request.previews).await };
        let Some(mut ranked) = self.ranked_page(&list, at, request.limit, read).await? else {
            let page = self
                .absent_page(&request.subject, implied_subject(&request.subject, policy), request.min_revision)
                .await?;
            return Ok(RankedPage { page, continuation: Continuation::empty(self.clock.now()) });
        };
        check_listable(&ranked.page.subject, request.min_revision)?;
        let around_id = around.as_ref().map(|at| at.id);
        if let Some(reply) = around.filter(|at| at.path.depth() > 0) {
            self.centre_preview(&mut ranked.page, &reply, request.previews.max(DEFAULT_PREVIEW)).await?;
        }
        if let Some(id) = around_id {
            self.check_around(caller, id, ranked.page.comments()).await?;
        }
        ranked.page = ranked.page.redacted();
        Ok(ranked)
    }

    /// Returns a page of the replies of a root, by likes − dislikes.
    ///
    /// # Errors
    /// Those of [`Comments::list_replies`]; [`Error::PageTokenExpired`] for a walk that began too
    /// long ago.
    pub async fn list_ranked_replies(
        &self,
        caller: &Caller,
        request: &ListRankedReplies,
    ) -> Result<RankedPage<ReplyPage>> {
        let root = Self::root_of_replies(&request.root)?;
        let at = match request.at {
            RankedStart::Comment(id) => RankedStart::Floor(self.reply_floor(caller, &request.root, id).await?),
            at @ (RankedStart::Beginning | RankedStart::Cursor(_) | RankedStart::Floor(_)) => at,
        };
        let list = RankedList::Replies(request.root.subject.clone(), root);
        let subject = &request.root.subject;
        let read = |floors: Vec<i32>| async move { self.reader.replies_at(subject, root, &floors).await };
        let ranked = self.ranked_page(&list, at, request.limit, read).await?;
        let mut ranked = ranked.ok_or(Error::CommentNotFound)?;
        check_listable(&ranked.page.subject, request.min_revision)?;
        check_published(self.reader.as_ref(), Some(&ranked.page.root)).await?;
        if let RankedStart::Comment(id) = request.at {
            self.check_around(caller, id, ranked.page.replies.items.iter()).await?;
        }
        ranked.page = ranked.page.redacted();
        Ok(ranked)
    }

    /// Returns the page at a position; `None` if the list does not exist.
    async fn ranked_page<P: Snapshot, F: Future<Output = Result<Option<P>>>>(
        &self,
        list: &RankedList,
        at: RankedStart,
        limit: usize,
        read: impl Fn(Vec<i32>) -> F,
    ) -> Result<Option<RankedPage<P>>> {
        let (ranking, walk, at) = match at {
            RankedStart::Cursor(cursor) => {
                let RankedCursor { walk, direction } = cursor;
                (self.ranking_of(list, &walk).await?, walk, RankPageStart::Toward(direction))
            }
            RankedStart::Beginning | RankedStart::Floor(_) | RankedStart::Comment(_) => {
                let since = self.clock.now();
                let Some((ranking, bound)) = self.rankings.current(list, since).await? else { return Ok(None) };
                let walk = RankedWalk { epoch: ranking.epoch, bound, since };
                let at = if let RankedStart::Floor(floor) = at {
                    RankPageStart::Around(floor)
                } else {
                    RankPageStart::Beginning
                };
                (ranking, walk, at)
            }
        };
        let Some((mut page, slice, bound)) = self.read_slice(list, &ranking, (at, walk.bound), limit, read).await?
        else {
            return Ok(None);
        };
        page.has_more(slice.more_before, slice.more_after);
        let (from, to) = (slice.from, slice.to);
        Ok(Some(RankedPage {
            page,
            continuation: Continuation { walk: RankedWalk { bound, ..walk }, ranking, from, to },
        }))
    }

    /// Reads the floors, then the comments. A new walk contains all comments up to the revision
    /// that its first page returns, which is the revision of the second step. Comments that arrive
    /// between the two steps follow the ranking. The slice is read again only if they
    /// would belong to it: if it extends beyond the ranking or has reached the end of the list.
    async fn read_slice<P: Snapshot, F: Future<Output = Result<Option<P>>>>(
        &self,
        list: &RankedList,
        ranking: &Ranking,
        (at, bound): (RankPageStart, i32),
        limit: usize,
        read: impl Fn(Vec<i32>) -> F,
    ) -> Result<Option<(P, WalkSlice, i32)>> {
        let mut walker = Walker { rankings: self.rankings.as_ref(), list, ranking, bound };
        for _ in 0..MAX_ATTEMPTS {
            let slice = walker.slice(at, limit).await?;
            let Some(page) = read(slice.floors.clone()).await? else { return Ok(None) };
            let next_floor = page.next_floor();
            if matches!(at, RankPageStart::Toward(_)) {
                return Ok(Some((page, slice, walker.bound)));
            }
            if next_floor <= walker.bound || slice.is_within_ranking() {
                return Ok(Some((page, slice, walker.bound.max(next_floor))));
            }
            walker.bound = next_floor;
        }
        let slice = walker.slice(at, limit).await?;
        let slice = slice.on_side_of(at, ranking);
        let Some(page) = read(slice.floors.clone()).await? else { return Ok(None) };
        let bound = walker.bound.max(page.next_floor());
        Ok(Some((page, slice, bound)))
    }

    /// Returns the ranking snapshot of a walk that continues.
    async fn ranking_of(&self, list: &RankedList, walk: &RankedWalk) -> Result<Ranking> {
        if self.clock.now() >= walk.since.plus(WALK_LIFETIME) {
            return Err(Error::PageTokenExpired);
        }
        self.rankings.snapshot(list, walk.epoch).await?.ok_or(Error::PageTokenExpired)
    }
}

/// The comments of some floors, in one database snapshot.
trait Snapshot {
    /// Returns the floor of the next comment of the list.
    fn next_floor(&self) -> i32;

    /// Sets the flags for more comments on either side.
    fn has_more(&mut self, before: bool, after: bool);
}

impl Snapshot for RootPage {
    fn next_floor(&self) -> i32 {
        self.subject.next_floor
    }

    fn has_more(&mut self, before: bool, after: bool) {
        (self.threads.more_before, self.threads.more_after) = (before, after);
    }
}

impl Snapshot for ReplyPage {
    fn next_floor(&self) -> i32 {
        self.root.comment.next_floor
    }

    fn has_more(&mut self, before: bool, after: bool) {
        (self.replies.more_before, self.replies.more_after) = (before, after);
    }
}
