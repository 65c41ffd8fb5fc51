use riposte_core::CommentView;
use riposte_core::page::{ListOrder, PageQuery, PageStart, RootPage};
use riposte_core::ports::{CommentRows, ListRows};

use super::{Fixture, run};

#[test]
fn the_root_of_a_thread_is_the_first_of_its_ancestors() {
    let fixture = Fixture::new();
    let root = fixture.create_root(&fixture.create_subject("1"));
    let reply = fixture.create_reply(root);
    assert_eq!([root, reply].map(|id| fixture.location(id).root()), [root; 2]);
}

#[test]
fn a_redacted_page_has_no_content_of_hidden_comments() {
    let fixture = Fixture::new();
    let subject = fixture.create_subject("1");
    let roots = [fixture.create_root(&subject), fixture.create_root(&subject)];
    let replies = roots.map(|root| [fixture.create_reply(root), fixture.create_reply(root)]);
    for id in [roots[0], replies[0][0], replies[1][1]] {
        fixture.hide(id);
    }
    let query = PageQuery { order: ListOrder::Oldest, start: PageStart::Beginning, limit: 5 };
    let page = run(fixture.model.roots(&subject, query, 5)).ok().flatten().expect("the subject exists");
    // Hidden replies are not listed. The test adds them, as a stale cache entry may contain them.
    let stale = |mut page: RootPage| {
        for (thread, replies) in page.threads.items.iter_mut().zip(replies) {
            let views = run(fixture.model.comments(&replies)).expect("the oracle does not fail");
            thread.replies = views.into_iter().flatten().collect();
        }
        RootPage { pinned: page.threads.items.clone(), ..page }
    };
    let page = stale(page).redacted();
    let shown = |view: &CommentView| view.content.is_some();
    for threads in [&page.threads.items, &page.pinned] {
        let contents_shown: Vec<_> =
            threads.iter().map(|t| (shown(&t.root), t.replies.iter().map(shown).collect())).collect();
        assert_eq!(contents_shown, [(false, vec![false, true]), (true, vec![true, false])]);
    }
}
