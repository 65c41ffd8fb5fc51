//! The queue of reviews whose times SQL statements have moved.

use riposte_conformance::stores::root_location;
use riposte_core::Content;
use riposte_core::disposition::Disposition;
use riposte_core::ports::{ReviewFilter, ReviewQuery};
use riposte_core::review::ReviewCauses;
use riposte_core::subject::Metadata;
use riposte_core::verbs::{BatchVerb, Edit};

use crate::databases::{ManualClock, all_databases};
use crate::subject::{Subject, member, run};

#[tokio::test(flavor = "multi_thread")]
async fn what_a_service_alone_would_judge_is_listed_once_it_is_due() {
    for database in all_databases().await {
        let store = database.migrated(&ManualClock::at_noon()).await;
        let subject = Subject::new(&store, "queued");
        let id = subject.create_roots(1).await[0];
        let content = Content::stored("another text".to_owned(), Vec::new(), Metadata::new());
        let edit = Edit::allowed(root_location(&subject.key, id), member(0), content);
        subject.commit(vec![Edit { judged: Disposition::Unchecked.into(), ..edit }.into_type()]).await;
        let listed = async |causes| {
            let filter = ReviewFilter { object_type: subject.key.object_type().clone(), causes };
            let query = ReviewQuery { filter, member: None, leased: false, after: None, limit: 9 };
            let found = store.reviews().list(&query).await.expect("listed");
            found.iter().map(|review| review.comment_id).collect::<Vec<_>>()
        };
        assert_eq!((listed(ReviewCauses::NONE).await, listed(ReviewCauses::OUTAGE).await), (vec![], vec![id]));
        run(&store, "UPDATE comment_review SET due_time = 9".to_owned()).await;
        assert_eq!((listed(ReviewCauses::NONE).await, listed(ReviewCauses::OUTAGE).await), (vec![id], vec![id]));
        store.close().await;
        database.drop().await;
    }
}
