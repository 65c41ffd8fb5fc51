//! The gRPC service configuration of a service: deadlines and retries of its methods.

use super::table::{Retry, Row, Table};
use crate::generate::contract::Service;
use anyhow::Result;
use std::collections::BTreeMap;
use std::fmt::Write;

const HEAD: &str = r#"{
  "loadBalancingConfig": [{ "round_robin": {} }],
  "retryThrottling": {
    "maxTokens": 100,
    "tokenRatio": 0.1
  },
  "methodConfig": [
"#;

/// Returns the path of a service's configuration: in the folder of the protos, by the name of its
/// resource.
pub(super) fn path(service: &Service<'_>) -> String {
    format!("proto/riposte/v1/{}_grpc_service_config.json", super::folder(service))
}

/// Returns the configuration: reads, then writes, then calls that are not repeated.
pub(crate) fn text(service: &Service<'_>, table: &Table) -> Result<String> {
    let mut groups: BTreeMap<(Retry, Option<u64>), Vec<&Row>> = BTreeMap::new();
    for method in &service.methods {
        let row = table.row(method)?;
        groups.entry((row.retry, row.client_seconds()?)).or_default().push(row);
    }
    let groups = groups.into_iter().map(|((retry, seconds), rows)| group(retry, seconds, &rows));
    Ok(format!("{HEAD}{}\n  ]\n}}\n", groups.collect::<Result<Vec<_>>>()?.join(",\n")))
}

fn group(retry: Retry, seconds: Option<u64>, rows: &[&Row]) -> Result<String> {
    let names: Vec<String> = rows.iter().map(|row| name(&row.rpc)).collect();
    let mut text = format!("    {{\n      \"name\": [\n{}\n      ]", names.join(",\n"));
    if let Some(seconds) = seconds {
        write!(text, ",\n      \"timeout\": \"{seconds}s\"")?;
    }
    // The first and the longest wait.
    let waits = match retry {
        Retry::Read => Some(("0.05s", "0.5s")),
        Retry::Write => Some(("0.1s", "1s")),
        Retry::None => None,
    };
    if let Some((first, longest)) = waits {
        write!(
            text,
            ",\n      \"retryPolicy\": {{\n        \"maxAttempts\": 3,\n        \"initialBackoff\": \"{first}\",\n        \
             \"maxBackoff\": \"{longest}\",\n        \"backoffMultiplier\": 2,\n        \
             \"retryableStatusCodes\": [\"UNAVAILABLE\"]\n      }}"
        )?;
    }
    Ok(text + "\n    }")
}

fn name(rpc: &str) -> String {
    let (service, method) = rpc.split_once('/').unwrap_or((rpc, ""));
    format!("        {{ \"service\": \"riposte.v1.{service}\", \"method\": \"{method}\" }}")
}
