//! The configuration of Envoy in docs/how-to: it is YAML, and the services that it names are those
//! of the contract.

use crate::tidy::Violation;
use anyhow::{Context, Result};
use prost::Message;
use prost_types::FileDescriptorSet;
use std::collections::BTreeSet;
use yaml_serde::Value;

/// The configuration.
pub(crate) const CONFIGURATION: &str = "docs/how-to/envoy-transcoding.yaml";
/// The contract, as the SDK for Rust ships it.
pub(crate) const DESCRIPTORS: &str = "sdk/rust/src/gen/riposte.v1.descriptors.bin";
/// The services on another port, which a web page must not reach.
const PRIVATE: [&str; 3] = ["riposte.v1.AdminService", "riposte.v1.ModerationService", "riposte.v1.PolicyService"];

/// Checks the configuration against the descriptors of the contract.
pub(crate) fn check(text: &str, descriptors: &[u8], faults: &mut Vec<Violation>) -> Result<()> {
    let set = FileDescriptorSet::decode(descriptors).with_context(|| format!("cannot decode {DESCRIPTORS}"))?;
    let public = set
        .file
        .iter()
        .flat_map(|file| file.service.iter().map(move |service| format!("{}.{}", file.package(), service.name())));
    let public: BTreeSet<String> = public.filter(|name| !PRIVATE.contains(&name.as_str())).collect();
    let value = match yaml_serde::from_str::<Value>(text) {
        Ok(value) => value,
        Err(error) => {
            faults.push(Violation::new(CONFIGURATION, 0, format!("is no YAML: {error}")));
            return Ok(());
        }
    };
    let named: BTreeSet<String> = services(&value).into_iter().collect();
    if named != public {
        let what = format!("transcodes {named:?}; the public services of the contract are {public:?}");
        faults.push(Violation::new(CONFIGURATION, 0, what));
    }
    Ok(())
}

/// Returns the services of every transcoding filter in a value.
fn services(value: &Value) -> Vec<String> {
    let below = |values: Vec<&Value>| values.into_iter().flat_map(services).collect::<Vec<_>>();
    match value {
        Value::Mapping(map) => {
            let named = map.get("proto_descriptor").and(map.get("services")).and_then(Value::as_sequence);
            let own = named.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
            own.chain(below(map.values().collect())).collect()
        }
        Value::Sequence(list) => below(list.iter().collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Tagged(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prost_types::{FileDescriptorProto, ServiceDescriptorProto};

    fn found(text: &str) -> usize {
        let service = |name: &str| ServiceDescriptorProto { name: Some(name.to_owned()), ..Default::default() };
        let file = FileDescriptorProto {
            package: Some("riposte.v1".to_owned()),
            service: vec![service("CommentService"), service("AdminService")],
            ..Default::default()
        };
        let mut faults = Vec::new();
        check(text, &FileDescriptorSet { file: vec![file] }.encode_to_vec(), &mut faults).unwrap();
        faults.len()
    }

    #[test]
    fn the_services_of_the_filter_are_the_public_ones() {
        let of = |services: &str| format!("a:\n  - typed_config: {{proto_descriptor: x.pb, services: [{services}]}}\n");
        assert_eq!(found(&of("riposte.v1.CommentService")), 0);
        assert_eq!(found(&of("riposte.v1.CommentsService")), 1);
        assert_eq!(found(&of("riposte.v1.CommentService, riposte.v1.AdminService")), 1);
        assert_eq!(found("services: [riposte.v1.CommentService]\n"), 1, "not in a filter");
        assert_eq!(found("a: [\n"), 1, "no YAML");
    }
}
