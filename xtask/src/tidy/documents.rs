//! A rule for documents: they contain no paths of a particular machine.

use super::Violation;

/// The beginnings of paths that exist on one machine only.
const MACHINE: [&str; 5] = ["/root/", "/home/", "/Users/", "/tmp/", "../shared"];

/// Finds paths of a machine in one document.
pub(crate) fn check(path: &str, text: &str, faults: &mut Vec<Violation>) {
    for (number, line) in text.lines().enumerate() {
        for place in MACHINE {
            let found = line.match_indices(place).any(|(at, _)| starts_a_path(&line[..at]));
            if found {
                faults.push(Violation::new(path, number + 1, format!("`{place}` is a path of one machine")));
            }
        }
    }
}

/// Returns `true` if the preceding text is no part of the same path or address.
fn starts_a_path(before: &str) -> bool {
    !before.ends_with(|c: char| c.is_alphanumeric() || "._-/}>".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        let mut faults = Vec::new();
        check("docs/a.md", text, &mut faults);
        faults.iter().map(|fault| fault.line).collect()
    }

    #[test]
    fn a_path_of_a_machine_is_found() {
        assert_eq!(lines("fine\nsee `/home/jo/riposte`\n"), [2]);
        assert_eq!(lines("cd /tmp/x"), [1]);
        assert_eq!(lines("data in ../shared/data"), [1]);
    }

    #[test]
    fn addresses_and_paths_in_the_repository_are_left_alone() {
        assert!(lines("https://example.org/home/a server/tmp/b $DIR/home/c").is_empty());
    }
}
