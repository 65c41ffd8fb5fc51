//! Real comments and word lists, from the folder that `RIPOSTE_TEST_DATA` names.

use riposte_policy::{ListEffect, ListSettings, MatchMode, PolicyOutcome, WordList};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Returns the folder of real data; `None`, with a notice, if there is no such folder.
pub(crate) fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("RIPOSTE_TEST_DATA").map(PathBuf::from).filter(|folder| folder.is_dir());
    if folder.is_none() {
        eprintln!("SKIPPED: RIPOSTE_TEST_DATA names no folder, so real comments are not read");
    }
    folder
}

/// Returns the 5,633 Spanish comments of Decide Madrid.
pub(crate) fn madrid(folder: &Path) -> Vec<String> {
    column(&folder.join("decide-madrid/comments.csv.gz"), "text")
}

/// Returns the 197 Chinese comments of vTaiwan.
pub(crate) fn vtaiwan(folder: &Path) -> Vec<String> {
    column(&folder.join("polis-votes/vtaiwan.uberx/comments.csv.gz"), "comment-body")
}

/// Returns the list of words in a language.
pub(crate) fn words(folder: &Path, language: &str, mode: Option<MatchMode>) -> WordList {
    let file = folder.join("words/ldnoobw").join(language);
    let bytes = std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    WordList::parse(&settings(language, mode), &bytes).unwrap()
}

/// Returns settings of a list that holds texts.
pub(crate) fn settings(name: &str, mode: Option<MatchMode>) -> ListSettings {
    let code = "policy.list".to_owned();
    ListSettings { name: name.to_owned(), outcome: PolicyOutcome::Hold, code, mode, effect: ListEffect::Live }
}

fn column(file: &Path, name: &str) -> Vec<String> {
    let packed = std::fs::File::open(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(packed).read_to_string(&mut text).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let at = reader.headers().unwrap().iter().position(|header| header == name).unwrap();
    reader.records().map(|record| record.unwrap()[at].to_owned()).collect()
}
