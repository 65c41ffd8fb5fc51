//! A check of sdk/handles.yaml with the contract: every name in it must exist.

use super::batches::Batch;
use super::checks::{Check, ListedChecks};
use super::model::{MethodModel, first_paragraph, short_value};
use super::parts::{ClientPart, HeldField, JustMade, OwnLikes};
use crate::generate::contract::{Contract, Field, Message};
use crate::repo::Repo;
use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The file that lists the handles.
pub(super) const FILE: &str = "sdk/handles.yaml";

/// The contents of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Listed {
    clients: BTreeMap<String, String>,
    admin: BTreeMap<String, String>,
    own_likes: Option<OwnLikes>,
    #[serde(default)]
    batches: Vec<Batch>,
    #[serde(default)]
    walks: BTreeMap<String, ListedChecks>,
    handles: Vec<ListedHandle>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ListedHandle {
    name: String,
    about: String,
    contains: HandleMessage,
    made_by_client: Option<Vec<String>>,
    #[serde(default)]
    parts: Vec<(String, String)>,
    just_made: Option<JustMade>,
    verbs: Vec<ListedVerb>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ListedVerb {
    name: String,
    about: String,
    call: String,
    set: Vec<(String, String)>,
    #[serde(default)]
    options: Vec<ListedOption>,
    returns: ListedReturn,
}

/// A field that a caller may leave out; `as` is the type of those `values` of its enum that the
/// call takes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ListedOption {
    field: String,
    r#as: Option<String>,
    values: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum ListedReturn {
    Message {},
    Handle { handle: String, field: String },
    Page { handle: String, viewer: Option<String> },
    Items { handle: String },
    Pages {},
    Made { unless: String },
    Watch(ListedWatch),
    Listener { buffer: u32 },
}

/// The fields of a request and of an event in which a watch keeps its place.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ListedWatch {
    resume: String,
    revisions: Vec<String>,
    opened: String,
    gap: [String; 2],
}

/// A handle, in the form of the templates.
#[derive(Debug, Serialize)]
pub(super) struct Handle {
    name: String,
    about: String,
    made_by_client: Option<Vec<ClientPart>>,
    contains: HandleMessage,
    fields: Vec<HeldField>,
    just_made: Option<JustMade>,
    verbs: Vec<Verb>,
}

/// The message that a handle holds, and its name in the handle.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct HandleMessage {
    message: String,
    name: String,
}

#[derive(Debug, Serialize)]
struct Verb {
    name: String,
    about: String,
    service: String,
    method: String,
    request: String,
    response: String,
    arguments: Vec<Argument>,
    set: Vec<Set>,
    options: Vec<VerbOption>,
    returns: VerbReturn,
}

#[derive(Debug, Clone, Serialize)]
struct Argument {
    name: String,
    /// `string`, `int64`, or the name of an enum or a message.
    #[serde(rename = "type")]
    kind: String,
    about: String,
}

/// A field of the request and the source of its value.
#[derive(Debug, Serialize)]
struct Set {
    /// The fields that lead to the place.
    path: Vec<String>,
    /// The messages on the way: those of every field in `path` but the last.
    messages: Vec<String>,
    #[serde(rename = "type")]
    kind: String,
    /// The field holds a message if `true`.
    message: bool,
    /// The source as it is listed: `self`, `self.id`, the name of an argument, or
    /// `=LIKE_VALUE_LIKE`.
    from: String,
    /// The kind of `from`: `self`, `self_field` (then `field`), `argument`, or `constant` (then
    /// `field` is the value).
    source: &'static str,
    field: Option<String>,
    /// The value without the prefix of its enum.
    short: Option<String>,
}

/// An optional field of the request.
#[derive(Debug, Serialize)]
struct VerbOption {
    name: String,
    field: String,
    #[serde(rename = "type")]
    kind: String,
    /// The name of the enum, if its type is one.
    #[serde(rename = "enum")]
    enumeration: Option<String>,
    /// Unset differs from the default.
    optional: bool,
    /// The name of its own type and the values that it takes, without the prefix of the enum.
    r#as: Option<String>,
    values: Option<Vec<String>>,
    about: String,
}

#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum VerbReturn {
    Message {
        message: String,
    },
    Handle {
        handle: String,
        field: String,
    },
    /// `viewer` leads to the subject of which a member can be asked for: from the response or, if
    /// it is empty, the message that the handle of the verb holds.
    Page {
        handle: String,
        viewer: Option<Vec<String>>,
    },
    Items {
        handle: String,
        items: String,
        item: String,
    },
    Pages {
        items: String,
        item: String,
    },
    Made {
        unless: String,
    },
    Watch(WatchPlace),
    Listener {
        buffer: u32,
        #[serde(flatten)]
        watch: WatchPlace,
    },
}

/// The fields of a request and of an event in which a watch keeps its place.
#[derive(Debug, Serialize)]
struct WatchPlace {
    item: String,
    resume: String,
    /// The oneof in which each of `revisions` begins, by its name in the languages.
    oneof: String,
    revisions: Vec<Vec<String>>,
    opened: Vec<String>,
    /// The message of `opened`.
    opened_message: String,
    gap: [Vec<String>; 2],
    /// The message of a gap.
    gap_message: String,
}

impl WatchPlace {
    fn of(
        contract: &Contract<'_>,
        request: &Message<'_>,
        response: &Message<'_>,
        listed: &ListedWatch,
    ) -> Result<Self> {
        request.field(&listed.resume)?;
        let path = |path: &String| walk(contract, response, path).map(|(names, _, _)| names);
        let revisions = listed.revisions.iter().map(path).collect::<Result<_>>()?;
        let oneof = response.oneofs().next().context("an event is a oneof of kinds")?.to_owned();
        let (opened, gap) = (path(&listed.opened)?, [path(&listed.gap[0])?, path(&listed.gap[1])?]);
        let opened_message = response.field(&opened[0])?.type_name();
        let gap_message = response.field(&gap[0][0])?.type_name();
        let (item, resume) = (response.name.to_owned(), listed.resume.clone());
        Ok(Self { item, resume, oneof, revisions, opened, opened_message, gap, gap_message })
    }
}

type Find<'a> = dyn Fn(&str, &str) -> Option<&'a MethodModel> + 'a;

impl Listed {
    /// Reads the file.
    pub(super) fn read(repo: &Repo) -> Result<Self> {
        let text = std::fs::read_to_string(repo.at(FILE)).with_context(|| format!("cannot read {FILE}"))?;
        Self::parse(&text).context(FILE)
    }

    fn parse(text: &str) -> Result<Self> {
        Ok(yaml_serde::from_str(text)?)
    }

    /// Returns the name of each client, its service, and `true` if it uses a separate address.
    pub(super) fn clients(&self) -> impl Iterator<Item = (&str, &str, bool)> {
        let public = self.clients.iter().map(|(short, service)| (short.as_str(), service.as_str(), false));
        public.chain(self.admin.iter().map(|(short, service)| (short.as_str(), service.as_str(), true)))
    }

    /// Returns the handles, completed from the contract. An unknown name is an error that contains
    /// it.
    pub(super) fn resolve(&self, contract: &Contract<'_>, find: &Find<'_>) -> Result<Vec<Handle>> {
        let handle = |listed: &ListedHandle| -> Result<Handle> {
            let held = contract.named(&listed.contains.message)?;
            let made = |parts: &Vec<String>| parts.iter().map(|part| ClientPart::of(held, part)).collect::<Result<_>>();
            let verb = |verb| self.verb(contract, find, held, verb);
            let verbs = listed.verbs.iter().map(|one| verb(one).with_context(|| format!("verb {}", one.name)));
            Ok(Handle {
                name: listed.name.clone(),
                about: listed.about.clone(),
                made_by_client: listed.made_by_client.as_ref().map(made).transpose()?,
                contains: listed.contains.clone(),
                fields: HeldField::all(held, &listed.parts, |handle| self.contained(handle))?,
                just_made: listed.just_made.as_ref().map(|made| made.resolve(contract, held)).transpose()?,
                verbs: verbs.collect::<Result<_>>()?,
            })
        };
        let resolved = self.handles.iter().map(|one| handle(one).with_context(|| format!("{FILE}, {}", one.name)));
        resolved.collect()
    }

    /// Returns the call that returns what a member likes of a page, completed from the contract.
    pub(super) fn own_likes(&self, contract: &Contract<'_>, find: &Find<'_>) -> Result<Option<OwnLikes>> {
        let Some(own) = &self.own_likes else { return Ok(None) };
        self.contained(&own.handle)?;
        own.resolve(contract, find).with_context(|| format!("{FILE}, own_likes")).map(Some)
    }

    /// Returns the reads of many messages by their ids, completed from the contract.
    pub(super) fn batches(&self, contract: &Contract<'_>, find: &Find<'_>) -> Result<Vec<Batch>> {
        let resolved = self.batches.iter().map(|one| {
            let batch = self.contained(&one.handle).and_then(|contains| one.resolve(contract, contains, find));
            batch.with_context(|| format!("{FILE}, batches, {}", one.name))
        });
        resolved.collect()
    }

    /// Returns the checks of a list's request, completed from the contract.
    pub(super) fn checks(&self, contract: &Contract<'_>, list: &str, request: &Message<'_>) -> Result<Vec<Check>> {
        let listed = self.walks.get(list).with_context(|| format!("{FILE}: walks has no {list}"))?;
        listed.resolve(contract, request).with_context(|| format!("{FILE}, walks, {list}"))
    }

    /// Returns the methods of `walks`.
    pub(super) fn walks(&self) -> impl Iterator<Item = &str> {
        self.walks.keys().map(String::as_str)
    }

    /// Returns the name of the message that a handle holds.
    fn contained(&self, handle: &str) -> Result<&str> {
        let target = self.handles.iter().find(|one| one.name == handle);
        Ok(&target.with_context(|| format!("there is no handle {handle}"))?.contains.message)
    }

    fn verb(&self, contract: &Contract<'_>, find: &Find<'_>, held: &Message<'_>, verb: &ListedVerb) -> Result<Verb> {
        let (service, name) = verb.call.split_once('.').with_context(|| format!("{} is not a method", verb.call))?;
        let method = find(service, name).with_context(|| format!("the contract has no method {}", verb.call))?;
        let (request, response) = (contract.named(&method.request)?, contract.named(&method.response)?);
        let (mut set, mut arguments) = (Vec::new(), Vec::<Argument>::new());
        for (path, from) in &verb.set {
            let (one, argument) = Set::of(contract, held, request, path, from)?;
            let shared = set.iter().any(|before: &Set| before.path[0] == one.path[0]);
            ensure!(!shared, "{} is set twice: a handle sets each field once", one.path[0]);
            arguments.extend(argument);
            set.push(one);
        }
        let options = verb.options.iter().map(|option| VerbOption::of(contract, request.field(&option.field)?, option));
        Ok(Verb {
            name: verb.name.clone(),
            about: verb.about.clone(),
            service: service.to_owned(),
            method: name.to_owned(),
            request: method.request.clone(),
            response: method.response.clone(),
            arguments,
            set,
            options: options.collect::<Result<_>>()?,
            returns: self.returned(contract, method, request, response, verb)?,
        })
    }

    /// Returns the place of the watch by a call.
    fn watch_by(&self, call: &str) -> Option<&ListedWatch> {
        let verbs = self.handles.iter().flat_map(|handle| &handle.verbs).filter(|verb| verb.call == call);
        let mut places =
            verbs.filter_map(|verb| if let ListedReturn::Watch(place) = &verb.returns { Some(place) } else { None });
        places.next()
    }

    fn returned(
        &self,
        contract: &Contract<'_>,
        method: &MethodModel,
        request: &Message<'_>,
        response: &Message<'_>,
        verb: &ListedVerb,
    ) -> Result<VerbReturn> {
        let listed = &verb.returns;
        let streams = matches!(listed, ListedReturn::Watch(_) | ListedReturn::Listener { .. });
        ensure!(streams == method.server_streaming, "{} streams, or the verb says so wrongly", method.name);
        Ok(match listed {
            ListedReturn::Message {} => VerbReturn::Message { message: response.name.to_owned() },
            ListedReturn::Handle { handle, field } => {
                let (contains, found) = (self.contained(handle)?, response.field(field)?.type_name());
                ensure!(contains == found, "{field} is a {found}, and {handle} contains a {contains}");
                VerbReturn::Handle { handle: handle.clone(), field: field.clone() }
            }
            ListedReturn::Page { handle, viewer } => {
                let contains = self.contained(handle)?;
                ensure!(contains == response.name, "{handle} contains a {contains}, no {}", response.name);
                let path = viewer.as_ref().map(|path| match path.as_str() {
                    "self" => Ok(Vec::new()),
                    path => walk(contract, response, path).map(|(names, _, _)| names),
                });
                VerbReturn::Page { handle: handle.clone(), viewer: path.transpose()? }
            }
            ListedReturn::Items { handle } => {
                let pages = method.pages.clone().with_context(|| format!("{} has no pages", method.name))?;
                let contains = self.contained(handle)?;
                ensure!(contains == pages.item, "{handle} contains a {contains}, no {}", pages.item);
                VerbReturn::Items { handle: handle.clone(), items: pages.items, item: pages.item }
            }
            ListedReturn::Made { unless } => {
                let value = format!("ERROR_REASON_{unless}");
                let known = contract.enumeration("ErrorReason")?.values.iter().any(|(name, _, _)| *name == value);
                ensure!(known, "there is no reason {unless}");
                VerbReturn::Made { unless: unless.clone() }
            }
            ListedReturn::Pages {} => {
                let pages = method.pages.clone().with_context(|| format!("{} has no pages", method.name))?;
                VerbReturn::Pages { items: pages.items, item: pages.item }
            }
            ListedReturn::Watch(watch) => VerbReturn::Watch(WatchPlace::of(contract, request, response, watch)?),
            ListedReturn::Listener { buffer } => {
                let watch = self.watch_by(&verb.call).with_context(|| format!("no verb watches by {}", verb.call))?;
                let watch = WatchPlace::of(contract, request, response, watch)?;
                VerbReturn::Listener { buffer: *buffer, watch }
            }
        })
    }
}

impl Argument {
    fn of(name: &str, field: &Field<'_>) -> Self {
        Self { name: name.to_owned(), kind: field.type_name(), about: first_paragraph(&field.about) }
    }
}

impl VerbOption {
    fn of(contract: &Contract<'_>, field: &Field<'_>, listed: &ListedOption) -> Result<Self> {
        let kind = field.type_name();
        for value in listed.values.iter().flatten() {
            let known =
                contract.enumeration(&kind)?.values.iter().any(|(name, _, _)| short_value(&kind, name) == *value);
            ensure!(known, "{kind} has no value {value}");
        }
        ensure!(listed.values.is_some() == listed.r#as.is_some(), "{} needs both values and as", field.name);
        Ok(Self {
            name: field.name.to_owned(),
            field: field.name.to_owned(),
            enumeration: field.is_enum().then(|| kind.clone()),
            kind,
            optional: field.says.proto3_optional(),
            r#as: listed.r#as.clone(),
            values: listed.values.clone(),
            about: first_paragraph(&field.about),
        })
    }
}

impl Set {
    /// Returns the meaning of one line of `set`, and the argument that it requires.
    fn of(
        contract: &Contract<'_>,
        held: &Message<'_>,
        request: &Message<'_>,
        path: &str,
        from: &str,
    ) -> Result<(Self, Option<Argument>)> {
        let (names, messages, field) = walk(contract, request, path)?;
        let kind = field.type_name();
        let (source, part, found) = match (from, from.strip_prefix("self."), from.strip_prefix('=')) {
            ("self", _, _) => ("self", None, held.name.to_owned()),
            (_, Some(part), _) => ("self_field", Some(part), held.field(part)?.type_name()),
            (_, _, Some(value)) => {
                let values = &contract.enumeration(&kind)?.values;
                let known = values.iter().any(|(name, _, _)| name == value);
                ensure!(known, "{kind} has no value {value}");
                ("constant", Some(value), kind.clone())
            }
            _ => ("argument", None, kind.clone()),
        };
        ensure!(found == kind, "{path} is a {kind}, and {from} is a {found}");
        let set = Self {
            path: names,
            messages,
            message: field.is_message(),
            from: from.to_owned(),
            source,
            field: part.map(str::to_owned),
            short: part.filter(|_| source == "constant").map(|value| short_value(&kind, value)),
            kind,
        };
        let argument = (source == "argument").then(|| Argument::of(from, field));
        Ok((set, argument))
    }
}

/// Returns the fields that a path such as `content.text` names, the messages on the way, and the
/// last field.
pub(super) fn walk<'c>(
    contract: &'c Contract<'c>,
    from: &'c Message<'c>,
    path: &str,
) -> Result<(Vec<String>, Vec<String>, &'c Field<'c>)> {
    let names: Vec<String> = path.split('.').map(str::to_owned).collect();
    let (mut messages, mut message) = (Vec::new(), from);
    let (last, way) = names.split_last().context("an empty path")?;
    for name in way {
        let field = message.field(name)?;
        if !field.is_message() {
            bail!("{name} of {} is not a message", message.name);
        }
        message = contract.named(&field.type_name())?;
        messages.push(message.name.to_owned());
    }
    let field = message.field(last)?;
    Ok((names, messages, field))
}

#[cfg(test)]
mod tests;
