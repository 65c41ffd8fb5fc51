//! The extent of the larger runs: the states nearest to the start in every test run, all of them on
//! request.

use std::fmt::Debug;
use std::hash::Hash;
use std::time::Instant;

use stateright::{Checker, CheckerBuilder, Expectation, Model};

/// The number of states, nearest first, that a larger run visits in every test run: one second
/// each.
const NEAR: usize = 200_000;

/// Checks a model and reports the result. With `RIPOSTE_MODEL=whole` it visits every state, in the
/// way that `how` configures, and returns their number; otherwise it searches the nearest states
/// for violations.
pub(super) fn visited<M>(model: &M, how: impl FnOnce(CheckerBuilder<M>) -> CheckerBuilder<M>) -> Option<usize>
where
    M: Model + Clone + Debug + Send + Sync + 'static,
    M::State: Clone + Debug + Hash + PartialEq + Send + Sync + 'static,
    M::Action: Clone + Debug + PartialEq,
{
    #[expect(clippy::disallowed_methods, reason = "the environment sets the extent of a test run")]
    let complete = std::env::var("RIPOSTE_MODEL").is_ok_and(|extent| extent == "whole");
    let begin = Instant::now();
    if complete {
        let checker = how(model.clone().checker()).spawn_dfs().join();
        checker.assert_properties();
        println!("{model:?}: {}", summary(&checker, begin));
        return Some(checker.unique_state_count());
    }
    let checker = model.clone().checker().target_state_count(NEAR).spawn_bfs().join();
    for property in model.properties().iter().filter(|property| property.expectation == Expectation::Always) {
        let wrong = checker.discovery(property.name);
        assert!(wrong.is_none(), "{model:?}, not: {}, after {:?}", property.name, wrong.map(|way| way.into_actions()));
    }
    println!("{model:?}: the nearest {}", summary(&checker, begin));
    None
}

fn summary<M: Model>(checker: &impl Checker<M>, begin: Instant) -> String {
    let (states, deep) = (checker.unique_state_count(), checker.max_depth());
    format!("{states} states, {deep} deep, in {:.1} s", begin.elapsed().as_secs_f64())
}
