//! The data with which the templates of all languages are rendered.

use super::batches::Batch;
use super::checks::Check;
use super::handles::{self, Handle, Listed};
use super::options::{self, ClientOptions};
use super::parts::OwnLikes;
use crate::generate::contract::{Contract, Enum, Message, Method, Service};
use crate::generate::rules::Configured;
use crate::repo::Repo;
use anyhow::{Context, Result, ensure};
use prost_types::FileDescriptorSet;
use serde::Serialize;
use serde_json::Value;

/// The complete model.
#[derive(Debug, Serialize)]
pub(super) struct Model {
    /// The version of the workspace, which all SDKs have.
    version: &'static str,
    services: Vec<ServiceModel>,
    enums: Vec<EnumModel>,
    reasons: Vec<Reason>,
    /// The gRPC service configurations of all services in one.
    service_config: Value,
    handles: Vec<Handle>,
    /// The call that returns what a member likes of a page.
    own_likes: Option<OwnLikes>,
    /// Reads of many messages by their ids.
    batches: Vec<Batch>,
    /// The options of a client and the rest of sdk/options.yaml.
    #[serde(flatten)]
    client: ClientOptions,
    /// The files of the contract, without folder and extension.
    files: Vec<String>,
}

#[derive(Debug, Serialize)]
struct ServiceModel {
    name: String,
    full_name: String,
    /// The name of its client: `comments`.
    short: String,
    /// If `true`, the client uses a separate address.
    admin: bool,
    about: String,
    methods: Vec<MethodModel>,
}

/// A method. Its messages are given by their short names.
#[derive(Debug, Clone, Serialize)]
pub(super) struct MethodModel {
    pub(super) name: String,
    pub(super) request: String,
    pub(super) response: String,
    client_streaming: bool,
    pub(super) server_streaming: bool,
    has_request_id: bool,
    /// `null` for a stream.
    timeout_ms: Option<u64>,
    pub(super) pages: Option<Pages>,
    /// The field of the request by which a stream continues after an item, whose token has the same
    /// name; `None` for any other method.
    resumes: Option<String>,
    about: String,
}

/// The pagination of a list.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Pages {
    /// The field of the response that holds the items.
    pub(super) items: String,
    /// The message type of an item.
    pub(super) item: String,
    /// Fields of the request that choose the start of the list and must be empty if a page token is
    /// set.
    first_page_only: Vec<FirstPageOnly>,
    /// The checks of the request before the first page is requested.
    checks: Vec<Check>,
}

#[derive(Debug, Clone, Serialize)]
struct FirstPageOnly {
    name: String,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Debug, Serialize)]
struct EnumModel {
    name: String,
    about: String,
    values: Vec<ValueModel>,
}

#[derive(Debug, Serialize)]
struct ValueModel {
    /// The name with its prefix: `COMMENT_SORT_HOT`.
    name: String,
    /// The name without the prefix: `HOT`.
    short: String,
    number: i32,
    about: String,
}

/// The reason of a failed call.
#[derive(Debug, Serialize)]
pub(super) struct Reason {
    /// The name without its prefix, as in `google.rpc.ErrorInfo`.
    pub(super) name: String,
    pub(super) number: i32,
    /// The gRPC code of the error.
    pub(super) code: String,
    pub(super) about: String,
}

impl Model {
    /// Makes the model from the contract, the service configurations and sdk/handles.yaml.
    pub(super) fn read(repo: &Repo, public: &FileDescriptorSet) -> Result<Self> {
        let contract = Contract::of(public);
        let configured = Configured::read(repo, &contract)?;
        let listed = Listed::read(repo)?;
        let mut services = Vec::new();
        for (short, name, admin) in listed.clients() {
            let found = contract.services.iter().find(|service| service.name == name);
            let service = found.with_context(|| format!("{}: the contract has no service {name}", handles::FILE))?;
            services.push(self::service(&contract, (&configured, &listed), service, short, admin)?);
        }
        for service in &contract.services {
            let known = services.iter().any(|listed| listed.name == service.name);
            ensure!(known, "{}: no client is named for {}", handles::FILE, service.name);
        }
        for walk in listed.walks() {
            let is_list = |service: &ServiceModel| {
                service
                    .methods
                    .iter()
                    .any(|one| one.pages.is_some() && walk == format!("{}.{}", service.name, one.name))
            };
            ensure!(services.iter().any(is_list), "{}: {walk} is not a list", handles::FILE);
        }
        let find = |service: &str, method: &str| {
            let service = services.iter().find(|found| found.name == service)?;
            service.methods.iter().find(|found| found.name == method)
        };
        Ok(Self {
            version: env!("CARGO_PKG_VERSION"),
            handles: listed.resolve(&contract, &find)?,
            own_likes: listed.own_likes(&contract, &find)?,
            batches: listed.batches(&contract, &find)?,
            enums: contract.enums.iter().map(EnumModel::of).collect(),
            reasons: reasons(contract.enumeration("ErrorReason")?)?,
            service_config: configured.merged,
            services,
            client: options::read(repo)?,
            files: files(public),
        })
    }
}

/// Returns the names of the contract's own files, in order.
fn files(public: &FileDescriptorSet) -> Vec<String> {
    let own = public.file.iter().filter(|file| !file.package().starts_with("google."));
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).trim_end_matches(".proto").to_owned();
    let mut names: Vec<String> = own.map(|file| name(file.name())).collect();
    names.sort();
    names
}

fn service(
    contract: &Contract<'_>,
    read: (&Configured, &Listed),
    service: &Service<'_>,
    short: &str,
    admin: bool,
) -> Result<ServiceModel> {
    let methods = service.methods.iter().map(|method| self::method(contract, read, service, method));
    Ok(ServiceModel {
        name: service.name.to_owned(),
        full_name: service.full_name.clone(),
        short: short.to_owned(),
        admin,
        about: first_paragraph(&service.about),
        methods: methods.collect::<Result<_>>()?,
    })
}

fn method(
    contract: &Contract<'_>,
    (configured, listed): (&Configured, &Listed),
    service: &Service<'_>,
    method: &Method<'_>,
) -> Result<MethodModel> {
    let (request, response) =
        (contract.message(method.says.input_type())?, contract.message(method.says.output_type())?);
    let policy = configured.methods.get(&method.path).and_then(Option::as_ref);
    Ok(MethodModel {
        name: method.says.name().to_owned(),
        request: request.name.to_owned(),
        response: response.name.to_owned(),
        client_streaming: method.says.client_streaming(),
        server_streaming: method.says.server_streaming(),
        has_request_id: request.find("request_id").is_some(),
        timeout_ms: policy.map(|policy| policy.deadline_ms),
        pages: pages(contract, listed, &format!("{}.{}", service.name, method.says.name()), (request, response))?,
        resumes: (method.says.server_streaming() && has_token(request) && has_token(response))
            .then(|| TOKEN.to_owned()),
        about: first_paragraph(&method.about),
    })
}

/// The field of a request and of an item by which a stream of any subjects continues.
const TOKEN: &str = "token";

fn has_token(message: &Message<'_>) -> bool {
    message.find(TOKEN).is_some()
}

/// Returns the pagination of a method whose messages have page tokens. Its items are the first list
/// of messages in the response.
fn pages(
    contract: &Contract<'_>,
    listed: &Listed,
    list: &str,
    (request, response): (&Message<'_>, &Message<'_>),
) -> Result<Option<Pages>> {
    if request.find("page_token").is_none() || response.find("next_page_token").is_none() {
        return Ok(None);
    }
    let items = response.fields.iter().find(|field| field.is_repeated() && field.is_message());
    let items = items.with_context(|| format!("{} has a page token and no list", response.name))?;
    let starts = request.fields.iter().filter(|field| field.name.starts_with("around_"));
    let starts = starts.map(|field| FirstPageOnly { name: field.name.to_owned(), kind: field.type_name() });
    let checks = listed.checks(contract, list, request)?;
    Ok(Some(Pages { items: items.name.to_owned(), item: items.type_name(), first_page_only: starts.collect(), checks }))
}

/// Returns the reasons of an enum, each with the first code that its comment names.
pub(super) fn reasons(listed: &Enum) -> Result<Vec<Reason>> {
    let values = EnumModel::of(listed).values.into_iter().filter(|value| value.number != 0);
    let reason = |value: ValueModel| {
        let parts = value.about.split_once(". ");
        let code = parts.filter(|(code, _)| code.chars().all(|c| c.is_ascii_uppercase() || c == '_'));
        let (code, about) = code.with_context(|| format!("the comment of {} names no code first", value.name))?;
        let (code, about) = (code.to_owned(), first_paragraph(about));
        Ok(Reason { name: value.short, number: value.number, code, about })
    };
    values.map(reason).collect()
}

impl EnumModel {
    fn of(listed: &Enum) -> Self {
        let value = |(name, number, about): &(String, i32, String)| ValueModel {
            short: short_value(&listed.name, name),
            name: name.clone(),
            number: *number,
            about: about.clone(),
        };
        let (name, about) = (listed.name.clone(), first_paragraph(&listed.about));
        Self { name, about, values: listed.values.iter().map(value).collect() }
    }
}

/// Returns the value of an enum without the prefix that all its values have.
pub(super) fn short_value(listed: &str, value: &str) -> String {
    let prefix = crate::generate::words(listed).join("_").to_uppercase() + "_";
    value.strip_prefix(&prefix).unwrap_or(value).to_owned()
}

pub(super) fn first_paragraph(text: &str) -> String {
    text.split("\n\n").next().unwrap_or_default().to_owned()
}

#[cfg(test)]
impl MethodModel {
    /// Returns a unary method for tests.
    pub(super) fn example(name: &str, request: &str, response: &str) -> Self {
        let (name, request, response) = (name.to_owned(), request.to_owned(), response.to_owned());
        let (client_streaming, server_streaming, has_request_id) = (false, false, false);
        let (timeout_ms, pages, resumes, about) = (None, None, None, String::new());
        Self {
            name,
            request,
            response,
            client_streaming,
            server_streaming,
            has_request_id,
            timeout_ms,
            pages,
            resumes,
            about,
        }
    }
}
