//! The checks that the SDKs make of the request of a walk before they send anything.

use super::handles::walk;
use super::model::short_value;
use crate::generate::contract::{Contract, Field, Message};
use anyhow::{Result, bail, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One entry of `walks` in sdk/handles.yaml.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ListedChecks {
    /// The paths of fields that must be set.
    required: Vec<String>,
    /// The values that a field takes, without the prefix of their enum.
    values: BTreeMap<String, Vec<String>>,
    /// Fields that are left to the service, which has a reason of its own for them.
    left: Vec<String>,
}

/// The check of one field, in the form of the templates.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Check {
    /// The path of the field: `subject.object_type`.
    field: String,
    path: Vec<String>,
    rule: Rule,
    /// The name of the enum, if its type is one.
    #[serde(rename = "enum")]
    enumeration: Option<String>,
    /// The values beside the unspecified one, if these are not all of the enum.
    values: Option<Vec<String>>,
    /// If `true`, unset differs from the default.
    optional: bool,
    /// If `true`, it has 64 bits.
    wide: bool,
    /// The description of the violation.
    description: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Rule {
    /// A text is not empty.
    Text,
    /// An id is set, thus greater than 0.
    Id,
    /// A number is not negative.
    Number,
    /// A value is one of its enum.
    Value,
}

impl ListedChecks {
    /// Returns the checks of a request: those of its required fields, then those of all others.
    pub(super) fn resolve(&self, contract: &Contract<'_>, request: &Message<'_>) -> Result<Vec<Check>> {
        let mut checks = Vec::new();
        for path in &self.required {
            let (names, _, field) = walk(contract, request, path)?;
            let rule = match field.type_name().as_str() {
                "string" => Rule::Text,
                "int64" => Rule::Id,
                kind => bail!("{path} is a {kind}, and only texts and ids are required"),
            };
            checks.push(Check::of(path, names, field, rule));
        }
        for field in &request.fields {
            let is_apart = self.required.iter().chain(&self.left).any(|path| path == field.name);
            if is_apart || field.is_repeated() || request.oneof_of(field).is_some() {
                continue;
            }
            let rule = match field.type_name().as_str() {
                "int32" | "int64" => Rule::Number,
                _ if field.is_enum() => Rule::Value,
                _ => continue,
            };
            let mut check = Check::of(field.name, vec![field.name.to_owned()], field, rule);
            if let Some(values) = self.values.get(field.name) {
                check = check.with(contract, values)?;
            }
            checks.push(check);
        }
        for name in self.values.keys().chain(&self.left) {
            ensure!(request.field(name)?.is_enum(), "{name} of {} has no values", request.name);
        }
        Ok(checks)
    }
}

impl Check {
    fn of(field: &str, path: Vec<String>, last: &Field<'_>, rule: Rule) -> Self {
        Self {
            field: field.to_owned(),
            path,
            enumeration: last.is_enum().then(|| last.type_name()),
            values: None,
            optional: last.says.proto3_optional(),
            wide: last.type_name() == "int64",
            description: match rule {
                Rule::Text => "must be set",
                Rule::Id => "must be an id, greater than 0",
                Rule::Number => "must not be negative",
                Rule::Value => "is not a known value",
            }
            .to_owned(),
            rule,
        }
    }

    /// Returns the check with these values only.
    fn with(self, contract: &Contract<'_>, values: &[String]) -> Result<Self> {
        let kind = self.enumeration.clone().unwrap_or_default();
        let known = &contract.enumeration(&kind)?.values;
        for value in values {
            let is_known = known.iter().any(|(name, _, _)| short_value(&kind, name) == *value);
            ensure!(is_known, "{kind} has no value {value}");
        }
        let description = format!("must be one of {}", values.join(", "));
        Ok(Self { values: Some(values.to_vec()), description, ..self })
    }
}
