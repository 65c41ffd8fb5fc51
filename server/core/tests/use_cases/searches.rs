//! Searches over the rows: hits by words and filter, exact walks, groups of equal texts.

use std::sync::Arc;

use riposte_core::ports::{SearchWords, TextTokens};
use riposte_core::read::{CommentQuery, CommentSearch, DuplicateQuery, ReviewQueue, SearchPorts};
use riposte_core::search::{SearchFilter, TextKey};
use riposte_core::{CommentId, Error, ObjectType, Violation};

use super::{Fixture, new_root, policies, run, unrestricted, write_context};

/// Tokens of texts that are words of ASCII, separated by spaces.
#[derive(Debug)]
struct PlainTokens;

#[derive(Debug)]
struct PlainWords(Vec<String>);

impl TextTokens for PlainTokens {
    fn text_key(&self, text: &str) -> Option<TextKey> {
        let mut key = [0; 16];
        text.bytes().enumerate().for_each(|(at, byte)| key[at % 16] ^= byte.rotate_left(at as u32 / 16));
        (!text.is_empty()).then_some(TextKey(key))
    }

    fn links(&self, _: &str) -> Vec<String> {
        Vec::new()
    }

    fn words(&self, _: &str, words: &str) -> Result<Box<dyn SearchWords>, Violation> {
        Ok(Box::new(PlainWords(words.split(' ').map(str::to_owned).collect())))
    }
}

impl SearchWords for PlainWords {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn are_in(&self, text: &str) -> bool {
        self.0.iter().all(|word| text.split(' ').any(|token| token == word))
    }
}

fn search(fixture: &Fixture) -> CommentSearch {
    let (model, clock) = (Arc::clone(&fixture.model), Arc::clone(&fixture.clock));
    let queue = ReviewQueue::new(Arc::clone(&model) as _, Arc::clone(&model) as _, policies());
    CommentSearch::new(SearchPorts { queue, reader: model, tokens: Arc::new(PlainTokens), clock }, policies())
}

fn filter(text: &str) -> SearchFilter {
    SearchFilter::parse("filter", text).expect("a filter")
}

/// Walks over all hits in pages of `limit`.
fn hits(search: &CommentSearch, words: &str, filter: Option<&SearchFilter>, limit: usize) -> Vec<CommentId> {
    let words = (!words.is_empty()).then(|| search.words("words", words).expect("words"));
    let object_type = ObjectType::stored("video".to_owned());
    let query = CommentQuery { object_type, words, filter: filter.cloned() };
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = run(search.search(&unrestricted(), &query, after, limit)).expect("a page");
        assert!(page.hits.len() <= limit && !page.is_cut);
        found.extend(page.hits.iter().map(|hit| hit.view.comment.reference.id));
        assert_eq!(page.hits_so_far as usize, found.len());
        after = page.next;
        if after.is_none() {
            return found;
        }
    }
}

/// Returns a fixture with comments of these texts under the videos 1 and 2 in turns, the oldest
/// first, and one of another type.
fn fixture(texts: &[&str]) -> (Fixture, Vec<CommentId>) {
    let fixture = Fixture::new();
    let subjects = ["1", "2"].map(|name| fixture.create_subject(name));
    let create = |(at, text): (usize, &&str)| {
        let context = write_context();
        run(fixture.mutations.submit(&context, &subjects[at % 2], new_root(text)))
            .expect("a root")
            .value
            .comment
            .reference
            .id
    };
    let ids = texts.iter().enumerate().map(create).collect();
    fixture.create_root_on_wall("w");
    (fixture, ids)
}

#[test]
fn a_walk_returns_each_hit_once_from_the_newest_to_the_oldest() {
    let (fixture, ids) = fixture(&["free coins", "rain", "free rain", "coins", "free coins"]);
    fixture.hide(ids[2]);
    let search = search(&fixture);
    for limit in [1, 2, 100] {
        let found = |words: &str, text: Option<&str>| hits(&search, words, text.map(filter).as_ref(), limit);
        assert_eq!(found("free", None), [ids[4], ids[2], ids[0]]);
        assert_eq!(found("free coins", None), [ids[4], ids[0]]);
        assert_eq!(found("", Some("state = HIDDEN")), [ids[2]]);
        assert_eq!(found("", Some("decisions = 1 AND action = HIDE")), [ids[2]]);
        assert_eq!(found("", Some("subject = \"2\"")), [ids[3], ids[1]]);
        assert_eq!(found("coins", Some("subject = \"1\"")), [ids[4], ids[0]]);
        assert_eq!(found("", Some("length = 4")), [ids[1]]);
        assert_eq!(found("", Some("NOT subject = \"1\"")), [ids[3], ids[1]]);
        assert_eq!(found("absent", None), []);
    }
}

#[test]
fn duplicates_are_found_by_one_of_them_and_as_groups() {
    let (fixture, ids) = fixture(&["spam", "rain", "spam", "spam", "rain", "one"]);
    let search = search(&fixture);
    let mut of = filter(&format!("duplicate_of = {}", ids[0].get()));
    run(search.resolve(&unrestricted(), &mut of)).expect("the comment exists");
    assert_eq!(hits(&search, "", Some(&of), 2), [ids[3], ids[2], ids[0]]);
    let mut absent = filter("duplicate_of = 1");
    assert_eq!(run(search.resolve(&unrestricted(), &mut absent)), Err(Error::CommentNotFound));
    let object_type = ObjectType::stored("video".to_owned());
    let query = DuplicateQuery { object_type, filter: None, comments_min: 2, limit: 10 };
    let found = run(search.duplicates(&unrestricted(), query)).expect("groups");
    let groups: Vec<_> = found
        .groups
        .iter()
        .map(|group| (group.sample.view.comment.reference.id, group.comment_count, group.members, group.subjects))
        .collect();
    assert_eq!(groups, [(ids[3], 3, 1, 2), (ids[4], 2, 1, 2)]);
    assert!(!found.is_cut);
}
