//! `riposte dev` starts immediately, anywhere and repeatedly, and keeps its data on request.

use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::CommentSort;
use riposte_tests::{Say, Server, command};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};

/// A limit far above the duration of a start even on a busy machine; the actual duration is
/// printed.
const GENEROUS: u128 = 5_000;

#[tokio::test]
async fn it_says_after_how_long_it_serves_and_a_line_to_paste() -> Result<()> {
    let mut times = Vec::new();
    for _ in 0..5 {
        let begin = Instant::now();
        let mut dev = command::riposte(["dev", "--listen", "127.0.0.1:0"])?.stdout(Stdio::piped()).spawn()?;
        let mut lines = BufReader::new(dev.stdout.take().context("no output")?).lines();
        let (mut millis, mut pasted) = (None, false);
        while let (None, Some(line)) | (Some(_), Some(line)) = (millis, lines.next_line().await?) {
            if let Some((_, rest)) = line.split_once("serving after ") {
                millis = rest.split(' ').next().and_then(|number| number.parse::<u128>().ok());
            }
            pasted |= line.contains(" comment list article/1 --target ");
            if line.contains(" comment post article/1 ") {
                break;
            }
        }
        let (millis, outside) = (millis.context("the banner has no start time")?, begin.elapsed().as_millis());
        ensure!(pasted && millis <= GENEROUS, "{millis} ms, {pasted}");
        times.push(format!("{millis} ms (with the seed and the banner, seen from outside: {outside} ms)"));
        dev.kill().await?;
    }
    println!("dev serves after {}", times.join(", "));
    Ok(())
}

#[tokio::test]
async fn the_first_screen_is_the_banner_alone() -> Result<()> {
    let mut dev =
        command::riposte(["dev", "--listen", "127.0.0.1:0"])?.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut lines = BufReader::new(dev.stdout.take().context("no output")?).lines();
    let (mut banner, mut target) = (Vec::new(), None);
    while let Some(line) = lines.next_line().await? {
        target = target.or_else(|| Some(line.split_once(" --target ")?.1.trim().to_owned()));
        banner.push(line);
        if banner.last().is_some_and(|line| line.contains(" comment post ")) {
            break;
        }
    }
    let client = riposte_sdk::Client::connect(&*target.context("the banner has no target")?)?;
    let say = Say { client, key: riposte_tests::real::key("article", "1") };
    let count = say.page(CommentSort::Newest, 1).await?.subject.unwrap_or_default().comment_count;
    dev.kill().await?;
    let mut logged = String::new();
    dev.stderr.take().context("no errors")?.read_to_string(&mut logged).await?;
    ensure!(logged.is_empty(), "beside the banner stands:\n{logged}");
    let begin = banner.iter().map(|line| line.trim()).find(|line| !line.is_empty()).context("an empty banner")?;
    ensure!(begin.starts_with("riposte dev") && begin.contains(&format!(" {count} comments ")), "{begin}, {count}");
    Ok(())
}

#[tokio::test]
async fn dev_starts_with_a_sample_discussion() -> Result<()> {
    let server = Server::dev_with(None, &["--seed", "demo"]).await;
    // The harness already requests an empty server; the last flag must not simply win.
    ensure!(server.is_err(), "--seed was given twice without an error");
    let scratch = tempfile::tempdir()?;
    let file = scratch.path().join("endpoint");
    let mut dev = command::riposte(["dev", "--listen", "127.0.0.1:0", "--endpoint-file"])?
        .arg(&file)
        .stdout(Stdio::null())
        .spawn()?;
    let addresses = endpoint(&file).await?;
    ensure!(addresses["pid"].as_u64() == dev.id().map(u64::from), "{addresses}");
    let client = riposte_sdk::Client::connect(addresses["grpc"].as_str().context("no address")?)?;
    let say = Say { client, key: riposte_tests::real::key("article", "1") };
    let page = say.page(CommentSort::Newest, 20).await?;
    let subject = page.subject.unwrap_or_default();
    ensure!(subject.comment_count >= 40 && subject.root_count >= 5, "{subject:?}");
    ensure!(page.threads.iter().any(|thread| !thread.replies.is_empty()));
    ensure!(page.threads.iter().flat_map(|thread| &thread.comment).any(|comment| comment.like_count > 0));
    dev.kill().await?;
    Ok(())
}

#[tokio::test]
async fn data_in_a_folder_outlives_the_server_stopped_or_killed() -> Result<()> {
    let folder = tempfile::tempdir()?;
    // The folder need not exist before.
    let data = folder.path().join("deep/er");
    let first = Server::dev_on(&data).await?;
    let say = Say::on(&first.client()?, "article");
    let made = say.comment("m", "kept").await?;
    ensure!(first.stop().await? == Some(0));
    let second = Server::dev_on(&data).await?;
    let say = Say { client: second.client()?, key: say.key };
    ensure!(say.roots(CommentSort::Oldest, 10).await? == std::slice::from_ref(&made));
    let also = say.comment("m", "kept too").await?;
    second.crash().await?;
    let third = Server::dev_on(&data).await?;
    let say = Say { client: third.client()?, key: say.key };
    ensure!(say.roots(CommentSort::Oldest, 10).await? == [made, also]);
    ensure!(say.comment("m", "and on").await?.floor == 3);
    Ok(())
}

#[tokio::test]
async fn without_a_folder_no_data_is_kept() -> Result<()> {
    let first = Server::dev().await?;
    let say = Say::on(&first.client()?, "article");
    say.comment("m", "gone").await?;
    first.stop().await?;
    let second = Server::dev().await?;
    let say = Say { client: second.client()?, key: say.key };
    ensure!(say.comment("m", "first").await?.floor == 1);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_servers_run_at_the_same_time() -> Result<()> {
    let begin = Instant::now();
    let servers = futures::future::try_join_all((0..20).map(|_| Server::dev())).await?;
    println!("20 servers at once: up after {:.1?}", begin.elapsed());
    let key = riposte_tests::real::key("article", "the-same-everywhere");
    let write = |server: &Server| -> Result<_> {
        let say = Say { client: server.client()?, key: key.clone() };
        Ok(async move { say.comment("m", "mine").await.map(|comment| comment.floor) })
    };
    let floors = servers.iter().map(write).collect::<Result<Vec<_>>>()?;
    let floors = futures::future::try_join_all(floors).await?;
    ensure!(floors == [1; 20], "{floors:?}");
    let codes = futures::future::try_join_all(servers.into_iter().map(Server::stop)).await?;
    ensure!(codes == [Some(0); 20], "{codes:?}");
    Ok(())
}

#[tokio::test]
async fn a_busy_port_is_named_together_with_the_flag_that_moves_it() -> Result<()> {
    let taken = std::net::TcpListener::bind("127.0.0.1:0")?;
    let address = taken.local_addr()?.to_string();
    let output = command::run(["dev", "--listen", &address]).await?.ended(1)?;
    output.says(&[&address, "in use", "--listen"])?;
    let output = command::run(["dev", "--listen", "127.0.0.1:0", "--admin-listen", &address]).await?.ended(1)?;
    output.says(&[&address, "in use", "--admin-listen"])?;
    Ok(())
}

#[tokio::test]
async fn dev_env_shows_the_targets_for_a_shell() -> Result<()> {
    let output = command::run(["dev", "env"]).await?.ended(0)?;
    ensure!(output.out == "export RIPOSTE_TARGET=127.0.0.1:7171\nexport RIPOSTE_ADMIN_TARGET=127.0.0.1:7172\n");
    Ok(())
}

/// Returns the addresses, once the server has written them.
async fn endpoint(file: &std::path::Path) -> Result<serde_json::Value> {
    let written = async {
        loop {
            if let Ok(text) = tokio::fs::read_to_string(file).await {
                return serde_json::from_str(&text);
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    Ok(tokio::time::timeout(Duration::from_secs(30), written).await??)
}
