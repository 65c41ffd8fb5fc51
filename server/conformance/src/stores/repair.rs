//! Repairs of correct counts. Only direct access to a database can make a count wrong, so the tests
//! of each store cover repairs of wrong counts.

use riposte_core::Millis;
use riposte_core::ports::RepairReport;

use super::backend::Backend;
use super::fixture::Fixture;
use super::relay::Relay;

pub(super) async fn a_repair_changes_no_correct_subject_and_finds_no_absent_one(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_repair_changes_no_correct_subject_and_finds_no_absent_one");
    let _relay = Relay::of(&backend).await; // prevents concurrent trims
    let key = fixture.key();
    let repairer = &fixture.process.repairer;
    assert_eq!(repairer.repair(&key, Millis(1)).await, Ok(None));
    let root = fixture.root(&key).await.comment.reference.id;
    fixture.reply(&key, root, 2).await;
    for _ in 0..2 {
        let unchanged = RepairReport { drifts: Vec::new(), revision: 2 };
        assert_eq!(repairer.repair(&key, Millis(1)).await, Ok(Some(unchanged)));
    }
    assert_eq!(fixture.events(&key).await.len(), 2);
    assert_eq!(fixture.subject(&key).await.revision, 2);
}
