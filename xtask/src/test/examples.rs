//! The programs below examples/: back ends with a page are tried with two browsers, the small ones
//! and the inbox have tests of their own, and filters are checked by `riposte conformance`.

mod filters;
mod inbox;
mod small;

use super::Run;
use super::summary::Report;
use crate::run::{output_of, run};
use crate::tools;
use anyhow::Result;
use std::fs;
use std::path::PathBuf;

/// The pictures of the tutorial, which this example makes: they are the same for all.
const PICTURED: &str = "web-fastapi";
const PICTURES: &str = "docs/tutorial";

/// A back end: the folder of its example, and the command that starts it there.
#[derive(Debug)]
struct BackEnd {
    name: &'static str,
    command: Vec<PathBuf>,
}

/// Builds and tries all of them. Those for which a language, a browser or the network is missing
/// are skipped.
pub(super) fn check(at: &Run<'_>) -> Result<Report> {
    let mut report = Report::default();
    let mut passed = Vec::new();
    let browser = tools::chromium(at.live).err().map(|error| format!("no browser: {error:#}"));
    for (name, language, build) in [("web-fastapi", "python3", fastapi as Build), ("web-go", "go", go)] {
        let missing = tools::on_path(language).is_none().then(|| format!("{language} is missing"));
        let outcome = match browser.clone().or(missing) {
            Some(reason) => Ok(Some(reason)),
            None => build(at).and_then(|command| tried(at, &BackEnd { name, command })).map(|()| None),
        };
        record(&mut report, &mut passed, name, outcome);
    }
    let inbox = (inbox::NAME, inbox::check as fn(&Run<'_>) -> Result<Option<String>>);
    for (name, test) in small::ALL.into_iter().chain(filters::ALL).chain([inbox]) {
        record(&mut report, &mut passed, name, test(at));
    }
    report.passed = passed.len();
    if report.failed == 0 {
        report.note = passed.join(", ");
    }
    Ok(report)
}

/// Adds the outcome of one example: passed, skipped with its reason, or failed.
fn record(report: &mut Report, passed: &mut Vec<&str>, name: &'static str, outcome: Result<Option<String>>) {
    match outcome {
        Ok(None) => passed.push(name),
        Ok(Some(reason)) => report.skipped.push(format!("{name}: {reason}")),
        Err(error) => {
            report.failed += 1;
            report.note = format!("{name}: {error:#}");
        }
    }
}

/// Builds a back end. Returns the command that starts it.
type Build = fn(&Run<'_>) -> Result<Vec<PathBuf>>;

/// Installs the Python back end's packages. Returns the command that starts it.
pub(super) fn fastapi(at: &Run<'_>) -> Result<Vec<PathBuf>> {
    Ok(vec![python(at, "web-fastapi")?, PathBuf::from("main.py")])
}

/// Installs the packages of an example in an environment of its own. Returns its Python.
fn python(at: &Run<'_>, name: &str) -> Result<PathBuf> {
    let folder = format!("examples/{name}");
    let python = at.repo.tools(&folder).join("bin/python");
    let requirements = ["-m", "pip", "install", "--quiet", "--requirement", "requirements.txt"];
    if !python.is_file() {
        tools::python_environment(at.repo, at.live, &folder)?;
    }
    // The SDK is the last package of the list. It is installed anew, also with the same version.
    let anew = output_of(at.repo.command(&python).args(["-m", "pip", "uninstall", "--quiet", "--yes", "riposte-sdk"]));
    anew.and_then(|_| {
        let mut pip = at.repo.command(&python);
        run(at.live, pip.args(requirements).current_dir(at.repo.at(&folder)))
    })?;
    Ok(python)
}

/// Compiles the Go back end.
fn go(at: &Run<'_>) -> Result<Vec<PathBuf>> {
    let folder = at.repo.target().join("examples");
    fs::create_dir_all(&folder)?;
    let program = folder.join("web-go");
    let mut go = at.repo.command("go");
    go.args(["build", "-o"]).arg(&program).arg(".").current_dir(at.repo.at("examples/web-go"));
    run(at.live, &mut go)?;
    Ok(vec![program])
}

fn tried(at: &Run<'_>, back_end: &BackEnd) -> Result<()> {
    let mut test = at.repo.clean("python3");
    test.arg(at.repo.at("examples/tests/browser.py")).arg("--riposte").arg(at.repo.server_binary());
    if at.screenshots && back_end.name == PICTURED {
        test.arg("--screenshots").arg(at.repo.at(PICTURES));
    }
    test.arg(back_end.name).args(&back_end.command).env("PYTHONDONTWRITEBYTECODE", "1");
    run(at.live, &mut test)
}

#[cfg(test)]
mod tests {
    use crate::repo::Repo;
    use crate::sdk::{Language, lines_of};

    const FASTAPI: [&str; 4] = [
        "examples/web-fastapi/main.py",
        "examples/web-fastapi/page/page.js",
        "examples/web-fastapi/page/index.html",
        "examples/web-fastapi/page/style.css",
    ];
    const GO: [&str; 2] = ["examples/web-go/main.go", "examples/web-go/page.html"];

    /// Returns the code excerpts in a language.
    fn excerpts(page: &str, language: &str) -> Vec<String> {
        let begin = format!("```{language}\n");
        page.split(&begin).skip(1).filter_map(|rest| Some(rest.split_once("```")?.0.to_owned())).collect()
    }

    #[test]
    fn the_code_of_the_tutorial_stands_in_the_examples() {
        let repo = Repo::find().unwrap();
        let read = |path: &str| std::fs::read_to_string(repo.at(path)).unwrap();
        let page = read("docs/tutorial/README.md");
        for (language, file) in [("py", FASTAPI[0]), ("js", FASTAPI[1]), ("go", GO[0]), ("html", GO[1])] {
            let program = read(file);
            let excerpts = excerpts(&page, language);
            assert!(!excerpts.is_empty(), "{language}");
            for excerpt in excerpts {
                assert!(program.contains(&excerpt), "docs/tutorial/README.md has code that no example has:\n{excerpt}");
            }
        }
    }

    /// Returns the number of lines that are neither blank nor a comment. Those of a page are
    /// counted as those of TypeScript.
    fn lines(repo: &Repo, path: &str) -> usize {
        let language = match path.rsplit('.').next() {
            Some("py") => Language::Python,
            Some("go") => Language::Go,
            Some("java") => Language::Java,
            Some("rs") => Language::Rust,
            _ => Language::Typescript,
        };
        lines_of(language, &std::fs::read_to_string(repo.at(path)).unwrap())
    }

    #[test]
    fn a_back_end_of_the_tutorial_is_short() {
        let repo = Repo::find().unwrap();
        for files in [&FASTAPI[..], &GO] {
            let all: Vec<usize> = files.iter().map(|path| lines(&repo, path)).collect();
            assert!(all.iter().sum::<usize>() <= 250, "{files:?} have {all:?} lines of code");
        }
    }

    #[test]
    fn the_template_of_the_tutorial_is_readable() {
        let page = std::fs::read_to_string(Repo::find().unwrap().at(GO[1])).unwrap();
        let long = page.lines().find(|line| line.chars().count() > 105);
        assert_eq!(long, None, "a short page of long lines is not short");
    }

    #[test]
    fn a_filter_is_short() {
        let repo = Repo::find().unwrap();
        let programs = super::filters::programs(&repo);
        assert_eq!(programs.len(), super::filters::ALL.len());
        for program in programs {
            let count = lines(&repo, &program);
            assert!((20..=60).contains(&count), "{program} has {count} lines");
        }
    }

    #[test]
    fn the_inbox_is_short() {
        let count = lines(&Repo::find().unwrap(), "examples/inbox/main.py");
        assert!((50..=150).contains(&count), "the inbox has {count} lines");
    }

    #[test]
    fn a_small_example_is_short() {
        let repo = Repo::find().unwrap();
        let files = repo.files().unwrap();
        for (name, _) in super::small::ALL {
            let folder = format!("examples/{name}/");
            let is_test = |path: &str| path.contains("test");
            let code = |path: &str| [".ts", ".java", ".rs"].iter().any(|ending| path.ends_with(ending));
            let own = files.iter().filter(|path| path.starts_with(&folder) && code(path) && !is_test(path));
            let count: usize = own.map(|path| lines(&repo, path)).sum();
            assert!((30..=150).contains(&count), "{folder} has {count} lines");
        }
    }
}
