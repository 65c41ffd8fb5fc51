//! Acknowledged requests, sent again.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

use super::call::Ask;
use super::check::Fault;
use super::history::{Act, EVERYBODY, Op, Outcome};
use super::worker::Stage;

/// Number of requests sent again after each round: half from the round itself, half from all rounds
/// before it.
const SAMPLE: usize = 400;
/// Number of concurrent requests.
const TOGETHER: usize = 16;

/// Sends a sample of the history's acknowledged requests again; `latest` is the start of the last
/// round. Returns the number of requests sent, and every response that differs from the first one.
pub(super) async fn replay(stage: &Arc<Stage>, history: &[Op], latest: usize, rng: &mut StdRng) -> (usize, Vec<Fault>) {
    let fit = |range: std::ops::Range<usize>| range.filter(|n| can_be_repeated(&history[*n])).collect::<Vec<_>>();
    let mut chosen: Vec<usize> = fit(latest..history.len()).sample(rng, SAMPLE / 2).copied().collect();
    chosen.extend(fit(0..latest).sample(rng, SAMPLE / 2));
    let again = chosen.iter().map(|number| {
        let (op, stage) = (&history[*number], Arc::clone(stage));
        let (act, request_id, patience) = (op.act.clone(), op.request_id.clone(), Duration::from_secs(30));
        let ask = Ask { client: op.client, act, request_id, door: None, hurry: None, patience };
        async move { (*number, ask.run(&stage.doors, stage.start).await.outcome) }
    });
    let answers: Vec<_> = futures::stream::iter(again).buffer_unordered(TOGETHER).collect().await;
    let faults =
        answers.iter().filter_map(|(number, again)| differs(&history[*number], again).map(|what| (what, *number)));
    let faults = faults.map(|(what, number)| Fault { what, ops: vec![number] }).collect();
    (chosen.len(), faults)
}

/// Returns true if the operation was acknowledged and a repeat changes nothing. A like of the
/// contested member may have been replaced by other clients since, and then the repeat acts as a
/// new like.
fn can_be_repeated(op: &Op) -> bool {
    op.answer().is_some() && !matches!(&op.act, Act::Like { member, .. } if member == EVERYBODY)
}

/// Returns the difference between the response to a repeat and the first one, if any.
fn differs(op: &Op, again: &Outcome) -> Option<String> {
    let first = op.answer()?;
    match again {
        Outcome::Acknowledged(answer) if answer == first => None,
        // The comment may be deleted by now. The repeat of a like is then refused and has no
        // effect.
        Outcome::Refused(reason) if reason == "COMMENT_UNAVAILABLE" && matches!(op.act, Act::Like { .. }) => None,
        Outcome::Acknowledged(_) | Outcome::Refused(_) | Outcome::Unknown(_) => {
            Some(format!("repeated, it was answered by {again:?}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kill::history::Answer;

    #[test]
    fn another_id_floor_or_revision_at_a_repeat_is_found() {
        let first = Answer { id: 7, root: 0, floor: 2, revision: 9 };
        let act = Act::Root { subject: 0, member: "m".into(), text: "t".into() };
        let outcome = Outcome::Acknowledged(first);
        let (request_id, begun) = (String::new(), Duration::ZERO);
        let op = Op { client: 1, act, request_id, begun, ended: begun, attempts: 1, outcome };
        assert_eq!(differs(&op, &op.outcome), None);
        for other in [Answer { id: 8, ..first }, Answer { floor: 3, ..first }, Answer { revision: 10, ..first }] {
            assert!(differs(&op, &Outcome::Acknowledged(other)).is_some());
        }
        assert!(differs(&op, &Outcome::Refused("COMMENT_UNAVAILABLE".into())).is_some());
    }
}
