//! The imports of a crate, each resolved to the module that defines the name.

use crate::tidy::source::{Source, in_name, without_tests};
use std::collections::{BTreeMap, BTreeSet};

type Path = Vec<String>;

/// The modules of a crate, one per file, with the paths that each names.
pub(super) struct Crate {
    modules: BTreeMap<Path, Module>,
}

#[derive(Default)]
struct Module {
    file: String,
    /// The names that `use` statements bind, with the full path of each; `*` for a glob.
    bound: Vec<(String, Path)>,
    /// The modules that stand in the file itself.
    nested: BTreeSet<String>,
    /// The names of the items that the file defines outside them.
    defined: BTreeSet<String>,
    /// All paths that begin with `crate`, `self` or `super`.
    named: Vec<Path>,
}

impl Crate {
    /// Reads the files of a crate, each with its path below the folder of sources.
    pub(super) fn of<'s>(files: impl Iterator<Item = (&'s str, &'s Source)>) -> Self {
        let skipped = |path: &str| path.contains("tests/") || path.ends_with("tests.rs") || path.starts_with("bin/");
        let mut files: Vec<_> = files.filter(|(path, _)| !skipped(path)).collect();
        if files.iter().any(|(path, _)| *path == "lib.rs") {
            files.retain(|(path, _)| *path != "main.rs");
        }
        let placed: BTreeMap<String, Path> = files.iter().flat_map(|(path, source)| placed(path, source)).collect();
        let place = |path: &str| placed.get(path).cloned().unwrap_or_else(|| module(path));
        let at: BTreeSet<Path> = files.iter().map(|(path, _)| place(path)).collect();
        let mut modules = BTreeMap::new();
        for (path, source) in files {
            let own = place(path);
            // A crate of tests has no production code for the other rules; its modules count here.
            let code = without_tests(&source.code);
            let mut found = Module { file: path.to_owned(), ..Module::default() };
            for tree in uses(&code) {
                for (path, name) in leaves(tree) {
                    if let Some(full) = absolute(&own, &path, &at) {
                        found.bound.push((name, full));
                    }
                }
            }
            found.named.extend(found.bound.iter().map(|(_, path)| path.clone()));
            found.nested = nested(&code).map(str::to_owned).collect();
            found.defined = defined(&code);
            found.named.extend(inline(&code).filter_map(|path| absolute(&own, &path, &at)));
            modules.insert(own, found);
        }
        Self { modules }
    }

    /// Returns the imports between the children of a module, each with a file that has it. Names
    /// that the module itself defines count as those of a child called `self`.
    pub(super) fn edges(&self, within: &[&str]) -> BTreeMap<(String, String), String> {
        let child = |path: &Path| -> Option<String> {
            let inside = path.len() >= within.len() && path.iter().zip(within).all(|(a, b)| a == b);
            inside.then(|| path.get(within.len()).cloned().unwrap_or_else(|| "self".to_owned()))
        };
        let mut edges = BTreeMap::new();
        for (own, module) in &self.modules {
            let Some(from) = child(own) else { continue };
            for to in module.named.iter().flat_map(|path| self.definers(path, 0)).filter_map(|to| child(&to)) {
                if to != from {
                    edges.entry((from.clone(), to)).or_insert_with(|| module.file.clone());
                }
            }
        }
        edges
    }

    /// Returns the modules that define the last name of a path.
    fn definers(&self, path: &Path, depth: usize) -> Vec<Path> {
        let known = (0..=path.len()).rev().find(|end| self.modules.contains_key(&path[..*end]));
        let Some(end) = known.filter(|_| depth < 16) else { return Vec::new() };
        let at = path[..end].to_vec();
        let Some(name) = path.get(end).filter(|name| *name != "*") else { return vec![at] };
        if self.modules[&at].nested.contains(name) {
            return vec![path[..=end].to_vec()];
        }
        let bound = &self.modules[&at].bound;
        if let Some((_, to)) = bound.iter().find(|(own, to)| own == name && *to != *path) {
            let rest = [to.as_slice(), &path[end + 1..]].concat();
            return self.definers(&rest, depth + 1);
        }
        let globs = bound.iter().filter(|(own, to)| own == "*" && to[..to.len() - 1] != at[..]);
        let through = globs.flat_map(|(_, to)| {
            let inner = [&to[..to.len() - 1], &path[end..]].concat();
            if self.has(&to[..to.len() - 1], name) { self.definers(&inner, depth + 1) } else { Vec::new() }
        });
        let through: Vec<Path> = through.collect();
        if through.is_empty() { vec![at] } else { through }
    }

    /// Returns `true` if a glob import of a module binds the name.
    fn has(&self, path: &[String], name: &String) -> bool {
        let Some(module) = self.modules.get(path) else { return false };
        let is_child = || self.modules.contains_key(&[path, std::slice::from_ref(name)].concat());
        module.defined.contains(name)
            || module.nested.contains(name)
            || module.bound.iter().any(|(own, _)| own == name)
            || is_child()
    }
}

/// Returns the module of a file; the root for lib.rs and main.rs.
fn module(path: &str) -> Path {
    let stem = path.strip_suffix(".rs").unwrap_or(path);
    if matches!(stem, "lib" | "main") { Vec::new() } else { stem.split('/').map(str::to_owned).collect() }
}

/// Returns the files that a file includes as its modules by `#[path]`, each with its module.
fn placed(path: &str, source: &Source) -> Vec<(String, Path)> {
    const MARK: &str = "#[path = \"";
    let folder: Vec<&str> = path.split('/').collect();
    let mut found = Vec::new();
    for (at, _) in source.text.match_indices(MARK).filter(|(at, _)| source.code[*at..].starts_with("#[path")) {
        let Some((to, rest)) = source.text[at + MARK.len()..].split_once("\"]") else { continue };
        let Some((_, name)) = rest.split(';').next().and_then(|item| item.rsplit_once("mod ")) else { continue };
        let mut file = folder[..folder.len() - 1].to_vec();
        for part in to.split('/') {
            if part == ".." {
                file.pop();
            } else {
                file.push(part);
            }
        }
        found.push((file.join("/"), [module(path).as_slice(), &[name.trim().to_owned()]].concat()));
    }
    found
}

/// Returns a path from the root of the crate; `None` for a path into another crate.
fn absolute(own: &Path, path: &[String], modules: &BTreeSet<Path>) -> Option<Path> {
    let mut at = own.clone();
    let mut rest = path;
    match rest.first()?.as_str() {
        "crate" => at.clear(),
        "self" => {}
        "super" => {
            while rest.first().is_some_and(|name| name == "super") {
                at.pop();
                rest = &rest[1..];
            }
            return Some([at.as_slice(), rest].concat());
        }
        child => {
            at.push(child.to_owned());
            return modules.contains(&at).then(|| [own.as_slice(), path].concat());
        }
    }
    at.extend_from_slice(&rest[1..]);
    Some(at)
}

/// Returns the names of the modules that stand in a file.
fn nested(code: &str) -> impl Iterator<Item = &str> {
    code.match_indices("mod ").filter_map(|(at, word)| {
        let rest = &code[at + word.len()..];
        let end = rest.find(|c: char| !in_name(c))?;
        rest[end..].trim_start().starts_with('{').then(|| &rest[..end])
    })
}

/// Returns the names of the items that a file defines at its top level.
fn defined(code: &str) -> BTreeSet<String> {
    const KEYWORDS: [&str; 9] = ["struct", "enum", "union", "trait", "type", "fn", "const", "static", "macro_rules!"];
    let (mut depth, mut found, mut before) = (0_usize, BTreeSet::new(), "");
    for token in code.split_inclusive(|c: char| !in_name(c) && c != '!') {
        let name = token.trim_end_matches(|c: char| !in_name(c) && c != '!');
        if depth == 0 && KEYWORDS.contains(&before) && !name.is_empty() {
            found.insert(name.to_owned());
        }
        depth += usize::from(token.ends_with(['{', '(', '[']));
        depth = depth.saturating_sub(usize::from(token.ends_with(['}', ')', ']'])));
        if !name.is_empty() {
            before = name;
        }
    }
    found
}

/// Returns the trees of all `use` statements.
fn uses(code: &str) -> impl Iterator<Item = &str> {
    code.match_indices("use ").filter_map(|(at, word)| {
        let before = code[..at].chars().next_back();
        let rest = &code[at + word.len()..];
        (!before.is_some_and(in_name)).then(|| rest.split(';').next()).flatten()
    })
}

/// Returns the paths of a use tree, each with the name that it binds.
fn leaves(tree: &str) -> Vec<(Path, String)> {
    let tree = tree.trim();
    let Some((head, body)) = tree.split_once('{') else {
        let (path, alias) = tree.split_once(" as ").map_or((tree, None), |(path, alias)| (path, Some(alias.trim())));
        let mut path: Path = path.split("::").map(|name| name.trim().to_owned()).collect();
        if path.len() > 1 && path.last().is_some_and(|name| name == "self") {
            path.pop();
        }
        let name = alias.map(str::to_owned).or_else(|| path.last().cloned()).unwrap_or_default();
        return vec![(path, name)];
    };
    let body = body.trim_end().strip_suffix('}').unwrap_or(body);
    let (mut depth, mut from, mut parts) = (0_usize, 0, Vec::new());
    for (at, c) in body.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&body[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&body[from..]);
    let parts = parts.into_iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| leaves(&format!("{}{}", head.trim(), part.trim()))).collect()
}

/// Returns the paths that begin with `crate` or `super`. The head of a braced `use` names nothing.
fn inline(code: &str) -> impl Iterator<Item = Path> {
    let starts = ["crate::", "super::"].into_iter().flat_map(|word| code.match_indices(word));
    let starts = starts.filter(|(at, _)| !code[..*at].chars().next_back().is_some_and(|c| in_name(c) || c == ':'));
    let paths = starts.map(|(at, _)| {
        let end = code[at..].find(|c: char| !in_name(c) && c != ':').map_or(code.len(), |end| at + end);
        &code[at..end]
    });
    paths.filter(|path| !path.ends_with(':')).map(|path| path.split("::").map(str::to_owned).collect())
}
