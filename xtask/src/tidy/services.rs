//! The rule that the handlers of one service do not depend on those of another: shared code stands
//! beside the services, as in parse, convert, page_token or status.

use super::Violation;
use super::source::{Source, line_of, words};
use std::collections::BTreeSet;

/// The folder of the handlers: a folder for each service.
pub(super) const SERVICES: &str = "server/grpc/src/services/";

/// Finds services that name each other.
pub(crate) fn check(sources: &[Source], faults: &mut Vec<Violation>) {
    let services: BTreeSet<&str> = sources.iter().filter_map(|source| service(&source.path)).collect();
    for source in sources {
        let Some(own) = service(&source.path) else { continue };
        for other in services.iter().filter(|other| **other != own) {
            let named = [format!("super::super::{other}"), format!("services::{other}")];
            for at in named.iter().flat_map(|name| words(&source.production, name)) {
                let line = line_of(&source.production, at);
                faults.push(Violation::new(
                    &source.path,
                    line,
                    format!("the service `{own}` leans on the service `{other}`"),
                ));
            }
        }
    }
}

/// Returns the service to which a handler belongs.
fn service(path: &str) -> Option<&str> {
    path.strip_prefix(SERVICES)?.split_once('/').map(|(service, _)| service)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(second: &str) -> Vec<Source> {
        [
            ("services/reply/get_thread.rs", "fn handle() {}"),
            ("services/comment/get_comment.rs", second),
            ("parse.rs", "fn a() {}"),
        ]
        .map(|(file, text)| Source::new(&format!("server/grpc/src/{file}"), text.to_owned()))
        .into()
    }

    #[test]
    fn a_use_of_another_service_is_found() {
        for used in ["use crate::generated::services::reply::get_thread;", "use super::super::reply::get_thread;"] {
            let mut faults = Vec::new();
            check(&sources(used), &mut faults);
            assert_eq!(faults.len(), 1, "{used}");
        }
    }

    #[test]
    fn what_services_share_may_be_used() {
        let mut faults = Vec::new();
        check(&sources("use super::pin_comment::set_pin;\nuse crate::parse;"), &mut faults);
        assert!(faults.is_empty());
    }
}
