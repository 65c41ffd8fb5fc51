use super::super::{WriteContext, member, moderator, ruling};
use super::{Recorder, context_without_member, location, metadata, plain, rich, subject, write_context};
use riposte_core::caller::Caller;
use riposte_core::like::LikeValue;
use riposte_core::subject::{Metadata, SubjectState};
use riposte_core::verbs::{
    CreateReply, CreateRoot, DeleteActor, DeleteComment, DeleteSubject, EditComment, HideComment, NewSubject,
    PinComment, Ruling, SetLikeRequest, UndeleteComment, UndeleteSubject, UpdateSubject,
};
use riposte_core::{ClientInfo, Content};

fn client() -> ClientInfo {
    let (platform, device) = ("ios".to_owned(), "iPhone17,1".to_owned());
    ClientInfo { ip: Some([192, 0, 2, 1].into()), platform, device }
}

fn root(content: Content, client: ClientInfo) -> CreateRoot {
    CreateRoot { member: member("ann"), content, client }
}

pub(super) fn subjects(recorder: &mut Recorder) {
    let owner = Some(member("owner"));
    let new = |owner, metadata| NewSubject { owner, metadata };
    for (case, new) in [
        ("empty", new(None, Metadata::new())),
        ("owner", new(owner.clone(), Metadata::new())),
        ("rich", new(owner.clone(), metadata())),
    ] {
        recorder.record(case, async |mutations| mutations.submit(&context_without_member(), &subject(), new).await);
    }
    let state = |state| UpdateSubject { state: Some(state), ..UpdateSubject::default() };
    for (case, patch) in [
        ("empty", UpdateSubject::default()),
        ("no_owner", UpdateSubject { owner: Some(None), ..UpdateSubject::default() }),
        ("owner", UpdateSubject { owner: Some(owner.clone()), ..UpdateSubject::default() }),
        ("active", state(SubjectState::Active)),
        ("read_only", state(SubjectState::ReadOnly)),
        ("hidden", state(SubjectState::Hidden)),
        ("no_metadata", UpdateSubject { metadata: Some(Metadata::new()), ..UpdateSubject::default() }),
        ("metadata", UpdateSubject { metadata: Some(metadata()), ..UpdateSubject::default() }),
        ("etag", UpdateSubject { etag: "e7".to_owned(), ..UpdateSubject::default() }),
        (
            "rich",
            UpdateSubject {
                owner: Some(owner),
                state: Some(SubjectState::ReadOnly),
                metadata: Some(metadata()),
                etag: "e7".to_owned(),
                ..UpdateSubject::default()
            },
        ),
    ] {
        recorder.record(case, async |mutations| mutations.submit(&context_without_member(), &subject(), patch).await);
    }
    for (case, etag) in [("plain", ""), ("etag", "e7")] {
        let delete = async |mutations: &super::Mutations| {
            mutations.submit(&context_without_member(), &subject(), DeleteSubject { etag: etag.to_owned() }).await
        };
        recorder.record(case, delete);
    }
    recorder.record("plain", async |mutations| {
        mutations.submit(&context_without_member(), &subject(), UndeleteSubject).await
    });
}

pub(super) fn comments(recorder: &mut Recorder) {
    let no_client = ClientInfo::default;
    let cases = || {
        let mentions = Content::stored(plain().text().to_owned(), vec![member("zoe")], Metadata::new());
        let only_metadata = Content::stored(plain().text().to_owned(), Vec::new(), metadata());
        [
            ("plain", plain(), no_client()),
            ("client", plain(), client()),
            ("mentions", mentions, no_client()),
            ("metadata", only_metadata, no_client()),
            ("rich", rich(), client()),
            ("empty", Content::stored(String::new(), Vec::new(), Metadata::new()), no_client()),
        ]
    };
    for (case, content, client) in cases() {
        recorder.record(case, async |mutations| {
            mutations.submit(&write_context(), &subject(), root(content, client)).await
        });
    }
    for (case, content, client) in cases() {
        let new = CreateReply { member: member("ann"), content, client };
        recorder.record(case, async |mutations| mutations.submit(&write_context(), &location(77), new).await);
    }
}

pub(super) fn changes(recorder: &mut Recorder) {
    for (case, content, etag) in [("plain", plain(), ""), ("etag", plain(), "e7"), ("rich", rich(), "")] {
        let edit = EditComment { member: member("ann"), content, etag: etag.to_owned() };
        recorder.record(case, async |mutations| mutations.submit(&write_context(), &location(77), edit).await);
    }
    for (case, actor, etag) in [
        ("author", DeleteActor::Author(member("ann")), ""),
        ("owner", DeleteActor::Owner(member("ann")), ""),
        ("moderator", DeleteActor::Moderator(Box::new(without_note())), ""),
        ("note", moderator(), ""),
        ("etag", DeleteActor::Author(member("ann")), "e7"),
    ] {
        let delete = async |mutations: &super::Mutations| {
            mutations.submit(&write_context(), &location(77), DeleteComment { actor, etag: etag.to_owned() }).await
        };
        recorder.record(case, delete);
    }
    recorder.record("plain", async |mutations| {
        mutations.submit(&write_context(), &location(77), UndeleteComment { member: member("ann") }).await
    });
    for pinned in [true, false] {
        recorder.record("plain", async |mutations| {
            mutations.submit(&write_context(), &location(77), PinComment { member: member("ann"), pinned }).await
        });
    }
}

/// Returns an order without a note.
fn without_note() -> Ruling {
    Ruling::noted(member("mod"), String::new())
}

pub(super) fn moderation(recorder: &mut Recorder) {
    for (hidden, case, ruling) in [
        (true, "plain", without_note()),
        (false, "plain", without_note()),
        (true, "note", ruling()),
        (false, "note", ruling()),
    ] {
        recorder.record(case, async |mutations| {
            mutations.submit(&context_without_member(), &location(77), HideComment { hidden, ruling }).await
        });
    }
}

pub(super) fn likes(recorder: &mut Recorder) {
    for (case, value) in [("none", LikeValue::None), ("like", LikeValue::Like), ("dislike", LikeValue::Dislike)] {
        let set = SetLikeRequest { member: member("ann"), value };
        recorder.record(case, async |mutations| mutations.submit(&write_context(), &location(77), set).await);
    }
}

/// Records requests that differ only in data that the idempotency key covers.
pub(super) fn callers(recorder: &mut Recorder) {
    for (case, context) in [
        ("other_member", WriteContext { member: Some(member("bob")), ..write_context() }),
        ("other_caller", WriteContext { caller: Caller::unrestricted("app"), ..write_context() }),
        ("without_request_id", WriteContext { request_id: None, ..write_context() }),
    ] {
        recorder.record(case, async |mutations| {
            mutations.submit(&context, &subject(), root(plain(), ClientInfo::default())).await
        });
    }
}
