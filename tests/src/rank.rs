//! Rankings by brute force, derived from the contract and not from the server.

use std::cmp::Ordering;

use riposte_sdk::v1::{Comment, CommentSort};

/// Sorts comments as a ranked list shows them, if all of them are ranked: best first, and newest
/// first among equals.
pub fn sort(comments: &mut [Comment], sort: CommentSort) {
    comments.sort_by(|a, b| {
        let (one, other) = (score(a, sort), score(b, sort));
        let by_score = other.partial_cmp(&one).unwrap_or(Ordering::Equal);
        by_score.then_with(|| time(b).cmp(&time(a))).then_with(|| b.id.cmp(&a.id))
    });
}

fn time(comment: &Comment) -> (i64, i32) {
    comment.create_time.map_or((0, 0), |time| (time.seconds, time.nanos))
}

/// Returns the score of a comment in a ranked sort order; 0 in the others.
#[must_use]
pub fn score(comment: &Comment, sort: CommentSort) -> f64 {
    score_of([comment.like_count, comment.dislike_count, comment.reply_count], sort)
}

/// Returns the score for numbers of likes, dislikes and replies.
#[must_use]
pub fn score_of(counts: [i32; 3], sort: CommentSort) -> f64 {
    let [up, down, replies] = counts.map(f64::from);
    match sort {
        CommentSort::Hot => 2.0 * up + replies,
        CommentSort::Top => up - down,
        CommentSort::Best => {
            let (z, n) = (1.281_551_565_545_f64, up + down);
            if up == 0.0 {
                return 0.0;
            }
            let share = up / n;
            let centre = share + z.powi(2) / (2.0 * n);
            let margin = z * ((share * (1.0 - share) + z.powi(2) / (4.0 * n)) / n).sqrt();
            // Rounded, so that different computations give the same value.
            ((centre - margin) / (1.0 + z.powi(2) / n) * 1e12).round()
        }
        CommentSort::Controversial if up > 0.0 && down > 0.0 => (up + down).powf(up.min(down) / up.max(down)),
        CommentSort::MostReplies => replies,
        CommentSort::Controversial | CommentSort::Unspecified | CommentSort::Newest | CommentSort::Oldest => 0.0,
    }
}
