//! The data with which the pages of the reference are rendered. Every text is already Markdown.

use super::error_list;
use super::text::{Linker, cell, link, parts};
use crate::generate::contract::{Contract, Enum, Field, Message, Method, Service};
use crate::generate::rules::Configured;
use crate::sdk::handles::Listed;
use crate::sdk::model::{self, Reason, short_value};
use anyhow::{Context, Result, ensure};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// All pages.
#[derive(Debug, Serialize)]
pub(super) struct Pages {
    pub(super) services: Vec<ServicePage>,
    /// The messages that are not the request or the response of a single method.
    messages: Vec<Table>,
    enums: Vec<EnumTable>,
    reasons: Vec<ReasonEntry>,
}

/// One service.
#[derive(Debug, Serialize)]
pub(super) struct ServicePage {
    name: String,
    /// The name of its page, and of its client in the SDKs.
    pub(super) short: String,
    full_name: String,
    /// The client uses a separate address if `true`.
    admin: bool,
    /// The first paragraph of the description.
    about: String,
    details: String,
    methods: Vec<MethodEntry>,
}

#[derive(Debug, Serialize)]
struct MethodEntry {
    name: String,
    about: String,
    details: String,
    example: String,
    client_streaming: bool,
    server_streaming: bool,
    /// `null` for a stream.
    deadline_ms: Option<u64>,
    attempts: Option<u64>,
    errors: Vec<ErrorRow>,
    request: Table,
    response: Table,
}

#[derive(Debug, Serialize)]
struct ErrorRow {
    link: String,
    code: String,
    when: String,
}

/// A message and its fields.
#[derive(Debug, Serialize)]
struct Table {
    name: String,
    about: String,
    fields: Vec<Row>,
}

/// A field, or the value of an enum.
#[derive(Debug, Serialize)]
struct Row {
    name: String,
    /// The type of a field or the number of a value.
    kind: String,
    about: String,
}

#[derive(Debug, Serialize)]
struct EnumTable {
    name: String,
    about: String,
    values: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct ReasonEntry {
    name: String,
    number: i32,
    code: String,
    about: String,
    example: String,
}

/// The data that every page needs.
#[derive(Debug)]
struct Maker<'a> {
    contract: &'a Contract<'a>,
    configured: &'a Configured,
    linker: Linker,
    reasons: BTreeMap<String, Reason>,
    /// The messages that appear on the page of their method.
    of_methods: BTreeSet<String>,
}

impl Pages {
    /// Makes the pages from the contract.
    pub(super) fn of(contract: &Contract<'_>, configured: &Configured, listed: &Listed) -> Result<Self> {
        let declared = contract.enumeration("ErrorReason")?;
        let reasons = model::reasons(declared)?;
        let methods = contract.services.iter().flat_map(|service| &service.methods);
        let types = methods.flat_map(|method| [method.says.input_type(), method.says.output_type()]);
        let of_methods = types.map(|name| Ok(contract.message(name)?.name.to_owned())).collect::<Result<_>>()?;
        let linker = Linker::new(reasons.iter().map(|reason| reason.name.clone()));
        let entries = reasons.iter().map(|reason| entry(reason, declared, &linker)).collect::<Result<_>>()?;
        let reasons = reasons.into_iter().map(|reason| (reason.name.clone(), reason)).collect();
        let maker = Maker { contract, configured, linker, reasons, of_methods };
        let services = listed.clients().map(|(short, name, admin)| {
            let found = contract.services.iter().find(|service| service.name == name);
            maker.service(found.with_context(|| format!("the contract has no service {name}"))?, short, admin)
        });
        let shared = contract.own_messages().filter(|message| !maker.of_methods.contains(message.name));
        let enums = contract.enums.iter().filter(|known| known.name != declared.name);
        Ok(Self {
            services: services.collect::<Result<_>>()?,
            messages: shared.map(|message| maker.table(message)).collect(),
            enums: enums.map(|known| maker.values(known)).collect(),
            reasons: entries,
        })
    }
}

impl Maker<'_> {
    fn service(&self, service: &Service<'_>, short: &str, admin: bool) -> Result<ServicePage> {
        let (about, details, _none) = parts(&service.about);
        let methods = service.methods.iter().map(|method| self.method(method).with_context(|| method.path.clone()));
        Ok(ServicePage {
            name: service.name.to_owned(),
            short: short.to_owned(),
            full_name: service.full_name.clone(),
            admin,
            about: self.linker.linked(&about),
            details: self.linker.linked(&details),
            methods: methods.collect::<Result<_>>()?,
        })
    }

    fn method(&self, method: &Method<'_>) -> Result<MethodEntry> {
        let (about, details, example) = parts(&method.about);
        ensure!(!about.is_empty(), "it has no comment");
        let (details, errors) = error_list::taken(&details, &self.linker)?;
        let policy = self.configured.methods.get(&method.path).and_then(Option::as_ref);
        let table = |name: &str| Ok::<_, anyhow::Error>(self.table(self.contract.message(name)?));
        Ok(MethodEntry {
            name: method.says.name().to_owned(),
            about: self.linker.linked(&about),
            details: self.linker.linked(&details),
            example: example.context("its comment has no example")?,
            client_streaming: method.says.client_streaming(),
            server_streaming: method.says.server_streaming(),
            deadline_ms: policy.map(|policy| policy.deadline_ms),
            attempts: policy.map(|policy| policy.attempts),
            errors: errors.iter().map(|(name, note)| self.error_row(name, note)).collect(),
            request: table(method.says.input_type())?,
            response: table(method.says.output_type())?,
        })
    }

    /// Returns an error of a method: the description of the reason, and the addition of the
    /// method's comment.
    fn error_row(&self, name: &str, note: &str) -> ErrorRow {
        let reason = self.reasons.get(name);
        let own = reason.and_then(|reason| reason.about.split_inclusive(". ").next()).unwrap_or_default();
        let own = own.trim_end().to_owned();
        ErrorRow {
            link: link(name),
            code: reason.map(|reason| reason.code.clone()).unwrap_or_default(),
            when: cell(&self.linker.linked(&if note.is_empty() { own } else { format!("{own} Here: {note}.") })),
        }
    }

    fn table(&self, message: &Message<'_>) -> Table {
        let row = |field: &Field<'_>| {
            let mut about = self.linker.linked(&field.about);
            if let Some(oneof) = message.oneof_of(field) {
                about += &format!(" One of the choice `{oneof}`.");
            }
            Row { name: field.name.to_owned(), kind: self.kind(message, field), about: cell(&about) }
        };
        let (name, about) = (message.name.to_owned(), self.linker.linked(&message.about));
        Table { name, about, fields: message.fields.iter().map(row).collect() }
    }

    /// Returns the type of a field, with a link to a type of the contract.
    fn kind(&self, message: &Message<'_>, field: &Field<'_>) -> String {
        if let Some((key, value)) = message.map(field) {
            return format!("map of {key} to {value}");
        }
        let (name, full_name) = (field.type_name(), field.says.type_name());
        let kind = if full_name.starts_with(".google.") {
            full_name.trim_start_matches('.').to_owned()
        } else if full_name.is_empty() || self.of_methods.contains(&name) {
            name
        } else {
            format!("[{name}](messages.md#{})", name.to_lowercase())
        };
        match (field.is_repeated(), field.says.proto3_optional()) {
            (true, _) => format!("list of {kind}"),
            (false, true) => format!("{kind}, or unset"),
            (false, false) => kind,
        }
    }

    fn values(&self, known: &Enum) -> EnumTable {
        let row = |(name, number, about): &(String, i32, String)| Row {
            name: short_value(&known.name, name),
            kind: number.to_string(),
            about: cell(&self.linker.linked(about)),
        };
        let (name, about) = (known.name.clone(), self.linker.linked(&known.about));
        EnumTable { name, about, values: known.values.iter().map(row).collect() }
    }
}

fn entry(reason: &Reason, declared: &Enum, linker: &Linker) -> Result<ReasonEntry> {
    let own = declared.values.iter().find(|(_, number, _)| *number == reason.number);
    let (_, _, example) = parts(own.map(|(_, _, about)| about.as_str()).unwrap_or_default());
    Ok(ReasonEntry {
        name: reason.name.clone(),
        number: reason.number,
        code: reason.code.clone(),
        about: linker.linked(&reason.about),
        example: example.with_context(|| format!("the comment of {} has no example", reason.name))?,
    })
}
