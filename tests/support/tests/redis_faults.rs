//! A fault sequence affects only its target, and the target recovers from every fault.

use std::collections::BTreeSet;
use std::mem::discriminant;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use anyhow::Result;
use rand::SeedableRng;
use rand::rngs::StdRng;
use riposte_test_support::redis::{Cluster, FaultInjector, FaultTarget, Program, RedisFault, Reply, Server};

const PAUSE: Duration = Duration::from_millis(2);

/// Writes keys of every type while the faults are injected, ignoring errors of the server; counts
/// the writes.
fn fill(port: u16, over: &AtomicBool, written: &AtomicU32) {
    while !over.load(Ordering::Relaxed) {
        let Ok(mut connection) = riposte_test_support::redis::Connection::open(port) else { continue };
        let mut write = |words: &[&str]| connection.ask(words).is_ok();
        while write(&["SET", "s", "1"]) && write(&["HSET", "h", "f", "1"]) && write(&["ZADD", "z", "1", "m"]) {
            written.fetch_add(1, Ordering::Relaxed);
            if over.load(Ordering::Relaxed) {
                return;
            }
        }
    }
}

#[test]
fn a_server_under_load_recovers_from_every_fault() -> Result<()> {
    let Some(program) = Program::find() else { return Ok(()) };
    let mut server = Server::start(&program)?;
    let (port, first) = (server.port(), server.pid()?);
    let (over, written) = (AtomicBool::new(false), AtomicU32::new(0));
    let injected = std::thread::scope(|scope| {
        scope.spawn(|| fill(port, &over, &written));
        let injected = FaultInjector::new(20_261_121, PAUSE).inject_random(&mut server, 60);
        over.store(true, Ordering::Relaxed);
        injected
    })?;
    let kinds = [RedisFault::Evict, RedisFault::Flush, RedisFault::Pause(PAUSE), RedisFault::Restart];
    let missed: Vec<&RedisFault> =
        kinds.iter().filter(|kind| !injected.iter().any(|fault| discriminant(fault) == discriminant(kind))).collect();
    assert!(injected.len() == 60 && missed.is_empty(), "{missed:?} never injected: {injected:?}");
    assert!(server.pid()? != first && written.load(Ordering::Relaxed) > 0);
    assert_eq!(server.ask(&["PING"])?, Reply::Text("PONG".to_owned()));
    Ok(())
}

#[test]
fn evictions_reach_the_only_header_among_many_contents() -> Result<()> {
    let Some(program) = Program::find() else { return Ok(()) };
    let mut server = Server::start(&program)?;
    let mut random = StdRng::seed_from_u64(7);
    for number in 0..1000 {
        server.ask(&["SET", &format!("c{number}"), "1"])?;
    }
    server.ask(&["HSET", "header", "W", "1"])?;
    let evictions = (1..=100).find(|_| {
        server.inject(RedisFault::Evict, &mut random).is_ok()
            && server.ask(&["EXISTS", "header"]).ok() == Some(Reply::Number(0))
    });
    assert!(evictions.is_some(), "a hundred evictions left the header");
    assert!(server.ask(&["DBSIZE"])?.number()? >= 900);
    Ok(())
}

#[test]
fn a_cluster_recovers_from_each_of_its_faults() -> Result<()> {
    let Some(program) = Program::find() else { return Ok(()) };
    let mut cluster = Cluster::start(&program)?;
    let mut random = StdRng::seed_from_u64(3);
    let before: BTreeSet<usize> = cluster.masters()?.into_iter().collect();
    for fault in [
        RedisFault::Evict,
        RedisFault::Flush,
        RedisFault::Pause(PAUSE),
        RedisFault::Restart,
        RedisFault::Failover(PAUSE),
    ] {
        cluster.inject(fault, &mut random)?;
        assert_eq!(cluster.masters()?.len(), 3, "after {fault:?}");
    }
    cluster.wait_until_ready()?;
    let after: BTreeSet<usize> = cluster.masters()?.into_iter().collect();
    assert_eq!(before.difference(&after).count(), 1, "one replica took over");
    assert!(Server::start(&program)?.inject(RedisFault::Failover(PAUSE), &mut random).is_err());
    Ok(())
}
