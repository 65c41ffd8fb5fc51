use riposte_core::CommentView;
use riposte_core::page::{ListOrder, PageQuery, PageStart, RootPage};
use riposte_core::ports::{CommentRows, ListRows};

use super::{Fixture, run};

#[test]
fn the_root_of_a_thread_is_the_first_of_its_lineage() {
    let fixture = Fixture::new();
    let root = fixture.root(&fixture.subject("1"));
    let reply = fixture.reply(root);
    assert_eq!([root, reply].map(|id| fixture.at(id).root()), [root; 2]);
}

#[test]
fn everybody_sees_a_page_without_what_is_hidden_in_it() {
    let fixture = Fixture::new();
    let subject = fixture.subject("1");
    let roots = [fixture.root(&subject), fixture.root(&subject)];
    let replies = roots.map(|root| [fixture.reply(root), fixture.reply(root)]);
    for id in [roots[0], replies[0][0], replies[1][1]] {
        fixture.hide(id);
    }
    let window = PageQuery { order: ListOrder::Oldest, start: PageStart::Beginning, limit: 5 };
    let page = run(fixture.model.roots(&subject, window, 5)).ok().flatten().expect("the subject stands");
    // Hidden replies are not listed. The test adds them as a stale cache entry would contain them.
    let stale = |mut page: RootPage| {
        for (thread, replies) in page.threads.items.iter_mut().zip(replies) {
            let views = run(fixture.model.comments(&replies)).expect("a fixture has no faults");
            thread.replies = views.into_iter().flatten().collect();
        }
        RootPage { pinned: page.threads.items.clone(), ..page }
    };
    let page = stale(page).redacted();
    let shown = |view: &CommentView| view.content.is_some();
    for threads in [&page.threads.items, &page.pinned] {
        let told: Vec<_> = threads.iter().map(|t| (shown(&t.root), t.replies.iter().map(shown).collect())).collect();
        assert_eq!(told, [(false, vec![false, true]), (true, vec![true, false])]);
    }
}
