//! `riposte verify` and `riposte rebuild`: their results on a healthy server.

use anyhow::Result;
use riposte_tests::{Say, Server, command};

#[tokio::test]
async fn a_healthy_server_has_no_drift_and_nothing_to_repair_and_what_is_not_there_is_not_found() -> Result<()> {
    let server = Server::dev().await?;
    let client = server.client()?;
    let says: Vec<_> = (0..3).map(|_| Say::on(&client, "article")).collect();
    for say in &says {
        let root = say.comment("m", "root").await?;
        say.reply(root.id, "x", "reply").await?;
    }
    let target = ["--object-type", "article", "--target", server.admin_target()];
    let run = async |verb: &[&str], more: &[&str]| command::run([verb, &target, more].concat()).await;
    run(&["verify"], &[]).await?.ended(0)?.says(&["3 subjects, 6 comments: 0 counts differ"])?;
    run(&["verify"], &["--repair"]).await?.ended(0)?.says(&["3 subjects: 0 counts corrected"])?;
    run(&["rebuild", "history"], &[]).await?.ended(0)?.says(&["3 subjects, 6 comments"])?;
    run(&["rebuild", "ranks"], &[]).await?.ended(0)?.says(&["3 subjects, 6 comments"])?;
    let one = says[0].key.object_id.as_str();
    run(&["rebuild", "history"], &["--object-id", one]).await?.ended(0)?.says(&["1 subject, 2 comments"])?;
    Say::on(&client, "video").comment("m", "root").await?;
    let everything = ["verify", "--target", server.admin_target()];
    command::run(&everything).await?.ended(0)?.says(&["4 subjects, 7 comments: 0 counts differ"])?;
    command::run([&everything[..], &["--object-id", one]].concat()).await?.ended(2)?.says(&["--object-type"])?;
    run(&["verify"], &["--object-id", "nothing"]).await?.ended(3)?.says(&["does not exist"])?;
    run(&["verify"], &["--resume", "forged"]).await?.ended(2)?;
    run(&["verify"], &["--resume", "x", "--object-id", one]).await?.ended(2)?.says(&["cannot be used with"])?;
    Ok(())
}
