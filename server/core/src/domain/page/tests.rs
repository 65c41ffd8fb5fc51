use super::Page;

#[test]
fn a_mapped_page_keeps_its_flags() {
    for (more_before, more_after) in [(true, false), (false, true)] {
        let page = Page { items: vec![1, 2], more_before, more_after };
        assert_eq!(page.map(|n| n * 10), Page { items: vec![10, 20], more_before, more_after });
    }
    assert_eq!(Page::<i32>::default(), Page { items: vec![], more_before: false, more_after: false });
}
