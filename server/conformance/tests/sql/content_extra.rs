//! The column `extra`, which stores the fields of a content that have no column of their own, while
//! processes of versions without it write too.

use riposte_conformance::stores::root_location;
use riposte_core::subject::Metadata;
use riposte_core::verbs::{Create, Edit};
use riposte_core::{Command, CommandKind, CommentId, Content, MemberId};
use riposte_store::SqlStore;
use sea_orm::{ConnectionTrait, Statement};

use crate::commits::{command, comment, commit_one, create_command, key, query_number};
use crate::databases::all_databases;

fn content(text: &str) -> Content {
    Content::stored(text.to_owned(), Vec::new(), Metadata::new())
}

fn with_field(text: &str) -> Content {
    content(text).with_extra([("later".to_owned(), b"\0value".to_vec())].into())
}

/// Returns the current content, and all contents from the oldest.
async fn read(store: &SqlStore, id: CommentId) -> (Option<Content>, Vec<Content>) {
    let view = store.reader().comments(&[id]).await.expect("read").remove(0).expect("a comment");
    let revisions = store.reader().revisions(id).await.expect("read");
    (view.content, revisions.into_iter().map(|revision| revision.content).collect())
}

async fn edit(store: &SqlStore, id: CommentId, content: Content) {
    let target = root_location(&key("extra"), id);
    let member = MemberId::stored("a".to_owned());
    let verb = Edit::allowed(target, member, content);
    commit_one(store, &command(store, &key("extra"), verb)).await.expect("edited");
}

#[tokio::test(flavor = "multi_thread")]
async fn extra_fields_belong_to_their_text_while_an_older_process_also_writes() {
    for database in all_databases().await {
        let store = database.fresh().await;
        let run = async |sql: &str| {
            let pool = store.sources().all()[0].write_pool();
            pool.execute_raw(Statement::from_string(pool.get_database_backend(), sql)).await.expect("run");
        };
        let Command { verb: CommandKind::Create(verb), .. } = create_command(&store, &key("extra")).await else {
            panic!("a create")
        };
        let verb = Create { content: with_field("first"), ..verb };
        let id =
            comment(&commit_one(&store, &command(&store, &key("extra"), verb)).await.expect("created")).reference.id;
        assert_eq!(read(&store, id).await, (Some(with_field("first")), vec![with_field("first")]));

        // An older process edits: it stores the former content without its extra fields, and leaves
        // these fields in the row with the new text.
        run("INSERT INTO comment_edit (comment_id, version, part, text, mentions, metadata, time) \
             SELECT comment_id, 1, part, text, mentions, metadata, 1 FROM comment_content")
        .await;
        run("UPDATE comment_content SET text = 'second', mentions = '[]', metadata = '{}'").await;
        assert_eq!(query_number(&store, "SELECT COUNT(*) FROM comment_content WHERE extra IS NOT NULL").await, 1);
        assert_eq!(read(&store, id).await, (Some(content("second")), vec![content("first"), content("second")]));

        run("DELETE FROM comment_edit").await;
        edit(&store, id, with_field("third")).await;
        edit(&store, id, content("fourth")).await;
        let all = vec![content("second"), with_field("third"), content("fourth")];
        assert_eq!(read(&store, id).await, (Some(content("fourth")), all));
        assert_eq!(query_number(&store, "SELECT COUNT(*) FROM comment_content WHERE extra IS NOT NULL").await, 0);
        store.close().await;
        database.drop().await;
    }
}
