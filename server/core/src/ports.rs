//! The ports of the domain: contracts that every backend keeps and one conformance suite checks.
//! They name types of the domain only.

mod accounts;
mod cached_pages;
mod clock;
mod content_policy;
mod events;
mod feed;
mod filter;
mod ids;
mod lease;
mod maintenance;
mod moderation_switch;
mod no_result;
mod outbox;
mod policy_trial;
mod ranking;
mod reports;
mod reviews;
mod rows;
mod standings;
mod text_check;
mod text_tokens;
mod topic;
mod watch;

pub use accounts::{Account, AccountClient, AccountState};
pub use cached_pages::{CachedPages, PageRenderer, RenderedPage};
pub use clock::Clock;
pub use content_policy::{ContentPolicy, Submission};
pub use events::{
    Applied, Batching, CLOCK_SKEW_MAX, ConsumerPositions, ConsumerScope, EventConsumer, EventForwarder, MEMBER_HISTORY,
    MissedCause, MissedEvents, Position, PositionMove, PositionRemoval, RANK_INDEX, REGISTRATION, StoredPosition,
    TOPIC_PREFIX, TrimBounds, TrimReport, shown_name,
};
pub use feed::{CallerGrants, EventRows, EventSubscription, EventSubscriptions, FeedItem, FeedTimes};
pub use filter::{FilterClient, FilterItem, FilterJudgement, FilterKind, FilterOutcome, LocalHit};
pub use ids::IdSource;
pub use lease::{Epoch, LeaseCandidate, RelayLease};
pub use maintenance::{CountRepair, MemberHistories, RebuildProgress, RepairReport};
pub use moderation_switch::{ModerationSwitch, SWITCH_DELAY};
pub use no_result::NoResult;
pub use outbox::{EventLog, Outbox, OutboxState};
pub use policy_trial::{PolicyTrial, PolicyTrials};
pub use ranking::{RankIndexes, RankingSnapshots};
pub use reports::Reports;
pub use reviews::{ReviewBacklog, ReviewClaim, ReviewCursor, ReviewFilter, ReviewPosition, ReviewQuery, Reviews};
pub use rows::{
    CommentRows, ExportRows, ExportedComment, ExportedLike, LikeRows, ListRows, MemberRows, NewestComments, Originals,
    PassThrough, Reader, ReviewRows, SubjectRows, UnlistedRow,
};
pub use standings::{MemberStandings, StandingCursor, StandingQuery, StandingSelection, Standings};
pub use text_check::{TextCheck, TextQuestion};
pub use text_tokens::{SearchWords, TextTokens};
pub use topic::{EventTopic, TopicGap};
pub use watch::{SubjectLoad, SubjectLoads, SubjectWatch, SubjectWatches, WatchItem};
