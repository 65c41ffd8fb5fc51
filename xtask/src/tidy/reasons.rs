//! The rule that the contract's error reasons and the domain's errors are one list.

use super::Violation;
use super::source::Source;

/// The file that lists the reasons.
pub(crate) const CONTRACT: &str = "proto/riposte/v1/error_reason.proto";
const DOMAIN: &str = "server/core/src/domain/error";

/// Finds reasons that no domain error has.
pub(crate) fn check(contract: &str, sources: &[Source], faults: &mut Vec<Violation>) {
    let domain: String = sources
        .iter()
        .filter(|source| source.path == format!("{DOMAIN}.rs") || source.path.starts_with(&format!("{DOMAIN}/")))
        .map(|source| source.text.as_str())
        .collect();
    let names: Vec<&str> = domain.split(|c: char| !super::source::in_name(c)).collect();
    let reasons = reasons(contract);
    if reasons.is_empty() {
        faults.push(Violation::new(CONTRACT, 0, "no error reason found"));
    }
    for (line, reason) in reasons {
        let spellings = [format!("ERROR_REASON_{reason}"), camel(reason), reason.to_owned()];
        if !spellings.iter().any(|spelling| names.contains(&spelling.as_str())) {
            faults.push(Violation::new(CONTRACT, line, format!("no error of {DOMAIN}.rs carries {reason}")));
        }
    }
}

/// Returns the values of the enum with their lines, without the prefix and without UNSPECIFIED.
fn reasons(contract: &str) -> Vec<(usize, &str)> {
    contract
        .lines()
        .enumerate()
        .filter_map(|(number, line)| {
            let name = line.trim().strip_prefix("ERROR_REASON_")?.split([' ', '=']).next()?;
            (name != "UNSPECIFIED").then_some((number + 1, name))
        })
        .collect()
}

/// Returns the name of the variant that stands for a value without its prefix.
pub(super) fn camel(reason: &str) -> String {
    let word = |word: &str| word[..1].to_owned() + &word[1..].to_lowercase();
    reason.split('_').filter(|part| !part.is_empty()).map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROTO: &str = "enum ErrorReason {\n  ERROR_REASON_UNSPECIFIED = 0;\n  // ERROR_REASON_OLD = 9;\n  \
                         ERROR_REASON_SUBJECT_HIDDEN = 1;\n  ERROR_REASON_PAGE_TOKEN_INVALID=2;\n}\n";

    fn missing(domain: &str) -> Vec<usize> {
        let mut faults = Vec::new();
        check(PROTO, &[Source::new("server/core/src/domain/error.rs", domain.to_owned())], &mut faults);
        faults.iter().map(|fault| fault.line).collect()
    }

    #[test]
    fn a_reason_without_an_error_is_found() {
        assert_eq!(missing("enum Error { SubjectHidden }"), [5]);
        assert_eq!(missing(""), [4, 5]);
    }

    #[test]
    fn a_reason_counts_in_either_spelling() {
        assert!(missing("enum Error { SubjectHidden } fn f() { \"PAGE_TOKEN_INVALID\" }").is_empty());
    }
}
