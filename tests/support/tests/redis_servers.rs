//! Fault injection into Redis servers: kill, suspend, restart empty, fail over and lose a write.

use anyhow::Result;
use riposte_test_support::redis::{Cluster, Connection, Program, Reply, Server};

fn text(text: &str) -> Reply {
    Reply::Text(text.to_owned())
}

#[test]
fn a_killed_server_restarts_at_its_port_without_data() -> Result<()> {
    let Some(program) = Program::find() else { return Ok(()) };
    let mut server = Server::start(&program)?;
    let (port, pid) = (server.port(), server.pid()?);
    let mut connection = Connection::open(port)?;
    connection.ask(&["SET", "a", "1"])?;
    server.ask(&["FUNCTION", "LOAD", "#!lua name=l\nredis.register_function('f', function() return 7 end)"])?;
    server.kill();
    assert!(connection.ask(&["GET", "a"]).is_err() && Connection::open(port).is_err() && !server.is_running());
    server.start_again()?;
    assert!(server.port() == port && server.pid()? != pid);
    assert_eq!(server.ask(&["DBSIZE"])?, Reply::Number(0));
    assert!(server.ask(&["FCALL", "f", "0"]).is_err(), "an empty start removes functions");
    drop(server);
    assert!(Connection::open(port).is_err(), "the server outlives its guard");
    Ok(())
}

#[test]
fn flushing_removes_keys_and_leaves_functions() -> Result<()> {
    let Some(program) = Program::find() else { return Ok(()) };
    let server = Server::start(&program)?;
    server.ask(&["FUNCTION", "LOAD", "#!lua name=l\nredis.register_function('f', function() return 7 end)"])?;
    server.ask(&["HSET", "h", "one", "1", "two", "2"])?;
    assert_eq!(server.ask(&["HMGET", "h", "two", "three"])?, Reply::List(vec![text("2"), Reply::Nil]));
    server.flush()?;
    assert_eq!(server.ask(&["GET", "h"])?, Reply::Nil);
    assert_eq!(server.ask(&["FCALL", "f", "0"])?, Reply::Number(7));
    Ok(())
}

#[test]
fn a_suspended_server_responds_after_it_is_resumed() -> Result<()> {
    let Some(program) = Program::find() else { return Ok(()) };
    let server = Server::start(&program)?;
    let mut connection = Connection::open(server.port())?;
    connection.ask(&["SET", "a", "1"])?;
    server.pause()?;
    let asking = std::thread::spawn(move || connection.ask(&["GET", "a"]));
    // The system accepts connections on behalf of the server.
    assert!(Connection::open(server.port()).is_ok() && !asking.is_finished());
    server.resume()?;
    assert_eq!(asking.join().map_err(|_| anyhow::anyhow!("the asking thread panicked"))??, text("1"));
    Ok(())
}

#[test]
fn a_cluster_fails_over_to_a_replica_that_lags_and_takes_an_emptied_master_back() -> Result<()> {
    let Some(program) = Program::find() else { return Ok(()) };
    let mut cluster = Cluster::start(&program)?;
    assert_eq!(cluster.masters()?.len(), 3);
    let old = cluster.master_of("{p0417}:a")?;
    let replica = cluster.replica_of(old)?;
    let ask = |node: usize, words: &[&str]| cluster.nodes()[node].ask(words);
    assert!(ask((old + 1) % 3, &["GET", "{p0417}:a"]).is_err(), "another master serves it too");

    ask(old, &["SET", "{p0417}:a", "before"])?;
    assert_eq!(ask(old, &["WAIT", "1", "10000"])?, Reply::Number(1));
    cluster.hold_back(replica)?;
    ask(old, &["SET", "{p0417}:a", "after"])?;
    cluster.take_over(replica)?;
    assert_eq!(cluster.master_of("{p0417}:b")?, replica);
    assert_eq!(ask(replica, &["GET", "{p0417}:a"])?, text("before"), "the replica did not lag");
    cluster.wait_until_ready()?;
    assert_eq!(cluster.replica_of(replica)?, old);

    // A master that restarts before the other nodes notice stays a master, and is empty.
    cluster.node_mut(replica).start_again()?;
    cluster.wait_until_ready()?;
    assert_eq!(cluster.master_of("{p0417}:a")?, replica);
    assert_eq!(cluster.nodes()[replica].ask(&["GET", "{p0417}:a"])?, Reply::Nil);

    // A master that stays down is replaced.
    cluster.node_mut(replica).kill();
    cluster.wait_until_ready()?;
    assert_eq!(cluster.master_of("{p0417}:a")?, old);
    Ok(())
}
