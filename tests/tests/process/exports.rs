//! The reads of the database that `riposte export` causes.

use anyhow::{Result, ensure};
use riposte_sdk::v1::LikeValue;
use riposte_tests::{Say, Server, command};

use super::metrics::ask;

const SUBJECTS: usize = 3;
const COMMENTS: usize = 12;

#[tokio::test]
async fn a_subject_is_exported_by_one_read_of_its_comments_and_one_of_their_likes() -> Result<()> {
    let server = Server::dev().await?;
    let client = server.client()?;
    for _ in 0..SUBJECTS {
        let say = Say::on(&client, "article");
        for n in 0..COMMENTS {
            let comment = say.comment("m", &n.to_string()).await?;
            say.like(comment.id, "x", LikeValue::Like).await?;
            say.like(comment.id, "y", LikeValue::Dislike).await?;
        }
    }
    let export = ["export", "--object-type", "article", "--target", server.admin_target()];
    let exported = command::run(export).await?.ended(0)?;
    // A subject has a line of its own.
    let lines = SUBJECTS * (1 + COMMENTS + 2 * COMMENTS);
    ensure!(exported.out.lines().count() >= lines, "{}", exported.out);
    let metrics = ask(server.metrics_target(), "GET", "/metrics").await?;
    for name in ["export comments", "export likes"] {
        let series = format!("db_client_operation_duration_seconds_count{{db_operation_name=\"{name}\"");
        let counts = metrics.lines().filter(|line| line.starts_with(&series));
        let reads = counts.filter_map(|line| line.rsplit(' ').next()?.parse::<usize>().ok()).sum::<usize>();
        ensure!(reads == SUBJECTS, "{name}: {reads} reads of {SUBJECTS} subjects");
    }
    Ok(())
}
