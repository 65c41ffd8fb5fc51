//! Facts that a person should know about files that were read, in addition to the rejects.

use std::collections::BTreeMap;

use super::counted::count;

/// The number of examples that a note has.
const EXAMPLES_MAX: usize = 3;

/// Counts and examples, collected while files are read.
#[derive(Debug, Default)]
pub(crate) struct ReadNotes {
    /// Records of all kinds.
    pub(crate) records: u64,
    /// Control characters that were dropped because they are not stored.
    pub(crate) controls: u64,
    /// Times after the present that were set to it.
    pub(crate) clamped_times: u64,
    shared_pages: u64,
    shared_examples: BTreeMap<String, Vec<String>>,
}

impl ReadNotes {
    /// Notes a subject that is a page of several hosts.
    pub(crate) fn add_shared_page<'h>(&mut self, object_id: &str, hosts: impl Iterator<Item = &'h str>) {
        self.shared_pages += 1;
        if self.shared_examples.len() < EXAMPLES_MAX {
            self.shared_examples.insert(object_id.to_owned(), hosts.map(str::to_owned).collect());
        }
    }

    /// Adds the counts of other notes.
    pub(crate) fn add(&mut self, other: &Self) {
        self.records += other.records;
        self.controls += other.controls;
        self.clamped_times += other.clamped_times;
    }

    /// Returns the notes as lines; none if there is nothing to say.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.controls > 0 {
            let controls = count(self.controls, "control character");
            lines.push(format!("{controls} dropped, which the server does not store"));
        }
        if self.clamped_times > 0 {
            lines.push(format!("{} after the present set to it", count(self.clamped_times, "time")));
        }
        if self.shared_pages > 0 {
            let example = |(id, hosts): (&String, &Vec<String>)| format!("{id} ({})", hosts.join(", "));
            let examples: Vec<String> = self.shared_examples.iter().map(example).collect();
            lines.push(format!(
                "{} of pages of several hosts: {}; --subject-by url keeps the hosts apart",
                count(self.shared_pages, "subject"),
                examples.join("; ")
            ));
        }
        lines
    }
}
