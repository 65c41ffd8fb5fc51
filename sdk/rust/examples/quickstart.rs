//! Writes a comment, likes it, and lists what stands there:
//! `riposte dev --exec -- cargo run --example quickstart`.

// [quickstart]
use riposte_sdk::{Client, Error, v1::CommentSort::Hot};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let client = Client::from_env()?;
    let subject = client.subject("article", "42");
    let comment = subject.comment("m7", "Hi").await?;
    comment.like("m9").await?;
    let mut all = subject.comments(Hot)?.items();
    while let Some(thread) = all.next().await? {
        println!("{}", thread.comment.content.clone().unwrap_or_default().text);
    }
    Ok(())
}
// [quickstart]
