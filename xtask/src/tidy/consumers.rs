//! The rule that one event consumer does not depend on another: each is removed or rebuilt alone.
//! An order between two is a position, never an import.

use super::Violation;
use super::composition::consumers;
use super::source::{Source, line_of, words};

/// An event consumer and its files.
struct Consumer<'s> {
    name: &'s str,
    /// The path of its module without `.rs`; its submodules are in the folder of that name.
    module: &'s str,
}

/// Finds event consumers that name each other.
pub(crate) fn check(sources: &[Source], faults: &mut Vec<Violation>) {
    let implemented = sources.iter().flat_map(consumers);
    let all: Vec<Consumer<'_>> =
        implemented.map(|(source, _, name)| Consumer { name, module: module(&source.path) }).collect();
    for source in sources {
        let Some(own) = all.iter().find(|consumer| consumer.has(&source.path)) else { continue };
        for other in all.iter().filter(|other| other.module != own.module) {
            let module = format!("{}::", last(other.module));
            let is_near = folder(own.module) == folder(other.module);
            let code = &source.production;
            let parents = ["super::".to_owned(), format!("{}::", last(folder(own.module)))];
            let is_sibling = |at: usize| parents.iter().any(|parent| code[..at].ends_with(parent.as_str()));
            let by_module = words(code, &module).filter(|at| is_near && is_sibling(*at));
            for at in words(code, other.name).chain(by_module) {
                let what = format!("the event consumer `{}` depends on the event consumer `{}`", own.name, other.name);
                faults.push(Violation::new(&source.path, line_of(code, at), what));
            }
        }
    }
}

impl Consumer<'_> {
    fn has(&self, path: &str) -> bool {
        path.strip_prefix(self.module).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
    }
}

/// Returns the module of a consumer by the file of its implementation: `watch` for
/// `watch/consumer.rs`.
fn module(path: &str) -> &str {
    path.strip_suffix("/consumer.rs").or_else(|| path.strip_suffix(".rs")).unwrap_or(path)
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

fn folder(module: &str) -> &str {
    module.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let files = [
            ("server/pipeline/src/consumers/rank_index.rs", "impl EventConsumer for RankIndexConsumer {}"),
            ("server/pipeline/src/consumers/member_history.rs", "impl EventConsumer for MemberHistoryConsumer {}"),
            ("server/pipeline/src/watch/consumer.rs", "impl EventConsumer for WatchHub {}"),
            ("server/pipeline/src/watch.rs", text),
            ("server/pipeline/src/consumers/rank_index/scores.rs", text),
        ];
        let sources = files.map(|(path, text)| Source::new(path, text.to_owned()));
        let mut faults = Vec::new();
        check(&sources, &mut faults);
        faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_use_of_another_consumer_is_found() {
        let faults = found("\nfn f(other: &MemberHistoryConsumer) {}");
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(faults[0].starts_with("server/pipeline/src/watch.rs:2: the event consumer `WatchHub` depends"));
        assert_eq!(found("use super::super::member_history::rows;").len(), 1);
        assert_eq!(found("use crate::consumers::member_history::rows;").len(), 1);
    }

    #[test]
    fn a_consumer_may_name_itself_and_shared_code() {
        let shared = "use super::rebuild::SourceSubjects; // MemberHistoryConsumer\nuse other::member_history::Row;\n";
        assert_eq!(found(shared), [""; 0]);
        let own = Source::new(
            "server/pipeline/src/watch/consumer.rs",
            "impl EventConsumer for WatchHub {}\nfn f(hub: WatchHub) {}".to_owned(),
        );
        let mut faults = Vec::new();
        check(&[own], &mut faults);
        assert!(faults.is_empty(), "{faults:?}");
    }
}
