//! `riposte-mutant`: the command line of `riposte` with a deliberate bug (mutant), which `cargo
//! xtask prove --planted` has to find. The variable `RIPOSTE_MUTANT` names the mutant. Without the
//! variable the program behaves like `riposte`.
//!
//! There are three kinds of mutants. Some decorate a port and break its contract, as a bug in the
//! implementation would. Some replace lines of the Redis functions. Some bind page tokens to less
//! than their list. Therefore the shipped code contains no switch for a mutant.

mod cache;
mod feed;
mod log;
mod lua;
mod mutant;
mod policy;
mod reader;
mod reports;
mod review;
mod standings;
mod token_binding;
mod topic;

use std::process::ExitCode;
use std::sync::Arc;

use riposte::Decorators;

use cache::MutantCache;
use feed::MutantFeed;
use log::MutantLog;
use mutant::{MUTANTS, Mutant};
use policy::{AllowedComments, MemberHistories, MutantFilter, MutantPolicy};
use reader::MutantReader;
use reports::{RecordedReports, Reporters};
use review::{MutantJudgements, MutantReviews, MutantWatches};
use standings::MutantStandings;
use topic::MutantTopic;

/// The environment variable that names the mutant.
const VARIABLE: &str = "RIPOSTE_MUTANT";

fn main() -> ExitCode {
    let Some(name) = std::env::var_os(VARIABLE) else { return riposte::main_with(Decorators::default()) };
    match decorators(&name.to_string_lossy()) {
        Some(decorators) => riposte::main_with(decorators),
        None => {
            eprintln!("{VARIABLE} names no mutant: {}", name.display());
            ExitCode::FAILURE
        }
    }
}

/// Returns the decorators of the named mutant, if there is one.
fn decorators(name: &str) -> Option<Decorators> {
    if let Some(library) = lua::library(name) {
        return Some(Decorators { lua: Some(library.into()), ..Decorators::default() });
    }
    MUTANTS.iter().find(|(known, _)| *known == name).map(|(_, mutant)| decorated(*mutant))
}

fn decorated(mutant: Mutant) -> Decorators {
    let reporters = Reporters::default();
    let of_reader = reporters.clone();
    let allowed = AllowedComments::default();
    let of_filter = allowed.clone();
    let histories = MemberHistories::default();
    let of_policy = histories.clone();
    Decorators {
        reader: Some(Arc::new(move |inner| {
            histories.set(&inner);
            Arc::new(MutantReader::new(inner, mutant, of_reader.clone())) as _
        })),
        reports: Some(Arc::new(move |inner| Arc::new(RecordedReports::new(inner, reporters.clone(), mutant)) as _)),
        log: Some(Arc::new(move |inner| {
            Arc::new(MutantLog::new(Arc::new(MutantJudgements::new(inner, mutant)), mutant)) as _
        })),
        reviews: Some(Arc::new(move |inner| Arc::new(MutantReviews::new(inner, mutant)) as _)),
        watches: Some(Arc::new(move |inner| Arc::new(MutantWatches::new(inner, mutant)) as _)),
        events: Some(Arc::new(move |inner| Arc::new(MutantFeed::new(inner, mutant)) as _)),
        topic: Some(Arc::new(move |inner| Arc::new(MutantTopic::new(inner, mutant)) as _)),
        standings: Some(Arc::new(move |inner| Arc::new(MutantStandings::new(inner, mutant)) as _)),
        content: Some(Arc::new(move |inner| {
            Arc::new(MutantPolicy::new(inner, mutant, allowed.clone(), of_policy.clone())) as _
        })),
        filter: Some(Arc::new(move |inner| Arc::new(MutantFilter::new(inner, mutant, of_filter.clone())) as _)),
        cache: Some(Arc::new(move |inner| Arc::new(MutantCache::new(inner, mutant)) as _)),
        token_binding: token_binding::of(mutant),
        lua: None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_mutant_has_a_name_and_decorators_of_its_own() {
        let names: HashSet<&str> = MUTANTS.iter().map(|(name, _)| *name).collect();
        assert_eq!(names.len(), MUTANTS.len());
        for (index, (name, mutant)) in MUTANTS.iter().enumerate() {
            assert!(MUTANTS[..index].iter().all(|(_, other)| other != mutant), "{name}");
            let found = decorators(name).unwrap();
            assert!(found.reader.is_some() && found.lua.is_none(), "{name}");
        }
        assert!(decorators("edits-not-applied").unwrap().lua.is_some());
        assert!(decorators("no-such-mutant").is_none());
    }

    #[test]
    fn only_the_mutants_of_page_tokens_change_their_binding() {
        let changed = MUTANTS.iter().filter(|(_, mutant)| decorated(*mutant).token_binding.is_some());
        let expected = ["tokens-unbound", "tokens-of-any-subject", "token-ignores-filter"];
        assert_eq!(changed.map(|(name, _)| *name).collect::<Vec<_>>(), expected);
    }
}
