//! The end of the process: a fixed exit code, and the reason on standard error.

use super::output;
use crate::config::foreign_variable;
use riposte_settings::ConfigErrors;
use riposte_transfer::TransferError;
use std::{
    fmt,
    io::{self, Write},
    process::ExitCode,
};

/// An error that no other code covers.
pub(crate) const ERROR: u8 = 1;
/// The command line or the configuration is wrong.
pub(crate) const USAGE: u8 = 2;
/// The requested object does not exist.
pub(crate) const NOT_FOUND: u8 = 3;
/// The server denies this operation to this caller.
pub(crate) const DENIED: u8 = 4;
/// The server or a data source cannot be reached, is not ready, or responded too late.
pub(crate) const UNAVAILABLE: u8 = 5;
/// Some items succeeded and some failed.
pub(crate) const PARTIAL: u8 = 6;
/// Ctrl-C ended the process, as shells report it.
pub(crate) const INTERRUPTED: u8 = 130;

/// The table of exit codes for the help text.
pub(super) const HELP: &str = "\
Exit codes: 0 ok, 1 error, 2 usage or configuration, 3 not found, 4 denied, 5 unavailable, 6 partly failed";

/// An error with its exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    /// One of the codes above.
    pub(crate) code: u8,
    /// The problem and its cure, for a person.
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(code: u8, message: impl Into<String>) -> Self {
        Failure { code, message: message.into() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// Writes an error with its causes and returns its exit code. A closed pipe is no error, because a
/// reader such as `head` may stop early.
pub(super) fn report(error: &anyhow::Error) -> ExitCode {
    if error.chain().any(is_closed_pipe) {
        return ExitCode::SUCCESS;
    }
    // If standard error is closed too, the exit code remains.
    let _ = writeln!(io::stderr(), "riposte: {}", words(error));
    ExitCode::from(code(error))
}

fn is_closed_pipe(cause: &(dyn std::error::Error + 'static)) -> bool {
    cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Returns an error with its causes, each once, in words for a person.
pub(super) fn words(error: &anyhow::Error) -> String {
    let mut message = String::new();
    for cause in error.chain() {
        let (text, is_last) = words_of(cause);
        if !text.is_empty() && !message.contains(&text) {
            let separator = if message.is_empty() || message.ends_with('\n') { "" } else { ": " };
            message = format!("{message}{separator}{text}");
        }
        if is_last {
            break;
        }
    }
    for_terminal(&without_numbers(&message))
}

/// Replaces the control characters of a message that a terminal would obey: names of files, and
/// texts from a file or a server, stand in messages as they are.
fn for_terminal(message: &str) -> String {
    message.chars().map(|c| if c.is_control() && c != '\n' && c != '\t' { '\u{fffd}' } else { c }).collect()
}

/// Returns what one cause says, and true if its own causes add nothing to it.
fn words_of(cause: &(dyn std::error::Error + 'static)) -> (String, bool) {
    if let Some(status) = cause.downcast_ref::<tonic::Status>() {
        return (words_of_call(&riposte_sdk::Error::from(status.clone())), true);
    }
    if let Some(error) = cause.downcast_ref::<riposte_sdk::Error>() {
        return (words_of_call(error), true);
    }
    if cause.is::<tonic::transport::Error>() {
        let innermost = std::iter::successors(Some(cause), |cause| cause.source()).last();
        return (innermost.map(ToString::to_string).unwrap_or_default(), true);
    }
    (cause.to_string(), false)
}

/// Returns what a call failed with: the message, the fields that it does not name, the reason, and
/// the id under which the server logged the call.
pub(super) fn words_of_call(error: &riposte_sdk::Error) -> String {
    let mut message = error.message().to_owned();
    // The message about an object type names the type, which the violation does not.
    let is_of_type = error.reason_name() == "OBJECT_TYPE_UNKNOWN";
    for violation in error.violations() {
        if !is_of_type && !message.contains(&violation.description) {
            message = format!("{message}; {}: {}", violation.field, violation.description);
        }
    }
    if let Some(unconnected) = words_of_connection(&message) {
        return unconnected;
    }
    if error.code() == tonic::Code::Unimplemented {
        message = format!("{message}; {}", cure_of_port(&message));
    }
    let suffix = match (error.reason_name(), error.request_id()) {
        ("", None) => return message,
        (reason, None) => reason.to_owned(),
        ("", Some(id)) => format!("request {id}"),
        (reason, Some(id)) => format!("{reason}, request {id}"),
    };
    format!("{message} ({suffix}){}", cure(error))
}

/// Returns what the client itself says where no server of gRPC answered. The causes are those of
/// the libraries below, in their words.
fn words_of_connection(message: &str) -> Option<String> {
    let (address, cause) = message.strip_prefix("no connection to ")?.rsplit_once(": ")?;
    Some(if cause.contains("InvalidContentType") {
        format!("{address} answers without TLS: write the address with http://, or name a port that has TLS")
    } else if cause.contains("broken pipe") {
        format!("{address} answers, but not by gRPC: is it the port of the metrics? --target names another address")
    } else {
        format!("{message}; is a server running there? --target names another address")
    })
}

/// Returns what to do about an error whose message does not say it.
fn cure(error: &riposte_sdk::Error) -> String {
    let types = error.metadata().get("object_type");
    match error.reason_name() {
        "CALLER_UNKNOWN" if foreign_variable("RIPOSTE_TOKEN").is_none_or(|token| token.is_empty()) => {
            ": RIPOSTE_TOKEN is not set; set it to the token of a caller, made by `riposte token`".to_owned()
        }
        "CALLER_UNKNOWN" => {
            ": the token in RIPOSTE_TOKEN is that of no caller in the server's auth.callers_file".to_owned()
        }
        "CALLER_NOT_ALLOWED" => {
            let on = types.map(|name| format!(" on the object type {name}")).unwrap_or_default();
            format!(
                ": its table in auth.callers_file must grant the role{on}: reader to read, writer to write, moderator to \
                 review, hide and delete, operator to import, export and repair, to switch moderation and to read facts \
                 about clients"
            )
        }
        "CONTENT_BLOCKED" => {
            let rule = error.metadata().get("rule");
            rule.map(|rule| format!(": the code of the rule is {}", output::printable(rule))).unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// Returns what to do where a method is not served: a server has two ports with different services.
fn cure_of_port(message: &str) -> &'static str {
    if message.starts_with("riposte.v1.AdminService/") {
        "--target must name the admin port of the server"
    } else if message.starts_with("riposte.v1.") {
        "--target must name the gRPC port of the server"
    } else {
        "does --target name a port of Riposte?"
    }
}

/// Removes the numbers that the system gives its errors.
fn without_numbers(text: &str) -> String {
    let mut parts = text.split(" (os error ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |message, part| message + part.split_once(')').map_or(part, |(_, rest)| rest))
}

/// Returns the exit code of the first cause that has one.
pub(super) fn code(error: &anyhow::Error) -> u8 {
    error.chain().find_map(code_of).unwrap_or(ERROR)
}

fn code_of(cause: &(dyn std::error::Error + 'static)) -> Option<u8> {
    if let Some(failure) = cause.downcast_ref::<Failure>() {
        return Some(failure.code);
    }
    if let Some(status) = cause.downcast_ref::<tonic::Status>() {
        return Some(code_of_status(status.code()));
    }
    if let Some(error) = cause.downcast_ref::<riposte_sdk::Error>() {
        return Some(code_of_status(error.code()));
    }
    if let Some(error) = cause.downcast_ref::<TransferError>() {
        return Some(match error {
            TransferError::OptionInvalid { .. } | TransferError::RejectsReplaceInput => USAGE,
            TransferError::NothingRead { .. } => ERROR,
            TransferError::SubjectDeleted { .. } => NOT_FOUND,
        });
    }
    if cause.is::<ConfigErrors>() {
        return Some(USAGE);
    }
    cause.is::<tonic::transport::Error>().then_some(UNAVAILABLE)
}

fn code_of_status(code: tonic::Code) -> u8 {
    use tonic::Code;
    match code {
        Code::InvalidArgument | Code::OutOfRange => USAGE,
        Code::NotFound => NOT_FOUND,
        Code::PermissionDenied | Code::Unauthenticated => DENIED,
        Code::Unavailable | Code::DeadlineExceeded => UNAVAILABLE,
        Code::Ok
        | Code::Cancelled
        | Code::Unknown
        | Code::AlreadyExists
        | Code::ResourceExhausted
        | Code::FailedPrecondition
        | Code::Aborted
        | Code::Unimplemented
        | Code::Internal
        | Code::DataLoss => ERROR,
    }
}

#[cfg(test)]
mod tests {
    use super::{DENIED, ERROR, Failure, NOT_FOUND, PARTIAL, UNAVAILABLE, USAGE, code, words};
    use anyhow::{Context, anyhow};
    use riposte_settings::ConfigErrors;
    use riposte_transfer::TransferError;
    use tonic::Status;

    #[test]
    fn no_cause_is_said_twice_and_no_debug_text_or_number_of_the_system_is_said() {
        let io = || std::io::Error::from_raw_os_error(2);
        let doubled = anyhow::Error::new(io()).context(format!("x.toml: {}", io()));
        assert_eq!(words(&doubled), "x.toml: No such file or directory");
        let call =
            anyhow::Error::new(Status::unavailable("no connection to 127.0.0.1:1: refused")).context("the sweep");
        let cure = "is a server running there? --target names another address";
        assert_eq!(words(&call), format!("the sweep: no connection to 127.0.0.1:1: refused; {cure}"));
        for (method, port) in [("AdminService/VerifyCounts", "admin"), ("CommentService/ListComments", "gRPC")] {
            let message = format!("riposte.v1.{method} at this port is not served");
            let call = anyhow::Error::new(Status::unimplemented(message.clone()));
            assert_eq!(words(&call), format!("{message}; --target must name the {port} port of the server"));
        }
        let shown = |cause: &str| words(&Status::unavailable(format!("no connection to h:1: {cause}")).into());
        assert!(shown("received corrupt message of type InvalidContentType").starts_with("h:1 answers without TLS: "));
        assert!(shown("stream closed because of a broken pipe").starts_with("h:1 answers, but not by gRPC: "));
    }

    #[test]
    fn each_kind_of_error_ends_the_process_with_its_own_code_however_deep_it_lies() {
        let deep = |error: anyhow::Error| Err::<(), _>(error).context("outer").unwrap_err();
        for (error, expected) in [
            (anyhow!("plain"), ERROR),
            (ConfigErrors(Vec::new()).into(), USAGE),
            (TransferError::RejectsReplaceInput.into(), USAGE),
            (Status::not_found("").into(), NOT_FOUND),
            (Status::permission_denied("").into(), DENIED),
            (Status::unauthenticated("").into(), DENIED),
            (Status::unavailable("").into(), UNAVAILABLE),
            (riposte_sdk::Error::from(Status::not_found("")).into(), NOT_FOUND),
            (Status::deadline_exceeded("").into(), UNAVAILABLE),
            (Status::invalid_argument("").into(), USAGE),
            (Status::internal("").into(), ERROR),
            (Failure::new(PARTIAL, "").into(), PARTIAL),
        ] {
            let shown = format!("{error:?}");
            assert_eq!(code(&deep(error)), expected, "{shown}");
        }
    }
}
