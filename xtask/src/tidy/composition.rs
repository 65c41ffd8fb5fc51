//! The rule that only the composition names concrete types: every other file of the binary sees the
//! ports. The command line opens a store or a cache where a subcommand is about it.

use super::Violation;
use super::source::{Source, in_name, line_of, words};
use std::collections::BTreeSet;

/// The crates that implement ports.
const IMPLEMENTATIONS: [&str; 5] =
    ["server/store/src/", "server/cache/src/", "server/pipeline/src/", "server/grpc/src/", "server/src/"];
/// The binary.
const BINARY: &str = "server/src/";
/// The types that implement ports, or own connections, queues or tasks.
const CONCRETE: [&str; 20] = [
    "SqlStore",
    "RedisCache",
    "MemoryCache",
    "CachedReader",
    "CachedWriter",
    "CacheUpdater",
    "CacheRepair",
    "CacheAuditor",
    "CacheRepairConsumer",
    "WriteQueues",
    "BackgroundTasks",
    "MemberHistoryConsumer",
    "RankIndexConsumer",
    "ReviewConsumer",
    "WatchHub",
    "FeedHub",
    "TopicConsumer",
    "ResponseCache",
    "ResponseCacheConsumer",
    "ListPageRenderer",
];
/// The files of the binary that name concrete types, each with the reason.
const NAMED_IN: [(&str, &str); 10] = [
    ("server/src/app/startup.rs", "creates the parts in the order of the start, and registers the event consumers"),
    ("server/src/app/components.rs", "builds the ports of the domain and of the relay from the parts"),
    ("server/src/app/readiness.rs", "compares the schemas of the store until calls may be admitted"),
    ("server/src/app/reload.rs", "gives changed credentials to the store"),
    ("server/src/cache_stack.rs", "assembles the decorators of the cache around the store"),
    ("server/src/observers.rs", "connects the statistics of the store with the metrics"),
    ("server/src/cli/consumers.rs", "removes positions in the store without a server"),
    ("server/src/cli/doctor.rs", "examines the store without a server"),
    ("server/src/cli/doctor/cache.rs", "examines the cache without a server"),
    ("server/src/cli/migrate.rs", "migrates the store without a server"),
];

/// Returns the paths that the rule names.
pub(super) fn paths() -> impl Iterator<Item = &'static str> {
    NAMED_IN.iter().map(|(path, _)| *path).chain(IMPLEMENTATIONS)
}

/// Finds concrete types in other files, and entries of the tables without effect.
pub(crate) fn check(sources: &[Source], faults: &mut Vec<Violation>) {
    let mut naming = BTreeSet::new();
    for source in sources.iter().filter(|source| source.path.starts_with(BINARY)) {
        for name in CONCRETE {
            for at in words(&source.production, name) {
                naming.insert(source.path.as_str());
                if !NAMED_IN.iter().any(|(path, _)| *path == source.path) {
                    let what = format!("`{name}`: only the composition names concrete types; take a port");
                    faults.push(Violation::new(&source.path, line_of(&source.production, at), what));
                }
            }
        }
    }
    for (path, reason) in NAMED_IN.iter().filter(|(path, _)| !naming.contains(path)) {
        faults.push(Violation::new(path, 0, format!("names no concrete type: remove it from the table ({reason})")));
    }
    check_table(sources, faults);
}

/// Checks that every concrete type exists, and that every event consumer is in the table.
fn check_table(sources: &[Source], faults: &mut Vec<Violation>) {
    let ours = |source: &&Source| IMPLEMENTATIONS.iter().any(|folder| source.path.starts_with(folder));
    let of_tests = |source: &&Source| source.path.ends_with("/test_consumer.rs");
    let sources: Vec<&Source> = sources.iter().filter(ours).filter(|source| !of_tests(source)).collect();
    for name in CONCRETE {
        let defined = |source: &&Source| words(&source.production, &format!("struct {name}")).next().is_some();
        if !sources.iter().any(defined) {
            faults.push(Violation::new(BINARY, 0, format!("`{name}` in tidy/composition.rs is no type of the server")));
        }
    }
    for (source, line, name) in sources.iter().flat_map(|source| consumers(source)) {
        if !CONCRETE.contains(&name) {
            let what = format!("`{name}` is an event consumer that the table of tidy/composition.rs lacks");
            faults.push(Violation::new(&source.path, line, what));
        }
    }
}

/// Returns the types for which a file implements the port of the event consumers.
pub(super) fn consumers(source: &Source) -> impl Iterator<Item = (&Source, usize, &str)> {
    const IMPL: &str = "EventConsumer for ";
    let code = &source.production;
    words(code, IMPL.trim_end()).filter(|at| code[*at..].starts_with(IMPL)).map(move |at| {
        let name = &code[at + IMPL.len()..];
        (source, line_of(code, at), &name[..name.find(|c| !in_name(c)).unwrap_or(name.len())])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the faults of a tree that is sound but for these files.
    fn found(more: &[(&str, &str)], without: &str) -> Vec<String> {
        let all = CONCRETE.iter().filter(|name| **name != without).map(|name| format!("struct {name};\n"));
        let mut sources = vec![Source::new("server/store/src/all.rs", all.collect())];
        let composition = NAMED_IN.iter().filter(|(path, _)| *path != without);
        sources.extend(composition.map(|(path, _)| Source::new(path, "use riposte_store::SqlStore;".to_owned())));
        sources.extend(more.iter().map(|(path, text)| Source::new(path, (*text).to_owned())));
        let mut faults = Vec::new();
        check(&sources, &mut faults);
        faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_concrete_type_outside_the_composition_is_found() {
        assert_eq!(found(&[], ""), [""; 0]);
        let faults = found(&[("server/src/listener.rs", "\nfn f(store: &SqlStore) {}")], "");
        assert!(matches!(&faults[..], [one] if one.starts_with("server/src/listener.rs:2: `SqlStore`")), "{faults:?}");
        let text = "// SqlStore\nstruct SqlStoreError;\n#[cfg(test)]\nmod tests { use riposte_store::SqlStore; }\n";
        assert_eq!(
            found(&[("server/src/listener.rs", text), ("server/store/src/a.rs", "fn f(s: SqlStore) {}")], ""),
            [""; 0]
        );
    }

    #[test]
    fn an_entry_without_effect_is_found() {
        let faults = found(&[("server/src/cli/migrate.rs", "fn f() {}")], "server/src/cli/migrate.rs");
        assert!(matches!(&faults[..], [one] if one.contains("names no concrete type")), "{faults:?}");
        let faults = found(&[], "WatchHub");
        assert!(matches!(&faults[..], [one] if one.contains("`WatchHub`")), "{faults:?}");
    }

    #[test]
    fn an_event_consumer_that_the_table_lacks_is_found() {
        let faults = found(&[("server/pipeline/src/new.rs", "impl EventConsumer for NewConsumer {}")], "");
        assert!(matches!(&faults[..], [one] if one.contains("`NewConsumer` is an event consumer")), "{faults:?}");
    }
}
