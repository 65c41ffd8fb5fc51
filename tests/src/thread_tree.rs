//! All threads of a subject, walked through the contract and compared with their source.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use anyhow::{Context, Result, bail, ensure};
use riposte_sdk::v1::{
    Comment, CommentSort, CommentState, ExportSubjectRequest, ExportedComment, LikeValue, SubjectKey,
    VerifyCountsRequest, export_subject_response::Item, subject_scope::Scope,
};

use crate::{Say, Server};

/// A comment without the ids and floors that the server assigns.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Node {
    /// The external id of its parent; `None` for a root.
    pub parent: Option<String>,
    /// The author; empty if `gone`.
    pub member: String,
    /// The text; empty if `gone`.
    pub text: String,
    /// The time of creation, in ms since 1970.
    pub created: i64,
    /// The number of members whose value is LIKE.
    pub likes: i32,
    /// The number of members whose value is DISLIKE.
    pub dislikes: i32,
    /// True for a deleted comment, which is a tombstone.
    pub gone: bool,
}

/// The comments of one subject by external id.
pub type Tree = BTreeMap<String, Node>;

/// Returns the number of comments at each depth of the parent chain, roots first.
#[must_use]
pub fn histogram<'t>(trees: impl IntoIterator<Item = &'t Tree>) -> Vec<usize> {
    let mut levels = Vec::new();
    for tree in trees {
        for id in tree.keys() {
            let depth = std::iter::successors(Some(id), |id| tree.get(*id)?.parent.as_ref()).count();
            levels.resize(levels.len().max(depth), 0);
            levels[depth - 1] += 1;
        }
    }
    levels
}

/// Returns the depth of a comment in the lists and its parent there, under a limit of `levels`.
fn place<'t>(tree: &'t Tree, id: &str, levels: i32) -> (i32, Option<&'t str>) {
    let Some(parent) = tree.get(id).and_then(|node| node.parent.as_deref()) else { return (0, None) };
    match place(tree, parent, levels) {
        (depth, _) if depth + 1 < levels => (depth + 1, Some(parent)),
        attached => attached,
    }
}

/// Returns the comments that lists show: those that are not gone, and their ancestors.
fn listed(tree: &Tree, levels: i32) -> BTreeSet<&str> {
    let mut shown = BTreeSet::new();
    for (id, _) in tree.iter().filter(|(_, node)| !node.gone) {
        let chain = std::iter::successors(Some(id.as_str()), |id| place(tree, id, levels).1);
        // The ancestors of a comment that is in the set are in the set too.
        let _ = chain.map_while(|id| shown.insert(id).then_some(())).count();
    }
    shown
}

/// Walks a subject page by page, all roots and all replies, oldest first, and checks that the
/// lists, the export, the counts and the floors agree; `levels` is the type's `max_depth`.
///
/// # Errors
/// A disagreement, or the server's error.
pub async fn walk(server: &Server, key: &SubjectKey, levels: i32) -> Result<Tree> {
    let exported = export(server, key).await?;
    let names: HashMap<i64, &str> =
        exported.iter().map(|(id, (comment, _))| (*id, comment.external_id.as_str())).collect();
    let name = |id: i64| names.get(&id).map(|name| (*name).to_owned());
    let mut tree = Tree::new();
    for (comment, likes) in exported.values() {
        let node = node(comment.comment.as_ref().context("an empty comment")?, name)?;
        ensure!((node.likes, node.dislikes) == *likes, "{}: {likes:?} were exported, {node:?}", comment.external_id);
        ensure!(tree.insert(comment.external_id.clone(), node).is_none(), "{} exists twice", comment.external_id);
    }
    dense_floors(exported.values().filter_map(|(exported, _)| exported.comment.as_ref()))?;
    let say = Say { client: server.client()?, key: key.clone() };
    let mut seen = BTreeSet::new();
    let roots = say.roots(CommentSort::Oldest, 50).await?;
    ensure!(roots.is_sorted_by(|a, b| a.floor < b.floor), "the floors of the roots do not ascend");
    let mut visible = 0;
    for root in &roots {
        let replies = say.replies(root.id, CommentSort::Oldest, 50).await?;
        ensure!(replies.is_sorted_by(|a, b| a.floor < b.floor), "the floors below {} do not ascend", root.id);
        let shown = replies.iter().filter(|reply| is_visible(reply)).count();
        ensure!(root.reply_count == i32::try_from(shown)?, "{} replies are visible: {root:?}", shown);
        visible += shown + usize::from(is_visible(root));
        for comment in replies.iter().chain([root]) {
            let (twin, _) = exported.get(&comment.id).context("a listed comment was not exported")?;
            ensure!(as_listed(twin).as_ref() == Some(comment), "listed {comment:?}, exported {twin:?}");
            ensure!(comment.root_id == if comment.id == root.id { 0 } else { root.id }, "{comment:?}");
            ensure!(comment.depth == place(&tree, names[&comment.id], levels).0, "a wrong depth: {comment:?}");
            ensure!(seen.insert(names[&comment.id]), "listed twice: {comment:?}");
        }
    }
    ensure!(
        seen == listed(&tree, levels),
        "{} comments are listed, {} should be",
        seen.len(),
        listed(&tree, levels).len()
    );
    let subject = say.page(CommentSort::Newest, 1).await?.subject.unwrap_or_default();
    let live_roots = roots.iter().filter(|root| is_visible(root)).count();
    let counts = (i32::try_from(live_roots)?, i32::try_from(visible)?);
    ensure!((subject.root_count, subject.comment_count) == counts, "{counts:?} are visible: {subject:?}");
    Ok(tree)
}

/// Returns the export of a subject: each comment with the numbers of its likes and dislikes, by
/// comment id.
async fn export(server: &Server, key: &SubjectKey) -> Result<BTreeMap<i64, (ExportedComment, (i32, i32))>> {
    let request = ExportSubjectRequest { key: Some(key.clone()) };
    let mut responses = server.admin()?.export_subject(request).await?.into_inner();
    let mut comments: BTreeMap<i64, (ExportedComment, (i32, i32))> = BTreeMap::new();
    while let Some(response) = responses.message().await? {
        match response.item.context("an empty item")? {
            Item::Subject(_) => {}
            Item::Comment(exported) => {
                let comment = exported.comment.as_ref().context("an empty comment")?;
                let above = comment.parent_id == 0 || comments.contains_key(&comment.parent_id);
                ensure!(above, "exported before its parent: {comment:?}");
                comments.insert(comment.id, (exported, (0, 0)));
            }
            Item::Like(like) => {
                let (_, counts) = comments.get_mut(&like.comment_id).context("a like of nothing")?;
                match like.value() {
                    LikeValue::Like => counts.0 += 1,
                    LikeValue::Dislike => counts.1 += 1,
                    LikeValue::None | LikeValue::Unspecified => bail!("no value: {like:?}"),
                }
            }
        }
    }
    Ok(comments)
}

/// Returns an exported comment as lists show it: the export contains the author of a tombstone,
/// lists do not.
fn as_listed(exported: &ExportedComment) -> Option<Comment> {
    let mut comment = exported.comment.clone()?;
    if !is_visible(&comment) {
        comment.member_id.clear();
    }
    Some(comment)
}

/// Fails unless the floors of the roots, and of the replies of each root, are 1 to their number.
fn dense_floors<'c>(comments: impl Iterator<Item = &'c Comment>) -> Result<()> {
    let mut floors: BTreeMap<i64, Vec<i32>> = BTreeMap::new();
    comments.for_each(|comment| floors.entry(comment.root_id).or_default().push(comment.floor));
    for (root, mut floors) in floors {
        floors.sort_unstable();
        ensure!(floors.iter().zip(1..).all(|(floor, n)| *floor == n), "the floors below {root}: {floors:?}");
    }
    Ok(())
}

fn node(comment: &Comment, name: impl Fn(i64) -> Option<String>) -> Result<Node> {
    let created = comment.create_time.context("no time")?;
    let parent = match comment.parent_id {
        0 => None,
        id => Some(name(id).context("its parent was not exported")?),
    };
    let gone = !is_visible(comment);
    let shown = |text: &str| if gone { String::new() } else { text.to_owned() };
    Ok(Node {
        parent,
        member: shown(&comment.member_id),
        text: shown(comment.content.as_ref().map_or("", |content| &content.text)),
        created: created.seconds * 1000 + i64::from(created.nanos) / 1_000_000,
        likes: comment.like_count,
        dislikes: comment.dislike_count,
        gone,
    })
}

fn is_visible(comment: &Comment) -> bool {
    comment.state() == CommentState::Active
}

/// Compares the comments of a source with those of the server.
///
/// # Errors
/// The first differences, if any.
pub fn compare(subject: &str, source: &Tree, server: &Tree) -> Result<()> {
    let ids: BTreeSet<_> = source.keys().chain(server.keys()).collect();
    let differing: Vec<_> = ids.into_iter().filter(|id| source.get(*id) != server.get(*id)).collect();
    let show = |id: &&String| format!("{id}\n  source {:?}\n  server {:?}", source.get(*id), server.get(*id));
    let first: Vec<_> = differing.iter().take(3).map(show).collect();
    ensure!(differing.is_empty(), "{subject}: {} comments differ:\n{}", differing.len(), first.join("\n"));
    Ok(())
}

/// Calls VerifyCounts for all subjects of a type and returns the number of subjects.
///
/// # Errors
/// A count that differs from its rows, or the server's error.
pub async fn verify(server: &Server, object_type: &str) -> Result<usize> {
    let scope = riposte_sdk::v1::SubjectScope { scope: Some(Scope::ObjectType(object_type.to_owned())) };
    let mut responses = server
        .admin()?
        .verify_counts(VerifyCountsRequest { scope: Some(scope), ..VerifyCountsRequest::default() })
        .await?
        .into_inner();
    let mut subjects = 0;
    while let Some(response) = responses.message().await? {
        ensure!(response.drifts.is_empty(), "{response:?}");
        subjects += 1;
    }
    Ok(subjects)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(rows: &[(&str, &str, bool)]) -> Tree {
        let parent = |id: &str| (!id.is_empty()).then(|| id.to_owned());
        rows.iter()
            .map(|(id, p, gone)| ((*id).to_owned(), Node { parent: parent(p), gone: *gone, ..Node::default() }))
            .collect()
    }

    #[test]
    fn a_reply_below_the_cap_is_a_sibling_of_its_parent_and_no_longer_keeps_its_tombstone() {
        let tree = tree(&[("r", "", true), ("a", "r", true), ("b", "a", false)]);
        assert_eq!(place(&tree, "b", 32), (2, Some("a")));
        assert_eq!(place(&tree, "b", 2), (1, Some("r")));
        assert_eq!(listed(&tree, 32), BTreeSet::from(["r", "a", "b"]));
        assert_eq!(listed(&tree, 2), BTreeSet::from(["r", "b"]));
        assert_eq!(histogram([&tree]), [1, 1, 1]);
    }
}
