//! The imports between the modules of a crate: no cycle between its top-level modules, and in core
//! none inside `domain/` and `write/` either. A name that is imported through a re-export counts as
//! an import of the module that defines it.

mod imports;

use super::Violation;
use super::source::Source;
use anyhow::{Context, Result};
use imports::Crate;
use std::collections::{BTreeMap, BTreeSet};

/// A crate, and the modules whose children are checked; the empty one is the crate's root.
struct Scope {
    sources: String,
    modules: Vec<&'static str>,
}

/// Modules whose children are checked too, by the folder of the crate.
const INSIDE: [(&str, &[&str]); 1] = [("server/core", &["domain", "write"])];
/// Members of the workspace without a folder `src`, each with the reason.
const WITHOUT_SOURCES: [(&str, &str); 1] = [("tests/fuzz", "each of its targets is one file")];

/// Finds imports that lie on a cycle in the members of the workspace, whose manifest this is.
pub(crate) fn check(manifest: &str, sources: &[Source], faults: &mut Vec<Violation>) -> Result<()> {
    let members = members(manifest)?;
    for (folder, reason) in WITHOUT_SOURCES {
        let has_sources = sources.iter().any(|source| source.path.starts_with(&format!("{folder}/src/")));
        if has_sources || !members.iter().any(|member| member == folder) {
            let what = format!("`{folder}` is no member without sources ({reason}); tidy/cycles.rs says it is");
            faults.push(Violation::new("Cargo.toml", 0, what));
        }
    }
    for (folder, _) in INSIDE.iter().filter(|(folder, _)| !members.iter().any(|member| member == folder)) {
        faults.push(Violation::new("Cargo.toml", 0, format!("`{folder}` in tidy/cycles.rs is no member")));
    }
    let with_sources = members.iter().filter(|member| !WITHOUT_SOURCES.iter().any(|(folder, _)| folder == member));
    for member in with_sources {
        check_scope(&Scope::of(member), sources, faults);
    }
    Ok(())
}

/// Returns the folders of the crates of the workspace.
fn members(manifest: &str) -> Result<Vec<String>> {
    let manifest: toml::Table = toml::from_str(manifest)?;
    let members = manifest.get("workspace").and_then(|workspace| workspace.get("members")?.as_array());
    let members = members.context("Cargo.toml lists no members")?;
    Ok(members.iter().filter_map(|member| member.as_str()).map(str::to_owned).collect())
}

impl Scope {
    fn of(member: &str) -> Self {
        let inside = INSIDE.iter().filter(|(folder, _)| *folder == member).flat_map(|(_, modules)| modules.iter());
        Self { sources: format!("{member}/src/"), modules: std::iter::once(&"").chain(inside).copied().collect() }
    }
}

fn check_scope(scope: &Scope, sources: &[Source], faults: &mut Vec<Violation>) {
    let modules = scope.modules.iter().map(|module| format!("{}{}", scope.sources, module.replace("::", "/")));
    for module in modules.filter(|module| !sources.iter().any(|source| source.path.starts_with(module))) {
        faults.push(Violation::new(&module, 0, "nothing here is checked for cyclic imports: it has no Rust file"));
    }
    faults.extend(cyclic(scope, sources).into_iter().map(|(path, what)| Violation::new(&path, 0, what)));
}

/// Returns the imports of a scope that lie on a cycle, each with a file that has it.
fn cyclic(scope: &Scope, sources: &[Source]) -> Vec<(String, String)> {
    let files = sources.iter().filter_map(|source| Some((source.path.strip_prefix(&scope.sources)?, source)));
    let krate = Crate::of(files);
    let mut found = Vec::new();
    for module in &scope.modules {
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

    fn sources(folder: &str, files: &[(&str, &str)]) -> Vec<Source> {
        files.iter().map(|(path, text)| Source::new(&format!("{folder}{path}"), (*text).to_owned())).collect()
    }

    fn found(modules: &[&'static str], files: &[(&str, &str)]) -> Vec<String> {
        let sources = sources("x/src/", files);
        let scope = Scope { sources: "x/src/".to_owned(), modules: modules.to_vec() };
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

    #[test]
    fn a_definition_behind_a_glob_re_export_counts_as_its_module() {
        let files = [
            ("lib.rs", "mod a; mod b; mod facade;"),
            ("a.rs", "use crate::facade::Y; pub fn f() {}"),
            ("facade.rs", "pub use crate::b::*;"),
            ("b.rs", "pub mod deep; use crate::a::f; pub struct Y { X: u8 }"),
            ("b/deep.rs", "pub struct Z;"),
        ];
        assert_eq!(
            found(&[""], &files),
            [
                "x/src/a.rs `a` imports `b`, which imports `a`, directly or not",
                "x/src/b.rs `b` imports `a`, which imports `b`, directly or not"
            ]
        );
        let module = [files[0], ("a.rs", "use crate::facade::deep::Z;"), files[2], files[3], files[4]];
        assert_eq!(found(&[""], &module).len(), 2);
    }

    #[test]
    fn a_file_included_by_its_path_belongs_to_the_module_that_includes_it() {
        let files = [
            ("lib.rs", "mod generated; mod parse;"),
            ("generated.rs", "#[path = \"handlers/get.rs\"]\npub mod get;"),
            ("handlers/get.rs", "use crate::parse::P;"),
            ("parse.rs", "use crate::generated::get::G; pub struct P;"),
        ];
        assert_eq!(found(&[""], &files).len(), 2);
        let left = [files[0], ("generated.rs", "// #[path = \"handlers/get.rs\"]\n"), files[2], files[3]];
        assert!(found(&[""], &left).is_empty());
    }

    #[test]
    fn a_member_without_files_and_a_stale_exemption_are_found() {
        let manifest = |members: &str| format!("[workspace]\nmembers = [\"server/core\", {members}]\n");
        let core = [("lib.rs", "mod domain;"), ("domain.rs", ""), ("write.rs", "")];
        let faults = |members: &str, sources: &[Source]| {
            let mut faults = Vec::new();
            check(&manifest(members), sources, &mut faults).unwrap();
            faults.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let core_sources = sources("server/core/src/", &core);
        assert_eq!(faults("\"tests/fuzz\"", &core_sources), [""; 0]);
        let gone = faults("\"tests/fuzz\", \"server/gone\"", &core_sources);
        assert!(matches!(&gone[..], [one] if one.starts_with("server/gone/src/: ")), "{gone:?}");
        let gone = faults("\"tests/fuzz\"", &core_sources[..2]);
        assert!(matches!(&gone[..], [one] if one.starts_with("server/core/src/write: ")), "{gone:?}");
        let stale = faults("\"server/core\"", &core_sources);
        assert!(stale[0].contains("`tests/fuzz` is no member"), "{stale:?}");
        let filled: Vec<Source> = core_sources.into_iter().chain(sources("tests/fuzz/src/", &core)).collect();
        assert!(faults("\"tests/fuzz\"", &filled)[0].contains("`tests/fuzz` is no member without sources"));
    }
}
