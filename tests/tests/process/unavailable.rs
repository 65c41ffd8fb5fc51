//! A data source that does not respond: calls that need it are refused at once, and those of the
//! other continue.

mod moderation;

use anyhow::{Context, Result, ensure};
use futures::future::join_all;
use riposte_sdk::v1::{ErrorReason, ListCommentsRequest, SubjectKey};
use riposte_tests::proxy::{Proxy, ProxyMode};
use riposte_tests::{Say, Server, mysql, refused, until};
use tonic::{Code, Status};

/// The number of subjects, of which about half lie on the second source.
const SUBJECTS: usize = 24;
/// The number of concurrent calls.
const AT_ONCE: usize = 8;

async fn fresh(say: &Say) -> Result<(), Status> {
    let request = ListCommentsRequest { subject: Some(say.key.clone()), fresh: true, ..ListCommentsRequest::default() };
    say.client.comments().list_comments(request).await.map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_to_a_stalled_source_fail_at_once_and_the_others_continue() -> Result<()> {
    let Some([first, second]) = mysql::servers() else { return Ok(()) };
    let (name, port) = (mysql::fresh_name(), second.rsplit_once(':').context("no port")?.1.parse()?);
    let proxy = Proxy::to(port).await?;
    drop(Server::serve(&[first.clone(), second], &name).await?);
    let proxied = format!("mysql://root@127.0.0.1:{}", proxy.port());
    let server = Server::serve_with(&riposte_tests::settings::on_databases(&[first, proxied], &name)).await?;
    let client = server.client()?;
    let all: Vec<_> = (0..SUBJECTS).map(|_| Say::on(&client, "article")).collect();
    for say in &all {
        say.comment("m", "here").await?;
    }

    proxy.set(ProxyMode::Stalled);
    let outcomes = join_all(all.iter().map(fresh)).await;
    let (near, far): (Vec<_>, Vec<_>) = all.iter().zip(outcomes).partition(|(_, outcome)| outcome.is_ok());
    ensure!(near.len() >= 3 && far.len() >= 3, "{} and {} subjects", near.len(), far.len());
    for (_, outcome) in &far {
        let code = outcome.as_ref().err().map(Status::code);
        ensure!(matches!(code, Some(Code::DeadlineExceeded | Code::Unavailable)), "{outcome:?}");
    }
    // At first the server does not know that the source is unavailable, only that it does not
    // respond.
    let (near, far): (Vec<_>, Vec<_>) =
        (near.iter().map(|(say, _)| *say).collect(), far.iter().map(|(say, _)| *say).collect());
    let one = far[0];
    until("calls are refused without a wait", || async {
        let outcomes = join_all((0..AT_ONCE).map(|_| fresh(one))).await;
        Ok(outcomes.into_iter().flat_map(Result::err).any(is_unavailable))
    })
    .await?;
    // Occasionally a call is let through to probe the source.
    let outcomes = join_all((0..100).map(|n| fresh(far[n % far.len()]))).await;
    let refused = outcomes.into_iter().flat_map(Result::err).filter(|status| is_unavailable(status.clone())).count();
    ensure!(refused >= 90, "{refused} of 100");
    let written = join_all(far.iter().map(|say| say.comment("m", "away"))).await;
    ensure!(written.into_iter().flat_map(Result::err).any(is_unavailable), "writes too");
    for say in &near {
        fresh(say).await?;
        say.comment("m", "still here").await?;
    }

    proxy.set(ProxyMode::Forward);
    until("it is back", || async { Ok(far[0].comment("m", "back").await.is_ok()) }).await?;
    for say in &all {
        until("every subject is", || async { Ok(fresh(say).await.is_ok()) }).await?;
    }

    // Writes go through a few committers, which detect the failure by themselves.
    proxy.set(ProxyMode::Stalled);
    until("writes are refused", || async {
        let gone = join_all(far.iter().map(|say| say.comment("m", "gone")));
        let here = join_all(near.iter().map(|say| say.comment("m", "still here")));
        let (gone, here) = tokio::join!(gone, here);
        here.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(gone.into_iter().flat_map(Result::err).any(is_unavailable))
    })
    .await?;
    proxy.set(ProxyMode::Forward);
    until("it is back again", || async { Ok(far[0].comment("m", "back").await.is_ok()) }).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_starts_with_a_stalled_source_serves_the_other_and_later_both() -> Result<()> {
    let Some([first, second]) = mysql::servers() else { return Ok(()) };
    let (name, port) = (mysql::fresh_name(), second.rsplit_once(':').context("no port")?.1.parse()?);
    let proxy = Proxy::to(port).await?;
    let before = Server::serve(&[first.clone(), second], &name).await?;
    let client = before.client()?;
    let keys: Vec<_> = (0..SUBJECTS).map(|_| Say::on(&client, "article").key).collect();
    let say = |client: &riposte_sdk::Client, key: &SubjectKey| Say { key: key.clone(), ..Say::on(client, "article") };
    for key in &keys {
        say(&client, key).comment("m", "before").await?;
    }
    before.stop().await?;

    proxy.set(ProxyMode::Stalled);
    let proxied = format!("mysql://root@127.0.0.1:{}", proxy.port());
    let server = Server::serve_with(&riposte_tests::settings::on_databases(&[first, proxied], &name)).await?;
    let client = server.client()?;
    let all: Vec<_> = keys.iter().map(|key| say(&client, key)).collect();
    let mut near = 0;
    for say in &all {
        let written = say.comment("m", "while it is away").await;
        if written.is_ok() {
            fresh(say).await?;
            near += 1;
            continue;
        }
        for refused in [fresh(say).await, written.map(drop)].into_iter().flat_map(Result::err) {
            ensure!(refused.metadata().contains_key("riposte-not-executed"), "{refused:?}");
            ensure!(refused.metadata().contains_key("grpc-retry-pushback-ms"), "{refused:?}");
            ensure!(is_unavailable(refused));
        }
    }
    ensure!((3..=SUBJECTS - 3).contains(&near), "{near} subjects");

    proxy.set(ProxyMode::Forward);
    for say in &all {
        until("every subject is there", || async { Ok(say.comment("m", "after").await.is_ok()) }).await?;
        until("and is read", || async { Ok(fresh(say).await.is_ok()) }).await?;
    }
    Ok(())
}

/// Returns `true` if the status reports an unavailable source with a retry delay.
fn is_unavailable(status: Status) -> bool {
    refused::<()>(Err(status)).is_ok_and(|result| result == (Code::Unavailable, ErrorReason::ShardUnavailable))
}
