//! A walk over the pages of a list.

use rand::RngExt;
use rand::rngs::StdRng;

use crate::histcheck::history::{Call, PageOf, Sort, USUAL_PAGE_SIZE, View};
use crate::histcheck::names;

/// An unfinished walk, or a single page.
#[derive(Debug, Clone)]
pub(crate) struct PageWalk {
    /// The root whose replies are read; `None` for the roots of the subject.
    root: Option<i64>,
    page: PageOf,
    /// The token of the next page; empty for the first.
    token: String,
}

impl PageWalk {
    /// Begins a walk in a random order, by pages of a random size.
    pub(crate) fn begin(number: u32, subject: u32, root: Option<i64>, view: View, rng: &mut StdRng) -> Self {
        let usual = root.is_none() && rng.random_ratio(1, 3);
        let sort = match root {
            _ if usual => Sort::Newest,
            None => Sort::ALL[rng.random_range(0..Sort::ALL.len())],
            Some(_) => [Sort::Oldest, Sort::Newest, Sort::Top][rng.random_range(0..3)],
        };
        // Many pages are small, and some large, so that a walk over many comments reaches its end.
        let size = match rng.random_range(0..5) {
            _ if usual => USUAL_PAGE_SIZE,
            0 => rng.random_range(40..=100),
            _ => rng.random_range(1..=20),
        };
        let page = PageOf { subject, sort, size, walk: number, number: 0, view };
        Self { root, page, token: String::new() }
    }

    /// Returns the call for the next page, and its token.
    pub(crate) fn call(&self) -> (Call, String) {
        let page = self.page;
        let call = self.root.map_or(Call::List(page), |root| Call::Replies { root, page });
        (call, self.token.clone())
    }

    /// Returns a list that is not the list of this walk, with the token of the next page of this
    /// walk. The list is of the same subject in another order, or of the same object id in another
    /// object type. Returns `None` before the first page.
    pub(crate) fn other_list(&self, other_type: bool) -> Option<(u32, Sort, String)> {
        let PageOf { subject, sort, .. } = self.page;
        let other = if sort == Sort::Newest { Sort::Oldest } else { Sort::Newest };
        let (subject, sort) = if other_type { (names::of_another_type(subject), sort) } else { (subject, other) };
        (!self.token.is_empty()).then(|| (subject, sort, self.token.clone()))
    }

    /// Continues with the token from the page that was read; `None` at the end.
    pub(crate) fn next(mut self, token: String) -> Option<Self> {
        self.page.number += 1;
        self.token = token;
        (!self.token.is_empty()).then_some(self)
    }
}
