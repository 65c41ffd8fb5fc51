//! Files with faults at the command line: exit codes and words, and that nothing private becomes
//! public by a rejection.

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::{ListSubjectsRequest, Subject, SubjectState};
use riposte_tests::{Server, real};

const TIME: &str = "2020-01-01T00:00:00Z";

async fn subjects(server: &Server) -> Result<Vec<Subject>> {
    let request =
        ListSubjectsRequest { object_type: "page".to_owned(), page_size: 100, ..ListSubjectsRequest::default() };
    Ok(server.admin()?.list_subjects(request).await?.into_inner().subjects)
}

fn comment(id: &str) -> String {
    format!(
        "{{\"comment\":{{\"subject\":{{\"object_type\":\"page\",\"object_id\":\"secret\"}},\"external_id\":\"{id}\",\
         \"member_id\":\"m\",\"text\":\"private\",\"create_time\":\"{TIME}\"}}}}\n"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subject_whose_record_is_rejected_is_not_made_public_by_its_comments() -> Result<()> {
    let (server, scratch) = (Server::dev().await?, tempfile::tempdir()?);
    let file = scratch.path().join("lines.jsonl");
    let subject = "{\"subject\":{\"key\":{\"object_type\":\"page\",\"object_id\":\"secret\"},\"state\":\"HIDDEN\",\
        \"create_time\":\"soon\"}}\n";
    std::fs::write(&file, [subject, &comment("1"), &comment("2")].concat())?;
    let arguments = [file.to_str().context("a path")?, "--format", "jsonl"];
    let dry = real::import(&server, &[&arguments[..], &["--dry-run"]].concat(), scratch.path()).await?.ended(6)?;
    dry.says(&["0 subjects, 0 comments", "2  SUBJECT_REJECTED", "1  TIME_INVALID"])?;
    let ran = real::import(&server, &arguments, scratch.path()).await?.ended(6)?;
    ran.says(&["comments  0 created", "2  SUBJECT_REJECTED", "1  TIME_INVALID"])?;
    ensure!(subjects(&server).await?.is_empty(), "nothing is there");
    let rejects = std::fs::read_to_string(scratch.path().join("rejects.jsonl"))?;
    std::fs::write(&file, &rejects)?;
    let unchanged = real::import(&server, &arguments, scratch.path()).await?.ended(6)?;
    unchanged.says(&["comments  0 created", "2  SUBJECT_REJECTED", "1  TIME_INVALID"])?;
    let corrected =
        rejects.replace("\"state\":\"HIDDEN\"", "\"state\":\"HIDDEN\",\"create_time\":\"2020-01-01T00:00:00Z\"");
    std::fs::write(&file, corrected)?;
    real::import(&server, &arguments, scratch.path()).await?.ended(0)?.says(&["comments  2 created"])?;
    let subjects = subjects(&server).await?;
    ensure!(subjects.len() == 1 && subjects[0].state() == SubjectState::Hidden, "{subjects:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_markup_costs_its_comment_and_a_broken_file_is_named_with_its_place() -> Result<()> {
    let (server, scratch) = (Server::dev().await?, tempfile::tempdir()?);
    let file = scratch.path().join("blog.xml");
    let post = |id: u32, text: &str| {
        format!(
            "<comment><comment_id>{id}</comment_id><comment_content>{text}</comment_content>\
             <comment_date_gmt>2020-01-01 00:00:00</comment_date_gmt></comment>\n"
        )
    };
    let head = "<rss xmlns:wp='http://wordpress.org/export/1.2/'><channel><item><post_id>7</post_id>\n";
    let blog = |text: &str, tail: &str| [head, &post(1, "x"), &post(2, text), &post(3, "y"), tail].concat();
    let arguments = [file.to_str().context("a path")?, "--format", "wordpress"];
    let tail = "</item></channel></rss>";
    std::fs::write(&file, blog("so <b> it is", tail))?;
    let ran = real::import(&server, &arguments, scratch.path()).await?.ended(6)?;
    ran.says(&["comments  2 created", "1  RECORD_INVALID"])?;
    let rejects = real::rejects(scratch.path())?;
    ensure!(rejects == [("2".to_owned(), "RECORD_INVALID".to_owned())], "{rejects:?}");
    for (text, tail, words) in [
        ("x", "</channel></rss>", "record 4, line 5, byte "),
        ("x", "</item", "cut off"),
        ("x", "</item></channel></rss>\nand more words", "outside of the outermost element"),
    ] {
        std::fs::write(&file, blog(text, tail))?;
        let ran = real::import(&server, &arguments, scratch.path()).await?.ended(1)?;
        ensure!(!ran.err.contains("I/O error"), "{}", ran.err);
        ran.says(&[words, "blog.xml"])?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_without_its_parent_is_named_with_its_place() -> Result<()> {
    let (server, scratch) = (Server::dev().await?, tempfile::tempdir()?);
    let file = scratch.path().join("lines.jsonl");
    let reply = comment("2").replace("\"external_id\"", "\"parent_external_id\":\"gone\",\"external_id\"");
    std::fs::write(&file, [comment("1"), reply].concat())?;
    real::import(&server, &[file.to_str().context("a path")?, "--format", "jsonl"], scratch.path()).await?.ended(6)?;
    let rejects = std::fs::read_to_string(scratch.path().join("rejects.jsonl"))?;
    ensure!(rejects.contains("\"PARENT_MISSING\",\"message\":\"record 2, line 2, byte "), "{rejects}");
    Ok(())
}
