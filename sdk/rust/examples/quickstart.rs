//! Writes a comment, likes it, and lists what stands there: `riposte dev --exec -- cargo run --example quickstart`.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), riposte_sdk::Error> {
    // [quickstart]
    use riposte_sdk::{Client, v1::CommentSort::Hot};

    let client = Client::from_env()?;
    let subject = client.subject("article", "42");
    let comment = subject.comment("m7", "Hi").await?;
    comment.like("m9").await?;
    let mut all = subject.comments(Hot).items();
    // [quickstart]
    while let Some(thread) = all.next().await? {
        let comment = thread.comment.unwrap_or_default();
        let text = comment.content.unwrap_or_default().text;
        println!("{} by {}, {} likes", text, comment.member_id, comment.like_count);
    }
    Ok(())
}
