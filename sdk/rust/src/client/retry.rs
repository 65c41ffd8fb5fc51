use super::error::Error;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tonic::{Code, Status};

include!("../gen/rules.rs");

/// The call settings of a unary method; see the service configurations next to the protos.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rule {
    /// The deadline of a call that sets none; it covers all attempts.
    pub(crate) deadline_ms: u64,
    /// The maximum number of attempts.
    pub(crate) attempts: u32,
    /// The longest wait before the second attempt, and the longest wait before any attempt.
    pub(crate) backoff_ms: (u64, u64),
    /// The number of the field `request_id` in the request; `None` for a read.
    pub(crate) request_id: Option<u32>,
}

/// The retry budget that all calls of a client share, in thousandths of a token. It is full at 100
/// tokens; a failed attempt takes one, a success returns a tenth, and below half nothing is
/// retried. A dead service therefore receives hardly more attempts than calls.
#[derive(Debug)]
pub(crate) struct Throttle(AtomicI64);

const FULL: i64 = 100_000;
const FAILURE: i64 = 1_000;
const SUCCESS: i64 = 100;

impl Default for Throttle {
    fn default() -> Self {
        Self(AtomicI64::new(FULL))
    }
}

impl Throttle {
    /// Counts an attempt (`failure` is `None` for a success) and returns the wait before the next
    /// one; `None` if there must be no further attempt.
    pub(crate) fn wait(&self, rule: Rule, attempt: u32, failure: Option<&Status>) -> Option<Duration> {
        let Some(status) = failure else {
            self.add(SUCCESS);
            return None;
        };
        if status.code() != Code::Unavailable {
            return None;
        }
        let left = self.add(-FAILURE);
        if attempt >= rule.attempts || left <= FULL / 2 {
            return None;
        }
        match status.metadata().get("grpc-retry-pushback-ms") {
            // Any value other than a number of milliseconds, such as -1, forbids the retry.
            Some(pushback) => pushback.to_str().ok()?.parse().ok().map(Duration::from_millis),
            None => Some(
                Error::from(status.clone()).retry_after().unwrap_or_default().max(jittered(rule.backoff_ms, attempt)),
            ),
        }
    }

    fn add(&self, change: i64) -> i64 {
        let step = |tokens: i64| Some((tokens + change).clamp(0, FULL));
        let before = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, step).unwrap_or_default();
        (before + change).clamp(0, FULL)
    }
}

/// Returns a random wait between zero and a bound, so that clients that failed together do not
/// return together. The bound is `first` before the second attempt, doubles with each attempt, and
/// is at most `longest`.
pub(crate) fn jittered((first, longest): (u64, u64), attempt: u32) -> Duration {
    let bound = (first << attempt.saturating_sub(1).min(16)).min(longest);
    Duration::from_millis(between(0, bound))
}

/// Returns a random number between two bounds, which belong to it.
pub(crate) fn between(least: u64, most: u64) -> u64 {
    let random = uuid::Uuid::new_v4().as_u64_pair().0;
    least + random % (most - least + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CREATE: &str = "/riposte.v1.CommentService/CreateComment";

    #[test]
    fn a_write_has_a_request_id_and_a_stream_has_no_rule() {
        assert_eq!(rule(CREATE).unwrap().request_id, Some(5));
        assert_eq!(rule("/riposte.v1.CommentService/GetComment").unwrap().request_id, None);
        assert!(rule("/riposte.v1.AdminService/ImportComments").is_none());
    }

    #[test]
    fn only_unavailable_calls_are_retried_and_a_limited_number_of_times() {
        let (throttle, rule) = (Throttle::default(), rule(CREATE).unwrap());
        let unavailable = Status::unavailable("gone");
        assert!(throttle.wait(rule, 1, Some(&unavailable)).is_some());
        assert!(throttle.wait(rule, 2, Some(&unavailable)).unwrap() <= Duration::from_millis(200));
        assert!(throttle.wait(rule, 3, Some(&unavailable)).is_none());
        assert!(throttle.wait(rule, 1, Some(&Status::deadline_exceeded("late"))).is_none());
        assert!(throttle.wait(rule, 1, Some(&Status::resource_exhausted("no RetryInfo"))).is_none());
        assert!(throttle.wait(rule, 1, None).is_none());
    }

    #[test]
    fn a_dead_service_uses_the_budget_up_and_a_living_one_restores_it() {
        let (throttle, rule) = (Throttle::default(), rule(CREATE).unwrap());
        let unavailable = Status::unavailable("gone");
        let retried = (0..1000).filter(|_| throttle.wait(rule, 1, Some(&unavailable)).is_some()).count();
        assert_eq!(retried, 49);
        assert!((0..1000).all(|_| throttle.wait(rule, 1, None).is_none()));
        assert!(throttle.wait(rule, 1, Some(&unavailable)).is_some());
    }

    #[test]
    fn a_server_that_pushes_back_is_obeyed() {
        let (throttle, rule) = (Throttle::default(), rule(CREATE).unwrap());
        let mut status = Status::unavailable("later");
        status.metadata_mut().insert("grpc-retry-pushback-ms", "-1".parse().unwrap());
        assert!(throttle.wait(rule, 1, Some(&status)).is_none());
        status.metadata_mut().insert("grpc-retry-pushback-ms", "70".parse().unwrap());
        assert_eq!(throttle.wait(rule, 1, Some(&status)), Some(Duration::from_millis(70)));
    }
}
