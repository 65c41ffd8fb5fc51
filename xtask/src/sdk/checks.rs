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
    /// The greatest values of numbers.
    at_most: BTreeMap<String, i32>,
    /// Fields that exclude others.
    excludes: BTreeMap<String, Vec<String>>,
    /// The reasons of fields for which the service has one of their own, without its prefix.
    reasons: BTreeMap<String, String>,
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
    /// If `true`, a text may be empty.
    empty: bool,
    /// The greatest value of a number, if it has one.
    at_most: Option<i32>,
    /// The fields of which none may be set beside this one.
    excludes: Vec<Excluded>,
    /// The oneof whose arm the first step of the path is; then the check holds for this arm alone.
    arm_of: Option<String>,
    /// The reason of the violation, without the prefix of the enum.
    reason: String,
    /// The description of the violation.
    description: String,
}

/// A field that another one excludes.
#[derive(Debug, Clone, Serialize)]
struct Excluded {
    name: String,
    /// If `true`, it is a text, which is not set if it is empty; else a number.
    is_text: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Rule {
    /// A text is a name of an object type.
    ObjectType,
    /// A text is an id that the caller owns.
    CallerId,
    /// An id is set, thus greater than 0.
    Id,
    /// A number is not negative.
    Number,
    /// A value is one of its enum.
    Value,
    /// Each value of a list is one of its enum, and not the unspecified one.
    Values,
    /// A number is not set where one of other fields is.
    Excludes,
    /// One arm of a oneof is set.
    OneOf,
}

impl ListedChecks {
    /// Returns the checks of a request: those of its required fields, of all others, and of oneofs.
    pub(super) fn resolve(&self, contract: &Contract<'_>, request: &Message<'_>) -> Result<Vec<Check>> {
        let mut checks = Vec::new();
        for path in &self.required {
            checks.push(required(contract, request, path)?);
        }
        let mut oneofs: Vec<&str> = Vec::new();
        for field in &request.fields {
            if let Some(oneof) = request.oneof_of(field) {
                if !oneofs.contains(&oneof) {
                    oneofs.push(oneof);
                    checks.push(Check::of(oneof, vec![oneof.to_owned()], field, Rule::OneOf));
                }
                checks.extend(arm(contract, request, (oneof, field))?);
                continue;
            }
            let is_required = self.required.iter().any(|path| path == field.name);
            if field.is_repeated() && field.is_enum() {
                checks.push(Check::of(field.name, vec![field.name.to_owned()], field, Rule::Values));
            } else if !is_required && !field.is_repeated() {
                checks.extend(self.other(contract, field)?);
            }
        }
        for (name, excluded) in &self.excludes {
            checks.push(excludes(request, name, excluded)?);
        }
        for name in self.values.keys() {
            ensure!(request.field(name)?.is_enum(), "{name} of {} has no values", request.name);
        }
        for (name, reason) in &self.reasons {
            let known = &contract.enumeration("ErrorReason")?.values;
            let is_known = known.iter().any(|(value, _, _)| short_value("ErrorReason", value) == *reason);
            ensure!(is_known, "there is no reason {reason}");
            let has_check = checks.iter().any(|check| check.field == *name);
            ensure!(has_check, "{name} of {} has no check", request.name);
            let of_field = checks.iter_mut().filter(|check| check.field == *name);
            of_field.for_each(|check| check.reason.clone_from(reason));
        }
        for name in self.at_most.keys() {
            ensure!(request.field(name)?.type_name() == "int32", "{name} of {} is no number", request.name);
        }
        Ok(checks)
    }

    /// Returns the check of a field that may be left out, if it has one.
    fn other(&self, contract: &Contract<'_>, field: &Field<'_>) -> Result<Option<Check>> {
        let rule = match field.type_name().as_str() {
            "int32" | "int64" => Rule::Number,
            "string" if field.name.ends_with("_id") => Rule::CallerId,
            _ if field.is_enum() => Rule::Value,
            _ => return Ok(None),
        };
        let mut check = Check::of(field.name, vec![field.name.to_owned()], field, rule);
        check.empty = true;
        if let Some(values) = self.values.get(field.name) {
            check = check.with(contract, values)?;
        }
        if let Some(most) = self.at_most.get(field.name) {
            check = Check { at_most: Some(*most), description: format!("must lie between 0 and {most}"), ..check };
        }
        Ok(Some(check))
    }
}

/// Returns the check that none of these fields is set beside the one of this name.
fn excludes(request: &Message<'_>, name: &str, others: &[String]) -> Result<Check> {
    let field = request.field(name)?;
    ensure!(is_number(field), "{name} of {} is no number", request.name);
    let excluded = |other: &String| {
        let field = request.field(other)?;
        ensure!(is_number(field) || field.type_name() == "string", "{other} of {} is no text or number", request.name);
        Ok(Excluded { name: other.clone(), is_text: !is_number(field) })
    };
    let check = Check::of(name, vec![name.to_owned()], field, Rule::Excludes);
    let description = format!("excludes {}", others.join(" and "));
    Ok(Check { excludes: others.iter().map(excluded).collect::<Result<_>>()?, description, ..check })
}

fn is_number(field: &Field<'_>) -> bool {
    matches!(field.type_name().as_str(), "int32" | "int64")
}

/// Returns the check of a field that must be set. The name of a text is that of its kind.
fn required(contract: &Contract<'_>, request: &Message<'_>, path: &str) -> Result<Check> {
    let (names, _, field) = walk(contract, request, path)?;
    let rule = match field.type_name().as_str() {
        "string" if field.name == "object_type" => Rule::ObjectType,
        "string" if field.name.ends_with("_id") || field.name == "id" => Rule::CallerId,
        "int64" => Rule::Id,
        kind => bail!("{path} is a {kind}, and only object types and ids are required"),
    };
    Ok(Check::of(path, names, field, rule))
}

/// Returns the checks of an arm of a oneof: all fields of a message are required.
fn arm(contract: &Contract<'_>, request: &Message<'_>, (oneof, field): (&str, &Field<'_>)) -> Result<Vec<Check>> {
    let paths = if field.is_message() {
        let fields = &contract.named(&field.type_name())?.fields;
        fields.iter().map(|inner| format!("{}.{}", field.name, inner.name)).collect()
    } else {
        vec![field.name.to_owned()]
    };
    let check = |path: &String| Ok(Check { arm_of: Some(oneof.to_owned()), ..required(contract, request, path)? });
    paths.iter().map(check).collect()
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
            empty: false,
            at_most: None,
            excludes: Vec::new(),
            arm_of: None,
            reason: "FIELD_INVALID".to_owned(),
            description: match rule {
                Rule::ObjectType => "must match [a-z][a-z0-9_]{0,31}",
                Rule::CallerId => "must have 1 to 64 bytes and no control characters",
                Rule::Id => "must be an id, greater than 0",
                Rule::Number => "must not be negative",
                Rule::Value | Rule::Values => "is not a known value",
                Rule::Excludes => "excludes others",
                Rule::OneOf => "must be set",
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
