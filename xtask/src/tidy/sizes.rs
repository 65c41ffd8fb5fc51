//! The length of files and functions.

use super::source::{Source, closing, in_name, line_of, words};
use super::{Report, Violation};

const FILE_HARD: usize = 500;
const FILE_MEDIAN: usize = 120;
const FILE_P95: usize = 350;
const FUNCTION: usize = 70;
/// The minimum number of test lines for a hundred lines of production code.
const TESTS_PER_CENT: usize = 80;
/// The model and the suites.
pub(super) const SUITES: &str = "server/conformance/src/";
/// The percentage of functions that may be longer.
const LONG_PER_CENT: usize = 2;

/// Checks hand-written production code, and reports the figures.
pub(crate) fn check(sources: &[Source], report: &mut Report) {
    let mut lengths = Vec::new();
    let mut functions = Vec::new();
    let mut tests = 0;
    for source in sources.iter().filter(|source| !source.generated) {
        let lines = source.production_lines();
        tests += if is_suite(&source.path) { lines } else { source.text.lines().count() - lines };
        if lines > FILE_HARD {
            let what = format!("{lines} production lines; a file stops at {FILE_HARD}: split it by what it is about");
            report.faults.push(Violation::new(&source.path, 0, what));
        }
        if lines > 0 {
            lengths.push(lines);
        }
        functions.extend(functions_of(source));
    }
    lengths.sort_unstable();
    let (median, p95) = (quantile(&lengths, 50), quantile(&lengths, 95));
    report.notes.push(format!(
        "files: {}, median {median} lines (aim ≤ {FILE_MEDIAN}), p95 {p95} (aim ≤ {FILE_P95}), longest {} (≤ {FILE_HARD})",
        lengths.len(),
        lengths.last().unwrap_or(&0)
    ));
    let suites = sources.iter().filter(|source| is_suite(&source.path)).map(Source::production_lines).sum::<usize>();
    let per_cent = tests * 100 / (lengths.iter().sum::<usize>() - suites).max(1);
    report.notes.push(format!("tests: {per_cent} lines for 100 of production code (aim ≥ {TESTS_PER_CENT})"));
    functions_report(&functions, report);
}

/// Checks a Lua file. Comments and blank lines do not count.
pub(crate) fn lua(path: &str, text: &str, faults: &mut Vec<Violation>) {
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("--");
    let lines = text.lines().filter(is_code).count();
    if lines > FILE_HARD {
        let what = format!("{lines} lines of code; a file stops at {FILE_HARD}: split it by what it is about");
        faults.push(Violation::new(path, 0, what));
    }
}

/// Returns `true` if a file belongs to the model or to the suites that every store and every cache
/// pass. These are tests by purpose, but as library code they have the same size limits.
fn is_suite(path: &str) -> bool {
    path.starts_with(SUITES)
}

fn functions_report(functions: &[Function], report: &mut Report) {
    let long: Vec<&Function> = functions.iter().filter(|function| function.lines > FUNCTION).collect();
    report.notes.push(format!("functions: {}, {} longer than {FUNCTION} lines", functions.len(), long.len()));
    let allowed = functions.len() * LONG_PER_CENT / 100;
    for function in &long {
        let what = format!("`{}` has {} lines (aim ≤ {FUNCTION})", function.name, function.lines);
        if long.len() > allowed {
            report.faults.push(Violation::new(&function.path, function.line, what));
        } else {
            report.notes.push(format!("  {}:{}: {what}", function.path, function.line));
        }
    }
}

/// A function and its length from `fn` to the closing brace.
#[derive(Debug)]
struct Function {
    path: String,
    line: usize,
    name: String,
    lines: usize,
}

fn functions_of(source: &Source) -> Vec<Function> {
    let code = &source.production;
    let named = |at: usize| code[at + 2..].trim_start().chars().take_while(|c| in_name(*c)).collect::<String>();
    words(code, "fn")
        .filter_map(|at| {
            let (name, body) = (named(at), body_of(code, at)?);
            let (line, last) = (line_of(code, at), line_of(code, closing(code, body) - 1));
            (!name.is_empty()).then(|| Function { path: source.path.clone(), line, name, lines: last - line + 1 })
        })
        .collect()
}

/// Returns the position of the body: the first brace outside the brackets of the signature; `None`
/// for a declaration.
fn body_of(code: &str, from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let next = at + code[at..].find(['{', ';', '(', '['])?;
        match &code[next..=next] {
            "{" => return Some(next),
            ";" => return None,
            _bracket => at = closing(code, next),
        }
    }
}

/// Returns the value below which `percent` of a sorted list lie.
fn quantile(sorted: &[usize], percent: usize) -> usize {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(text: String) -> Report {
        let mut report = Report::default();
        check(&[Source::new("server/src/a.rs", text)], &mut report);
        report
    }

    #[test]
    fn a_file_of_501_lines_is_found_and_one_of_500_is_not() {
        assert_eq!(report("//\n".repeat(501)).faults.len(), 1);
        assert_eq!(report("//\n".repeat(500)).faults.len(), 0);
        let with_tests = format!("{}#[cfg(test)]\nmod tests {{\n{}}}\n", "//\n".repeat(400), "//\n".repeat(400));
        assert_eq!(report(with_tests).faults.len(), 0);
    }

    #[test]
    fn a_lua_file_of_501_lines_of_code_is_found() {
        let found = |lines: usize| {
            let text = format!("-- why\n\n{}", "  local a = 1 -- why\n".repeat(lines));
            let mut faults = Vec::new();
            lua("server/cache/src/redis/lua/entry.lua", &text, &mut faults);
            faults.len()
        };
        assert_eq!((found(500), found(501)), (0, 1));
    }

    #[test]
    fn a_function_of_71_lines_is_found_when_it_is_more_than_two_in_a_hundred() {
        let long = format!("fn long(a: [u8; 2]) -> u8 {{\n{}}}\n", "    1;\n".repeat(69));
        let short = "fn short() { if true { } }\n";
        let found = report(format!("{long}{short}")).faults;
        assert_eq!(found.len(), 1);
        assert!(found[0].what.contains("`long` has 71 lines"), "{}", found[0].what);
        assert_eq!(report(format!("{long}{}", short.repeat(99))).faults.len(), 0);
    }

    #[test]
    fn quantiles_are_members_of_the_list() {
        let list: Vec<usize> = (1..=100).collect();
        assert_eq!((quantile(&list, 50), quantile(&list, 95), quantile(&[], 50)), (50, 95, 0));
    }
}
