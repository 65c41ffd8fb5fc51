//! Repairs, as far as ports allow: only direct access to a database can make a count wrong.

use riposte_core::Millis;
use riposte_core::ports::RepairReport;

use super::backend::Backend;
use super::fixture::Fixture;
use super::relay::Relay;

pub(super) async fn a_sound_subject_is_left_as_it_is_and_an_absent_one_is_none(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_sound_subject_is_left_as_it_is_and_an_absent_one_is_none");
    let _turn = Relay::of(&backend).await; // prevents trims meanwhile
    let key = fixture.key();
    let repairer = &fixture.process.repairer;
    assert_eq!(repairer.repair(&key, Millis(1)).await, Ok(None));
    let root = fixture.root(&key).await.comment.reference.id;
    fixture.reply(&key, root, 2).await;
    for _ in 0..2 {
        let sound = RepairReport { drifts: Vec::new(), revision: 2 };
        assert_eq!(repairer.repair(&key, Millis(1)).await, Ok(Some(sound)));
    }
    assert_eq!(fixture.events(&key).await.len(), 2);
    assert_eq!(fixture.subject(&key).await.revision, 2);
}
