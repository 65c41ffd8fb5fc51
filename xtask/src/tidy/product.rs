//! The size of the product, and the share of the binary in it. Lines that are blank, comments,
//! generated or tests do not count.

use super::source::Source;
use super::{Report, Violation};

/// The folders of the crates that ship.
const PRODUCT: [&str; 3] = ["server/", "migrations/", "sdk/rust/"];
/// A crate of suites, which does not ship.
const SUITES: &str = "server/conformance/";
/// The binary: composition, configuration and the command line.
const BINARY: &str = "server/src/";
/// The maximum share of the binary, in percent.
const BINARY_PER_CENT: usize = 25;

/// Returns the paths that the rule names.
pub(super) fn paths() -> impl Iterator<Item = &'static str> {
    PRODUCT.into_iter().chain([SUITES, BINARY])
}

/// Checks the share of the binary, and reports the figures.
pub(crate) fn check(sources: &[Source], report: &mut Report) {
    let ships = |path: &str| PRODUCT.iter().any(|root| path.starts_with(root)) && !path.starts_with(SUITES);
    let lines = |of: &dyn Fn(&str) -> bool| -> usize {
        sources.iter().filter(|source| !source.generated && of(&source.path)).map(code_lines).sum()
    };
    let (product, binary) = (lines(&ships), lines(&|path| path.starts_with(BINARY)));
    let per_cent = binary * 100 / product.max(1);
    let figures = format!("product: {product} lines of code, {per_cent} % of them in {BINARY} (≤ {BINARY_PER_CENT} %)");
    if per_cent > BINARY_PER_CENT {
        report.faults.push(Violation::new(BINARY, 0, format!("{figures}: move what is not composition to a crate")));
    }
    report.notes.push(figures);
}

fn code_lines(source: &Source) -> usize {
    source.production.lines().filter(|line| !line.trim().is_empty()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(binary: usize) -> usize {
        let source = |path, lines: usize| Source::new(path, "// why\n\nfn f() {}\n".repeat(lines));
        let mut report = Report::default();
        let sources = [
            source("server/src/app.rs", binary),
            source("server/core/src/read.rs", 75),
            source("server/conformance/src/lib.rs", 1_000),
            source("tests/src/lib.rs", 1_000),
        ];
        check(&sources, &mut report);
        report.faults.len()
    }

    #[test]
    fn the_binary_has_a_quarter_of_the_product_at_most() {
        assert_eq!(faults(25), 0);
        assert_eq!(faults(27), 1);
    }
}
