//! The admission policy of a method. methods.yaml has the policy of each.

use std::time::Duration;

use riposte_core::feed::MAX_WAIT;

/// The priority of a call when there is no capacity for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AdmissionClass {
    /// Calls that can be repeated later: histories, lists for operators, exports.
    BestEffort,
    /// Calls by which people read and write.
    Sheddable,
    /// Calls that must not fail under load: those that remove content, and those that read the
    /// content to be removed.
    Critical,
}

/// The pool in which a call takes capacity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PoolName {
    Reads,
    Writes,
    /// Calls that stay open. The reads and writes of a stream do not enter the other pools.
    Streams,
}

/// The maximum size of a request and the time limit of its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MessageProfile {
    /// A request of a few ids and a page token.
    Read,
    /// A request of up to 200 keys or ids.
    Batch,
    /// A request with the content of a comment.
    Write,
    /// A request with a verdict on up to 100 comments.
    Review,
    /// A request of a moderator or an operator.
    Admin,
    /// A request that waits for its response, for [`MAX_WAIT`] at most.
    Wait,
    /// One request with many responses. Only the time until the first response is limited.
    Stream,
    /// A candidate policy with many responses. Only the time until the first response is limited.
    Trial,
    /// A stream of requests, each checked separately.
    Import,
}

/// The admission policy of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MethodPolicy {
    pub(crate) pool: PoolName,
    pub(crate) class: AdmissionClass,
    pub(crate) profile: MessageProfile,
}

/// The configured time limits by message profile.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// Reads, single ones and batches.
    pub read: Duration,
    /// Writes of members, and verdicts.
    pub write: Duration,
    /// Other calls of moderators and operators, without streams.
    pub admin: Duration,
    /// All other calls, and the upper bound of every limit. A call that waits for its response has
    /// more time by that wait.
    pub call: Duration,
}

impl AdmissionClass {
    /// Returns the name in metrics.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::BestEffort => "best_effort",
            Self::Sheddable => "sheddable",
            Self::Critical => "critical",
        }
    }

    /// All classes, the highest first.
    pub(super) const DOWNWARD: [Self; 3] = [Self::Critical, Self::Sheddable, Self::BestEffort];
}

impl PoolName {
    /// Returns the name in metrics.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Reads => "reads",
            Self::Writes => "writes",
            Self::Streams => "streams",
        }
    }
}

impl MessageProfile {
    /// Returns true if a call has more than one request or response.
    pub(crate) const fn streams(self) -> bool {
        matches!(self, Self::Stream | Self::Trial | Self::Import)
    }

    /// Returns true if the call changes nothing.
    pub(crate) const fn only_reads(self) -> bool {
        matches!(self, Self::Read | Self::Batch | Self::Wait)
    }

    /// Returns the maximum size of a message, in bytes: at most `limit`, and `limit` for profiles
    /// without a limit of their own.
    ///
    /// The limits of the contract are lower. 200 keys or ids take 20 KiB, and a page token takes
    /// less than 1 KiB. The longest text that a policy may allow has 16,000 code points after NFC;
    /// it takes 192 KB if a caller sends each of them as three code points. 100 verdicts with their
    /// etags and reasons take 15 KB, and a candidate policy up to 128 KiB.
    pub(crate) const fn max_message(self, limit: usize) -> usize {
        let bound = match self {
            Self::Read | Self::Admin | Self::Wait | Self::Stream => 8 << 10,
            Self::Batch => 32 << 10,
            Self::Write | Self::Trial => 256 << 10,
            Self::Review => 64 << 10,
            Self::Import => limit,
        };
        if bound < limit { bound } else { limit }
    }
}

impl Timeouts {
    /// Returns the time limit of a call with this policy; a path outside the API has no policy.
    pub(crate) fn of(&self, policy: Option<MethodPolicy>) -> Duration {
        let own = match policy.map(|policy| policy.profile) {
            Some(MessageProfile::Read | MessageProfile::Batch) => self.read,
            Some(MessageProfile::Write | MessageProfile::Review) => self.write,
            Some(MessageProfile::Admin) => self.admin,
            // The wait is no work, so it is not subject to the upper bound.
            Some(MessageProfile::Wait) => return self.read.min(self.call) + MAX_WAIT,
            Some(MessageProfile::Stream | MessageProfile::Trial | MessageProfile::Import) | None => self.call,
        };
        own.min(self.call)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{MessageProfile, Timeouts};
    use crate::generated::methods::method;

    #[test]
    fn the_upper_bound_applies_to_every_profile() {
        let seconds = Duration::from_secs;
        let timeouts = Timeouts { read: seconds(1), write: seconds(4), admin: seconds(5), call: seconds(3) };
        let of = |path: &str| timeouts.of(method(path).map(|method| method.policy)).as_secs();
        assert_eq!(of("/riposte.v1.CommentService/GetComment"), 1);
        assert_eq!(of("/riposte.v1.CommentService/CreateComment"), 3);
        assert_eq!(of("/riposte.v1.AdminService/HideComment"), 3);
        assert_eq!(of("/grpc.health.v1.Health/Check"), 3);
        assert_eq!(
            (MessageProfile::Write.max_message(4 << 20), MessageProfile::Write.max_message(1 << 16)),
            (256 << 10, 1 << 16)
        );
        assert_eq!(
            (MessageProfile::Review.max_message(4 << 20), MessageProfile::Import.max_message(4 << 20)),
            (64 << 10, 4 << 20)
        );
    }
}
