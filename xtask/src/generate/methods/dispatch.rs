//! The dispatch of a service: its handlers as modules, and an implementation of the service's
//! trait. Each method of the trait calls the handler of its RPC.
//!
//! A handler is the function `handle` in the file of its RPC:
//!
//! * unary: `async fn handle(services: &Services, caller: Caller, request: v1::XRequest) ->
//!   Result<v1::XResponse, RpcError>`
//! * with a stream of responses: `async fn handle(services: Services, call: Call, request:
//!   v1::XRequest) -> Result<ResponseStream<v1::XResponse>, Status>`
//! * with a stream of requests: `fn handle(services: &Services, request:
//!   Request<Streaming<v1::XRequest>>) -> Result<Response<ResponseStream<v1::XResponse>>, Status>`;
//!   it writes its own audit records, because the first of them describes the first item.

use super::table::{Row, Table};
use super::{HEAD, folder, snake};
use crate::generate::contract::{Contract, Method, Service, short};
use anyhow::{Context, Result};
use std::fmt::Write;

/// Returns the module of a service.
pub(super) fn service(service: &Service<'_>, contract: &Contract<'_>, table: &Table) -> Result<String> {
    let (name, folder) = (service.name, folder(service));
    let (mut modules, mut streams, mut methods, mut counted) =
        (String::new(), String::new(), String::new(), String::new());
    let mut uses = Uses::default();
    for method in &service.methods {
        let row = table.row(method)?;
        let call = Call::of(method, row, contract)?;
        let (verb, rpc) = (&call.verb, method.says.name());
        // The handlers are written by hand and are outside the generated folder.
        writeln!(modules, "#[path = \"../../services/{folder}/{verb}.rs\"]\npub(crate) mod {verb};")?;
        if call.streams {
            writeln!(streams, "type {rpc}Stream = ResponseStream<v1::{}>;", call.response)?;
        }
        if call.streams && row.audited && !call.has_request_stream {
            writeln!(counted, "\nimpl CountItems for v1::{} {{}}", call.response)?;
        }
        uses.add(&call, row);
        methods += &call.method(row);
    }
    let handlers = format!("{}Handlers", name.trim_end_matches("Service"));
    Ok(format!(
        "{HEAD}//! {name}: each method calls the handler in the file of its name.

{modules}
use riposte_sdk::v1;
use riposte_sdk::v1::{}_server::{name};
use tonic::{{Request, Response, Status{}}};

{}use crate::Services;

/// The handlers of {name}.
#[derive(Debug)]
pub(crate) struct {handlers}(pub(crate) Services);

#[tonic::async_trait]
impl {name} for {handlers} {{
{streams}{methods}}}
{counted}",
        snake(name),
        if uses.requests { ", Streaming" } else { "" },
        uses.lines(),
    ))
}

/// A method in the service's trait.
struct Call<'a> {
    verb: String,
    rpc: &'a str,
    request: &'a str,
    response: &'a str,
    streams: bool,
    has_request_stream: bool,
}

impl<'a> Call<'a> {
    fn of(method: &'a Method<'_>, row: &'a Row, contract: &Contract<'_>) -> Result<Self> {
        contract.message(method.says.output_type()).with_context(|| row.rpc.clone())?;
        Ok(Self {
            verb: snake(method.says.name()),
            rpc: method.says.name(),
            request: short(method.says.input_type()),
            response: short(method.says.output_type()),
            streams: method.says.server_streaming(),
            has_request_stream: method.says.client_streaming(),
        })
    }

    fn method(&self, row: &Row) -> String {
        let Self { verb, rpc, request, response, streams, has_request_stream } = self;
        let request = if *has_request_stream { format!("Streaming<v1::{request}>") } else { format!("v1::{request}") };
        let response = if *streams { format!("Self::{rpc}Stream") } else { format!("v1::{response}") };
        let name = &row.rpc;
        let body = match (has_request_stream, streams, row.audited) {
            (true, _, _) => format!("{verb}::handle(&self.0, request)"),
            (false, true, true) => format!(
                "let start = |call, request| {verb}::handle(self.0.clone(), call, request);\n\
                 streamed(&self.0, {name:?}, request, start).await"
            ),
            (false, true, false) => format!(
                "let (call, request) = open(request)?;\n\
                 {verb}::handle(self.0.clone(), call, request).await.map(Response::new)"
            ),
            (false, false, true) => format!(
                "let handler = |services, caller, request| async move {{ {verb}::handle(&services, caller, request).await }};\n\
                 unary(&self.0, {name:?}, request, handler).await"
            ),
            (false, false, false) => {
                format!("serve(request, |caller, request| {verb}::handle(&self.0, caller, request)).await")
            }
        };
        format!(
            "\nasync fn {verb}(&self, request: Request<{request}>) -> Result<Response<{response}>, Status> {{\n{body}\n}}\n"
        )
    }
}

/// The functions and types that a service uses.
#[derive(Default)]
struct Uses {
    serve: bool,
    opens: bool,
    unary: bool,
    streamed: bool,
    streams: bool,
    requests: bool,
}

impl Uses {
    fn add(&mut self, call: &Call<'_>, row: &Row) {
        self.streams |= call.streams;
        self.requests |= call.has_request_stream;
        self.streamed |= call.streams && row.audited && !call.has_request_stream;
        self.opens |= call.streams && !row.audited && !call.has_request_stream;
        self.unary |= !call.streams && row.audited;
        self.serve |= !call.streams && !row.audited;
    }

    /// Returns the `use` lines, sorted as rustfmt sorts them.
    fn lines(&self) -> String {
        let of = |module: &str, items: &[(bool, &str)]| {
            let used: Vec<&str> = items.iter().filter(|(used, _)| *used).map(|(_, item)| *item).collect();
            if used.is_empty() { String::new() } else { format!("use crate::{module}::{{{}}};\n", used.join(", ")) }
        };
        of("audited", &[(self.streamed, "CountItems"), (self.streamed, "streamed"), (self.unary, "unary")])
            + &of("call", &[(self.streams, "ResponseStream"), (self.opens, "open"), (self.serve, "serve")])
    }
}
