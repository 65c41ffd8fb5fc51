//! `riposte comment`: the first calls of a newcomer, with nothing but the binary.

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::{
    BatchGetLikeStatesRequest, BatchGetSubjectsRequest, BatchListLikersRequest, GetSubjectRequest,
    ListMemberLikesRequest, ListUnlistedCommentsRequest, WatchSubjectRequest,
};
use riposte_tests::{Server, command, real};

#[tokio::test]
async fn a_comment_is_posted_by_its_id_alone_and_listed_with_its_replies() -> Result<()> {
    let server = Server::dev().await?;
    let target = ["--target", server.target()];
    let post = [&["comment", "post", "video/a/1", "ann", "Hello\nyou \u{1b}[31m"], &target[..]].concat();
    let posted = command::run(post).await?.ended(0)?;
    ensure!(posted.err.is_empty(), "{}", posted.err);
    let id: i64 = posted.out.trim().parse().context(posted.out.clone())?;
    let subject = server.client()?.subject("video", "a/1");
    let comment = subject.comments(None)?.items().next().await?.context("no comment")?.comment;
    ensure!(comment.id == id && comment.content.as_ref().is_some_and(|content| content.text.starts_with("Hello\nyou")));

    for text in ["one", "two"] {
        command::run([&["comment", "post", "video/a/1", "ben", text], &target[..]].concat()).await?.ended(0)?;
    }
    let list = [&["comment", "list", "video/a/1", "--sort", "oldest", "--page-size", "2"], &target[..]].concat();
    let first = command::run(&list).await?.ended(0)?;
    ensure!(first.out.starts_with("video/a/1: 3 comments in 3 threads\n"), "{}", first.out);
    let shown = first.out.contains("#1 ann") && first.out.contains(&format!("id {id}\n   Hello\n   you "));
    ensure!(shown && !first.out.contains('\u{1b}') && !first.out.contains("two"), "{}", first.out);
    let token =
        first.err.lines().last().and_then(|line| line.trim().strip_prefix("--page-token ")).context("no next")?;
    let rest = command::run([&list[..], &["--page-token", token]].concat()).await?.ended(0)?;
    ensure!(rest.out.contains("#3 ben") && !rest.out.contains("#1 ann") && rest.err.is_empty(), "{}", rest.out);
    Ok(())
}

#[tokio::test]
async fn the_line_of_the_banner_shows_the_demo_with_its_replies() -> Result<()> {
    let binary = riposte_tests::binary::binary()?;
    let script = format!("{} comment list article/1 --page-size 100", binary.display());
    let ran = command::run(["dev", "--listen", "127.0.0.1:0", "--exec", "--", "sh", "-c", &script]).await?.ended(0)?;
    ensure!(ran.out.starts_with("article/1: 50 comments in "), "{}", ran.out);
    ensure!(ran.out.contains("\n    #1 ") && ran.out.contains(" likes · id "), "{}", ran.out);
    Ok(())
}

#[tokio::test]
async fn a_refused_comment_says_which_setting_decides() -> Result<()> {
    let closed = ["--set", "open_object_types=false", "--set", "object_types.page.auto_create=false"];
    let server = Server::dev_with(None, &closed).await?;
    let post = |subject: &'static str| {
        command::run(["comment", "post", subject, "ann", "Hello", "--target", server.target()].map(str::to_owned))
    };
    let auto = "its first comment if object_types.page.auto_create is set (SUBJECT_NOT_FOUND";
    post("page/1").await?.ended(3)?.says(&[auto])?;
    let list = command::run(["comment", "list", "page/1", "--target", server.target()]).await?;
    list.ended(3)?.says(&[auto])?;
    let registered = "add it to [object_types] of the server, or set open_object_types (OBJECT_TYPE_UNKNOWN";
    post("film/1").await?.ended(2)?.says(&[registered])?;
    let queue = command::run(["moderate", "queue", "film", "--target", server.admin_target()]).await?.ended(2)?;
    let queue = queue.says(&[registered])?;
    ensure!(queue.err.matches("is not registered").count() == 1, "{}", queue.err);

    let (client, subject) = (server.client()?, Some(real::key("page", "1")));
    let (key, member_id) = (subject.clone(), "ann".to_owned());
    let (mut subjects, mut likes) = (client.subjects(), client.likes());
    let get = GetSubjectRequest { key: key.clone(), ..GetSubjectRequest::default() };
    let batch = BatchGetSubjectsRequest { keys: key.into_iter().collect(), ..BatchGetSubjectsRequest::default() };
    let watch = WatchSubjectRequest { subject: subject.clone(), ..WatchSubjectRequest::default() };
    let states = BatchGetLikeStatesRequest {
        subject: subject.clone(),
        member_id: member_id.clone(),
        ..BatchGetLikeStatesRequest::default()
    };
    let likers = BatchListLikersRequest { subject: subject.clone(), ..BatchListLikersRequest::default() };
    let own = ListMemberLikesRequest {
        subject: subject.clone(),
        member_id: member_id.clone(),
        ..ListMemberLikesRequest::default()
    };
    let unlisted = ListUnlistedCommentsRequest { subject, member_id, ..ListUnlistedCommentsRequest::default() };
    for refused in [
        subjects.get_subject(get).await.map(drop),
        subjects.batch_get_subjects(batch).await.map(drop),
        subjects.watch_subject(watch).await.map(drop),
        likes.batch_get_like_states(states).await.map(drop),
        likes.batch_list_likers(likers).await.map(drop),
        likes.list_member_likes(own).await.map(drop),
        client.comments().list_unlisted_comments(unlisted).await.map(drop),
    ] {
        let message = refused.err().context("it is there")?.message().to_owned();
        ensure!(message.contains("its first comment if object_types.page.auto_create is set"), "{message}");
    }
    Ok(())
}

#[tokio::test]
async fn the_messages_about_judged_texts_name_the_rule_and_the_policy() -> Result<()> {
    let rules = "object_types.video.rules=[{id=\"run\", when=[{fact=\"repeats\", ge=5}], outcome=\"refuse\", \
                 code=\"style.run\"}, {id=\"link\", when=[{fact=\"links\", ge=1}], code=\"spam.link\"}]";
    let server = Server::dev_with(None, &["--set", rules]).await?;
    let post =
        async |text: &str| command::run(["comment", "post", "video/1", "ann", text, "--target", server.target()]).await;
    let blocked = post("nooooo").await?.ended(2)?;
    let blocked =
        blocked.says(&["the text is refused by a rule (CONTENT_BLOCKED", "the code of the rule is style.run"])?;
    ensure!(blocked.err.matches("refused by a rule").count() == 1, "{}", blocked.err);
    let id = post("see a.com").await?.ended(0)?.out.trim().to_owned();
    let log = command::run(["moderate", "log", &id, "--target", server.admin_target()]).await?.ended(0)?;
    log.says(&[" · policy · HOLD: UNSPECIFIED → PENDING · spam.link"])?;
    Ok(())
}
