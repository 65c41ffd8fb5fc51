//! The rule that the contract says which of its values no program serves yet: the comment of such
//! a value has [`MARK`]. A value with the mark that production code names, and one without it that
//! no production code names, are faults. So the mark goes with the change that serves the value.

use super::Violation;
use super::source::{Source, words};

/// The sentence in the comment of a value that no program serves.
const MARK: &str = "Not served yet.";

/// The beginning of the list of errors in the comment of a call.
const ERRORS: &str = "Errors: ";

/// An enum of the contract, and the code that serves its values.
struct ServedEnum {
    contract: &'static str,
    prefix: &'static str,
    /// The types whose variants stand for the values.
    types: &'static [&'static str],
    /// The beginnings of the paths of the code that serves values.
    within: &'static [&'static str],
    /// Files that name every value, served or not, and the tools of tests.
    except: &'static [&'static str],
}

const ENUMS: [ServedEnum; 6] = [
    ServedEnum {
        contract: super::reasons::CONTRACT,
        prefix: "ERROR_REASON_",
        types: &["Error", "Reason"],
        within: &["server/"],
        except: &[
            "server/core/src/domain/error.rs",
            "server/core/src/domain/error/reason.rs",
            "server/grpc/src/status.rs",
            "server/conformance/src/",
        ],
    },
    ServedEnum {
        contract: "proto/riposte/v1/comment.proto",
        prefix: "COMMENT_STATE_",
        types: &["CommentState"],
        within: &["server/core/src/write/", "server/core/src/domain/act.rs", "server/grpc/src/import_item.rs"],
        except: &[],
    },
    ServedEnum {
        contract: "proto/riposte/v1/comment.proto",
        prefix: "ACK_",
        types: &["Ack"],
        within: &["server/grpc/src/services/"],
        except: &[],
    },
    ServedEnum {
        contract: "proto/riposte/v1/degradation.proto",
        prefix: "DEGRADED_PART_",
        types: &["DegradedPart"],
        within: &["server/grpc/src/"],
        except: &[],
    },
    ServedEnum {
        contract: "proto/riposte/v1/degradation.proto",
        prefix: "DEGRADED_REASON_",
        types: &["DegradedReason"],
        within: &["server/grpc/src/"],
        except: &[],
    },
    ServedEnum {
        contract: "proto/riposte/v1/moderation.proto",
        prefix: "REVIEW_CAUSE_",
        types: &["ReviewCause"],
        within: &["server/core/src/write/", "server/core/src/domain/"],
        except: &[],
    },
];

/// Values that functions and tables of the domain make, with the words by which they do.
const MADE_BY: [(&str, &str); 3] = [
    ("ERROR_REASON_INTERNAL", "Error::internal"),
    ("ERROR_REASON_FIELD_INVALID", "Violation::field"),
    ("COMMENT_STATE_REJECTED", "State(Rejected)"),
];

/// Returns the paths that the table names.
pub(super) fn paths() -> impl Iterator<Item = &'static str> {
    ENUMS.into_iter().flat_map(|of| [of.contract].into_iter().chain(of.within.iter().chain(of.except).copied()))
}

/// Checks the values of `protos`, the files of the contract with their texts.
pub(super) fn check(protos: &[(&str, String)], sources: &[Source], faults: &mut Vec<Violation>) {
    let mut planned = Vec::new();
    for of in &ENUMS {
        let Some((path, text)) = protos.iter().find(|(path, _)| *path == of.contract) else { continue };
        for Value { line, name, marked } in values(text, of.prefix) {
            match (served_by(of, name, sources), marked) {
                (Some(file), true) => {
                    faults.push(Violation::new(path, line, format!("{file} serves {name}: no {MARK:?}")))
                }
                (None, false) => {
                    faults.push(Violation::new(path, line, format!("nothing serves {name}: say {MARK:?}")))
                }
                (Some(_), false) => {}
                (None, true) => planned.extend(name.strip_prefix("ERROR_REASON_")),
            }
        }
    }
    for (path, text) in protos {
        for (line, reason) in listed_errors(text).filter(|(_, reason)| planned.contains(reason)) {
            faults.push(Violation::new(path, line, format!("{reason} is not served: it is no error of a call yet")));
        }
    }
}

/// A value of an enum.
struct Value<'t> {
    line: usize,
    name: &'t str,
    marked: bool,
}

/// Returns the values with a prefix, without the unspecified one.
fn values<'t>(contract: &'t str, prefix: &str) -> Vec<Value<'t>> {
    let (mut found, mut comment) = (Vec::new(), String::new());
    for (n, line) in contract.lines().map(str::trim).enumerate() {
        if let Some(text) = line.strip_prefix("//") {
            comment = comment + text.trim() + " ";
            continue;
        }
        let name = line.split_once(" = ").map(|(name, _)| name).filter(|name| name.starts_with(prefix));
        if let Some(name) = name.filter(|name| !name.ends_with("_UNSPECIFIED")) {
            found.push(Value { line: n + 1, name, marked: comment.contains(MARK) });
        }
        comment.clear();
    }
    found
}

/// Returns the file that serves a value.
fn served_by<'s>(of: &ServedEnum, name: &str, sources: &'s [Source]) -> Option<&'s str> {
    let variant = super::reasons::camel(&name[of.prefix.len()..]);
    let mut spellings: Vec<String> = of.types.iter().map(|name| format!("{name}::{variant}")).collect();
    spellings.extend(MADE_BY.iter().filter(|(value, _)| *value == name).map(|(_, function)| (*function).to_owned()));
    let begins = |path: &str, beginnings: &[&str]| beginnings.iter().any(|beginning| path.starts_with(beginning));
    let mut serving =
        sources.iter().filter(|source| begins(&source.path, of.within) && !begins(&source.path, of.except));
    let names = |source: &Source| spellings.iter().any(|spelling| words(&source.production, spelling).next().is_some());
    serving.find(|source| names(source)).map(|source| source.path.as_str())
}

/// Returns the names in the lists of errors, with their lines.
fn listed_errors(proto: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut within = false;
    proto.lines().enumerate().flat_map(move |(n, line)| {
        let text = line.trim().strip_prefix("//").unwrap_or_default();
        let list = match text.split_once(ERRORS) {
            Some((_, list)) => list,
            None if within => text,
            None => "",
        };
        // The list ends with its sentence, or with its paragraph.
        let end = list.split_once(". ").map(|(list, _)| list).or(list.strip_suffix('.'));
        within = !list.trim().is_empty() && end.is_none();
        end.unwrap_or(list)
            .split(|c| !super::source::in_name(c))
            .filter(|name| !name.is_empty())
            .map(move |name| (n + 1, name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const REASONS: &str = "enum ErrorReason {\n  // Never sent.\n  ERROR_REASON_UNSPECIFIED = 0;\n  // Gone.\n  \
                           ERROR_REASON_SUBJECT_NOT_FOUND = 1;\n\n  // Challenged. Not\n  // served yet.\n  //\n  \
                           // Example: `{}`.\n  ERROR_REASON_CHALLENGE_REQUIRED = 2;\n}\n";

    fn found(protos: &[(&str, &str)], code: &str) -> Vec<(String, usize)> {
        let protos: Vec<_> = protos.iter().map(|(path, text)| (*path, (*text).to_owned())).collect();
        let sources = [
            Source::new(
                "server/core/src/domain/error.rs",
                "Error::ChallengeRequired Error::SubjectNotFound".to_owned(),
            ),
            Source::new("server/core/src/write.rs", code.to_owned()),
        ];
        let mut faults = Vec::new();
        check(&protos, &sources, &mut faults);
        faults.into_iter().map(|fault| (fault.path, fault.line)).collect()
    }

    #[test]
    fn a_value_is_served_or_says_that_it_is_not() {
        let reasons = [(super::super::reasons::CONTRACT, REASONS)];
        let at = |line| (super::super::reasons::CONTRACT.to_owned(), line);
        assert_eq!(found(&reasons, "Err(Error::SubjectNotFound)"), []);
        assert_eq!(found(&reasons, "Err(Error::SubjectNotFoundToo)"), [at(5)]);
        assert_eq!(found(&reasons, "// Error::SubjectNotFound\n"), [at(5)]);
        assert_eq!(found(&reasons, "Reason::SubjectNotFound; Error::ChallengeRequired"), [at(11)]);
        assert_eq!(
            found(&reasons, "Reason::SubjectNotFound\n#[cfg(test)]\nmod tests { Error::ChallengeRequired }"),
            []
        );
    }

    #[test]
    fn a_call_lists_no_error_that_is_not_served() {
        let of_call = |comment| {
            let protos = [(super::super::reasons::CONTRACT, REASONS), ("call.proto", comment)];
            found(&protos, "Reason::SubjectNotFound").into_iter().map(|(_, line)| line).collect::<Vec<usize>>()
        };
        let list = "// Does it. Errors: SUBJECT_NOT_FOUND (a\n// deleted one),\n// CHALLENGE_REQUIRED.\nrpc\n";
        assert_eq!(of_call(list), [3]);
        assert_eq!(of_call("// Errors: SUBJECT_NOT_FOUND. Not served yet: CHALLENGE_REQUIRED.\n"), [0_usize; 0]);
        assert_eq!(
            of_call("// Errors: SUBJECT_NOT_FOUND.\n//\n// Not served yet: CHALLENGE_REQUIRED.\n"),
            [0_usize; 0]
        );
    }
}
