//! Reading the files of word lists, and compiling them for each object type.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use riposte_core::decision::MODERATION_OFF_CODE;
use riposte_policy::{
    Day, EntryNote, MAX_ENTRIES, MAX_HEAP_BYTES, Matcher, MatcherError, Normalizer, WordList, note_summaries,
};
use riposte_settings::{ConfigError, ConfigErrors};

use super::settings::{PolicySettings, WordListSettings};

/// The largest size of a file.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// The lists of all object types, compiled for a day.
#[derive(Debug)]
pub(super) struct ListsInForce {
    day: Day,
    /// The lists of the types that a list names.
    of_type: BTreeMap<String, Arc<Matcher>>,
    /// Those of all other types; `None` if each list names its types.
    of_others: Option<Arc<Matcher>>,
    versions: Vec<(String, String)>,
    /// Remarks on entries, each with the name of its list.
    remarks: Vec<String>,
}

impl ListsInForce {
    /// The day for which they were compiled.
    pub(super) fn day(&self) -> Day {
        self.day
    }

    /// Returns the lists of a type; `None` if it has none.
    pub(super) fn of(&self, object_type: &str) -> Option<&Arc<Matcher>> {
        self.of_type.get(object_type).or(self.of_others.as_ref())
    }

    /// Returns remarks on the lists and their entries, without any word of them.
    pub(super) fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// Returns name and version of each list.
    pub(super) fn versions(&self) -> impl Iterator<Item = (&str, &str)> {
        self.versions.iter().map(|(name, version)| (name.as_str(), version.as_str()))
    }
}

/// Reads and compiles all lists for a day.
pub(super) fn load(
    settings: &PolicySettings,
    normalizer: &Arc<Normalizer>,
    today: Day,
) -> Result<ListsInForce, ConfigErrors> {
    let lists = read_all(settings)?;
    let of_all = |error: MatcherError| ConfigError::at("policy.lists", error.to_string());
    let entries = lists.iter().map(|list| list.entries.len()).sum();
    if entries > MAX_ENTRIES {
        return Err(of_all(MatcherError::TooManyEntries(entries)).into());
    }
    let mut compiler = Compiler { settings, normalizer, today, lists: &lists, compiled: BTreeMap::new() };
    let mut notes = BTreeSet::new();
    let names: BTreeSet<&String> = settings.lists.iter().flat_map(|list| &list.object_types).collect();
    let mut of_type = BTreeMap::new();
    for name in names {
        if let Some(matcher) = compiler.matcher(Some(name), &mut notes).map_err(of_all)? {
            of_type.insert(name.clone(), matcher);
        }
    }
    let of_others = compiler.matcher(None, &mut notes).map_err(of_all)?;
    let empty = lists.iter().filter(|list| list.entries.is_empty());
    let mut remarks: Vec<String> = empty.map(|list| format!("the word list {} has no entry", list.name)).collect();
    let of_entries = note_summaries(notes).into_iter();
    remarks.extend(of_entries.map(|summary| format!("the word list {}: {summary}", lists[summary.list].name)));
    for remark in &remarks {
        tracing::warn!("{remark}");
    }
    let versions = lists.into_iter().map(|list| (list.name, list.version)).collect();
    Ok(ListsInForce { day: today, of_type, of_others, versions, remarks })
}

/// Compiles the lists of each object type. Types with the same lists share the automata.
struct Compiler<'l> {
    settings: &'l PolicySettings,
    normalizer: &'l Arc<Normalizer>,
    today: Day,
    lists: &'l [WordList],
    /// The automata of each set of lists.
    compiled: BTreeMap<Vec<usize>, Arc<Matcher>>,
}

impl Compiler<'_> {
    fn matcher(
        &mut self,
        object_type: Option<&str>,
        notes: &mut BTreeSet<EntryNote>,
    ) -> Result<Option<Arc<Matcher>>, MatcherError> {
        let numbers = 0..self.lists.len();
        let chosen: Vec<usize> = numbers.filter(|list| self.settings.lists[*list].is_for(object_type)).collect();
        if chosen.is_empty() {
            return Ok(None);
        }
        if let Some(known) = self.compiled.get(&chosen) {
            return Ok(Some(Arc::clone(known)));
        }
        let lists: Vec<&WordList> = chosen.iter().map(|list| &self.lists[*list]).collect();
        let (matcher, found) = Matcher::new(Arc::clone(self.normalizer), &lists, self.today)?;
        notes.extend(found.into_iter().map(|note| EntryNote { list: chosen[note.list], ..note }));
        let matcher = Arc::new(matcher);
        self.compiled.insert(chosen, Arc::clone(&matcher));
        // The bound is for the process, not for each type.
        match self.compiled.values().map(|matcher| matcher.heap_bytes()).sum() {
            bytes if bytes > MAX_HEAP_BYTES => Err(MatcherError::TooLarge(bytes)),
            _ => Ok(Some(matcher)),
        }
    }
}

/// Reads every file, and reports all that cannot be used at once.
fn read_all(settings: &PolicySettings) -> Result<Vec<WordList>, ConfigErrors> {
    let (mut lists, mut faults) = (Vec::new(), Vec::new());
    for (index, list) in settings.lists.iter().enumerate() {
        match read(list) {
            Ok(list) => lists.push(list),
            Err(what) => faults.push(ConfigError::at(format!("policy.lists.{index}.file"), what)),
        }
    }
    if faults.is_empty() { Ok(lists) } else { Err(ConfigErrors(faults)) }
}

/// Reads one file. The error names lines and no word.
fn read(settings: &WordListSettings) -> Result<WordList, String> {
    let path = settings.file.display();
    let bytes = bytes_of(&settings.file).map_err(|what| format!("{path} {what}"))?;
    let list = WordList::parse(&settings.of_file(), &bytes).map_err(|faults| format!("{path}: {faults}"))?;
    match list.entries.iter().find(|entry| entry.code == MODERATION_OFF_CODE) {
        // A decision with this code passes a closed gate.
        Some(entry) => {
            Err(format!("{path}: line {}: `code` is that of turning moderation off: choose another", entry.line))
        }
        None => Ok(list),
    }
}

fn bytes_of(file: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = File::open(file).and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(|error| format!("cannot be read: {error}"))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(format!("has more than {} MiB, the largest size of a list", MAX_FILE_BYTES >> 20));
    }
    Ok(bytes)
}
