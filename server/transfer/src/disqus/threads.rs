//! The threads of an export. Disqus has a thread for every address under which a page was opened,
//! so several threads may be one page: those with one identifier, and those with one address, of
//! which the site may have named one later. Their subject has the identifier of the one with most
//! posts.
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

/// The member of a thread on which nothing depends.
const TITLE: &str = "title";

/// The threads that were read so far.
#[derive(Debug, Default)]
pub(super) struct Threads {
    index_by_id: HashMap<String, usize>,
    threads: Vec<Thread>,
    /// The number of posts in each thread.
    posts: HashMap<String, u64>,
}

/// The pages that all threads are of.
#[derive(Debug)]
pub(super) struct Pages {
    /// The subject of each thread.
    keys: HashMap<String, Key>,
    /// The threads of each page, in the order of its first thread.
    pages: Vec<Vec<Thread>>,
}

#[derive(Debug)]
struct Thread {
    id: String,
    subject: Subject,
    /// True if the identifier of the site is the object id.
    is_named: bool,
    address: String,
    host: String,
    posts: u64,
    /// The rejection of the thread with its place and its fields.
    rejected: Option<Box<GroupEntry>>,
}

impl Threads {
    /// Adds a thread, unless it has neither identifier nor link: no page can show such a thread.
    pub(super) fn add(&mut self, fields: &Fields, settings: &ReadSettings, notes: &mut ReadNotes) {
        let page = PageNames { id: fields.get("id"), link: fields.get("link"), number: "" };
        let Some(subject) = subject(fields, settings) else { return };
        let rejected = rejected(fields, &subject).map(Box::new);
        if rejected.is_none() && fields.is_faulty(TITLE) {
            notes.add_unreadable_title(&subject.key.object_id);
        }
        let id = fields.get("@id").to_owned();
        self.index_by_id.insert(id.clone(), self.threads.len());
        self.threads.push(Thread {
            id,
            subject,
            is_named: page.is_named_by_id(&settings.pages),
            address: page.address(&settings.pages),
            host: page::host_of(page.link),
            posts: 0,
            rejected,
        });
    }

    /// Counts a post in this thread, which may follow it.
    pub(super) fn count_post(&mut self, id: &str) {
        match self.posts.get_mut(id) {
            Some(posts) => *posts += 1,
            None => {
                self.posts.insert(id.to_owned(), 1);
            }
        }
    }

    /// Returns the pages, and notes those with several identifiers.
    pub(super) fn into_pages(mut self, notes: &mut ReadNotes) -> Pages {
        for (id, index) in &self.index_by_id {
            let posts = self.posts.get(id).copied().unwrap_or_default();
            self.threads.get_mut(*index).into_iter().for_each(|thread| thread.posts = posts);
        }
        let firsts = self.firsts();
        let mut index_by_first: HashMap<usize, usize> = HashMap::new();
        let mut pages: Vec<Vec<Thread>> = Vec::new();
        for (thread, first) in self.threads.into_iter().zip(firsts) {
            let index = *index_by_first.entry(first).or_insert(pages.len());
            match pages.get_mut(index) {
                Some(page) => page.push(thread),
                None => pages.push(vec![thread]),
            }
        }
        let mut keys = HashMap::new();
        for page in &mut pages {
            let key = key_of(page, notes);
            for thread in page {
                thread.subject.key = key.clone();
                keys.insert(thread.id.clone(), key.clone());
            }
        }
        Pages { keys, pages }
    }

    /// Returns for each thread the first one of its page.
    fn firsts(&self) -> Vec<usize> {
        let mut firsts: Vec<usize> = (0..self.threads.len()).collect();
        let mut by_key: HashMap<&Key, usize> = HashMap::new();
        let mut by_address: HashMap<&str, usize> = HashMap::new();
        for (index, thread) in self.threads.iter().enumerate() {
            let with_key = *by_key.entry(&thread.subject.key).or_insert(index);
            join(&mut firsts, with_key, index);
            if !thread.address.is_empty() {
                let with_address = *by_address.entry(&thread.address).or_insert(index);
                join(&mut firsts, with_address, index);
            }
        }
        (0..firsts.len()).map(|index| first_of(&firsts, index)).collect()
    }
}

impl Pages {
    /// Returns the subject of a post in this thread.
    pub(super) fn key(&self, thread_id: &str) -> Option<Key> {
        self.keys.get(thread_id).cloned()
    }

    /// Returns one record for each subject, in the order of its first thread, and notes subjects
    /// whose threads have different hosts.
    pub(super) fn into_subjects(self, notes: &mut ReadNotes) -> Vec<GroupEntry> {
        self.pages.into_iter().filter_map(|page| merge(page, notes)).collect()
    }
}

fn first_of(firsts: &[usize], mut index: usize) -> usize {
    while let Some(first) = firsts.get(index).copied().filter(|first| *first != index) {
        index = first;
    }
    index
}

/// Makes one page of the pages of two threads.
fn join(firsts: &mut [usize], one: usize, other: usize) {
    let (one, other) = (first_of(firsts, one), first_of(firsts, other));
    firsts.get_mut(one.max(other)).into_iter().for_each(|first| *first = one.min(other));
}

/// Returns the subject of the threads of a page: that of the one with most posts, of those that the
/// site has named if there are any.
fn key_of(page: &[Thread], notes: &mut ReadNotes) -> Key {
    let named: Vec<&Thread> = page.iter().filter(|thread| thread.is_named).collect();
    let candidates = if named.is_empty() { page.iter().collect() } else { named };
    // The first of those with the most posts.
    let first = candidates.iter().rev().max_by_key(|thread| thread.posts);
    let key = first.map(|thread| thread.subject.key.clone()).unwrap_or_default();
    let ids: BTreeSet<&str> = candidates.iter().map(|thread| thread.subject.key.object_id.as_str()).collect();
    if ids.len() > 1 {
        notes.add_joined_thread(&key.object_id, ids.into_iter().filter(|id| *id != key.object_id));
    }
    key
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
    if !fields.is_faulty(TITLE) {
        subject.put_metadata(TITLE, &html::to_line(fields.get(TITLE)));
    }
    subject.put_metadata("url", fields.get("link"));
    Some(subject)
}

/// Returns the rejection of a thread with a value that cannot be read.
fn rejected(fields: &Fields, subject: &Subject) -> Option<GroupEntry> {
    let created = fields.get("createdAt");
    let time = if TimeReader::is_none(created) { Ok(()) } else { TimeReader::utc().read(created).map(drop) };
    let (reason, message) = match (fields.fault_outside(&super::PARENTS, TITLE), time) {
        (Some(fault), _) => ("RECORD_INVALID", fault),
        (None, Err(error)) => ("TIME_INVALID", format!("{error:#}")),
        (None, Ok(())) => return None,
    };
    let mut entry = GroupEntry::valid(Record::Subject(subject.clone())).at(fields.place());
    entry.problem = Some(entry.problem(reason, &message));
    entry.keep_original(fields.all(&super::PARENTS));
    Some(entry)
}

fn merge(mut page: Vec<Thread>, notes: &mut ReadNotes) -> Option<GroupEntry> {
    // One thread that cannot be read may be the one that hides the page.
    let rejected = page.iter_mut().find_map(|thread| thread.rejected.take());
    let hosts: BTreeSet<&str> =
        page.iter().map(|thread| thread.host.as_str()).filter(|host| !host.is_empty()).collect();
    if hosts.len() > 1
        && let Some(thread) = page.first()
    {
        notes.add_shared_page(&thread.subject.key.object_id, hosts.iter().copied());
    }
    let strictness = |state: SubjectState| match state {
        SubjectState::Active => 0,
        SubjectState::ReadOnly => 1,
        SubjectState::Hidden => 2,
    };
    let states =
        |threads: &[&Thread]| -> Vec<SubjectState> { threads.iter().map(|thread| thread.subject.state).collect() };
    let all: Vec<&Thread> = page.iter().collect();
    let with_posts: Vec<&Thread> = page.iter().filter(|thread| thread.posts > 0).collect();
    let state = match with_posts.is_empty() {
        false => states(&with_posts).into_iter().max_by_key(|state| strictness(*state)),
        true => states(&all).into_iter().min_by_key(|state| strictness(*state)),
    };
    let is_only_twin = page.len() == 1;
    let create_time = page.iter().filter_map(|thread| thread.subject.create_time).min();
    // The first of those with the most posts.
    let first = page.into_iter().rev().max_by_key(|thread| thread.posts)?;
    let subject = first.subject;
    let state = if is_only_twin { subject.state } else { state.unwrap_or_default() };
    let subject = Subject { state, create_time, ..subject };
    Some(match rejected {
        None => GroupEntry::valid(Record::Subject(subject)),
        Some(rejected) => {
            let original = rejected.record.original().clone();
            GroupEntry { record: Record::Subject(Subject { original, ..subject }), ..*rejected }
        }
    })
}
