//! The imports between the modules of a crate: no cycle between its top-level modules, and in core
//! none inside `domain/` and `write/` either. A name that is imported through a re-export counts as
//! an import of the module that defines it.

mod imports;

use super::source::Source;
use super::{Report, Violation};
use imports::Crate;
use std::collections::{BTreeMap, BTreeSet};

/// A crate, and the modules whose children are checked; the empty one is the crate's root.
struct Scope {
    sources: &'static str,
    modules: &'static [&'static str],
    /// The number of imports on cycles that still exist. It may only fall.
    cyclic: usize,
}

const SCOPES: [Scope; 18] = [
    clean("server/src/", &[""]),
    clean("server/core/src/", &["", "domain", "write"]),
    clean("server/sync/src/", &[""]),
    clean("server/store/src/", &[""]),
    clean("server/cache/src/", &[""]),
    clean("server/settings/src/", &[""]),
    clean("server/pipeline/src/", &[""]),
    clean("server/grpc/src/", &[""]),
    clean("server/telemetry/src/", &[""]),
    clean("server/transfer/src/", &[""]),
    clean("server/conformance/src/", &[""]),
    clean("migrations/src/", &[""]),
    clean("sdk/rust/src/", &[""]),
    clean("tests/src/", &[""]),
    clean("tests/redis/src/", &[""]),
    clean("tests/fuzz/src/", &[""]),
    clean("bench/src/", &[""]),
    Scope { sources: "xtask/src/", modules: &[""], cyclic: 2 },
];

const fn clean(sources: &'static str, modules: &'static [&'static str]) -> Scope {
    Scope { sources, modules, cyclic: 0 }
}

/// Finds imports that lie on a cycle.
pub(crate) fn check(sources: &[Source], report: &mut Report) {
    for scope in &SCOPES {
        let found = cyclic(scope, sources);
        if found.len() > scope.cyclic {
            report.faults.extend(found.into_iter().map(|(path, what)| Violation::new(&path, 0, what)));
        } else if found.len() < scope.cyclic {
            let (sources, now, was) = (scope.sources, found.len(), scope.cyclic);
            report.notes.push(format!("{sources}: {now} imports on cycles, {was} in tidy/cycles.rs; lower it"));
        }
    }
}

/// Returns the imports of a scope that lie on a cycle, each with a file that has it.
fn cyclic(scope: &Scope, sources: &[Source]) -> Vec<(String, String)> {
    let files = sources.iter().filter_map(|source| Some((source.path.strip_prefix(scope.sources)?, source)));
    let krate = Crate::of(files);
    let mut found = Vec::new();
    for module in scope.modules {
        let within: Vec<&str> = module.split("::").filter(|name| !name.is_empty()).collect();
        let edges = krate.edges(&within);
        let mut reach: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (from, _) in edges.keys() {
            reach.insert(from, reached(from, &edges));
        }
        for ((from, to), path) in &edges {
            if reach.get(to.as_str()).is_some_and(|back| back.contains(from.as_str())) {
                let path = format!("{}{path}", scope.sources);
                found.push((path, format!("`{from}` imports `{to}`, which imports `{from}`, directly or not")));
            }
        }
    }
    found
}

/// Returns the modules that `from` imports, directly or not.
fn reached<'e>(from: &str, edges: &'e BTreeMap<(String, String), String>) -> BTreeSet<&'e str> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(at) = open.pop() {
        for (_, to) in edges.keys().filter(|(of, _)| of == at) {
            if seen.insert(to.as_str()) {
                open.push(to);
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(modules: &'static [&'static str], files: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<_> =
            files.iter().map(|(path, text)| Source::new(&format!("x/src/{path}"), (*text).to_owned())).collect();
        let scope = clean("x/src/", modules);
        cyclic(&scope, &sources).into_iter().map(|(path, what)| format!("{path} {what}")).collect()
    }

    #[test]
    fn a_cycle_between_top_level_modules_is_found() {
        let files = [
            ("lib.rs", "mod a; mod b; mod c;"),
            ("a.rs", "use crate::b::deep::{Y, Z};"),
            ("b.rs", "mod deep;"),
            ("b/deep.rs", "use super::super::c::W; struct Y;"),
            ("c.rs", "fn f() -> crate::a::X {}"),
        ];
        assert_eq!(found(&[""], &files).len(), 3);
        assert!(found(&[""], &files[..4]).is_empty());
    }

    #[test]
    fn a_re_export_counts_as_the_module_that_defines_the_name() {
        let files = [
            ("lib.rs", "mod a; mod b; pub use b::{Y as Other, inner::*};"),
            ("a.rs", "use crate::Other; pub struct X;"),
            ("b.rs", "mod inner; use crate::a::X; pub struct Y;"),
            ("b/inner.rs", "pub struct I;"),
        ];
        assert_eq!(found(&[""], &files).len(), 2);
    }

    #[test]
    fn a_cycle_inside_a_module_is_found_where_the_scope_names_it() {
        let files = [
            ("lib.rs", "mod domain;"),
            ("domain.rs", "pub mod a; pub mod b;"),
            ("domain/a.rs", "use super::b::Y;"),
            ("domain/b.rs", "use crate::domain::a::X;"),
        ];
        assert!(found(&[""], &files).is_empty());
        assert_eq!(found(&["", "domain"], &files).len(), 2);
    }

    #[test]
    fn tests_may_import_what_they_like() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "use crate::b::Y;"),
            ("b.rs", "#[cfg(test)] mod tests { use crate::a::X; }"),
        ];
        assert!(found(&[""], &files).is_empty());
    }
}
