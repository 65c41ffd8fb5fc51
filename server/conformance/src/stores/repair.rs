//! Repairs, as far as ports allow: only direct access to a database can make a count wrong.

use riposte_core::Millis;
use riposte_core::ports::RepairReport;

use super::backend::Backend;
use super::relay::Relay;
use super::scene::Scene;

pub(super) async fn a_sound_subject_is_left_as_it_is_and_an_absent_one_is_none(backend: Backend) {
    let scene = Scene::new(&backend, "a_sound_subject_is_left_as_it_is_and_an_absent_one_is_none");
    let _turn = Relay::of(&backend).await; // prevents trims meanwhile
    let key = scene.key();
    let repairer = &scene.process.repairer;
    assert_eq!(repairer.repair(&key, Millis(1)).await, Ok(None));
    let root = scene.root(&key).await.comment.reference.id;
    scene.reply(&key, root, 2).await;
    for _ in 0..2 {
        let sound = RepairReport { drifts: Vec::new(), revision: 2 };
        assert_eq!(repairer.repair(&key, Millis(1)).await, Ok(Some(sound)));
    }
    assert_eq!(scene.events(&key).await.len(), 2);
    assert_eq!(scene.subject(&key).await.revision, 2);
}
