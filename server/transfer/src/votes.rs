//! Votes that the source knows only as numbers, as likes of synthetic members.

use super::member_ids;
use super::record::{Comment, Like, LikeValue, Original, Votes};

/// The treatment of votes that are known only as numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum VotePolicy {
    /// Each becomes the like of a synthetic member (`~synthetic:…`), so that counts equal the
    /// source's.
    #[default]
    Synthetic,
    /// They are left out.
    Skip,
}

/// Returns the likes that represent a comment's votes, as old as the comment and identical in every
/// import.
pub(crate) fn likes<'a>(comment: &'a Comment, source: &'a str) -> impl Iterator<Item = Like> + 'a {
    let Votes { up, down } = comment.votes;
    let source = comment.source.as_deref().unwrap_or(source);
    let ups = (1..=up).map(|n| ("up", LikeValue::Like, n));
    let downs = (1..=down).map(|n| ("down", LikeValue::Dislike, n));
    ups.chain(downs).map(move |(direction, value, n)| Like {
        key: comment.key.clone(),
        source: comment.source.clone(),
        comment_external_id: comment.external_id.clone(),
        member_id: member_ids::synthetic_member_id(source, &comment.external_id, direction, n),
        value,
        time: comment.create_time,
        synthetic: true,
        event: None,
        original: Original::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_vote_is_a_member_of_its_own_and_the_same_at_every_import() {
        let comment = Comment { external_id: "7".to_owned(), votes: Votes { up: 2, down: 1 }, ..Comment::default() };
        let members: Vec<String> = likes(&comment, "madrid").map(|like| like.member_id).collect();
        assert_eq!(members, ["~synthetic:madrid:7:up:1", "~synthetic:madrid:7:up:2", "~synthetic:madrid:7:down:1"]);
        assert!(likes(&comment, "madrid").all(|like| like.synthetic));
        assert_eq!(likes(&comment, "madrid").last().map(|like| like.value), Some(LikeValue::Dislike));
    }
}
