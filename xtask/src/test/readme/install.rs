//! The lines of the README that install each SDK, in an empty project of its language.

use crate::live::Live;
use crate::maven;
use crate::repo::Repo;
use crate::run::output_of;
use crate::tools;
use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// A language of the README: the program that it needs, the commands that make an empty project in
/// the current folder, and the command that shows the installed package.
struct Language {
    name: &'static str,
    program: &'static str,
    empty: &'static str,
    shows: &'static str,
}

const LANGUAGES: [Language; 5] = [
    Language {
        name: "Python",
        program: "python3",
        empty: "python3 -m venv .",
        shows: "bin/python -c 'import riposte_sdk'",
    },
    Language {
        name: "Go",
        program: "go",
        empty: "go mod init example.org/page",
        shows: r#"cp "$RIPOSTE/sdk/go/examples/quickstart.go" . && go vet ."#,
    },
    Language {
        name: "TypeScript",
        program: "npm",
        empty: "npm init --yes",
        shows: r#"node --eval 'import("riposte-sdk").then(({ Riposte }) => process.exit(Riposte.fromEnv ? 0 : 1))'"#,
    },
    Language {
        name: "Rust",
        program: "cargo",
        empty: "cargo init --quiet --name page .",
        shows: "cargo metadata --format-version 1 --no-deps | grep -q riposte-sdk",
    },
    Language {
        name: "Java",
        program: "mvn",
        empty: r#"rm -rf "$MAVEN_REPOSITORY/dev/riposte" && cp "$RIPOSTE/xtask/src/test/readme/install/pom.xml" . \
                  && mkdir -p src/main/java && cp "$RIPOSTE/sdk/java/examples/Quickstart.java" src/main/java"#,
        shows: r#"mvn --batch-mode --quiet "-Driposte.version=$RIPOSTE_VERSION" compile"#,
    },
];

/// Runs each language's line, one for each processor at a time. Returns the number of lines that
/// ran, and those that were skipped.
pub(super) fn check(repo: &Repo, live: &Arc<Live>, repository: &Path, readme: &str) -> Result<(usize, Vec<String>)> {
    let lines = lines(readme);
    ensure!(lines.len() == LANGUAGES.len(), "README.md installs {} SDKs", lines.len());
    let (waiting, ended) = (Mutex::new(lines.iter()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    // The lock guard must not be held during the work.
                    let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some((name, line)) = next else { return };
                    let outcome = install(repo, live, repository, (name, line));
                    ended.lock().unwrap_or_else(PoisonError::into_inner).push(outcome);
                }
            });
        }
    });
    let outcomes = ended.into_inner().unwrap_or_else(PoisonError::into_inner);
    let skipped = outcomes.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect::<Vec<_>>();
    Ok((lines.len() - skipped.len(), skipped))
}

/// Runs the line of a language in an empty project. Returns the reason if it was skipped.
fn install(repo: &Repo, live: &Arc<Live>, repository: &Path, (name, line): (&str, &str)) -> Result<Option<String>> {
    let language = LANGUAGES.iter().find(|language| language.name == name);
    let language = language.with_context(|| format!("README.md installs an SDK for {name}, which no test tries"))?;
    if tools::on_path(language.program).is_none() {
        return Ok(Some(format!("{name}'s line of the README: {} is missing", language.program)));
    }
    // Maven would install into the repository of this machine.
    let maven = repo.tools("sdk/java/repository");
    let parent = tempfile::tempdir()?;
    // npm takes the name of the folder for that of the project.
    let folder = parent.path().join("page");
    std::fs::create_dir(&folder)?;
    let shell = |script: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-euc", script]).current_dir(&folder).env("RIPOSTE", repository);
        // A virtual environment is entered by its folder of programs.
        let mut path = folder.join("bin").into_os_string();
        if let Some(others) = std::env::var_os("PATH") {
            path.push(":");
            path.push(others);
        }
        shell.env("PATH", path).env("RIPOSTE_VERSION", env!("CARGO_PKG_VERSION"));
        shell.env("MAVEN_OPTS", format!("-Dmaven.repo.local={}", maven.display())).env("MAVEN_REPOSITORY", &maven);
        shell
    };
    output_of(&mut shell(language.empty)).with_context(|| format!("an empty project for {name}"))?;
    let mut offline =
        maven::run_or_offline(live, &mut shell(line)).with_context(|| format!("README.md's line for {name}"))?;
    if offline.is_none() {
        offline = maven::run_or_offline(live, &mut shell(language.shows))
            .with_context(|| format!("{name} does not find its package"))?;
    }
    Ok(offline.map(|reason| format!("{name}'s line of the README: {reason}")))
}

/// Returns the languages of the README with their last command.
fn lines(readme: &str) -> Vec<(String, String)> {
    let summaries = readme.lines().filter_map(|line| line.strip_prefix("<summary>")?.strip_suffix("</code></summary>"));
    let line = |summary: &str| {
        let (before, command) = summary.rsplit_once("<code>")?;
        let name = before.split([',', ':']).next()?.trim();
        Some((name.to_owned(), command.to_owned()))
    };
    summaries.filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn a_language_has_the_last_command_of_its_summary() {
        let readme = "<details>\n<summary>Go: <code>go get x</code></summary>\n\n\
                      <summary>Java, as <code>a:b</code>: <code>mvn install</code></summary>\n";
        let expected = [("Go", "go get x"), ("Java", "mvn install")];
        assert_eq!(lines(readme), expected.map(|(name, line)| (name.to_owned(), line.to_owned())));
    }
}
