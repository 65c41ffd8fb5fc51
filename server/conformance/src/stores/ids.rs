//! Ids: they are unique for all processes and clocks, because each worker number is leased.

use std::collections::HashSet;
use std::sync::Arc;

use riposte_core::ids::IdTick;
use riposte_core::ports::Clock;
use riposte_core::{Millis, Partition};

use super::backend::{Backend, Process, StepClock};
use super::fixture::Fixture;

/// Generates ids of a partition and checks that none of them is in `known`.
async fn generate(process: &Process, partition: Partition, count: usize, known: &mut HashSet<i64>) {
    for _ in 0..count {
        let id = process.ids.comment(partition).await.expect("an id");
        assert_eq!(id.partition(), partition);
        assert!(id.get() > 0 && known.insert(id.get()), "{id:?} was generated twice");
    }
}

pub(super) async fn ids_are_unique_and_carry_their_partition(backend: Backend) {
    let mut tasks = Vec::new();
    for task in 0..16_u16 {
        let process = backend.process.clone();
        tasks.push(tokio::spawn(async move {
            let mut known = HashSet::new();
            for partition in [0, 1, 511, 1023, task] {
                generate(&process, Partition::number(partition), 300, &mut known).await;
            }
            known
        }));
    }
    let mut all = HashSet::new();
    for task in tasks {
        for id in task.await.expect("no panic") {
            assert!(all.insert(id), "{id} was generated twice");
        }
    }
}

pub(super) async fn processes_share_no_id(backend: Backend) {
    let clock = StepClock::at(StepClock::START);
    let mut known = HashSet::new();
    let partition = Partition::number(77);
    let mut processes = vec![backend.process.clone()];
    for _ in 0..3 {
        processes.push((backend.start)(Arc::clone(&clock) as Arc<dyn Clock>).await);
    }
    for _ in 0..20 {
        for process in &processes {
            clock.set(StepClock::START);
            generate(process, partition, 10, &mut known).await;
        }
    }
}

pub(super) async fn a_process_whose_clock_is_behind_generates_no_id_again(backend: Backend) {
    let mut known = HashSet::new();
    for start in [1_000_000, 500_000, 0, 999_990] {
        let clock = StepClock::at(Millis(StepClock::START.0 + start));
        let process = (backend.start)(Arc::clone(&clock) as Arc<dyn Clock>).await;
        for partition in [3, 600] {
            generate(&process, Partition::number(partition), 300, &mut known).await;
        }
        // The clock jumps back while the process runs.
        clock.set(Millis(StepClock::START.0 + start - 400_000));
        for partition in [3, 600] {
            generate(&process, Partition::number(partition), 300, &mut known).await;
        }
    }
}

pub(super) async fn a_clock_that_jumps_ahead_is_followed(backend: Backend) {
    let clock = StepClock::at(StepClock::START);
    let process = (backend.start)(Arc::clone(&clock) as Arc<dyn Clock>).await;
    let mut known = HashSet::new();
    generate(&process, Partition::number(9), 10, &mut known).await;
    let ahead = Millis(StepClock::START.0 + 3_600_000);
    clock.set(ahead);
    let id =
        process.ids.comment(Partition::number(9)).await.expect("the lease is extended, or another one is acquired");
    assert!(id.tick() >= IdTick::at(ahead), "{id:?} is an hour old");
}

pub(super) async fn request_ids_are_all_different(backend: Backend) {
    let fixture = Fixture::new(&backend, "request_ids_are_all_different");
    let ids: HashSet<[u8; 16]> = (0..1_000).map(|_| fixture.process.ids.request()).collect();
    assert_eq!(ids.len(), 1_000);
}

pub(super) async fn a_commit_of_one_process_is_read_by_another_at_once(backend: Backend) {
    let other = (backend.start)(StepClock::at(StepClock::START)).await;
    let here = Fixture::new(&backend, "a_commit_of_one_process_is_read_by_another_at_once");
    let there = Fixture::of_process(other, "a_commit_of_one_process_is_read_by_another_at_once");
    let key = here.key();
    let mut requests = Vec::new();
    for n in 0..10 {
        let (writing, reading) = if n % 2 == 0 { (&here, &there) } else { (&there, &here) };
        let verb = writing.root_verb(&key, "author").await;
        let mut command = writing.command(&key, verb);
        command.request.fingerprint = riposte_core::request::Fingerprint(n);
        command.request.key.0[0] = n as u8;
        let output = writing.send(&command).await.expect("created");
        assert_eq!(reading.floors(&key).await.len() as i64, n + 1);
        let again = reading.send(&command).await.expect("repeated");
        assert_eq!((again.replayed, again.revision), (true, output.revision));
        requests.push(command.request.key);
    }
    let found = Arc::clone(&there.process.reader).created_by(&key, &requests).await.expect("read");
    assert!(found.iter().all(Option::is_some));
    assert_eq!(there.check_counts(&key).await, 10);
}
