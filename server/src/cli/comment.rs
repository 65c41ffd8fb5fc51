//! `riposte comment`: reads and writes comments as a back end does, for first steps and for
//! scripts.

mod page;

use super::{connect, output};
use clap::{Subcommand, ValueEnum};
use riposte_sdk::Client;
use riposte_sdk::v1::{
    CommentSort, CommentState, Content, CreateCommentRequest, ListCommentsRequest, ListUnlistedCommentsRequest,
    SubjectKey,
};
use std::{process::ExitCode, str::FromStr};

const EXAMPLES: &str = "\
A subject is what is commented on. Its name is chosen by you: an object type and an id, as in \
article/1 or video/7f3a. The server needs no table of your articles or members.

`riposte dev` has the subject article/1 with comments, and accepts every object type. `riposte serve` \
accepts the types of [object_types], and creates a subject with its first comment where the type has \
auto_create = true.

The address comes from RIPOSTE_TARGET, the token from RIPOSTE_TOKEN and the certificate authority for \
https:// from RIPOSTE_TLS_CA, as in the SDKs.

Examples:
  riposte comment list article/1
  riposte comment list article/1 --sort hot --replies 10
  riposte comment list article/1 --viewer ann
  id=$(riposte comment post article/1 ann \"Hello\")";

#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print one page of the comments of a subject, with the first replies of each
    #[command(after_long_help = EXAMPLES)]
    List(PageArgs),
    /// Write a comment as a member, and print its id
    #[command(after_long_help = EXAMPLES)]
    Post(PostArgs),
}

/// The address of the server.
#[derive(Debug, clap::Args)]
struct ServerAddress {
    /// The address of the public services
    #[arg(long, value_name = "URL", env = "RIPOSTE_TARGET", default_value = "http://127.0.0.1:7171")]
    target: String,
}

/// The page to print.
#[derive(Debug, clap::Args)]
struct PageArgs {
    /// The subject, as in article/1
    #[arg(value_name = "TYPE/ID")]
    subject: SubjectName,
    /// The order of the comments
    #[arg(long, value_enum, default_value_t = Sort::Newest)]
    sort: Sort,
    /// The number of comments on the page
    #[arg(long, allow_negative_numbers = true, value_name = "COUNT", default_value = "20", value_parser = clap::value_parser!(i32).range(1..=100))]
    page_size: i32,
    /// The number of replies that are printed below each comment
    #[arg(long, allow_negative_numbers = true, value_name = "COUNT", default_value = "3", value_parser = clap::value_parser!(i32).range(0..=10))]
    replies: i32,
    /// Print the page of this token, which the page before it printed
    #[arg(long, value_name = "TOKEN", default_value = "", hide_default_value = true)]
    page_token: String,
    /// First print the comments of this member that only the member sees: those that wait for
    /// review or were refused
    #[arg(long, value_name = "MEMBER")]
    viewer: Option<String>,
    #[command(flatten)]
    target: ServerAddress,
}

/// The comment to write.
#[derive(Debug, clap::Args)]
struct PostArgs {
    /// The subject, as in article/1
    #[arg(value_name = "TYPE/ID")]
    subject: SubjectName,
    /// The author: your own id of a user
    #[arg(value_name = "MEMBER")]
    member: String,
    /// The text; quote it for the shell
    #[arg(value_name = "TEXT", allow_negative_numbers = true)]
    text: String,
    #[command(flatten)]
    target: ServerAddress,
}

/// The order of a list.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Sort {
    /// The latest first
    Newest,
    /// The first one first
    Oldest,
    /// By likes and replies, and by age where the object type says so
    Hot,
    /// By likes minus dislikes
    Top,
    /// By the share of likes, cautiously where there are few
    Best,
    /// By how evenly likes and dislikes are divided
    Controversial,
    /// By the number of replies
    MostReplies,
}

/// A subject as it is written on a command line.
#[derive(Clone, Debug)]
struct SubjectName {
    object_type: String,
    object_id: String,
}

impl FromStr for SubjectName {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (object_type, object_id) = text.split_once('/').unwrap_or_default();
        if object_type.is_empty() || object_id.is_empty() {
            return Err("write the object type and the id of a subject, as article/1");
        }
        Ok(SubjectName { object_type: object_type.to_owned(), object_id: object_id.to_owned() })
    }
}

impl SubjectName {
    fn key(self) -> SubjectKey {
        SubjectKey { object_type: self.object_type, object_id: self.object_id }
    }
}

impl ServerAddress {
    fn client(&self) -> anyhow::Result<Client> {
        Ok(connect::public(&self.target)?)
    }
}

impl Args {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        match self.action {
            Action::List(args) => args.run().await,
            Action::Post(args) => args.run().await,
        }
    }
}

impl PageArgs {
    async fn run(self) -> anyhow::Result<ExitCode> {
        let client = self.target.client()?;
        let key = self.subject.key();
        let name = format!("{}/{}", key.object_type, key.object_id);
        let sort = match self.sort {
            Sort::Newest => CommentSort::Newest,
            Sort::Oldest => CommentSort::Oldest,
            Sort::Hot => CommentSort::Hot,
            Sort::Top => CommentSort::Top,
            Sort::Best => CommentSort::Best,
            Sort::Controversial => CommentSort::Controversial,
            Sort::MostReplies => CommentSort::MostReplies,
        };
        let mut own = Vec::new();
        if let Some(member_id) = self.viewer {
            let (subject, page_size) = (Some(key.clone()), self.page_size);
            let request =
                ListUnlistedCommentsRequest { subject, member_id, page_size, ..ListUnlistedCommentsRequest::default() };
            let unlisted = client.comments().list_unlisted_comments(request).await.map_err(riposte_sdk::Error::from)?;
            own.extend(unlisted.into_inner().comments);
        }
        let request = ListCommentsRequest {
            subject: Some(key),
            sort: sort.into(),
            page_size: self.page_size,
            page_token: self.page_token,
            reply_preview_size: Some(self.replies),
            ..ListCommentsRequest::default()
        };
        let page = client.comments().list_comments(request).await.map_err(riposte_sdk::Error::from)?.into_inner();
        output::write(&page::text(&name, &own, &page))?;
        if !page.next_page_token.is_empty() {
            output::note(&format!("more: add to the same command\n  --page-token {}", page.next_page_token));
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl PostArgs {
    async fn run(self) -> anyhow::Result<ExitCode> {
        let client = self.target.client()?;
        let request = CreateCommentRequest {
            subject: Some(self.subject.key()),
            member_id: self.member,
            content: Some(Content { text: self.text, ..Content::default() }),
            ..CreateCommentRequest::default()
        };
        let response = client.comments().create_comment(request).await.map_err(riposte_sdk::Error::from)?;
        let comment = response.into_inner().comment.unwrap_or_default();
        output::line(&comment.id.to_string())?;
        let notes = [
            (CommentState::Pending, "PENDING: it waits for review; only its author and moderators see it"),
            (CommentState::Rejected, "REJECTED: the policy rejects it; only its author and moderators see it"),
        ];
        for (_, note) in notes.iter().filter(|(state, _)| *state == comment.state()) {
            output::note(note);
        }
        Ok(ExitCode::SUCCESS)
    }
}

#[cfg(test)]
mod tests {
    use super::SubjectName;

    #[test]
    fn the_id_of_a_subject_is_all_that_follows_the_first_slash() {
        let parse = |text: &str| text.parse::<SubjectName>().map(|name| (name.object_type, name.object_id)).ok();
        assert_eq!(parse("page/docs/a"), Some(("page".into(), "docs/a".into())));
        for wrong in ["", "page", "page/", "/1"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
