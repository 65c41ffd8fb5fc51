//! The threads of an export. Disqus has a thread for every address under which a page was opened,
//! so several threads may be one page.
//!
//! Of the threads of one subject, those with posts determine its title and its state (the strictest
//! of theirs). Without any posts it has the state that all threads agree on, else it is active.

use std::collections::{BTreeSet, HashMap};

use crate::group::GroupEntry;
use crate::html;
use crate::page::{self, PageNames};
use crate::read_notes::ReadNotes;
use crate::read_settings::ReadSettings;
use crate::record::{Key, Record, Subject, SubjectState};
use crate::time::TimeReader;
use crate::xml::Fields;

/// The threads that were read so far.
#[derive(Debug, Default)]
pub(super) struct Threads {
    index_by_id: HashMap<String, usize>,
    threads: Vec<Thread>,
}

#[derive(Debug)]
struct Thread {
    /// `None` for a thread without identifier and link, which no page can show.
    subject: Option<Subject>,
    host: String,
    posts: u64,
}

impl Threads {
    /// Adds a thread.
    pub(super) fn add(&mut self, fields: &Fields, settings: &ReadSettings) {
        let thread = Thread { subject: subject(fields, settings), host: page::host_of(fields.get("link")), posts: 0 };
        if thread.subject.is_some() {
            self.index_by_id.insert(fields.get("@id").to_owned(), self.threads.len());
            self.threads.push(thread);
        }
    }

    /// Returns true if this thread was read.
    pub(super) fn knows(&self, id: &str) -> bool {
        self.index_by_id.contains_key(id)
    }

    /// Returns the subject of a post in this thread, and counts the post.
    pub(super) fn key_of_post(&mut self, id: &str) -> Option<Key> {
        let thread = self.threads.get_mut(*self.index_by_id.get(id)?)?;
        thread.posts += 1;
        thread.subject.as_ref().map(|subject| subject.key.clone())
    }

    /// Returns one record for each subject, in the order of its first thread, and notes subjects
    /// whose threads have different hosts.
    pub(super) fn into_subjects(self, notes: &mut ReadNotes) -> Vec<GroupEntry> {
        let mut index_by_key: HashMap<Key, usize> = HashMap::new();
        let mut pages: Vec<Vec<Thread>> = Vec::new();
        for thread in self.threads {
            let Some(subject) = &thread.subject else { continue };
            let index = *index_by_key.entry(subject.key.clone()).or_insert(pages.len());
            match pages.get_mut(index) {
                Some(page) => page.push(thread),
                None => pages.push(vec![thread]),
            }
        }
        pages.into_iter().filter_map(|page| merge(page, notes)).collect()
    }
}

fn subject(fields: &Fields, settings: &ReadSettings) -> Option<Subject> {
    let page = PageNames { id: fields.get("id"), link: fields.get("link"), number: "" };
    let object_id = page.object_id(&settings.pages)?;
    let mut subject = Subject {
        key: Key { object_type: settings.object_type.clone(), object_id },
        create_time: TimeReader::utc().read(fields.get("createdAt")).ok(),
        ..Subject::default()
    };
    if super::is_set(fields.get("isClosed")) {
        subject.state = SubjectState::ReadOnly;
    }
    if super::is_set(fields.get("isDeleted")) {
        subject.state = SubjectState::Hidden;
    }
    subject.put_metadata("title", &html::to_line(fields.get("title")));
    subject.put_metadata("url", fields.get("link"));
    Some(subject)
}

fn merge(page: Vec<Thread>, notes: &mut ReadNotes) -> Option<GroupEntry> {
    let hosts: BTreeSet<&str> =
        page.iter().map(|thread| thread.host.as_str()).filter(|host| !host.is_empty()).collect();
    if hosts.len() > 1
        && let Some(subject) = page.first().and_then(|thread| thread.subject.as_ref())
    {
        notes.add_shared_page(&subject.key.object_id, hosts.iter().copied());
    }
    let strictness = |state: SubjectState| match state {
        SubjectState::Active => 0,
        SubjectState::ReadOnly => 1,
        SubjectState::Hidden => 2,
    };
    let states = |threads: &[&Thread]| -> Vec<SubjectState> {
        threads.iter().filter_map(|thread| thread.subject.as_ref()).map(|subject| subject.state).collect()
    };
    let all: Vec<&Thread> = page.iter().collect();
    let with_posts: Vec<&Thread> = page.iter().filter(|thread| thread.posts > 0).collect();
    let state = match with_posts.is_empty() {
        false => states(&with_posts).into_iter().max_by_key(|state| strictness(*state)),
        true => states(&all).into_iter().min_by_key(|state| strictness(*state)),
    };
    let is_only_twin = page.len() == 1;
    let create_time = page.iter().filter_map(|thread| thread.subject.as_ref()?.create_time).min();
    // The first of those with the most posts.
    let first = page.into_iter().rev().max_by_key(|thread| thread.posts)?;
    let subject = first.subject?;
    let state = if is_only_twin { subject.state } else { state.unwrap_or_default() };
    Some(GroupEntry::valid(Record::Subject(Subject { state, create_time, ..subject })))
}
