//! `riposte conformance` on services that keep their contract, and on some that break it.

use anyhow::Result;
use riposte_fakes::{CallFault, CallScript, Fakes, Script};
use riposte_tests::command;

/// The longest deadline that the command takes: a machine may have much else to do.
const DEADLINE: [&str; 2] = ["--deadline", "500ms"];

async fn run(fakes: &Fakes, service: &str) -> Result<command::Ran> {
    let address = fakes.address().to_string();
    command::run([&["conformance", service, "--target", &address], &DEADLINE[..]].concat()).await
}

#[tokio::test]
async fn a_breach_ends_with_its_name_and_what_to_change() -> Result<()> {
    let fakes = Fakes::start("127.0.0.1:0".parse()?, Script::default()).await?;
    let filter = run(&fakes, "filter").await?.ended(0)?;
    filter.says(&["ok    one item (", "ok    many items (", "ok    calls at once ("])?;
    // For the fake every member exists.
    let account = run(&fakes, "account").await?.ended(1)?;
    account.says(&[
        "FAIL  an unknown member (",
        "      sent    1 unknown member, a random UUID\n",
        "      breach  standing 1: the account of an unknown member exists\n",
        "      change  send unknown members with `exists` false\n",
        "ok    many members (",
        "riposte: 1 of 5 checks failed\n",
    ])?;
    let mut script = Script::default();
    script.filter.calls = CallScript::with(CallFault::DoubleKey);
    fakes.set_script(script);
    let filter = run(&fakes, "filter").await?.ended(1)?;
    filter.says(&[
        "FAIL  many items (",
        "      breach  item 1: has more than one verdict\n",
        "10 of 10 checks failed",
    ])?;
    Ok(())
}
