//! The mutants that break the contract of a port, or the binding of page tokens.

/// A mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mutant {
    /// A repeated request is not recognised.
    RepeatsNotDetected,
    /// A late older like of a client overwrites a newer one.
    LateLikes,
    /// Some committed writes are refused as not executed.
    RefusedAfterCommit,
    /// Some likes are acknowledged but not stored.
    LikesLost,
    /// Some deletes are acknowledged and then undone.
    DeletesUndone,
    /// The response to a write sometimes contains the revision before its own.
    RevisionBefore,
    /// A page after the first one leaves out its first comment.
    PageEdge,
    /// The end of a list is determined by its count, which does not include deleted comments.
    EndByCount,
    /// A comment is always shown as it was at the first read of the process.
    CommentsNeverReloaded,
    /// The counts of a subject are those of the previous read.
    CountsBefore,
    /// Pages are cached by object id, without the object type.
    TypeIgnored,
    /// The content of a deleted comment is shown.
    DeletedShown,
    /// Some edits are acknowledged but not stored.
    EditsLost,
    /// The responses to some creates contain a floor that is too high by one.
    FloorsShifted,
    /// Some creates are executed twice.
    CreatedTwice,
    /// The response to a write sometimes contains a revision that is not reached yet.
    RevisionAfter,
    /// Some likes are stored for another member.
    LikesOfAnother,
    /// Two neighbours on a page are sometimes in the wrong order.
    OrderTorn,
    /// A page after the first one begins with the last comment of the page before.
    PageOverlap,
    /// A page sometimes leaves out its second comment.
    PageHole,
    /// A page sometimes reports that nothing follows it.
    EndTooEarly,
    /// A comment is sometimes shown with one like too many.
    LikesOff,
    /// The contents of two comments of a page are sometimes swapped.
    TextsSwapped,
    /// The like states of a member are always those of the first read of the process.
    StatesNeverReloaded,
    /// A subject that did not exist at one read is reported as absent for ever.
    AbsenceNeverReloaded,
    /// A comment is sometimes shown with one reply too few.
    RepliesOff,
    /// Neither writers nor the relay report the commits of half of the partitions to the cache.
    CommitsNotApplied,
    /// Neither writers nor the relay report likes of comments to the cache.
    LikesNotApplied,
    /// Neither writers nor the relay invalidate the cached like states of members.
    LikersNotInvalidated,
    /// The rows of a page of roots are read before the subject whose revision and counts it
    /// contains.
    RowsBeforeRevision,
    /// The fingerprint of a request is ignored, so a request id is recognised for any content.
    FingerprintsIgnored,
    /// A page token is accepted for any list.
    TokensUnbound,
    /// A page token is accepted for the same list of any subject.
    TokensOfAnySubject,
    /// A read of a comment sometimes returns another comment of the subject.
    NeighboursShown,
    /// The reply previews of two roots are sometimes swapped.
    PreviewsSwapped,
    /// The last comment of a thread is sometimes left out.
    ThreadsCut,
    /// The first comment of a conversation is sometimes left out.
    ConversationsCut,
    /// The text of a comment that is not visible is copied into its cached subject.
    PendingCopied,
    /// The history of a comment contains the history of a deleted one.
    HistoryShowsHeld,
    /// Idempotency records are kept by the process that executed the request, instead of the
    /// database.
    KeysApart,
    /// The etag of a verdict is ignored.
    JudgedWithoutEtag,
    /// KEEP makes a decision though nothing is open, as often as it is sent.
    KeepTwice,
    /// Some items are neither listed nor leased.
    ItemLost,
    /// The first item of a page of the queue is on it twice.
    ItemTwice,
    /// A claim leases items that another moderator holds.
    LeaseTwice,
    /// Leases last for ever, whatever the response says.
    LeaseNeverEnds,
    /// A comment that its author deleted is not found by verdicts.
    DeleteEscapes,
    /// Watchers are informed of comments that wait.
    PendingReported,
    /// Refusals show to all members that a hidden comment waits.
    StateReported,
    /// Counts include a comment that waits.
    PendingCounted,
    /// A deletion by a moderator is not recorded as a decision.
    DecisionOutsideTransaction,
    /// A comment shows the moderator that judged it.
    ModeratorLeaks,
    /// The text of an edit that waits is shown in place of the approved text.
    ProposalShown,
    /// Edits of comments in sight do not wait.
    EditSkipsReview,
    /// An approval of an edit approves the newest one, whichever was read.
    ApproveNewerText,
    /// An approval of an edit that a newer one replaced is executed.
    DroppedProposalApproved,
    /// A comment shows the member that reported it.
    ReporterLeaks,
    /// The list of the likers of a comment lacks its last one.
    LikersCut,
    /// The contested moderator may judge an appeal.
    OwnAppealJudged,
    /// A member is sometimes shown a statement to another one.
    StatementsMixed,
    /// The outcomes of reports are exchanged: those that were acted on show as kept.
    OutcomesSwapped,
    /// The outcome of a report is always that of the first read of the process.
    OutcomesNeverReloaded,
    /// A page of the queue is in the order of its comments.
    QueueById,
    /// Items are due later with each read of the queue.
    DueLater,
    /// The list of the members that like a comment has those that dislike it, too.
    DislikersListed,
    /// The first member of a list of likers is on it twice.
    LikersRepeated,
    /// The pinned roots of a page are in the reverse of their order.
    PinsReversed,
    /// The last pinned root of a page is left out.
    PinsCut,
    /// Hidden subjects are shown as active, with their lists.
    HiddenSubjectsShown,
    /// Deleted subjects are found.
    DeletedSubjectsFound,
    /// The list of a member's comments lacks some of those that belong to another partition than
    /// the first one.
    MemberListsCut,
    /// The repeat of a verdict is not recognised, so it is refused for its etag.
    RepeatRefused,
    /// Some texts that the policy holds are in sight at once.
    HeldTextPasses,
    /// Texts of trusted members that the policy holds are in sight at once.
    TrustedSkipsHold,
    /// The fingerprint of a request contains what the policy says of its text.
    DispositionInFingerprint,
    /// A create that the policy refuses is not recognised as a repeat.
    RefusedRepeatsDenied,
    /// The standing of a member is always that of the first write of the process.
    StandingsNeverReloaded,
    /// A text that a service could not be asked about is in sight at once.
    OutagePasses,
    /// Texts that an outage held wait for ever.
    OutageNeverDrained,
    /// A text that the filter leaves open is in sight at once.
    UndecidedPasses,
    /// A text that the filter could not be asked about waits, whatever its type says.
    FallbackIgnored,
    /// A text that the word lists hold is in sight if the filter allows it.
    FilterAllowReleases,
    /// The mask of a word begins one code point too late, and ends so.
    MaskShifted,
    /// An allowed word does not keep the words in it from being found.
    AllowWordIgnored,
    /// A word is found in a longer word, at its begin or at its end.
    BoundaryIgnored,
    /// A standing is lost some seconds after a write that met it.
    StandingLost,
    /// A standing with an end stays in force after it.
    StandingNeverEnds,
    /// A member whose comments cannot be counted is no new member.
    UnknownIsOld,
    /// Edits that an outage held wait for ever.
    DrainSkipsEdits,
    /// The filter settles texts that a moderator has leased.
    DrainOverridesPeople,
    /// The filter receives the ids of authors.
    MemberNameSent,
    /// A subscriber does not receive some events.
    FeedSkipsOne,
    /// A subscriber of public events receives comments that wait as published.
    FeedShowsHidden,
    /// A token of the feed is accepted with any filter.
    TokenIgnoresFilter,
    /// The event of a comment that waits names a member to notify.
    NoticeBeforeApproval,
    /// The event of a comment that comes back names the members of its publication again.
    NoticeTwice,
    /// A subscriber whose next events were deleted receives those that are left, and no gap.
    GapUnreported,
    /// The position of the topic moves before the topic has stored the events.
    TopicAckedEarly,
}

/// The mutants of ports and of page tokens, by name.
pub(crate) const MUTANTS: [(&str, Mutant); 98] = [
    ("repeats-not-detected", Mutant::RepeatsNotDetected),
    ("late-likes", Mutant::LateLikes),
    ("refused-after-commit", Mutant::RefusedAfterCommit),
    ("likes-lost", Mutant::LikesLost),
    ("deletes-undone", Mutant::DeletesUndone),
    ("revision-before", Mutant::RevisionBefore),
    ("page-edge", Mutant::PageEdge),
    ("end-by-count", Mutant::EndByCount),
    ("comments-never-reloaded", Mutant::CommentsNeverReloaded),
    ("counts-before", Mutant::CountsBefore),
    ("type-ignored", Mutant::TypeIgnored),
    ("deleted-shown", Mutant::DeletedShown),
    ("edits-lost", Mutant::EditsLost),
    ("floors-shifted", Mutant::FloorsShifted),
    ("created-twice", Mutant::CreatedTwice),
    ("revision-after", Mutant::RevisionAfter),
    ("likes-of-another", Mutant::LikesOfAnother),
    ("order-torn", Mutant::OrderTorn),
    ("page-overlap", Mutant::PageOverlap),
    ("page-hole", Mutant::PageHole),
    ("end-too-early", Mutant::EndTooEarly),
    ("likes-off", Mutant::LikesOff),
    ("texts-swapped", Mutant::TextsSwapped),
    ("states-never-reloaded", Mutant::StatesNeverReloaded),
    ("absence-never-reloaded", Mutant::AbsenceNeverReloaded),
    ("replies-off", Mutant::RepliesOff),
    ("commits-not-applied", Mutant::CommitsNotApplied),
    ("likes-not-applied", Mutant::LikesNotApplied),
    ("likers-not-invalidated", Mutant::LikersNotInvalidated),
    ("rows-before-revision", Mutant::RowsBeforeRevision),
    ("keys-apart", Mutant::KeysApart),
    ("pending-copied", Mutant::PendingCopied),
    ("history-shows-held", Mutant::HistoryShowsHeld),
    ("fingerprints-ignored", Mutant::FingerprintsIgnored),
    ("tokens-unbound", Mutant::TokensUnbound),
    ("tokens-of-any-subject", Mutant::TokensOfAnySubject),
    ("neighbours-shown", Mutant::NeighboursShown),
    ("previews-swapped", Mutant::PreviewsSwapped),
    ("threads-cut", Mutant::ThreadsCut),
    ("conversations-cut", Mutant::ConversationsCut),
    ("judged-without-etag", Mutant::JudgedWithoutEtag),
    ("keep-twice", Mutant::KeepTwice),
    ("item-lost", Mutant::ItemLost),
    ("item-twice", Mutant::ItemTwice),
    ("lease-twice", Mutant::LeaseTwice),
    ("lease-never-ends", Mutant::LeaseNeverEnds),
    ("delete-escapes", Mutant::DeleteEscapes),
    ("pending-reported", Mutant::PendingReported),
    ("state-reported", Mutant::StateReported),
    ("pending-counted", Mutant::PendingCounted),
    ("decision-outside-transaction", Mutant::DecisionOutsideTransaction),
    ("moderator-leaks", Mutant::ModeratorLeaks),
    ("proposal-shown", Mutant::ProposalShown),
    ("edit-skips-review", Mutant::EditSkipsReview),
    ("approve-newer-text", Mutant::ApproveNewerText),
    ("dropped-proposal-approved", Mutant::DroppedProposalApproved),
    ("reporter-leaks", Mutant::ReporterLeaks),
    ("likers-cut", Mutant::LikersCut),
    ("own-appeal-judged", Mutant::OwnAppealJudged),
    ("statements-mixed", Mutant::StatementsMixed),
    ("repeat-refused", Mutant::RepeatRefused),
    ("outcomes-swapped", Mutant::OutcomesSwapped),
    ("outcomes-never-reloaded", Mutant::OutcomesNeverReloaded),
    ("queue-by-id", Mutant::QueueById),
    ("due-later", Mutant::DueLater),
    ("dislikers-listed", Mutant::DislikersListed),
    ("likers-repeated", Mutant::LikersRepeated),
    ("pins-reversed", Mutant::PinsReversed),
    ("pins-cut", Mutant::PinsCut),
    ("hidden-subjects-shown", Mutant::HiddenSubjectsShown),
    ("deleted-subjects-found", Mutant::DeletedSubjectsFound),
    ("member-lists-cut", Mutant::MemberListsCut),
    ("held-text-passes", Mutant::HeldTextPasses),
    ("trusted-skips-hold", Mutant::TrustedSkipsHold),
    ("disposition-in-fingerprint", Mutant::DispositionInFingerprint),
    ("refused-repeats-denied", Mutant::RefusedRepeatsDenied),
    ("standings-never-reloaded", Mutant::StandingsNeverReloaded),
    ("outage-passes", Mutant::OutagePasses),
    ("outage-never-drained", Mutant::OutageNeverDrained),
    ("undecided-passes", Mutant::UndecidedPasses),
    ("fallback-ignored", Mutant::FallbackIgnored),
    ("filter-allow-releases", Mutant::FilterAllowReleases),
    ("mask-shifted", Mutant::MaskShifted),
    ("allow-word-ignored", Mutant::AllowWordIgnored),
    ("boundary-ignored", Mutant::BoundaryIgnored),
    ("standing-lost", Mutant::StandingLost),
    ("standing-never-ends", Mutant::StandingNeverEnds),
    ("unknown-is-old", Mutant::UnknownIsOld),
    ("drain-skips-edits", Mutant::DrainSkipsEdits),
    ("drain-overrides-people", Mutant::DrainOverridesPeople),
    ("member-name-sent", Mutant::MemberNameSent),
    ("feed-skips-one", Mutant::FeedSkipsOne),
    ("feed-shows-hidden", Mutant::FeedShowsHidden),
    ("token-ignores-filter", Mutant::TokenIgnoresFilter),
    ("notice-before-approval", Mutant::NoticeBeforeApproval),
    ("notice-twice", Mutant::NoticeTwice),
    ("gap-unreported", Mutant::GapUnreported),
    ("topic-acked-early", Mutant::TopicAckedEarly),
];

/// Returns true at random, once in `many` calls on average.
pub(crate) fn one_of(many: u32) -> bool {
    rand::random_range(0..many) == 0
}
