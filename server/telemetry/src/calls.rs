//! The metrics of calls. A call is measured from its headers to the last message of its response.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use http::{HeaderMap, HeaderValue};
use opentelemetry::KeyValue;
use opentelemetry::metrics::Counter;
use tracing::Span;

use super::exemplars::ExemplarHistogram;
use super::instruments::{Instruments, attribute};
use super::spans;

/// The names of the gRPC codes, indexed by code.
const CODES: [&str; 17] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];
const OK: usize = 0;
const CANCELLED: usize = 1;
/// The codes that the semantic conventions classify as server errors.
const SERVER_ERRORS: [usize; 6] = [2, 4, 12, 13, 14, 15];
/// The health methods, which are served but are not part of the contract.
const HEALTH: [&str; 2] = ["grpc.health.v1.Health/Check", "grpc.health.v1.Health/Watch"];
/// The name for every method that is not served: clients could send any number of invented names.
const OTHER: &str = "_OTHER";

/// The metrics of calls. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct CallMetrics(Arc<CallInstruments>);

#[derive(Debug)]
struct CallInstruments {
    by_path: HashMap<String, usize>,
    methods: Vec<Method>,
    duration: ExemplarHistogram,
    callers: Counter<u64>,
}

/// A method, with the attributes of each outcome precomputed: a page from the response cache is
/// returned in about 30 µs.
#[derive(Debug)]
struct Method {
    name: String,
    outcomes: Vec<Vec<KeyValue>>,
}

/// The timer of a running call. If it is dropped before the call has ended, the call counts as
/// cancelled.
#[derive(Debug)]
pub struct CallTimer {
    calls: CallMetrics,
    method: usize,
    begin: Instant,
    caller: Option<Arc<str>>,
    span: Span,
    has_ended: bool,
}

impl CallMetrics {
    /// Creates the metrics of these methods, with names such as
    /// `riposte.v1.CommentService/CreateComment`, and of the health methods.
    pub(super) fn new(instruments: &Instruments, methods: Vec<String>) -> Self {
        let names = [OTHER.to_owned()].into_iter().chain(HEALTH.map(str::to_owned)).chain(methods);
        let methods: Vec<Method> = names.map(Method::new).collect();
        let by_path = methods.iter().enumerate().map(|(n, method)| (format!("/{}", method.name), n)).collect();
        let (duration, callers) = (instruments.call_duration.clone(), instruments.caller_calls.clone());
        Self(Arc::new(CallInstruments { by_path, methods, duration, callers }))
    }

    /// Starts the timer of a call of this path.
    #[must_use]
    pub fn begin(&self, path: &str, headers: &HeaderMap, request_id: &HeaderValue) -> CallTimer {
        let method = self.0.by_path.get(path).copied().unwrap_or_default();
        let name = &self.0.methods[method].name;
        // Health probes arrive every few seconds, and their traces contain no useful information.
        let span = if path.starts_with("/grpc.") { Span::none() } else { spans::call(name, headers, request_id) };
        CallTimer { calls: self.clone(), method, begin: Instant::now(), caller: None, span, has_ended: false }
    }
}

impl Method {
    fn new(name: String) -> Self {
        let shared: Arc<str> = name.as_str().into();
        let outcome = |code: usize| {
            let mut attributes = vec![
                KeyValue::new(attribute::RPC_SYSTEM_NAME, "grpc"),
                KeyValue::new(attribute::RPC_METHOD, Arc::clone(&shared)),
                KeyValue::new(attribute::RPC_RESPONSE_STATUS_CODE, CODES[code]),
            ];
            if SERVER_ERRORS.contains(&code) {
                attributes.push(KeyValue::new(attribute::ERROR_TYPE, CODES[code]));
            }
            attributes
        };
        Self { outcomes: (0..CODES.len()).map(outcome).collect(), name }
    }
}

impl CallTimer {
    /// Records the name of the caller after its authentication.
    pub fn by(&mut self, caller: Arc<str>) {
        self.caller = Some(caller);
    }

    /// Returns the span of the call; disabled if no trace is requested.
    #[must_use]
    pub fn span(&self) -> &Span {
        &self.span
    }

    /// Records that the call succeeded.
    pub fn succeeded(&mut self) {
        self.end(OK);
    }

    /// Records the end of the call if these headers or trailers contain a status.
    pub fn status(&mut self, headers: &HeaderMap) {
        if let Some(status) = headers.get("grpc-status") {
            let code = status.to_str().ok().and_then(|text| text.parse::<usize>().ok());
            self.end(code.filter(|code| *code < CODES.len()).unwrap_or(2));
        }
    }

    fn end(&mut self, code: usize) {
        if std::mem::replace(&mut self.has_ended, true) {
            return;
        }
        let CallInstruments { methods, duration, callers, .. } = &*self.calls.0;
        duration.record(self.begin.elapsed(), &methods[self.method].outcomes[code], &self.span);
        if let Some(caller) = self.caller.take() {
            let status = KeyValue::new(attribute::RPC_RESPONSE_STATUS_CODE, CODES[code]);
            callers.add(1, &[KeyValue::new(attribute::CALLER, caller), status]);
        }
        spans::record_status(&self.span, CODES[code], SERVER_ERRORS.contains(&code));
    }
}

impl Drop for CallTimer {
    fn drop(&mut self) {
        self.end(CANCELLED);
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue};

    use crate::Metrics;

    fn series(metrics: &Metrics, wanted: &str) -> usize {
        let text = metrics.text().expect("names are sound");
        text.lines().filter(|line| line.contains(wanted) && line.ends_with(" 1")).count()
    }

    #[test]
    fn every_call_is_counted_once_by_method_code_and_caller() {
        let metrics = Metrics::new().expect("sound");
        let methods = ["ListComments", "CreateComment"].map(|name| format!("riposte.v1.CommentService/{name}"));
        let calls = metrics.calls(methods.to_vec());
        let (headers, id) = (HeaderMap::new(), HeaderValue::from_static("id"));
        let begin = |path: &str| calls.begin(path, &headers, &id);
        let mut timer = begin("/riposte.v1.CommentService/ListComments");
        timer.by("web".into());
        timer.succeeded();
        drop(timer);
        let trailers = HeaderMap::from_iter([("grpc-status".parse().unwrap(), HeaderValue::from_static("14"))]);
        begin("/riposte.v1.CommentService/CreateComment").status(&trailers);
        drop(begin("/made.up/Name"));
        for line in [
            r#"rpc_server_call_duration_seconds_count{rpc_method="riposte.v1.CommentService/ListComments",rpc_response_status_code="OK""#,
            r#"rpc_server_call_duration_seconds_count{error_type="UNAVAILABLE",rpc_method="riposte.v1.CommentService/CreateComment""#,
            r#"rpc_server_call_duration_seconds_count{rpc_method="_OTHER",rpc_response_status_code="CANCELLED""#,
            r#"riposte_caller_calls_total{caller="web",rpc_response_status_code="OK""#,
        ] {
            assert_eq!(series(&metrics, line), 1, "{line} in\n{}", metrics.text().unwrap());
        }
        assert_eq!(series(&metrics, "rpc_server_call_duration_seconds_count"), 3);
    }
}
