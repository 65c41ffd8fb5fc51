use super::*;

#[test]
fn concurrent_likes_are_of_two_members_and_use_each_cached_comment_once() {
    let mut planner = Planner::new(3, 1);
    assert!(planner.concurrent_likes().is_none());
    for _ in 0..100 {
        planner.cached = Some((7, 11));
        let Some(PlannedCall {
            call: Call::Like { subject, comment, member, .. }, concurrent_like: Some(second), ..
        }) = planner.concurrent_likes()
        else {
            panic!("no concurrent likes")
        };
        let Call::Like { subject: second_subject, comment: second_comment, member: other, .. } = second else {
            panic!("{second:?}")
        };
        assert_eq!(((subject, comment), (second_subject, second_comment)), ((7, 11), (7, 11)));
        assert_ne!(member, other);
        assert!([member, other].iter().all(|member| member / MEMBERS == 3));
        assert!(planner.concurrent_likes().is_none());
    }
}
