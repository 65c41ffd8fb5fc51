//! The rule that one rpc file does not depend on another: shared code is in parse, answer,
//! page_token or status.

use super::Fault;
use super::source::{Source, line_of, words};

const RPC: &str = "server/src/rpc/";

/// Finds services that name each other.
pub(crate) fn check(sources: &[Source], faults: &mut Vec<Fault>) {
    let services: Vec<&str> = sources.iter().filter_map(service).collect();
    for source in sources.iter().filter(|source| source.path.starts_with(RPC)) {
        let own = module(&source.path);
        if !services.contains(&own) {
            continue;
        }
        for other in services.iter().filter(|other| **other != own) {
            let named = [format!("super::{other}"), format!("rpc::{other}")];
            for at in named.iter().flat_map(|name| words(&source.production, name)) {
                let line = line_of(&source.production, at);
                faults.push(Fault::new(
                    &source.path,
                    line,
                    format!("the service `{own}` leans on the service `{other}`"),
                ));
            }
        }
    }
}

/// Returns the module of a file directly in rpc/ that implements a service of the contract.
fn service(source: &Source) -> Option<&str> {
    let file = source.path.strip_prefix(RPC)?;
    let implements = source.production.contains("Service for ");
    (implements && !file.contains('/')).then(|| module(&source.path))
}

/// Returns the name of the module directly in rpc/ that a file belongs to.
fn module(path: &str) -> &str {
    let rest = path.strip_prefix(RPC).unwrap_or(path);
    rest.split(['/', '.']).next().unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(second: &str) -> Vec<Source> {
        [("replies.rs", "impl v1::ReplyService for Replies {}"), ("comments.rs", second), ("parse.rs", "fn a() {}")]
            .map(|(file, text)| Source::new(&format!("{RPC}{file}"), text.to_owned()))
            .into()
    }

    #[test]
    fn a_planted_use_of_another_service_is_found() {
        let mut faults = Vec::new();
        check(&sources("use super::replies::page;\nimpl v1::CommentService for Comments {}"), &mut faults);
        assert_eq!(faults.len(), 1);
    }

    #[test]
    fn what_services_share_may_be_used() {
        let mut faults = Vec::new();
        check(&sources("use super::parse;\nimpl v1::CommentService for Comments {}"), &mut faults);
        assert!(faults.is_empty());
    }
}
