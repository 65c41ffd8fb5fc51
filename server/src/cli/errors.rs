//! `riposte errors`: the meaning and cure of each error reason, read from the contract itself.

use super::{
    exit::{Failure, NOT_FOUND},
    output,
};
use clap::Subcommand;
use std::process::ExitCode;

/// The text of the contract, which is the only source: it has every reason with its code, its cure
/// and an example.
const CONTRACT: &str = include_str!("../../../proto/riposte/v1/error_reason.proto");

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print every reason with its gRPC code and its meaning
    List,
    /// Print all about one reason: meaning, cure, metadata, example
    Explain {
        /// The reason as ErrorInfo carries it, as in SUBJECT_NOT_FOUND
        reason: String,
    },
}

/// One reason of the contract.
#[derive(Debug)]
struct Explanation {
    /// The name as `ErrorInfo.reason` carries it.
    reason: String,
    /// Its gRPC code.
    code: String,
    /// Meaning, cure and example, as paragraphs separated by an empty line.
    text: String,
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let explanations = explanations(CONTRACT);
        match self.action {
            Action::List => {
                let line = |Explanation { reason, code, text }: &Explanation| {
                    format!("{reason:24} {code:20} {}\n", first_sentence(text))
                };
                output::write(&explanations.iter().map(line).collect::<String>())?;
            }
            Action::Explain { reason } => {
                let reason = reason.to_uppercase();
                let reason = reason.strip_prefix("ERROR_REASON_").unwrap_or(&reason);
                let found = explanations.iter().find(|explanation| explanation.reason == reason);
                let Explanation { reason, code, text } = found.ok_or_else(|| unknown_reason(reason, &explanations))?;
                output::line(&format!("{reason}  (gRPC code {code})\n\n{text}"))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn unknown_reason(reason: &str, explanations: &[Explanation]) -> Failure {
    let similarity = |explanation: &&Explanation| strsim::jaro_winkler(reason, &explanation.reason);
    let nearest = explanations
        .iter()
        .max_by(|a, b| similarity(a).total_cmp(&similarity(b)))
        .filter(|nearest| similarity(nearest) > 0.8);
    let hint = nearest
        .map_or("`riposte errors list` names all".to_owned(), |nearest| format!("did you mean {}?", nearest.reason));
    Failure::new(NOT_FOUND, format!("there is no reason \"{}\"; {hint}", output::printable(reason)))
}

/// Returns every value of the enum with its preceding comment, which begins with its gRPC code. The
/// zero value is left out.
fn explanations(contract: &str) -> Vec<Explanation> {
    let values = contract.split_once("enum ErrorReason {").map_or("", |(_, values)| values);
    let mut comment: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    for line in values.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("//") {
            comment.push(text.trim());
        } else if let Some((name, _)) = line.strip_prefix("ERROR_REASON_").and_then(|rest| rest.split_once(" = ")) {
            if let Some((code, text)) = paragraphs(&comment).split_once(". ") {
                found.push(Explanation { reason: name.to_owned(), code: code.to_owned(), text: text.to_owned() });
            }
            comment.clear();
        }
    }
    found.retain(|explanation| explanation.reason != "UNSPECIFIED");
    found
}

/// Joins the lines of a comment into paragraphs, which an empty line separates.
fn paragraphs(lines: &[&str]) -> String {
    let paragraphs = lines.split(|line| line.is_empty()).map(|lines| lines.join(" "));
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

fn first_sentence(text: &str) -> &str {
    let first = text.split_once(". ").map_or(text, |(first, _)| first);
    first.lines().next().unwrap_or_default().trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    use super::{CONTRACT, explanations, unknown_reason};
    use riposte_core::error::{Reason, StatusKind};

    #[test]
    fn every_reason_of_the_domain_is_explained_with_its_code_a_cure_and_an_example() {
        let explanations = explanations(CONTRACT);
        for reason in Reason::ALL {
            let found = explanations.iter().find(|known| known.reason == reason.as_str());
            let found = found.unwrap_or_else(|| panic!("{} is not explained", reason.as_str()));
            assert_eq!(found.code, code(reason.kind()), "{}", found.reason);
            assert!(found.text.contains("Example: ") && found.text.len() > 60, "{}: {}", found.reason, found.text);
        }
        assert_eq!(explanations.len(), Reason::ALL.len(), "the contract has a reason that the domain does not know");
    }

    #[test]
    fn a_reason_that_a_setting_decides_names_it() {
        let explanations = explanations(CONTRACT);
        for (reason, settings) in [
            ("OBJECT_TYPE_UNKNOWN", &["[object_types]", "open_object_types"][..]),
            ("SUBJECT_NOT_FOUND", &["[object_types]", "[object_type_defaults]", "open_object_types", "auto_create"]),
            ("EDIT_WINDOW_CLOSED", &["[object_types]", "edit_window"]),
            ("CONTENT_TOO_LONG", &["[object_types]", "max_text_code_points"]),
            ("CALLER_UNKNOWN", &["callers_file"]),
            ("CALLER_NOT_ALLOWED", &["callers_file"]),
        ] {
            let found = explanations.iter().find(|known| known.reason == reason).expect("it is explained");
            for setting in settings {
                assert!(found.text.contains(setting), "{reason} does not name {setting}: {}", found.text);
                let name = setting.trim_matches(['[', ']']);
                assert!(crate::config::EXAMPLE.contains(name), "there is no setting {name}");
            }
        }
    }

    #[test]
    fn a_mistyped_reason_is_reported_with_the_nearest_one() {
        let message = unknown_reason("SUBJECT_NOT_FUOND", &explanations(CONTRACT)).to_string();
        assert!(message.ends_with("did you mean SUBJECT_NOT_FOUND?"), "{message}");
    }

    fn code(kind: StatusKind) -> &'static str {
        match kind {
            StatusKind::InvalidArgument => "INVALID_ARGUMENT",
            StatusKind::NotFound => "NOT_FOUND",
            StatusKind::AlreadyExists => "ALREADY_EXISTS",
            StatusKind::PermissionDenied => "PERMISSION_DENIED",
            StatusKind::Unauthenticated => "UNAUTHENTICATED",
            StatusKind::FailedPrecondition => "FAILED_PRECONDITION",
            StatusKind::ResourceExhausted => "RESOURCE_EXHAUSTED",
            StatusKind::Aborted => "ABORTED",
            StatusKind::Unavailable => "UNAVAILABLE",
            StatusKind::Unimplemented => "UNIMPLEMENTED",
            StatusKind::DeadlineExceeded => "DEADLINE_EXCEEDED",
            StatusKind::Internal => "INTERNAL",
        }
    }
}
