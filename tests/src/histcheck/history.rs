//! An append-only history of a run: the calls, the responses of the service, and the faults
//! injected meanwhile.
//!
//! An operation is one attempt of one call. A repeat under the same request id is another
//! operation, so that the checker sees each response. All values are kept as small numbers:
//! subjects and members by their number, texts by their unique number (see [`super::names`]), times
//! in nanoseconds since the start of the run, by one clock.

mod cache_entry;
mod display;
mod feed;
mod file;
mod item;
mod listing;
mod op;
mod owned;
mod policy;
mod review;
mod table;

pub(crate) use cache_entry::{CacheEntry, CachedSubject, ListOwner};
pub(crate) use feed::{EventId, FeedCall, FeedRead, FeedReaderKind, REPLY, SeenEvent, event_kind};
pub(crate) use file::{Recorder, read};
pub(crate) use item::{Item, ItemKind};
pub(crate) use listing::Listing;
pub(crate) use op::{
    Call, ChangeKind, CommentSelector, Counts, HISTORY_PAGE_SIZE, LikeResponse, Misuse, Nanos, Op, Outcome, PageOf,
    PageResponse, Property, RequestId, Sort, THREAD_PAGE_SIZE, USUAL_PAGE_SIZE, Value, View, WATCH_WINDOW,
    WatchedChange, WriteResponse,
};
pub(crate) use owned::{OwnedCall, OwnedResponse, OwnedState, SeenRoot, SeenSubject};
pub(crate) use policy::{
    FIXED_LIST, Fallback, FilterQuestion, FilterResult, PolicyCall, PolicyResponse, SetStanding, StandingEnd,
    Treatment, WORD_COUNT, WrittenComment, shown_word, word_list, word_text,
};
pub(crate) use review::{
    APPEAL, JudgedTarget, ModeratedItem, ModeratorAct, PublicRead, ReviewCall, ReviewResponse, SeenComment,
    SeenDecision, SeenProposal, SeenReport, SeenStatement, outcome, proposal_state, state,
};
pub(crate) use table::{
    CommentRow, ContentRow, DecisionRow, LikeRow, ProposalRow, ReportRow, ReviewRow, Rows, SubjectRow, Table,
};

/// A fault that was injected.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct InjectedFault {
    /// The kind of fault.
    pub(crate) kind: String,
    /// The process, store or connection that it affects.
    pub(crate) target: String,
    pub(crate) begun: Nanos,
    /// Time at which it was over and the affected processes ran again.
    pub(crate) ended: Nanos,
}

impl InjectedFault {
    /// Returns true if the clock of a process was behind during the fault.
    pub(crate) fn sets_clock_back(&self) -> bool {
        self.kind == "step clock" && self.target.contains(": -")
    }
}

/// An error in the log of a server.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Alarm {
    /// Time at which the line was read.
    pub(crate) at: Nanos,
    pub(crate) line: String,
}

/// The history of a whole run.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// The seed of the run.
    pub(crate) seed: u64,
    pub(crate) repeat_command: String,
    /// The operations in the order of their ends.
    pub(crate) ops: Vec<Op>,
    pub(crate) faults: Vec<InjectedFault>,
    pub(crate) alarms: Vec<Alarm>,
    /// The reads of the feed of events, those of one reader in their order.
    pub(crate) feed: Vec<FeedRead>,
    /// The texts that filters were asked about.
    pub(crate) questions: Vec<FilterQuestion>,
    /// Whole lists at the end.
    pub(crate) listings: Vec<Listing>,
    /// The rows of the databases at the end; empty if the run did not complete.
    pub(crate) tables: Vec<Table>,
    /// The keys of Redis at the end.
    pub(crate) cache: Vec<CacheEntry>,
}
