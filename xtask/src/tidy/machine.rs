//! The rule against paths of a developer's machine, in every text file of the repository. Paths
//! that containers, packages and services have (`/etc/riposte`, `/var/lib`, `/tmp`) are none.

use super::{Violation, read};
use crate::repo::Repo;

/// The beginnings of absolute paths below which people keep their files. A name must follow.
const HOMES: [&str; 3] = ["/home/", "/root/", "/Users/"];

/// Checks all files of the repository. A file that is no text is left alone.
pub(crate) fn check(repo: &Repo, files: &[String], faults: &mut Vec<Violation>) {
    for path in files {
        if let Ok(text) = read(repo, path) {
            homes(path, &text, faults);
        }
    }
}

fn homes(path: &str, text: &str, faults: &mut Vec<Violation>) {
    for home in HOMES {
        for (at, _) in text.match_indices(home) {
            let named = text[at + home.len()..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '/');
            if named && starts_a_path(&text[..at]) {
                let line = text[..at].matches('\n').count() + 1;
                faults.push(Violation::new(path, line, format!("`{home}…` is a path of a developer's machine")));
            }
        }
    }
}

/// Returns `true` if the preceding text is no part of the same path or address.
pub(super) fn starts_a_path(before: &str) -> bool {
    before.ends_with("file://") || !before.ends_with(|c: char| c.is_alphanumeric() || "._-/}>".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        let mut faults = Vec::new();
        homes("a.toml", text, &mut faults);
        faults.iter().map(|fault| fault.line).collect()
    }

    #[test]
    fn a_path_below_a_home_is_found() {
        for home in HOMES {
            assert_eq!(lines(&format!("a = 1\nfolder = \"{home}jo/riposte\"\n")), [2], "{home}");
        }
        assert_eq!(lines(&format!("file://{}jo/a", HOMES[0])), [1]);
        assert_eq!(lines(&format!("\nPATH={}bin:$PATH", HOMES[1])), [2]);
    }

    #[test]
    fn paths_of_containers_and_of_the_repository_are_left_alone() {
        let fine = [
            "WORKDIR /app",
            "data_dir = \"/var/lib/riposte\"",
            "root:x:0:0:root:/root:/bin/sh",
            "mysql://root@127.0.0.1/work",
            "https://example.org/home/page",
            "$FOLDER/home/a {dir}/home/a ../home/a",
            "mktemp -d /tmp/riposte.XXXX",
        ];
        for text in fine {
            assert!(lines(text).is_empty(), "{text}");
        }
    }
}
