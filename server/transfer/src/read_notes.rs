//! Details that a person should know about files that were read, in addition to the rejects.

use std::collections::BTreeMap;

use super::counted::count;
use super::excerpt::{VALUE_CHARS_MAX, excerpt};

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
    /// Posts with comments that name no status.
    pub(crate) posts_without_status: u64,
    /// Subjects without their title, which cannot be read.
    unreadable_titles: u64,
    unreadable_examples: Vec<String>,
    /// Subjects of threads with several identifiers.
    joined_threads: u64,
    joined_examples: Vec<String>,
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

    /// Notes a subject whose title, or other metadata, cannot be read and is left out.
    pub(crate) fn add_unreadable_title(&mut self, object_id: &str) {
        self.unreadable_titles += 1;
        if self.unreadable_examples.len() < EXAMPLES_MAX {
            self.unreadable_examples.push(excerpt(object_id, VALUE_CHARS_MAX));
        }
    }

    /// Notes a subject that is made of threads with other identifiers too.
    pub(crate) fn add_joined_thread<'i>(&mut self, object_id: &str, others: impl Iterator<Item = &'i str>) {
        self.joined_threads += 1;
        if self.joined_examples.len() < EXAMPLES_MAX {
            let others: Vec<String> = others.map(|id| excerpt(id, VALUE_CHARS_MAX)).collect();
            self.joined_examples.push(format!("{} (also {})", excerpt(object_id, VALUE_CHARS_MAX), others.join(", ")));
        }
    }

    /// Adds the counts of other notes.
    pub(crate) fn add(&mut self, other: &Self) {
        self.records += other.records;
        self.controls += other.controls;
        self.clamped_times += other.clamped_times;
        self.unreadable_titles += other.unreadable_titles;
        self.unreadable_examples.extend(other.unreadable_examples.iter().cloned());
        self.unreadable_examples.truncate(EXAMPLES_MAX);
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
        if self.posts_without_status > 0 {
            let posts = count(self.posts_without_status, "post");
            lines.push(format!("{posts} without a status, which may be drafts: hidden subjects"));
        }
        if self.unreadable_titles > 0 {
            let subjects = count(self.unreadable_titles, "subject");
            let examples = self.unreadable_examples.join(", ");
            lines.push(format!("{subjects} without the title or other metadata, which cannot be read: {examples}"));
        }
        if self.joined_threads > 0 {
            let subjects = count(self.joined_threads, "subject");
            let examples = self.joined_examples.join("; ");
            lines.push(format!("{subjects} of threads with one address and several identifiers: {examples}"));
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
