//! Spans of traces. All have one target, so that a filter passes either all of them or none. If no
//! traces are sent, no span is created. The store and the cache create their own spans, below those
//! of this module.

use http::{HeaderMap, HeaderValue};
use opentelemetry::propagation::{Extractor, TextMapPropagator};
use opentelemetry::trace::{Link, SpanContext, SpanKind, TraceContextExt, TraceId, TraceState};
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{Sampler, SamplingDecision, SamplingResult, ShouldSample};
use tracing::Span;
use tracing::field::Empty;
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// The target of every span.
pub const TARGET: &str = "riposte::span";

/// Creates the span of a call, as a child of the caller's span if the headers name one.
pub(super) fn call(method: &str, headers: &HeaderMap, request_id: &HeaderValue) -> Span {
    let span = tracing::debug_span!(
        target: TARGET,
        "call",
        otel.name = method,
        otel.kind = "server",
        rpc.system.name = "grpc",
        rpc.method = method,
        riposte.request.id = request_id.to_str().unwrap_or_default(),
        rpc.response.status_code = Empty,
        "error.type" = Empty,
        otel.status_code = Empty,
    );
    if !span.is_disabled() {
        let parent = TraceContextPropagator::new().extract_with_context(&Context::new(), &Carrier(headers));
        // `set_parent` fails if spans are only logged.
        drop(span.set_parent(parent));
    }
    span
}

/// Records the status code of a call, and whether it is a server error.
pub(super) fn record_status(span: &Span, code: &'static str, fault: bool) {
    span.record("rpc.response.status_code", code);
    if fault {
        span.record("error.type", code).record("otel.status_code", "ERROR");
    }
}

/// Creates the span of a wait in a write queue, as a child of the present call. It ends with
/// [`batch`].
#[must_use]
pub fn write_queue(source: usize, kind: &'static str, commands: usize) -> Span {
    tracing::debug_span!(target: TARGET, "write_queue", source = source + 1, kind, riposte.commands = commands)
}

/// Creates the span of a batch from these waits, which are over: a child of the first sampled wait,
/// with links to the others.
#[must_use]
pub fn batch(waits: &[Span], source: usize, kind: &'static str, commands: usize) -> Span {
    let mut sampled = waits.iter().filter(|wait| is_sampled(wait));
    let Some(first) = sampled.next() else { return Span::none() };
    let span = tracing::debug_span!(
        target: TARGET,
        parent: first,
        "batch",
        source = source + 1,
        kind,
        riposte.commands = commands
    );
    first.follows_from(&span);
    for other in sampled {
        other.follows_from(&span);
        span.follows_from(other);
    }
    // A span stays open as long as its children. Its recorded end is the time at which it was last
    // exited.
    waits.iter().for_each(|wait| wait.in_scope(|| ()));
    span
}

fn is_sampled(span: &Span) -> bool {
    sampled(span).is_some()
}

/// Returns the context of a span that is sent to a receiver; `None` for any other span.
pub(super) fn sampled(span: &Span) -> Option<SpanContext> {
    if span.is_disabled() {
        return None;
    }
    Some(span.context().span().span_context().clone()).filter(SpanContext::is_sampled)
}

/// Follows the caller's sampling decision. Without one, a call begins a trace with the probability
/// `ratio`. Other spans never begin a trace: background work would fill the receiver with traces of
/// little use.
pub(super) fn sampler(ratio: f64) -> Sampler {
    Sampler::ParentBased(Box::new(CallSampler(Sampler::TraceIdRatioBased(ratio))))
}

#[derive(Debug, Clone)]
struct CallSampler(Sampler);

impl ShouldSample for CallSampler {
    fn should_sample(
        &self,
        parent: Option<&Context>,
        trace: TraceId,
        name: &str,
        kind: &SpanKind,
        attributes: &[KeyValue],
        links: &[Link],
    ) -> SamplingResult {
        if *kind == SpanKind::Server {
            return self.0.should_sample(parent, trace, name, kind, attributes, links);
        }
        let (attributes, trace_state) = (Vec::new(), TraceState::default());
        SamplingResult { decision: SamplingDecision::Drop, attributes, trace_state }
    }
}

/// The headers of a call, in which a propagator searches for a traceparent.
struct Carrier<'h>(&'h HeaderMap);

impl Extractor for Carrier<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(http::HeaderName::as_str).collect()
    }
}
