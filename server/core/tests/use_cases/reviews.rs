//! Claims and releases of reviews of which a part fails.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use riposte_conformance::model::Model;
use riposte_core::ids::SubjectId;
use riposte_core::ports::{ReviewBacklog, ReviewClaim, ReviewFilter, ReviewPosition, ReviewQuery, Reviews};
use riposte_core::read::ReviewQueue;
use riposte_core::review::{LeaseToken, Review, ReviewCauses};
use riposte_core::{CommentId, Error, MemberId, ObjectType, Result};

use super::{Fixture, member, policies, run, unrestricted};

/// Reviews with scripted results of claims and releases. Each lease is of a comment that the rows
/// do not have, so that it shows nothing.
#[derive(Debug, Default)]
struct ScriptedReviews {
    results: Mutex<VecDeque<Result<usize>>>,
}

impl ScriptedReviews {
    fn next(&self) -> Result<usize> {
        self.results.lock().expect("no poison").pop_front().expect("the script has a result for each call")
    }
}

#[async_trait]
impl Reviews for ScriptedReviews {
    async fn list(&self, _: &ReviewQuery) -> Result<Vec<Review>> {
        Ok(Vec::new())
    }

    async fn walk(&self, _: ReviewPosition, _: usize) -> Result<(Vec<Review>, Option<ReviewPosition>)> {
        Ok((Vec::new(), None))
    }

    async fn claim(&self, claim: &ReviewClaim) -> Result<Vec<Review>> {
        let review = |id| {
            let id = CommentId::new(id as i64 + 1).expect("a positive id");
            let object_type = claim.filter.object_type.clone();
            Review::new((id, SubjectId::from(id)), object_type, member("author"), true)
        };
        Ok((0..self.next()?).map(review).collect())
    }

    async fn backlogs(&self, _: &[ObjectType]) -> Result<Vec<ReviewBacklog>> {
        Ok(Vec::new())
    }

    async fn reopen(&self, _: &[SubjectId]) -> Result<usize> {
        Ok(0)
    }

    async fn reopen_all(&self, _: usize) -> Result<usize> {
        Ok(0)
    }

    async fn release(&self, _: &[CommentId], _: &MemberId, _: LeaseToken) -> Result<usize> {
        self.next()
    }
}

/// Returns the queue over reviews with these results.
fn queue(results: &[Result<usize>]) -> ReviewQueue {
    let reviews = ScriptedReviews { results: Mutex::new(results.to_vec().into()) };
    let model: Arc<Model> = Fixture::new().model;
    ReviewQueue::new(model, Arc::new(reviews), policies())
}

fn claim() -> ReviewClaim {
    let object_type = ObjectType::stored("video".to_owned());
    ReviewClaim {
        filter: ReviewFilter { object_type, causes: ReviewCauses::NONE },
        holder: member("moderator"),
        token: LeaseToken([7; 16]),
        duration: Duration::from_secs(60),
        limit: 3,
    }
}

#[test]
fn an_error_says_that_nothing_was_executed_only_before_the_first_effect() {
    let skipped = Error::ShardCircuitOpen { after: Duration::from_secs(1) };
    let full = Error::Overloaded { after: Duration::from_secs(1) };
    let ids = [1, 2, 3].map(|id| CommentId::new(id).unwrap());
    for error in [skipped, full] {
        for (script, expected) in [
            (vec![Err(error.clone())], error.clone()),
            (vec![Ok(0), Err(error.clone())], error.clone()),
            (vec![Ok(1), Err(error.clone())], Error::ShardUnavailable),
        ] {
            let (holder, token) = (member("moderator"), LeaseToken([7; 16]));
            let released = run(queue(&script).release(&unrestricted(), &ids, (&holder, token)));
            assert_eq!(released, Err(expected.clone()), "a release after {script:?}");
            if script.first() != Some(&Ok(0)) {
                let claimed = run(queue(&script).claim(&unrestricted(), &claim()));
                assert_eq!(claimed.map(|items| items.len()), Err(expected), "a claim after {script:?}");
            }
        }
    }
}
