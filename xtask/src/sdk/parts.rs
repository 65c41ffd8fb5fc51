//! The fields of a handle's message, and the calls that complete a page.

use super::model::MethodModel;
use crate::generate::contract::{Contract, Field, Message};
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

/// A field of the message that a handle holds.
#[derive(Debug, Serialize)]
pub(super) struct HeldField {
    name: String,
    /// The name of its type; for a map, that of its values.
    #[serde(rename = "type")]
    kind: String,
    message: bool,
    #[serde(rename = "enum")]
    enumeration: bool,
    repeated: bool,
    map: bool,
    /// The name of the handle, if the field is a part.
    handle: Option<String>,
    about: String,
}

impl HeldField {
    /// Returns the fields of a message. `parts` are pairs of a field and its handle, and
    /// `contained` returns the message that a handle holds.
    pub(super) fn all<'a>(
        held: &Message<'_>,
        parts: &[(String, String)],
        contained: impl Fn(&str) -> Result<&'a str>,
    ) -> Result<Vec<Self>> {
        for (field, handle) in parts {
            let (found, contains) = (held.field(field)?.type_name(), contained(handle)?);
            ensure!(contains == found, "{field} is a {found}, and {handle} contains a {contains}");
        }
        let one = |field: &Field<'_>| {
            let map = held.map(field);
            let part = parts.iter().find(|(name, _)| name == field.name);
            Self {
                name: field.name.to_owned(),
                kind: map.as_ref().map_or_else(|| field.type_name(), |(_, value)| value.clone()),
                message: field.is_message() && map.is_none(),
                enumeration: field.is_enum(),
                repeated: field.is_repeated() && map.is_none(),
                map: map.is_some(),
                handle: part.map(|(_, handle)| handle.clone()),
                about: super::model::first_paragraph(&field.about),
            }
        };
        Ok(held.fields.iter().map(one).collect())
    }
}

/// A field by which a client makes a handle.
#[derive(Debug, Serialize)]
pub(super) struct ClientPart {
    name: String,
    #[serde(rename = "type")]
    kind: String,
}

impl ClientPart {
    pub(super) fn of(held: &Message<'_>, name: &str) -> Result<Self> {
        let kind = held.field(name)?.type_name();
        ensure!(["string", "int64"].contains(&kind.as_str()), "{name} is a {kind}, neither a text nor an id");
        Ok(Self { name: name.to_owned(), kind })
    }
}

/// The places of a member's own comments that a page does not show: the list, the place of its
/// subject, the field that is empty on the first page, and the handle of an item with the fields
/// that take a root comment and the replies to it.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JustMade {
    items: String,
    subject: String,
    first_page: String,
    item: String,
    comment: String,
    replies: String,
    unlisted: Unlisted,
}

/// The message that has a comment which only its author sees, or one in sight with an edit that
/// waits: `listed` is the state of the latter. A comment in one of the states of `gone` is never
/// shown as just made.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Unlisted {
    message: String,
    comment: String,
    edit: String,
    state: String,
    listed: String,
    gone: Vec<String>,
    /// The message of an edit, the enum of a state, and `listed` and `gone` without its prefix:
    /// filled in from the contract.
    #[serde(skip_deserializing)]
    edit_type: String,
    #[serde(skip_deserializing)]
    state_type: String,
    #[serde(skip_deserializing)]
    short: String,
    #[serde(skip_deserializing)]
    gone_short: Vec<String>,
}

impl JustMade {
    /// Returns the places, completed from the contract. An unknown name is an error.
    pub(super) fn resolve(&self, contract: &Contract<'_>, page: &Message<'_>) -> Result<Self> {
        super::handles::walk(contract, page, &self.subject)?;
        page.field(&self.first_page)?;
        let item = contract.named(&page.field(&self.items)?.type_name())?;
        let kind = item.field(&self.comment)?.type_name();
        let comment = contract.named(&kind)?;
        comment.field("root_id")?;
        let replies = item.field(&self.replies)?.type_name();
        ensure!(replies == kind, "{} are of {replies}, not of {kind}", self.replies);
        let unlisted = contract.named(&self.unlisted.message)?;
        let found = unlisted.field(&self.unlisted.comment)?.type_name();
        ensure!(found == kind, "{} of {} is a {found}, no {kind}", self.unlisted.comment, unlisted.name);
        let state_type = comment.field(&self.unlisted.state)?.type_name();
        let (listed, gone) = (&self.unlisted.listed, &self.unlisted.gone);
        let states = &contract.enumeration(&state_type)?.values;
        for state in gone.iter().chain([listed]) {
            ensure!(states.iter().any(|(name, _, _)| name == state), "{state_type} has no value {state}");
        }
        let mut resolved = self.clone();
        let short = |state: &String| super::model::short_value(&state_type, state);
        resolved.unlisted.gone_short = gone.iter().map(short).collect();
        resolved.unlisted.edit_type = unlisted.field(&self.unlisted.edit)?.type_name();
        resolved.unlisted.short = super::model::short_value(&state_type, listed);
        resolved.unlisted.state_type = state_type;
        Ok(resolved)
    }
}

/// The call that returns what a member likes of a page, with the names of its fields.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OwnLikes {
    /// The handle that gets the state, and its name there.
    pub(super) handle: String,
    name: String,
    /// As it is listed: `Service.Method`.
    call: String,
    subject: String,
    member: String,
    ids: String,
    /// The most ids that one call takes.
    at_most: usize,
    states: String,
    id: String,
    value: String,
    /// The parts of `call`, its messages, and the enum of a state: filled in from the contract.
    #[serde(skip_deserializing)]
    service: String,
    #[serde(skip_deserializing)]
    method: String,
    #[serde(skip_deserializing)]
    request: String,
    #[serde(skip_deserializing)]
    response: String,
    #[serde(skip_deserializing, rename = "type")]
    kind: String,
}

impl OwnLikes {
    /// Returns the call, completed from the contract. An unknown name is an error.
    pub(super) fn resolve<'a>(
        &self,
        contract: &Contract<'_>,
        find: &dyn Fn(&str, &str) -> Option<&'a MethodModel>,
    ) -> Result<Self> {
        let (service, name) = self.call.split_once('.').with_context(|| format!("{} is not a method", self.call))?;
        let method = find(service, name).with_context(|| format!("the contract has no method {}", self.call))?;
        let (request, response) = (contract.named(&method.request)?, contract.named(&method.response)?);
        for field in [&self.subject, &self.member, &self.ids] {
            request.field(field)?;
        }
        let state = contract.named(&response.field(&self.states)?.type_name())?;
        state.field(&self.id)?;
        Ok(Self {
            handle: self.handle.clone(),
            name: self.name.clone(),
            call: self.call.clone(),
            subject: self.subject.clone(),
            member: self.member.clone(),
            ids: self.ids.clone(),
            at_most: self.at_most,
            states: self.states.clone(),
            id: self.id.clone(),
            value: self.value.clone(),
            service: service.to_owned(),
            method: name.to_owned(),
            request: method.request.clone(),
            response: method.response.clone(),
            kind: state.field(&self.value)?.type_name(),
        })
    }
}
