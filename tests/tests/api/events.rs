//! The feed of events: which act has which event, in which order, and how a reader continues.

use std::collections::HashSet;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use futures::future::try_join_all;
use riposte_sdk::v1::subscribe_response::Item;
use riposte_sdk::v1::{
    CommentEvent, CommentState, CreateSubjectRequest, DeleteSubjectRequest, ErrorReason, EventFilter, EventKind,
    EventScope, LikeValue, ListEventsRequest, ModerationAction, Subject, SubjectKey, SubjectState, SubscribeRequest,
    UpdateSubjectRequest,
};
use riposte_tests::feed::{EventPages, Subscription, kinds, moderation, public};
use riposte_tests::{Case, Fixture, Say, cases, refused};
use tonic::Code;
use tonic_types::StatusExt;

use super::comments::{delete, edit, pin, undelete, unpin};
use super::edits::judge_edit;
use super::policy::decisions;
use super::reports::report_of;
use super::review::{judge, someone};

pub(crate) const CASES: &[Case] = cases![
    each_act_is_an_event_with_its_rows_and_likes_are_none,
    a_comment_that_waits_has_its_first_event_at_its_approval,
    what_is_not_public_has_no_public_event,
    what_moderators_see_is_in_their_scope_alone,
    a_page_may_end_within_a_commit_and_no_event_is_lost_or_repeated,
    a_stream_has_the_events_of_the_pages_and_each_continues_the_other,
    events_of_a_subject_come_in_the_order_of_its_revisions_while_many_write,
    a_page_waits_for_an_event_and_a_stream_reports_how_far_it_is,
    kinds_and_object_types_select_events_and_ids_stay,
    a_token_of_events_is_bound_to_its_filter_and_to_nothing_else,
    requests_for_events_with_faults_are_refused_with_all_of_them,
];

/// Waits until a feed has `count` events of a subject, and returns them.
async fn events(pages: &mut EventPages, say: &Say, count: usize) -> Result<Vec<CommentEvent>> {
    let events = pages.until(&say.key, 0, |events| events.len() >= count).await?;
    ensure!(events.len() == count, "{:?}", kinds(&events));
    Ok(events)
}

async fn owned(fixture: &Fixture, object_type: &str, owner: &str) -> Result<Say> {
    let say = Say::on(&fixture.client, object_type);
    let request = CreateSubjectRequest { key: Some(say.key.clone()), owner_id: owner.to_owned(), ..Default::default() };
    fixture.client.subjects().create_subject(request).await?;
    Ok(say)
}

async fn set_state(say: &Say, state: SubjectState) -> Result<()> {
    let subject = Subject { key: Some(say.key.clone()), state: state.into(), ..Subject::default() };
    let request = UpdateSubjectRequest { subject: Some(subject), ..UpdateSubjectRequest::default() };
    say.client.subjects().update_subject(request).await?;
    Ok(())
}

async fn each_act_is_an_event_with_its_rows_and_likes_are_none(fixture: Fixture) -> Result<()> {
    use EventKind::{
        CommentDeleted, CommentEdited, CommentPinChanged, CommentPublished, CommentRestored, CommentWithdrawn,
        SubjectChanged,
    };
    let mut pages = EventPages::begin(&fixture.client, public("article")).await?;
    let say = owned(&fixture, "article", "owner").await?;
    let root = say.comment("ann", "root").await?;
    let reply = say.reply(root.id, "ben", "reply").await?;
    let nested = say.reply(reply.id, "ann", "nested").await?;
    say.like(root.id, "ben", LikeValue::Like).await?;
    edit(&say, root.id, "ann", "edited", "").await?;
    pin(&say, root.id, "owner").await?;
    unpin(&say, root.id, "owner").await?;
    judge(&fixture, ModerationAction::Hide, reply.id).await?;
    judge(&fixture, ModerationAction::Unhide, reply.id).await?;
    delete(&say, nested.id, "ann").await?;
    undelete(&say, nested.id, "ann").await?;
    set_state(&say, SubjectState::ReadOnly).await?;
    let request = DeleteSubjectRequest { key: Some(say.key.clone()), ..DeleteSubjectRequest::default() };
    fixture.client.subjects().delete_subject(request).await?;
    let expected = [
        (SubjectChanged, 0),
        (CommentPublished, root.id),
        (CommentPublished, reply.id),
        (CommentPublished, nested.id),
        (CommentEdited, root.id),
        (CommentPinChanged, root.id),
        (CommentPinChanged, root.id),
        (CommentWithdrawn, reply.id),
        (CommentRestored, reply.id),
        (CommentDeleted, nested.id),
        (CommentRestored, nested.id),
        (SubjectChanged, 0),
        (SubjectChanged, 0),
    ];
    let events = events(&mut pages, &say, expected.len()).await?;
    ensure!(kinds(&events) == expected, "{:?}", kinds(&events));
    let nested = &events[3];
    ensure!((nested.root_id, nested.parent_id) == (root.id, reply.id), "{nested:?}");
    ensure!(events[1].root_id == 0 && events[1].parent_id == 0 && events[1].member_id == "ann", "{:?}", events[1]);
    // What only moderators see is in no event of scope PUBLIC.
    let is_plain = |event: &CommentEvent| {
        event.from_state() == CommentState::Unspecified
            && event.to_state() == CommentState::Unspecified
            && event.decision_id.is_empty()
    };
    ensure!(events.iter().all(|event| is_plain(event) && event.time.is_some()), "{events:?}");
    let revisions: Vec<i64> = events.iter().map(|event| event.subject_revision).collect();
    ensure!(revisions.iter().copied().eq(1..=expected.len() as i64), "{revisions:?}");
    let ids: HashSet<&str> = events.iter().map(|event| event.id.as_str()).collect();
    ensure!(ids.len() == events.len(), "{ids:?}");
    Ok(())
}

async fn a_comment_that_waits_has_its_first_event_at_its_approval(fixture: Fixture) -> Result<()> {
    let mut pages = EventPages::begin(&fixture.client, public("held")).await?;
    let (say, ann) = (Say::on(&fixture.client, "held"), someone());
    let (waits, refused) = (say.comment(&ann, "waits").await?, say.comment(&ann, "is refused").await?);
    edit(&say, waits.id, &ann, "still waits", "").await?;
    judge(&fixture, ModerationAction::Reject, refused.id).await?;
    judge(&fixture, ModerationAction::Approve, waits.id).await?;
    let events = pages.until(&say.key, 0, |events| events.iter().any(|event| event.comment_id != 0)).await?;
    let expected = [(EventKind::SubjectChanged, 0), (EventKind::CommentPublished, waits.id)];
    ensure!(kinds(&events) == expected && events[1].member_id == ann, "{events:?}");
    Ok(())
}

async fn what_is_not_public_has_no_public_event(fixture: Fixture) -> Result<()> {
    let (mut open, mut all) = (
        EventPages::begin(&fixture.client, public("held")).await?,
        EventPages::begin(&fixture.client, moderation("held")).await?,
    );
    let (say, ann) = (Say::on(&fixture.client, "held"), someone());
    let unseen = say.comment(&ann, "never seen").await?;
    delete(&say, unseen.id, &ann).await?;
    let seen = say.comment(&ann, "seen").await?;
    judge(&fixture, ModerationAction::Approve, seen.id).await?;
    let published = |events: &[CommentEvent]| kinds(events).contains(&(EventKind::CommentPublished, seen.id));
    let open = open.until(&say.key, 0, published).await?;
    ensure!(open.iter().all(|event| event.comment_id != unseen.id), "{:?}", kinds(&open));
    let all = all.until(&say.key, 0, published).await?;
    let deleted = all.iter().find(|event| (event.kind(), event.comment_id) == (EventKind::CommentDeleted, unseen.id));
    ensure!(deleted.is_some_and(|event| event.member_id.is_empty()), "{all:?}");
    // An id is the same in every scope.
    let id_of = |events: &[CommentEvent]| {
        events.iter().find(|event| event.kind() == EventKind::CommentPublished).map(|event| event.id.clone())
    };
    ensure!(id_of(&open).is_some() && id_of(&open) == id_of(&all), "{:?} {:?}", id_of(&open), id_of(&all));
    Ok(())
}

/// The kind of an event in scope MODERATION, its comment, and the states that it names.
type Moderated = (EventKind, i64, (CommentState, CommentState));

fn moderated(events: &[CommentEvent]) -> Vec<Moderated> {
    let of = |event: &CommentEvent| (event.kind(), event.comment_id, (event.from_state(), event.to_state()));
    events.iter().map(of).collect()
}

async fn what_moderators_see_is_in_their_scope_alone(fixture: Fixture) -> Result<()> {
    use CommentState::{Active, Pending, Unspecified};
    use EventKind::{
        CommentDecided, CommentEdited, CommentHeld, CommentPublished, CommentReported, CommentWithdrawn, EditProposed,
        SubjectChanged,
    };
    let mut open = EventPages::begin(&fixture.client, public("held")).await?;
    let mut all = EventPages::begin(&fixture.client, moderation("held")).await?;
    let (say, ann, ben) = (Say::on(&fixture.client, "held"), someone(), someone());
    let id = say.comment(&ann, "waits").await?.id;
    judge(&fixture, ModerationAction::Approve, id).await?;
    for (action, text) in [(ModerationAction::Reject, "no"), (ModerationAction::Approve, "yes")] {
        edit(&say, id, &ann, text, "").await?;
        judge_edit(&fixture, action, id).await?;
    }
    ensure!(say.report(report_of(id, &ben)).await?);
    judge(&fixture, ModerationAction::Keep, id).await?;
    judge(&fixture, ModerationAction::Withhold, id).await?;
    edit(&say, id, &ann, "out of sight", "").await?;
    let none = (Unspecified, Unspecified);
    let expected = [
        (SubjectChanged, 0, none),
        (CommentHeld, id, (Unspecified, Pending)),
        (CommentPublished, id, none),
        (CommentDecided, id, (Pending, Active)),
        (EditProposed, id, (Active, Active)),
        (CommentDecided, id, (Active, Active)),
        (EditProposed, id, (Active, Active)),
        (CommentEdited, id, none),
        (CommentDecided, id, (Active, Active)),
        (CommentReported, id, (Active, Active)),
        (CommentDecided, id, (Active, Active)),
        (CommentWithdrawn, id, none),
        (CommentHeld, id, (Active, Pending)),
        (CommentDecided, id, (Active, Pending)),
        (CommentEdited, id, none),
    ];
    let all = all.until(&say.key, 0, |events| events.len() >= expected.len()).await?;
    ensure!(moderated(&all) == expected, "{:?}", moderated(&all));
    // The events name the decisions, and neither the reporter nor a moderator.
    let mut named: Vec<_> = all.iter().filter(|event| event.kind() == CommentDecided).collect();
    named.sort_by(|a, b| a.decision_id.cmp(&b.decision_id));
    let mut taken: Vec<_> = decisions(&fixture, id).await?.into_iter().map(|decision| decision.id).collect();
    taken.sort();
    ensure!(named.iter().map(|event| &event.decision_id).eq(&taken), "{named:?} {taken:?}");
    let written = format!("{all:?}");
    ensure!([ben.as_str(), "secret"].iter().all(|name| !written.contains(name)), "{written}");
    // A report makes no revision of its subject.
    let is_report = |event: &&CommentEvent| event.kind() == CommentReported;
    ensure!(all.iter().filter(is_report).all(|event| event.subject_revision == 0), "{all:?}");
    // Scope PUBLIC has the public ones of them, with the same bodies.
    let open = open.until(&say.key, 0, |events| kinds(events).contains(&(CommentWithdrawn, id))).await?;
    let is_public = |event: &&CommentEvent| {
        matches!(event.kind(), SubjectChanged | CommentPublished | CommentEdited | CommentWithdrawn)
    };
    let public: Vec<_> = all.iter().filter(is_public).take(open.len()).collect();
    ensure!(open.len() == 4 && open.iter().eq(public), "{open:?}");
    Ok(())
}

async fn a_page_may_end_within_a_commit_and_no_event_is_lost_or_repeated(fixture: Fixture) -> Result<()> {
    // Pages of one event are slower than the writes of other cases, so the type is this case's own.
    let mut pages = EventPages::begin(&fixture.client, public("paged")).await?;
    let mut complete = pages.clone();
    // The first comment of a subject is committed with the subject.
    let says: Vec<Say> = (0..20).map(|_| Say::on(&fixture.client, "paged")).collect();
    try_join_all(says.iter().map(|say| say.comment("ann", "first"))).await?;
    let say = Say::on(&fixture.client, "paged");
    say.comment("ann", "last").await?;
    let mut one_by_one = Vec::new();
    // There is no order between data sources, so the last comment may come before the others.
    let keys: HashSet<&str> = says.iter().chain([&say]).map(|say| say.key.object_id.as_str()).collect();
    let is_ours = |event: &&CommentEvent| event.subject.as_ref().is_some_and(|key| keys.contains(&*key.object_id));
    while one_by_one.iter().filter(is_ours).count() < 2 * keys.len() {
        let page = pages.page(1, Duration::from_secs(5)).await?;
        ensure!(page.events.len() <= 1 && page.gap.is_none(), "{page:?}");
        one_by_one.extend(page.events);
    }
    let ids: HashSet<&str> = one_by_one.iter().map(|event| event.id.as_str()).collect();
    ensure!(ids.len() == one_by_one.len(), "an event came twice");
    for say in &says {
        let of_subject: Vec<_> =
            one_by_one.iter().filter(|event| event.subject.as_ref() == Some(&say.key)).map(|e| e.kind()).collect();
        ensure!(of_subject == [EventKind::SubjectChanged, EventKind::CommentPublished], "{of_subject:?}");
    }
    let of_pages = events(&mut complete, &say, 2).await?;
    ensure!(of_pages.iter().all(|event| ids.contains(event.id.as_str())), "ids differ");
    Ok(())
}

async fn a_stream_has_the_events_of_the_pages_and_each_continues_the_other(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let mut stream = Subscription::open(&fixture.client, public("article"), "").await?;
    let opened = *stream.opened();
    ensure!(opened.time.is_some() && opened.oldest_time.is_some(), "{opened:?}");
    let begin = stream.token().to_owned();
    for n in 0..5 {
        say.comment("ann", &n.to_string()).await?;
    }
    let streamed = stream.events(&say.key, 3).await?;
    let middle = stream.token().to_owned();
    let rest = stream.events(&say.key, 3).await?;
    // The pages continue where the stream began, and in its middle; a new stream does the same.
    let mut pages = EventPages::after(&fixture.client, public("article"), &begin);
    let all = events(&mut pages, &say, 6).await?;
    ensure!(all.iter().eq(streamed.iter().chain(&rest)), "{:?}", kinds(&all));
    let mut pages = EventPages::after(&fixture.client, public("article"), &middle);
    ensure!(events(&mut pages, &say, 3).await? == rest, "the pages from the middle differ");
    let mut resumed = Subscription::open(&fixture.client, public("article"), &middle).await?;
    ensure!(resumed.events(&say.key, 3).await? == rest, "the stream from the middle differs");
    let mut continued = Subscription::open(&fixture.client, public("article"), pages.token()).await?;
    let next = say.comment("ann", "next").await?;
    for stream in [&mut resumed, &mut continued] {
        ensure!(kinds(&stream.events(&say.key, 1).await?) == [(EventKind::CommentPublished, next.id)]);
    }
    Ok(())
}

async fn events_of_a_subject_come_in_the_order_of_its_revisions_while_many_write(fixture: Fixture) -> Result<()> {
    let says: Vec<Say> = (0..8).map(|_| Say::on(&fixture.client, "article")).collect();
    let mut stream = Subscription::open(&fixture.client, public("article"), "").await?;
    let writes = (0..160).map(|n: usize| {
        let say = says[n % says.len()].clone();
        tokio::spawn(async move { say.comment(&format!("m{n}"), "hi").await })
    });
    let mut written = HashSet::new();
    for write in writes.collect::<Vec<_>>() {
        written.insert(write.await??.id);
    }
    let keys: Vec<&SubjectKey> = says.iter().map(|say| &say.key).collect();
    let mut last = vec![0; says.len()];
    while !written.is_empty() {
        let Item::Event(event) = stream.item().await? else { continue };
        let Some(n) = keys.iter().position(|key| Some(*key) == event.subject.as_ref()) else { continue };
        ensure!(event.subject_revision >= last[n], "{event:?} after revision {}", last[n]);
        last[n] = event.subject_revision;
        ensure!(event.comment_id == 0 || written.remove(&event.comment_id), "{event:?} came twice");
    }
    Ok(())
}

async fn a_page_waits_for_an_event_and_a_stream_reports_how_far_it_is(fixture: Fixture) -> Result<()> {
    let mut pages = EventPages::begin(&fixture.client, public("awaited")).await?;
    let say = Say::on(&fixture.client, "awaited");
    let (page, made) = tokio::join!(pages.page(0, Duration::from_secs(20)), say.comment("ann", "now"));
    let (page, made) = (page?, made?);
    ensure!(page.events.iter().all(|event| event.subject.as_ref() == Some(&say.key)), "{page:?}");
    ensure!(kinds(&page.events).contains(&(EventKind::CommentPublished, made.id)), "{page:?}");
    let mut stream = Subscription::open(&fixture.client, public("awaited"), pages.token()).await?;
    let begin = stream.opened().time.context("no time")?;
    // The time of a stream that has everything passes that of its beginning.
    loop {
        match stream.item().await? {
            Item::Heartbeat(heartbeat) => {
                let time = heartbeat.time.unwrap_or_default();
                if (time.seconds, time.nanos) > (begin.seconds, begin.nanos) {
                    return Ok(());
                }
            }
            Item::Event(_) => {}
            other @ (Item::Gap(_) | Item::Opened(_)) => bail!("{other:?}"),
        }
    }
}

async fn kinds_and_object_types_select_events_and_ids_stay(fixture: Fixture) -> Result<()> {
    let edits = EventFilter {
        object_types: vec!["notes".to_owned(), "essays".to_owned()],
        kinds: vec![EventKind::CommentEdited.into(), EventKind::CommentDeleted.into()],
        ..EventFilter::default()
    };
    let mut selected = EventPages::begin(&fixture.client, edits).await?;
    let mut all = EventPages::begin(&fixture.client, public("essays")).await?;
    let (note, essay, other) =
        (Say::on(&fixture.client, "notes"), Say::on(&fixture.client, "essays"), Say::on(&fixture.client, "article"));
    let mut made = Vec::new();
    for say in [&other, &note, &essay] {
        let comment = say.comment("ann", "first").await?;
        edit(say, comment.id, "ann", "second", "").await?;
        delete(say, comment.id, "ann").await?;
        made.push(comment.id);
    }
    let mut events = Vec::new();
    while events.len() < 4 {
        events.extend(selected.page(0, Duration::from_secs(5)).await?.events);
    }
    let mut found = kinds(&events);
    found.sort_unstable_by_key(|(kind, id)| (*id, *kind as i32));
    let mut expected: Vec<_> =
        made[1..].iter().flat_map(|id| [(EventKind::CommentEdited, *id), (EventKind::CommentDeleted, *id)]).collect();
    expected.sort_unstable_by_key(|(kind, id)| (*id, *kind as i32));
    ensure!(found == expected, "{found:?}");
    let all = self::events(&mut all, &essay, 4).await?;
    let ids: HashSet<&str> = all.iter().map(|event| event.id.as_str()).collect();
    let of_essay = events.iter().filter(|event| event.comment_id == made[2]);
    ensure!(of_essay.clone().count() == 2 && of_essay.clone().all(|event| ids.contains(event.id.as_str())), "{ids:?}");
    Ok(())
}

async fn a_token_of_events_is_bound_to_its_filter_and_to_nothing_else(fixture: Fixture) -> Result<()> {
    let filter = EventFilter {
        object_types: vec!["notes".to_owned(), "essays".to_owned()],
        kinds: vec![EventKind::CommentEdited.into(), EventKind::CommentPublished.into()],
        ..EventFilter::default()
    };
    let token = EventPages::begin(&fixture.client, filter.clone()).await?.token().to_owned();
    let others = [
        EventFilter { object_types: vec!["notes".to_owned()], ..filter.clone() },
        EventFilter { kinds: Vec::new(), ..filter.clone() },
        EventFilter { scope: EventScope::Moderation.into(), ..filter.clone() },
    ];
    let mismatch = (Code::InvalidArgument, ErrorReason::PageTokenMismatch);
    for other in others {
        let mut pages = EventPages::after(&fixture.client, other.clone(), &token);
        ensure!(refused(pages.page(0, Duration::ZERO).await)? == mismatch, "{other:?}");
        let request = SubscribeRequest { filter: Some(other.clone()), token: token.clone() };
        let opened = fixture.client.events().subscribe(request).await.map(drop);
        ensure!(refused(opened)? == mismatch, "{other:?}");
    }
    // The order of a list is no part of the filter, nor is a scope that is spelled out.
    let same = EventFilter {
        object_types: vec!["essays".to_owned(), "notes".to_owned()],
        kinds: vec![EventKind::CommentPublished.into(), EventKind::CommentEdited.into()],
        scope: EventScope::Public.into(),
    };
    EventPages::after(&fixture.client, same, &token).page(0, Duration::ZERO).await?;
    let mut broken = EventPages::after(&fixture.client, filter, &token[1..]);
    let invalid = (Code::InvalidArgument, ErrorReason::PageTokenInvalid);
    ensure!(refused(broken.page(0, Duration::ZERO).await)? == invalid);
    Ok(())
}

async fn requests_for_events_with_faults_are_refused_with_all_of_them(fixture: Fixture) -> Result<()> {
    let request = ListEventsRequest {
        filter: Some(EventFilter {
            object_types: vec!["No type".to_owned(); 2],
            kinds: vec![EventKind::CommentPublished.into(), EventKind::CommentHeld.into(), 99],
            ..EventFilter::default()
        }),
        page_size: -1,
        wait: Some(prost_types::Duration { seconds: 21, nanos: 0 }),
        ..ListEventsRequest::default()
    };
    let status = fixture.client.events().list_events(request).await.err().context("not refused")?;
    ensure!(status.code() == Code::InvalidArgument, "{status:?}");
    let violations = status.get_details_bad_request().context("no details")?.field_violations;
    let fields: Vec<_> = violations.iter().map(|violation| violation.field.as_str()).collect();
    let expected =
        ["filter.kinds[1]", "filter.kinds[2]", "filter.object_types[0]", "filter.object_types[1]", "page_size", "wait"];
    ensure!(fields == expected, "{fields:?}");
    for types in [Vec::new(), vec!["article".to_owned(); 33]] {
        let filter = EventFilter { object_types: types, ..EventFilter::default() };
        let request = SubscribeRequest { filter: Some(filter), ..SubscribeRequest::default() };
        let opened = fixture.client.events().subscribe(request).await.map(drop);
        ensure!(refused(opened)? == (Code::InvalidArgument, ErrorReason::FieldInvalid));
    }
    Ok(())
}
