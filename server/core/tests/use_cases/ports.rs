use super::{Fixture, run};
use riposte_core::caller::ObjectTypeScope;
use riposte_core::ids::{CommentId, Partition};
use riposte_core::object_type::ObjectType;
use riposte_core::page::{ListOrder, PageQuery, PageSelector, PageStart, RootPage};
use riposte_core::ports::{CommentRows, IdSource, ListRows};

fn scope<const N: usize>(types: [&str; N]) -> ObjectTypeScope {
    ObjectTypeScope::These(types.map(|name| ObjectType::stored(name.to_owned())).into())
}

#[test]
fn data_of_an_ungranted_type_is_treated_as_missing() {
    let fixture = Fixture::new();
    let (video, wall) = (fixture.create_root(&fixture.create_subject("1")), fixture.create_root_on_wall("1"));
    let absent = CommentId::new(i64::MAX).expect("positive");
    let ids = [wall, absent, video];
    for (types, found) in [
        (ObjectTypeScope::All, [Some(wall), None, Some(video)]),
        (scope(["video"]), [None, None, Some(video)]),
        (scope(["wall"]), [Some(wall), None, None]),
        (scope(["video", "wall"]), [Some(wall), None, Some(video)]),
        (scope([]), [None; 3]),
    ] {
        let location = run(fixture.model.locate_among(&ids, &types)).expect("the oracle does not fail");
        assert_eq!(location.into_iter().map(|at| Some(at?.id)).collect::<Vec<_>>(), found, "{types:?}");
        let read = run(fixture.model.comments_among(&ids, &types)).expect("the oracle does not fail");
        assert_eq!(
            read.into_iter().map(|view| Some(view?.comment.reference.id)).collect::<Vec<_>>(),
            found,
            "{types:?}"
        );
    }
}

#[test]
fn a_reader_without_preview_candidates_returns_the_page_only() {
    let fixture = Fixture::new();
    let subject = fixture.create_subject("1");
    let floors = [(); 3].map(|()| fixture.location(fixture.create_root(&subject)).floor);
    let newest = PageQuery { order: ListOrder::Newest, start: PageStart::Beginning, limit: 2 };
    let shown = |page: &RootPage| page.threads.items.iter().map(|t| t.root.comment.reference.floor).collect::<Vec<_>>();
    for (selector, expected) in [
        (PageSelector::Window(newest), [floors[2], floors[1]]),
        (PageSelector::Floors(vec![floors[0], floors[2]]), [floors[0], floors[2]]),
    ] {
        let fill = run(fixture.model.root_page_with_candidates(&subject, &selector, 1))
            .ok()
            .flatten()
            .expect("the subject exists");
        assert_eq!((shown(&fill.page), fill.candidates, fill.rank_position), (expected.to_vec(), vec![], 0));
    }
}

#[test]
fn ids_of_subjects_are_generated_like_those_of_comments() {
    let fixture = Fixture::new();
    let at = Partition::number(7);
    let [first, second] = [(); 2].map(|()| run(fixture.ids.subject(at)).expect("the oracle does not fail"));
    assert!(first < second && first.partition() == at);
}
