//! The reads of a recounted subject: views, threads, subtrees.

use std::collections::BTreeSet;

use riposte_core::comment::CommentView;
use riposte_core::location::CommentLocation;
use riposte_core::page::{Page, RootPage, SubtreeQuery, Thread};
use riposte_core::path::Path;
use riposte_core::rank::{RankIndex, preview_order};
use riposte_core::{CommentId, MemberId};

use super::ranks::Ranks;
use super::recount::Recount;
use super::tables::Row;

impl Recount<'_> {
    /// Returns the view of a comment.
    pub(super) fn view(&self, row: &Row) -> CommentView {
        CommentView {
            comment: self.comment(&row.comment),
            subject: self.subject_table.subject.key.clone(),
            content: Some(row.content.clone()),
            pinned: self.subject_table.subject.pins.contains(&row.comment.reference.id),
        }
    }

    pub(super) fn view_of(&self, id: CommentId) -> Option<CommentView> {
        self.subject_table.rows.get(&id).map(|row| self.view(row))
    }

    /// Returns the listed roots by floor, or the listed replies of a root.
    pub(super) fn listed(&self, root: Option<CommentId>) -> Vec<CommentView> {
        let of_list = self.subject_table.rows.values().filter(|row| row.comment.reference.root_id == root);
        let mut views: Vec<_> =
            of_list.map(|row| self.view(row)).filter(|view| view.comment.lifecycle.listed).collect();
        views.sort_by_key(|view| view.comment.reference.floor);
        views
    }

    /// Returns a page of roots with the subject, pins and previews.
    pub(super) fn root_page(&self, roots: Page<CommentView>, previews: u8, ranks: &Ranks) -> RootPage {
        let pinned = self.subject_table.subject.pins.iter().filter_map(|id| self.view_of(*id));
        RootPage {
            subject: self.subject(),
            threads: roots.map(|root| self.thread(root, previews, ranks)),
            pinned: pinned.map(|root| self.thread(root, previews, ranks)).collect(),
        }
    }

    /// Returns a root with its preview.
    pub(super) fn thread(&self, root: CommentView, previews: u8, ranks: &Ranks) -> Thread {
        let size = usize::from(previews);
        let listed = self.listed(Some(root.comment.reference.id));
        let below = self.subject_table.rows.values().map(|row| &row.comment);
        let below = below.filter(|comment| comment.reference.root_id == Some(root.comment.reference.id)).collect();
        let liked: Vec<CommentId> =
            ranks.first(RankIndex::Previews, below, true, size).iter().map(|c| c.reference.id).collect();
        let mut replies = listed.clone();
        replies.sort_by_key(|view| view.comment.reference.floor);
        let oldest = replies.iter().take(size + 1).map(|view| view.comment.reference.id);
        let preview: BTreeSet<CommentId> = oldest.chain(liked).collect();
        replies.retain(|view| preview.contains(&view.comment.reference.id));
        replies.sort_by_key(|view| preview_order(&view.comment));
        replies.truncate(size);
        Thread { root, replies, more_replies: listed.len() > size }
    }

    /// Returns every listed comment of a subtree down to a depth, after a path, in thread order.
    pub(super) fn subtree(&self, query: &SubtreeQuery) -> Vec<CommentView> {
        let inside = |path: &Path| {
            path.as_bytes().starts_with(query.top.as_bytes())
                && path.depth() <= query.max_depth
                && query.after.as_ref().is_none_or(|after| path.as_bytes() > after.as_bytes())
        };
        let rows = self.subject_table.rows.values().filter(|row| inside(&row.comment.reference.path));
        let mut views: Vec<_> = rows.map(|row| self.view(row)).filter(|view| view.comment.lifecycle.listed).collect();
        views.sort_by(|a, b| a.comment.reference.path.as_bytes().cmp(b.comment.reference.path.as_bytes()));
        views
    }

    /// Returns a comment and its ancestors by parent, nearest first, followed by the root of the
    /// thread if the limit left it out.
    pub(super) fn chain(&self, id: CommentId, limit: usize) -> Vec<CommentView> {
        let parent = |id| self.subject_table.rows.get(&id).and_then(|row| row.comment.reference.parent_id);
        let mut ids: Vec<CommentId> = std::iter::successors(Some(id), |id| parent(*id)).take(limit + 1).collect();
        let root = self.subject_table.rows.get(&id).and_then(|row| row.comment.reference.root_id);
        ids.extend(root.filter(|root| !ids.contains(root)));
        ids.into_iter().filter_map(|id| self.view_of(id)).collect()
    }

    /// Returns the location of a comment.
    pub(super) fn location(&self, row: &Row) -> CommentLocation {
        let path = &row.comment.reference.path;
        let above = path.ancestors().chain([path.clone()]);
        CommentLocation {
            id: row.comment.reference.id,
            subject: self.subject_table.subject.key.clone(),
            path: path.clone(),
            floor: row.comment.reference.floor,
            ancestor_ids: above
                .filter_map(|path| self.subject_table.at(&path))
                .map(|row| row.comment.reference.id)
                .collect(),
            parent_id: row.comment.reference.parent_id,
            member: row.comment.reference.member.clone(),
        }
    }

    /// Returns all comments in export order, strictly after `after`.
    pub(super) fn exported_after(&self, after: Option<CommentId>) -> impl Iterator<Item = &Row> {
        let mut rows: Vec<_> = self.subject_table.rows.values().collect();
        let root_floor = |id: &CommentId| self.subject_table.rows.get(id).map_or(0, |row| row.comment.reference.floor);
        rows.sort_by_key(|row| (root_floor(&row.comment.thread_id()), row.comment.reference.path.clone()));
        let position = after.and_then(|after| rows.iter().position(|row| row.comment.reference.id == after));
        rows.into_iter().skip(position.map_or(0, |position| position + 1))
    }

    /// Returns the likes and dislikes of a comment, by member.
    pub(super) fn likers(&self, id: CommentId) -> impl Iterator<Item = &riposte_core::like::Like> {
        let first = (id, MemberId::stored(String::new()));
        let of_comment = self.subject_table.likes.range(first..).take_while(move |((comment, _), _)| *comment == id);
        of_comment.map(|(_, like)| like).filter(|like| like.value != riposte_core::LikeValue::None)
    }
}
