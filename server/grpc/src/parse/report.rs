//! Parses the fields of ReportService.

use riposte_core::ids::DecisionId;
use riposte_core::report::ReportReason;
use riposte_core::{Comment, CommentId, Violation};

use super::values;
use super::values::bounded;

/// The longest words of a member about a comment, and of an author about a decision, in code
/// points.
const MAX_REPORT: usize = 1_000;
const MAX_APPEAL: usize = 2_000;

/// Parses the reason of a report, which is required.
pub(crate) fn report_reason(field: &str, reason: i32) -> Result<ReportReason, Violation> {
    let known = i8::try_from(reason).ok().and_then(ReportReason::from_code);
    known.ok_or_else(|| Violation::field(field, "must be a reason for a report"))
}

/// Checks the words of a member about a comment, and the law that the member names.
pub(crate) fn report_body((field, text): (&str, &str), (law_field, law): (&str, &str)) -> Result<(), Vec<Violation>> {
    let mut found: Vec<Violation> = bounded(field, text, MAX_REPORT).err().into_iter().collect();
    found.extend(values::law(law_field, law).err());
    if found.is_empty() { Ok(()) } else { Err(found) }
}

/// Checks the words of an author about a decision, which are required.
pub(crate) fn appeal(field: &str, text: &str) -> Result<(), Violation> {
    if text.trim().is_empty() {
        return Err(Violation::field(field, "must say why the decision is contested"));
    }
    bounded(field, text, MAX_APPEAL)
}

/// Parses the etag of the version that a member saw; an empty one names the present version.
pub(crate) fn seen_version(field: &str, comment_id: i64, etag: &str) -> Result<Option<i64>, Violation> {
    if etag.is_empty() {
        return Ok(None);
    }
    let version = CommentId::new(comment_id).and_then(|id| Comment::version_of(id, etag));
    version.map(Some).ok_or_else(|| Violation::field(field, "must be the etag of the comment"))
}

/// Parses the id of a decision.
pub(crate) fn decision_id(field: &str, id: &str) -> Result<DecisionId, Violation> {
    DecisionId::parse(id).ok_or_else(|| Violation::field(field, "must be the id of a decision"))
}

#[cfg(test)]
mod tests {
    use riposte_core::report::ReportReason;

    use super::{appeal, decision_id, report_body, report_reason, seen_version};

    #[test]
    fn the_fields_of_reports_and_appeals_have_bounds() {
        assert_eq!(report_reason("reason", 14), Ok(ReportReason::Other));
        assert!([0, 15, -1, 257].into_iter().all(|reason| report_reason("reason", reason).is_err()));
        let faults = |text: usize, law: usize| {
            let found = report_body(("text", &"ä".repeat(text)), ("law", &"a".repeat(law)));
            found.map_or_else(|found| found.into_iter().map(|violation| violation.field).collect(), |()| Vec::new())
        };
        assert!(faults(1_000, 256).is_empty());
        assert_eq!(
            (faults(1_001, 256), faults(1_001, 257)),
            (vec!["text".to_owned()], vec!["text".into(), "law".into()])
        );
        assert!(appeal("text", &"ä".repeat(2_000)).is_ok() && appeal("text", &"a".repeat(2_001)).is_err());
        assert!(["", " \n"].into_iter().all(|text| appeal("text", text).is_err()));
        assert!(decision_id("decision_id", "42.3").is_ok() && decision_id("decision_id", "42").is_err());
    }

    #[test]
    fn the_etag_of_a_report_is_one_of_its_comment() {
        assert_eq!(seen_version("etag", 42, ""), Ok(None));
        assert_eq!(seen_version("etag", 42, "2a.1f"), Ok(Some(31)));
        for wrong in ["2a", "2a.", "2b.1", "2a.+1", "2a.1F", "2a.1.1", "2a.ffffffffffffffff", "x"] {
            assert!(seen_version("etag", 42, wrong).is_err(), "{wrong:?}");
        }
    }
}
