//! Fills a world with the rows of a batch, under lock: subjects by id, then comments by id, then likes.

use std::collections::{BTreeMap, BTreeSet};

use riposte_core::request::{Print, RequestKey};
use riposte_core::world::Prior;
use riposte_core::{Command, CommentId, MemberId, SubjectId, SubjectKey, World};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::error::Fault;
use crate::sql::chunks::padded;
use crate::sql::entity::{comment_content, comment_index, comment_like, comment_request, comment_subject};
use crate::sql::pool::Tx;
use crate::sql::row;

type Loaded<T> = Result<T, Fault>;

/// The code of [`riposte_core::cmd::Create`]: an index row does not say which verb made it.
const CREATED: i8 = 5;

/// The rows that `commands` may touch.
pub(super) async fn world(tx: &Tx, commands: &[Command]) -> Loaded<World> {
    let mut world = World::default();
    let mut wanted = Wanted::of(commands);
    if super::only_likes(commands) {
        comments(tx, &mut world, &wanted.comments).await?;
        likes(tx, &mut world, &wanted.likes).await?;
        subjects(tx, &mut world, &wanted.subjects, Lock::No).await?;
        return Ok(world);
    }
    subjects(tx, &mut world, &wanted.subjects, Lock::Yes).await?;
    for (subject, keys) in requests(&world, commands) {
        let found = priors(tx, &mut world, subject, &keys).await?;
        wanted.comments.extend(&found);
        wanted.contents.extend(&found);
    }
    comments(tx, &mut world, &wanted.comments).await?;
    contents(tx, &mut world, &wanted.contents).await?;
    likes(tx, &mut world, &wanted.likes).await?;
    Ok(world)
}

/// Everything that a batch needs, once, in the order of locking.
#[derive(Debug, Default)]
struct Wanted {
    subjects: BTreeSet<SubjectKey>,
    comments: BTreeSet<CommentId>,
    contents: BTreeSet<CommentId>,
    likes: BTreeSet<(CommentId, MemberId)>,
}

impl Wanted {
    fn of(commands: &[Command]) -> Self {
        let mut wanted = Self::default();
        for command in commands {
            let needs = command.verb.needs();
            wanted.subjects.insert(command.subject.clone());
            wanted.comments.extend(needs.comments);
            wanted.contents.extend(needs.content);
            wanted.likes.extend(needs.like);
        }
        wanted
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lock {
    Yes,
    No,
}

async fn subjects(tx: &Tx, world: &mut World, keys: &BTreeSet<SubjectKey>, lock: Lock) -> Loaded<()> {
    use comment_subject::{Column, Entity};
    let keys: Vec<_> = keys.iter().collect();
    for list in padded(&keys) {
        let any = list.iter().fold(Condition::any(), |any, key| {
            any.add(
                Condition::all()
                    .add(Column::ObjectType.eq(row::bytes(key.object_type().as_str())))
                    .add(Column::ObjectId.eq(row::bytes(key.object_id()))),
            )
        });
        let select = Entity::find().filter(Column::Part.eq(tx.part())).filter(any).order_by_asc(Column::Id);
        let select = if lock == Lock::Yes { select.lock_exclusive() } else { select };
        for found in select.all(tx).await? {
            world.load_subject(row::subject(found)?);
        }
    }
    Ok(())
}

/// The request keys of the batch by their subject. A subject that does not exist yet has answered none.
fn requests(world: &World, commands: &[Command]) -> BTreeMap<SubjectId, Vec<Vec<u8>>> {
    let mut keys: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for command in commands.iter().filter(|command| command.verb.as_like().is_none()) {
        if let Some(subject) = world.subject(&command.subject) {
            keys.entry(subject.id).or_default().insert(command.request.key.0.to_vec());
        }
    }
    keys.into_iter().map(|(subject, keys)| (subject, keys.into_iter().collect())).collect()
}

/// Loads what earlier requests with these keys did, and names the comments they were about.
async fn priors(tx: &Tx, world: &mut World, subject: SubjectId, keys: &[Vec<u8>]) -> Loaded<Vec<CommentId>> {
    let mut about = Vec::new();
    for list in padded(keys) {
        for (key, prior) in created(tx, subject, list.clone()).await?.into_iter().chain(done(tx, subject, list).await?)
        {
            about.extend(prior.comment);
            world.load_prior(subject, key, prior);
        }
    }
    Ok(about)
}

async fn created(tx: &Tx, subject: SubjectId, keys: Vec<Vec<u8>>) -> Loaded<Vec<(RequestKey, Prior)>> {
    use comment_index::{Column, Entity};
    let rows: Vec<(i64, Vec<u8>, i64, i64)> = Entity::find()
        .select_only()
        .columns([Column::Id, Column::RequestKey, Column::RequestPrint, Column::BornRevision])
        .filter(Column::Part.eq(tx.part()))
        .filter(Column::SubjectId.eq(subject.get()))
        .filter(Column::RequestKey.is_in(keys))
        .into_tuple()
        .all(tx)
        .await?;
    rows.into_iter()
        .map(|(id, key, print, revision)| {
            let prior = Prior { verb: CREATED, print: Print(print), comment: CommentId::new(id), revision };
            Ok((row::request_key(&key)?, prior))
        })
        .collect()
}

async fn done(tx: &Tx, subject: SubjectId, keys: Vec<Vec<u8>>) -> Loaded<Vec<(RequestKey, Prior)>> {
    use comment_request::{Column, Entity};
    let rows = Entity::find()
        .filter(Column::Part.eq(tx.part()))
        .filter(Column::SubjectId.eq(subject.get()))
        .filter(Column::RequestKey.is_in(keys))
        .all(tx)
        .await?;
    rows.into_iter()
        .map(|found| {
            let prior = Prior {
                verb: found.verb,
                print: Print(found.print),
                comment: CommentId::new(found.comment_id),
                revision: found.revision,
            };
            Ok((row::request_key(&found.request_key)?, prior))
        })
        .collect()
}

async fn comments(tx: &Tx, world: &mut World, ids: &BTreeSet<CommentId>) -> Loaded<()> {
    use comment_index::{Column, Entity};
    let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
    for list in padded(&ids) {
        let select = Entity::find().filter(Column::Part.eq(tx.part())).filter(Column::Id.is_in(list));
        for found in select.order_by_asc(Column::Id).lock_exclusive().all(tx).await? {
            world.load_comment(row::comment(found)?);
        }
    }
    Ok(())
}

async fn contents(tx: &Tx, world: &mut World, ids: &BTreeSet<CommentId>) -> Loaded<()> {
    use comment_content::{Column, Entity};
    let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
    for list in padded(&ids) {
        let select = Entity::find().filter(Column::Part.eq(tx.part())).filter(Column::CommentId.is_in(list));
        for found in select.all(tx).await? {
            let id = row::id(found.comment_id)?;
            world.load_content(id, row::content(found.text, &found.mentions, &found.metadata)?);
        }
    }
    Ok(())
}

async fn likes(tx: &Tx, world: &mut World, wanted: &BTreeSet<(CommentId, MemberId)>) -> Loaded<()> {
    use comment_like::{Column, Entity};
    // The key starts with the subject, which the locked comment names; a comment that is not there has no likes.
    let mut keys: Vec<_> = wanted
        .iter()
        .filter_map(|(comment, member)| {
            Some((world.comment(*comment)?.subject_id.get(), row::bytes(member.as_str()), comment.get()))
        })
        .collect();
    keys.sort_unstable();
    for list in padded(&keys) {
        let any = list.into_iter().fold(Condition::any(), |any, (subject, member, comment)| {
            any.add(
                Condition::all()
                    .add(Column::SubjectId.eq(subject))
                    .add(Column::MemberId.eq(member))
                    .add(Column::CommentId.eq(comment)),
            )
        });
        let select = Entity::find().filter(Column::Part.eq(tx.part())).filter(any);
        let ordered =
            select.order_by_asc(Column::SubjectId).order_by_asc(Column::MemberId).order_by_asc(Column::CommentId);
        for found in ordered.lock_exclusive().all(tx).await? {
            world.load_like(row::like(found)?);
        }
    }
    Ok(())
}
