//! Writes what a world's journal names: every row once, in the order of locking.

use riposte_core::{Comment, CommentId, Error, Subject, SubjectKey, World};
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};

use crate::error::Fault;
use crate::sql::chunks::cut;
use crate::sql::entity::{
    comment_client, comment_content, comment_edit, comment_index, comment_like, comment_origin, comment_request,
    comment_subject,
};
use crate::sql::pool::Tx;
use crate::sql::row;

type Flushed<T> = Result<T, Fault>;

/// Writes everything that changed.
pub(super) async fn journal(tx: &Tx, world: &World, only_likes: bool) -> Flushed<()> {
    subjects(tx, world).await?;
    new_comments(tx, world).await?;
    changed_comments(tx, world, only_likes).await?;
    contents(tx, world).await?;
    likes(tx, world).await?;
    requests(tx, world).await
}

async fn subjects(tx: &Tx, world: &World) -> Flushed<()> {
    use comment_subject::{Column, Entity};
    let journal = world.journal();
    let new = journal.new_subjects.iter().map(|key| Ok(row::subject_model(subject(world, key)?, tx.part())?));
    insert(tx, new.collect::<Flushed<Vec<_>>>()?).await?;
    for key in &journal.subjects {
        let subject = subject(world, key)?;
        let update = Entity::update_many().set(row::subject_changes(subject)?);
        let update = update.filter(Column::Part.eq(tx.part())).filter(Column::Id.eq(subject.id.get()));
        one(update.exec(tx).await?.rows_affected)?;
    }
    Ok(())
}

async fn new_comments(tx: &Tx, world: &World) -> Flushed<()> {
    let (journal, part) = (world.journal(), tx.part());
    let (mut rows, mut contents, mut clients, mut origins) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (id, request) in &journal.new_comments {
        let comment = comment(world, *id)?;
        let content = world.content(*id).ok_or_else(|| unloaded("content"))?;
        rows.push(row::comment_model(comment, request, part));
        contents.push(row::content_model(*id, content, part)?);
        if let Some(client) = journal.clients.get(id) {
            clients.push(row::client_model(*id, client, comment.create_time, part));
        }
        if let Some(origin) = journal.origins.get(id) {
            origins.push(comment_origin::ActiveModel {
                comment_id: Set(id.get()),
                part: Set(part),
                source: Set(row::bytes(&origin.source)),
                external_id: Set(row::bytes(&origin.external_id)),
            });
        }
    }
    insert::<comment_index::ActiveModel>(tx, rows).await?;
    insert::<comment_content::ActiveModel>(tx, contents).await?;
    insert::<comment_client::ActiveModel>(tx, clients).await?;
    insert::<comment_origin::ActiveModel>(tx, origins).await
}

async fn changed_comments(tx: &Tx, world: &World, only_likes: bool) -> Flushed<()> {
    use comment_index::{Column, Entity};
    for id in &world.journal().comments {
        let comment = comment(world, *id)?;
        let changes = if only_likes { row::like_changes(comment) } else { row::comment_changes(comment) };
        let update = Entity::update_many().set(changes);
        let update = update.filter(Column::Part.eq(tx.part())).filter(Column::Id.eq(id.get()));
        one(update.exec(tx).await?.rows_affected)?;
    }
    Ok(())
}

/// Changed contents, and what they said before.
async fn contents(tx: &Tx, world: &World) -> Flushed<()> {
    use comment_content::{ActiveModel, Column, Entity};
    let journal = world.journal();
    for id in &journal.contents {
        let content = world.content(*id).ok_or_else(|| unloaded("content"))?;
        let changed = row::content_model(*id, content, tx.part())?;
        let changed = ActiveModel {
            text: changed.text,
            mentions: changed.mentions,
            metadata: changed.metadata,
            ..Default::default()
        };
        let update = Entity::update_many().set(changed);
        let update = update.filter(Column::Part.eq(tx.part())).filter(Column::CommentId.eq(id.get()));
        one(update.exec(tx).await?.rows_affected)?;
    }
    let edits = journal.edits.iter().map(|edit| Ok(row::edit_model(edit, tx.part())?));
    insert::<comment_edit::ActiveModel>(tx, edits.collect::<Flushed<Vec<_>>>()?).await
}

async fn likes(tx: &Tx, world: &World) -> Flushed<()> {
    use comment_like::{Column, Entity};
    let mut rows = Vec::new();
    for (id, member) in &world.journal().likes {
        let like = world.like(*id, member).ok_or_else(|| unloaded("like"))?;
        rows.push(row::like_model(like, comment(world, *id)?.subject_id, tx.part()));
    }
    for piece in cut(&rows) {
        let keep = OnConflict::columns([Column::SubjectId, Column::MemberId, Column::CommentId])
            .update_columns([Column::Value, Column::Operation, Column::Changed, Column::Time])
            .to_owned();
        Entity::insert_many(piece.to_vec()).on_conflict(keep).exec_without_returning(tx).await?;
    }
    Ok(())
}

async fn requests(tx: &Tx, world: &World) -> Flushed<()> {
    let rows = world.journal().requests.iter().map(|(subject, key, prior)| comment_request::ActiveModel {
        subject_id: Set(subject.get()),
        request_key: Set(key.0.to_vec()),
        part: Set(tx.part()),
        verb: Set(prior.verb),
        print: Set(prior.print.0),
        comment_id: Set(prior.comment.map_or(0, CommentId::get)),
        revision: Set(prior.revision),
    });
    insert(tx, rows.collect()).await
}

async fn insert<A>(tx: &Tx, rows: Vec<A>) -> Flushed<()>
where
    A: ActiveModelTrait + Send,
{
    for piece in cut(&rows) {
        A::Entity::insert_many(piece.to_vec()).exec_without_returning(tx).await?;
    }
    Ok(())
}

/// A locked row cannot have gone.
fn one(matched: u64) -> Flushed<()> {
    if matched == 1 { Ok(()) } else { Err(Error::internal(format!("an update matched {matched} rows")).into()) }
}

fn subject<'w>(world: &'w World, key: &SubjectKey) -> Flushed<&'w Subject> {
    world.subject(key).ok_or_else(|| unloaded("subject"))
}

fn comment(world: &World, id: CommentId) -> Flushed<&Comment> {
    world.comment(id).ok_or_else(|| unloaded("comment"))
}

fn unloaded(what: &str) -> Fault {
    Error::internal(format!("a {what} of the journal is not in the world")).into()
}
