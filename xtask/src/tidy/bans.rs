//! Words that only certain files may use: the dependencies of the architecture that no Cargo.toml
//! can restrict. The table is `table.rs`; every entry has a violation that tests it.

mod table;

use super::Violation;
use super::source::{Source, line_of, words};

/// A set of words, the files that must not use them, and two examples.
struct Ban {
    rule: &'static str,
    words: &'static [&'static str],
    /// The scope of the rule: folders (with a slash at the end) and files.
    inside: &'static [&'static str],
    /// The files in the scope that may use the words.
    except: &'static [&'static str],
    /// The rule applies to tests too if `true`.
    tests_too: bool,
    /// A file and its text that break the rule.
    violation: (&'static str, &'static str),
    /// A similar file and its text that do not break the rule.
    fine: (&'static str, &'static str),
}

/// Returns the number of rules in the table.
pub(crate) fn count() -> usize {
    table::BANS.len()
}

/// Returns the paths that the table names.
pub(super) fn paths() -> impl Iterator<Item = &'static str> {
    table::BANS.iter().flat_map(|ban| ban.inside.iter().chain(ban.except)).copied()
}

/// Tests every entry with its violation. This is part of each run and not of the tests alone,
/// because a rule without a test may detect nothing.
pub(crate) fn check_examples(faults: &mut Vec<Violation>) {
    for ban in table::BANS {
        for (caught, (path, text)) in [(true, ban.violation), (false, ban.fine)] {
            let mut found = Vec::new();
            ban.check(&Source::new(path, text.to_owned()), &mut found);
            if found.is_empty() == caught {
                faults.push(Violation::new(path, 0, format!("this example has no effect: {text:?} for: {}", ban.rule)));
            }
        }
    }
}

/// Checks one file with the whole table.
pub(crate) fn check(source: &Source, faults: &mut Vec<Violation>) {
    for ban in table::BANS {
        ban.check(source, faults);
    }
}

impl Ban {
    fn check(&self, source: &Source, faults: &mut Vec<Violation>) {
        if !among(&source.path, self.inside) || among(&source.path, self.except) {
            return;
        }
        let code = if self.tests_too { &source.code } else { &source.production };
        for word in self.words {
            for at in words(code, word) {
                let what = format!("`{word}`: {}", self.rule);
                faults.push(Violation::new(&source.path, line_of(code, at), what));
            }
        }
    }
}

fn among(path: &str, places: &[&str]) -> bool {
    places.iter().any(|place| path == *place || place.ends_with('/') && path.starts_with(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(ban: &Ban, (path, text): (&str, &str)) -> usize {
        let mut faults = Vec::new();
        ban.check(&Source::new(path, text.to_owned()), &mut faults);
        faults.len()
    }

    #[test]
    fn every_ban_finds_its_violation_and_not_the_similar_example() {
        for ban in table::BANS {
            assert!(faults(ban, ban.violation) >= 1, "{}", ban.rule);
            assert_eq!(faults(ban, ban.fine), 0, "{}", ban.rule);
        }
        let mut found = Vec::new();
        check_examples(&mut found);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn every_word_of_every_ban_is_found_in_the_file_of_its_violation() {
        for ban in table::BANS {
            for word in ban.words {
                let text = format!("fn violation() {{ {word} }}");
                assert!(faults(ban, (ban.violation.0, &text)) >= 1, "{word}: {}", ban.rule);
            }
        }
    }

    #[test]
    fn tests_comments_and_strings_may_say_what_they_like() {
        let text = "// sea_orm\nconst A: &str = \"sea_orm\";\n";
        let mut found = Vec::new();
        check(&Source::new("server/src/app.rs", text.to_owned()), &mut found);
        check(&Source::new("server/grpc/src/x/tests.rs", "fn a() { Status::internal(1) }".to_owned()), &mut found);
        assert!(found.is_empty(), "{found:?}");
    }
}
