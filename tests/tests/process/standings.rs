//! Standings across processes: a ban that one process answers comes into force at another one, also
//! after that one has started anew. The promise is two seconds; the output has the times.

use std::time::Instant;

use anyhow::{Result, ensure};
use riposte_sdk::v1::{
    CommentState, ErrorReason, LikeValue, MemberOfType, MemberStanding, SetMemberStandingRequest, Standing,
};
use riposte_tests::mysql::{self, Databases};
use riposte_tests::{Say, Server, command, refused, until};
use tonic::Code;

async fn set(server: &Server, say: &Say, member: &str, standing: Standing) -> Result<()> {
    let (object_type, member_id) = (say.key.object_type.clone(), member.to_owned());
    let standing = MemberStanding {
        member: Some(MemberOfType { object_type, member_id }),
        standing: standing.into(),
        ..MemberStanding::default()
    };
    let (standing, moderator_id) = (Some(standing), "mod-1".to_owned());
    let request = SetMemberStandingRequest { standing, moderator_id, ..SetMemberStandingRequest::default() };
    server.policy()?.set_member_standing(request).await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ban_is_in_force_at_every_process_and_after_a_restart() -> Result<()> {
    let Some(servers) = mysql::servers() else { return Ok(()) };
    let databases = Databases::on(&servers, [""; 0]).await?;
    let first = Server::serve_with(&databases.arguments).await?;
    let second = Server::serve_with(&databases.arguments).await?;
    let say = Say::on(&second.client()?, "article");
    let root = say.comment("ben", "a root").await?.id;
    let likes = async || {
        let liked = say.like(root, "ann", LikeValue::Like).await;
        say.like(root, "ann", LikeValue::None).await.ok();
        liked
    };
    for (standing, is_refused) in [(Standing::Banned, true), (Standing::Normal, false), (Standing::Banned, true)] {
        set(&first, &say, "ann", standing).await?;
        let begin = Instant::now();
        until("the standing is in force", || async { Ok(likes().await.is_err() == is_refused) }).await?;
        println!("{standing:?} was in force after {:?}", begin.elapsed());
    }
    let rejection = refused(say.comment("ann", "banned").await)?;
    ensure!(rejection == (Code::PermissionDenied, ErrorReason::MemberSuspended), "{rejection:?}");
    second.stop().await?;
    let again = Server::serve_with(&databases.arguments).await?;
    let say = Say { client: again.client()?, ..say };
    let rejection = refused(say.comment("ann", "still banned").await)?;
    ensure!(rejection.1 == ErrorReason::MemberSuspended, "the first call of a process: {rejection:?}");
    ensure!(say.comment("ben", "not banned").await?.state() == CommentState::Active);
    Ok(())
}

#[tokio::test]
async fn a_moderator_sets_standings_by_commands() -> Result<()> {
    let server = Server::dev_with(None, &[]).await?;
    let say = Say::on(&server.client()?, "video");
    let run = async |words: &[&str]| {
        let all = ["moderate", "standing", "video", "m7"].into_iter().chain(words.iter().copied());
        command::run(all.chain(["--target", server.admin_target()]).collect::<Vec<_>>()).await
    };
    run(&[]).await?.ended(0)?.says(&["video · m7 · NORMAL · etag s0\n"])?;
    let muted =
        ["muted", "--until", "2099-01-31T12:00:00Z", "--report-weight", "0", "--code", "spam", "--note", "third"];
    let text = "video · m7 · MUTED until 2099-01-31T12:00:00Z · reports weigh 0 · spam · note: third · etag s1\n";
    run(&muted).await?.ended(0)?.says(&[text])?;
    run(&[]).await?.ended(0)?.says(&[text])?;
    until("the standing is in force", || async { Ok(say.comment("m7", "muted").await.is_err()) }).await?;
    run(&["banned", "--etag", "s7"]).await?.ended(1)?.says(&["ETAG_MISMATCH"])?;
    let normal = "video · m7 · NORMAL · etag s2\n";
    run(&["normal", "--etag", "s1"]).await?.ended(0)?.says(&[normal])?;
    run(&[]).await?.ended(0)?.says(&[normal])?;
    let end = ["muted", "--until", "2020-01-31T12:00:00Z"];
    run(&end).await?.ended(2)?.says(&["must lie in the future"])?;
    Ok(())
}
