use super::super::{member, run, unrestricted};
use super::{Recorder, metadata, plain, rich, subject};
use riposte_core::like::LikeValue;
use riposte_core::origin::ImportOrigin;
use riposte_core::subject::{Metadata, SubjectState};
use riposte_core::submit::{ImportItem, ImportKind};
use riposte_core::verbs::{ImportTimes, ImportedComment, ImportedLike, ImportedSubject};
use riposte_core::{ClientInfo, CommentState, Content, Millis};

fn item(external_id: &str, kind: ImportKind) -> ImportItem {
    let origin = ImportOrigin { source: "forum".to_owned(), external_id: external_id.to_owned() };
    ImportItem { subject: subject(), origin, kind }
}

fn comment(content: Content, parent: Option<&str>) -> ImportKind {
    ImportKind::Comment(Box::new(ImportedComment {
        parent: parent.map(str::to_owned),
        member: member("ann"),
        content,
        client: ClientInfo::default(),
        state: CommentState::Active,
        deleted_by: None,
        times: ImportTimes { create: Millis(5), edit: None, delete: None },
    }))
}

fn new_subject(owner: Option<&str>, state: SubjectState, metadata: Metadata) -> ImportKind {
    let owner = owner.map(member);
    ImportKind::Subject(ImportedSubject { owner, state, metadata, create_time: Some(Millis(4)) })
}

/// Records imported items: the key covers their external id, and all have the same fingerprint.
pub(super) fn items(recorder: &mut Recorder) {
    for (case, kind) in [
        ("import", new_subject(None, SubjectState::Active, Metadata::new())),
        ("import_rich", new_subject(Some("owner"), SubjectState::ReadOnly, metadata())),
    ] {
        recorder.record(case, async |mutations| mutations.import(&unrestricted(), &[item("s", kind)]).await);
    }
    let thread = [item("c1", comment(plain(), None)), item("c2", comment(rich(), Some("c1")))];
    recorder.record("thread", async |mutations| mutations.import(&unrestricted(), &thread).await);
    let elsewhere = ImportOrigin { source: "blog".to_owned(), external_id: "c1".to_owned() };
    let root = ImportItem { origin: elsewhere, ..item("c1", comment(plain(), None)) };
    recorder.record("other_source", async |mutations| mutations.import(&unrestricted(), &[root]).await);
}

/// Records likes of a comment that an earlier import has created.
pub(super) fn likes(recorder: &mut Recorder) {
    let earlier =
        [item("s", new_subject(None, SubjectState::Active, Metadata::new())), item("c1", comment(plain(), None))];
    let outcomes = run(recorder.over_oracle().import(&unrestricted(), &earlier)).expect("the oracle does not fail");
    assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
    for (case, value) in [("none", LikeValue::None), ("like", LikeValue::Like), ("dislike", LikeValue::Dislike)] {
        let like = ImportedLike { comment: "c1".to_owned(), member: member("bob"), value, time: Millis(6) };
        let items = [item("l", ImportKind::Like(like))];
        recorder.record(case, async |mutations| mutations.import(&unrestricted(), &items).await);
    }
}
