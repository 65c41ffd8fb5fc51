//! The limit on the hand-written code of each SDK.

use super::{Report, Violation};
use crate::repo::Repo;
use crate::sdk::{self, ByHand};
use anyhow::Result;

/// Counts the hand-written lines of every SDK and finds those above their limits.
pub(crate) fn check(repo: &Repo, report: &mut Report) -> Result<()> {
    let counts = sdk::by_hand(repo)?;
    let texts =
        counts.iter().map(|ByHand { language, lines, limit }| format!("{} {lines} (≤ {limit})", language.name()));
    report.notes.push(format!("lines by hand in the SDKs: {}", texts.collect::<Vec<_>>().join(", ")));
    report.faults.extend(counts.iter().filter_map(fault));
    Ok(())
}

fn fault(ByHand { language, lines, limit }: &ByHand) -> Option<Violation> {
    let what = || {
        format!("{lines} lines by hand, {limit} are allowed: let the templates write what follows from the contract")
    };
    (lines > limit).then(|| Violation::new(&format!("sdk/{}", language.name()), 0, what()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sdk::Language;

    #[test]
    fn a_line_too_many_is_found() {
        let counted = |lines| ByHand { language: Language::Go, lines, limit: 500 };
        assert!(fault(&counted(501)).is_some_and(|fault| fault.path == "sdk/go"));
        assert!(fault(&counted(500)).is_none());
    }
}
