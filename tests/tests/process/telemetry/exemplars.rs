//! The path from a slow histogram bucket to a trace.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use riposte_tests::Say;

use super::super::metrics::{ask, ask_as};
use super::receiver::{Receiver, attribute, hex};
use super::{PARENT, TRACE, create, exporting};

const OPEN: &str = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";

/// Returns the exemplar of a line: its trace and its span.
fn exemplar(line: &str) -> Option<(&str, &str)> {
    let (_, labels) = line.split_once(" # {trace_id=\"")?;
    let (trace, rest) = labels.split_once("\",span_id=\"")?;
    Some((trace, rest.split_once("\"}")?.0))
}

#[tokio::test]
async fn a_bucket_names_the_trace_that_the_receiver_was_sent() -> Result<()> {
    let receiver = Receiver::start().await?;
    let server = exporting(&receiver.address(), &[]).await?;
    let say = Say::on(&server.client()?, "article");
    create(&say, None).await?;
    create(&say, Some(format!("00-{TRACE}-{PARENT}-01"))).await?;
    // The caller of this call disables the trace.
    create(&say, Some(format!("00-{}-{PARENT}-00", TRACE.replace('0', "1")))).await?;
    let sent = |name: &str, attributes: &str| {
        let spans = receiver.spans().into_iter();
        let mut named = spans.filter(|span| attribute(&span.attributes, name) == attributes);
        named.next().map(|span| (hex(&span.trace_id), hex(&span.span_id)))
    };
    let call = || sent("rpc.method", "riposte.v1.CommentService/CreateComment");
    let commit = || sent("db.operation.name", "commit comments");
    receiver.until(|_| call().is_some() && commit().is_some()).await?;

    let metrics = ask_as(server.metrics_target(), "GET", "/metrics", OPEN).await?;
    ensure!(
        metrics.contains("application/openmetrics-text; version=1.0.0") && metrics.ends_with("# EOF\n"),
        "{metrics}"
    );
    let of = |series: &str, label: &str| {
        let mut lines = metrics.lines().filter(|line| line.starts_with(series) && line.contains(label));
        lines.find_map(exemplar).map(|(trace, span)| (trace.to_owned(), span.to_owned()))
    };
    for (series, label, sent) in [
        ("rpc_server_call_duration_seconds_bucket{", "rpc_method=\"riposte.v1.CommentService/CreateComment\"", call()),
        ("db_client_operation_duration_seconds_bucket{", "db_operation_name=\"commit comments\"", commit()),
    ] {
        let named = of(series, label).with_context(|| format!("{series} has no exemplar in\n{metrics}"))?;
        ensure!(Some(&named) == sent.as_ref(), "{series} names {named:?}, and {sent:?} was sent");
    }
    let traces: BTreeSet<&str> = metrics.lines().filter_map(exemplar).map(|(trace, _)| trace).collect();
    ensure!(traces == BTreeSet::from([TRACE]), "what is not sent is not named: {traces:?}");

    let text = ask(server.metrics_target(), "GET", "/metrics").await?;
    ensure!(text.contains("text/plain; version=0.0.4") && !text.contains(TRACE) && !text.contains("# EOF"), "{text}");
    ensure!(text.contains("rpc_server_call_duration_seconds_bucket{"), "{text}");
    ensure!(server.stop().await? == Some(0));
    Ok(())
}
