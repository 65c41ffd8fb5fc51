//! A type without a policy costs no statement: writes make the same reads and commits, whatever
//! lists, rules, filter and account service other types have.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::{LikeValue, UpdateCommentRequest};
use riposte_tests::say::content;
use riposte_tests::{Say, Server};

use super::filter::member_key;
use super::metrics::ask;

/// The number of repetitions of the writes: a root, a reply, a like and an edit.
const REPETITIONS: u64 = 40;
/// The type whose writes are counted, and one whose mode counts the comments of members.
const PLAIN: &str = "unjudged";
const COUNTED: &str = "counted_members";
/// The reads and commits that writes make, or that a policy adds to them, by the names of their
/// metric. No task in the background makes them.
const OF_WRITES: [&str; 9] = [
    "commit comments",
    "commit likes",
    "locate comments",
    "read a request",
    "read comments of requests",
    "read newest states",
    "read originals",
    "read proposals",
    "read reviews",
];

type Counts = BTreeMap<&'static str, u64>;

/// Returns the number of reads and commits of a server by their names.
async fn counts(server: &Server) -> Result<Counts> {
    let metrics = ask(server.metrics_target(), "GET", "/metrics").await?;
    let counted = |name: &'static str| {
        let series = format!("db_client_operation_duration_seconds_count{{db_operation_name=\"{name}\",");
        let lines = metrics.lines().filter(|line| line.starts_with(&series));
        let values = lines.map(|line| line.rsplit(' ').next().unwrap_or_default().parse::<u64>());
        Ok((name, values.sum::<Result<u64, _>>().with_context(|| format!("no number of {name}"))?))
    };
    OF_WRITES.into_iter().map(counted).collect()
}

/// Returns the number of reads and commits for the writes of a type.
async fn of_writes(server: &Server, object_type: &str) -> Result<Counts> {
    let say = Say::on(&server.client()?, object_type);
    say.comment("ben", "the first").await?;
    let before = counts(server).await?;
    for number in 0..REPETITIONS {
        // Each member is new, so that nothing is known of it.
        let member_id = format!("{object_type}-{number}");
        let id = say.comment(&member_id, "a root").await?.id;
        if object_type == PLAIN {
            say.reply(id, &member_id, "a reply").await?;
            say.like(id, &member_id, LikeValue::Like).await?;
            let edit = UpdateCommentRequest { id, member_id, content: content("another"), ..Default::default() };
            say.client.comments().update_comment(edit).await?;
        }
    }
    let after = counts(server).await?;
    Ok(after.into_iter().map(|(name, count)| (name, count - before[name])).collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_of_a_type_without_a_policy_send_the_same_statements() -> Result<()> {
    let server = Server::dev_with(None, &[]).await?;
    let without = of_writes(&server, PLAIN).await?;
    server.stop().await?;

    let folder = tempfile::tempdir()?;
    let (list, key) = (folder.path().join("words.txt"), member_key(&folder)?);
    std::fs::write(&list, "unspeakable\n")?;
    let sets = [
        format!("policy.lists=[{{name=\"words\", file={list:?}, object_types=[\"judged\"]}}]"),
        "object_types.judged.rules=[{id=\"links\", when=[{fact=\"links\", ge=2}]}]".to_owned(),
        "object_types.judged.filter=hold".to_owned(),
        "object_types.judged.accounts=pre_moderate".to_owned(),
        // Nothing listens there, and no write of the other types asks.
        "filter.endpoint=127.0.0.1:1".to_owned(),
        format!("filter.member_key_file={}", key.display()),
        "accounts.endpoint=127.0.0.1:1".to_owned(),
        format!("object_types.{COUNTED}.moderation=pre_new_members"),
    ];
    let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", set]).collect();
    let server = Server::dev_with(None, &sets).await?;
    let with = of_writes(&server, PLAIN).await?;
    let counted = of_writes(&server, COUNTED).await?;
    server.stop().await?;

    println!("{REPETITIONS} times all writes: {with:?}");
    ensure!(with == without, "{without:?} without a policy, {with:?} with one of other types");
    ensure!((with["commit comments"], with["commit likes"]) == (3 * REPETITIONS, REPETITIONS), "{with:?}");
    // The read that a policy adds is among those that are compared.
    ensure!((with["read newest states"], counted["read newest states"]) == (0, REPETITIONS), "{with:?}, {counted:?}");
    Ok(())
}
