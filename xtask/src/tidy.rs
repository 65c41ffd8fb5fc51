//! The conventions that neither the compiler nor clippy nor cargo-deny can check: the length of
//! files and functions, the names of modules, and the words that a file may use. A deliberate
//! violation tests each rule.

mod bans;
mod by_hand;
mod composition;
mod consumers;
mod cycles;
mod documents;
mod edges;
mod extensions;
mod features;
mod globals;
mod internal_formats;
mod layout;
mod machine;
mod paths;
mod ports;
mod product;
mod reasons;
mod served;
mod services;
mod sizes;
pub(crate) mod source;
mod top_folder;
mod type_names;
mod widths;
mod words;

use crate::repo::Repo;
use anyhow::{Context, Result};
use documents::transcoding;
use source::Source;
use std::fmt;

/// The findings of the rules in the working tree.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) faults: Vec<Violation>,
    /// Useful figures that are no faults.
    pub(crate) notes: Vec<String>,
    /// The number of rules and of files.
    pub(crate) checked: String,
}

impl Report {
    /// Writes everything to standard error. Returns `true` if there is no fault.
    pub(crate) fn show(&self) -> bool {
        for fault in &self.faults {
            eprintln!("{fault}");
        }
        for note in &self.notes {
            println!("{note}");
        }
        println!("tidy: {}, {} fault(s)", self.checked, self.faults.len());
        self.faults.is_empty()
    }
}

/// One violation.
#[derive(Debug)]
pub(crate) struct Violation {
    path: String,
    /// The line, counted from 1; 0 stands for the whole file.
    line: usize,
    what: String,
}

impl Violation {
    fn new(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, what: what.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.what),
            line => write!(f, "{}:{line}: {}", self.path, self.what),
        }
    }
}

fn sources(repo: &Repo, files: &[String]) -> Result<Vec<Source>> {
    let rust = files.iter().filter(|path| path.ends_with(".rs"));
    rust.map(|path| Ok(Source::new(path, read(repo, path)?))).collect()
}

fn read(repo: &Repo, path: &str) -> Result<String> {
    std::fs::read_to_string(repo.at(path)).with_context(|| format!("cannot read {path}"))
}

/// Returns the paths in the tables of the rules, each with the file of its rule.
fn named_paths() -> impl Iterator<Item = (&'static str, &'static str)> {
    let of = |rule: &'static str, path| (rule, path);
    (bans::paths().map(move |path| of("xtask/src/tidy/bans/table.rs", path)))
        .chain(composition::paths().map(move |path| of("xtask/src/tidy/composition.rs", path)))
        .chain(extensions::paths().map(move |path| of("xtask/src/tidy/extensions.rs", path)))
        .chain(internal_formats::paths().map(move |path| of("xtask/src/tidy/internal_formats.rs", path)))
        .chain(product::paths().map(move |path| of("xtask/src/tidy/product.rs", path)))
        .chain(served::paths().map(move |path| of("xtask/src/tidy/served.rs", path)))
        .chain(type_names::paths().map(move |path| of("xtask/src/tidy/type_names.rs", path)))
        .chain(ports::PORTS.map(move |path| of("xtask/src/tidy/ports.rs", path)))
        .chain([of("xtask/src/tidy/services.rs", services::SERVICES), of("xtask/src/tidy/sizes.rs", sizes::SUITES)])
}

/// Checks every rule against the working tree.
pub(crate) fn run(repo: &Repo) -> Result<Report> {
    let files = repo.files()?;
    let sources = sources(repo, &files)?;
    let mut report = Report::default();
    sizes::check(&sources, &mut report);
    product::check(&sources, &mut report);
    type_names::check(&sources, &mut report);
    for source in sources.iter().filter(|source| !source.generated) {
        layout::check(source, &mut report.faults);
        bans::check(source, &mut report.faults);
        globals::check(source, &mut report.faults);
        widths::rust(source, &mut report.faults);
        ports::check(source, &mut report.faults);
        extensions::check(source, &mut report.faults);
    }
    bans::check_examples(&mut report.faults);
    services::check(&sources, &mut report.faults);
    composition::check(&sources, &mut report.faults);
    consumers::check(&sources, &mut report.faults);
    internal_formats::check(&sources, &mut report.faults);
    paths::check(&files, named_paths(), &mut report.faults);
    top_folder::check(&files, &mut report.faults);
    machine::check(repo, &files, &mut report.faults);
    let documents = files.iter().filter(|path| path.ends_with(".md"));
    let documents = documents.map(|path| Ok((path.as_str(), read(repo, path)?))).collect::<Result<_>>()?;
    documents::check(&documents, &files, &mut report.faults);
    let descriptors = std::fs::read(repo.at(transcoding::DESCRIPTORS)).context("cannot read the descriptors")?;
    transcoding::check(&read(repo, transcoding::CONFIGURATION)?, &descriptors, &mut report.faults)?;
    for path in files.iter().filter(|path| path.ends_with(".lua")) {
        let text = read(repo, path)?;
        widths::lua(path, &text, &mut report.faults);
        sizes::lua(path, &text, &mut report.faults);
    }
    for path in files.iter().filter(|path| widths::has_comments(path)) {
        widths::comments(path, &read(repo, path)?, &mut report.faults);
    }
    match read(repo, reasons::CONTRACT) {
        Ok(contract) => reasons::check(&contract, &sources, &mut report.faults),
        Err(_) => report.faults.push(Violation::new(reasons::CONTRACT, 0, "the list of error reasons is missing")),
    }
    let protos = files.iter().filter(|path| path.ends_with(".proto"));
    let protos = protos.map(|path| Ok((path.as_str(), read(repo, path)?))).collect::<Result<Vec<_>>>()?;
    served::check(&protos, &sources, &mut report.faults);
    edges::check(&edges::Graph::of(repo)?, &mut report.faults);
    features::check(repo, &mut report.faults)?;
    cycles::check(&read(repo, "Cargo.toml")?, &sources, &mut report.faults)?;
    by_hand::check(repo, &mut report)?;
    words::check(repo, &sources, &mut report.faults)?;
    report.checked = format!("{} Rust files, {} arrows by word", sources.len(), bans::count());
    Ok(report)
}
