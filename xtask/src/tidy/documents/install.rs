//! The install lines of the SDKs: those of README.md, which a test runs, come first in the README
//! of each SDK, so that the first line that a reader tries is one that works.

use crate::tidy::Violation;
use std::collections::BTreeMap;

const README: &str = "README.md";
/// The beginnings of commands that install packages.
const INSTALLING: [&str; 6] = ["pip install", "npm install", "npm ci", "go get", "cargo add", "mvn "];

/// Checks the first install line of each SDK's README that is among the documents.
pub(super) fn check(documents: &BTreeMap<&str, String>, faults: &mut Vec<Violation>) {
    let Some(readme) = documents.get(README) else { return };
    for (path, text) in documents {
        let Some(language) = path.strip_prefix("sdk/").and_then(|rest| rest.strip_suffix("/README.md")) else {
            continue;
        };
        // The folder of the SDK stands in the line that installs it; other folders have none.
        let folder = format!("$RIPOSTE/sdk/{language}\"");
        let Some(command) = commands(readme).find(|command| command.contains(&folder)) else { continue };
        let first = text.lines().enumerate().find(|(_, line)| INSTALLING.iter().any(|word| line.contains(word)));
        if first.is_none_or(|(_, line)| line != command) {
            let line = first.map_or(0, |(at, _)| at + 1);
            faults.push(Violation::new(path, line, format!("its first install line is that of {README}: {command}")));
        }
    }
}

/// Returns the commands of README.md that install the SDKs.
fn commands(readme: &str) -> impl Iterator<Item = &str> {
    let summaries = readme.lines().filter_map(|line| line.strip_prefix("<summary>")?.strip_suffix("</code></summary>"));
    summaries.filter_map(|summary| Some(summary.rsplit_once("<code>")?.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_install_line_of_an_sdk_is_that_of_the_readme() {
        let readme = "<summary>Python: <code>pip install \"$RIPOSTE/sdk/python\"</code></summary>\n";
        let found = |sdk: &str| {
            let documents = BTreeMap::from([(README, readme.to_owned()), ("sdk/python/README.md", sdk.to_owned())]);
            let mut faults = Vec::new();
            check(&documents, &mut faults);
            faults.iter().map(|fault| fault.line).collect::<Vec<_>>()
        };
        assert_eq!(found("# P\n\n```\npip install \"$RIPOSTE/sdk/python\"\n```\n\nLater `pip install p`.\n"), [0; 0]);
        assert_eq!(found("# P\n\n```\npip install p\n```\n\n`pip install \"$RIPOSTE/sdk/python\"`\n"), [4]);
        assert_eq!(found("# P\n"), [0]);
    }
}
