//! The web back ends below examples/, each tried with two browsers.

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

/// Builds the back ends and tries each. Returns a skip where the browser or a language is missing.
pub(super) fn check(at: &Run<'_>) -> Result<Report> {
    let mut report = Report::default();
    if let Err(error) = tools::chromium(at.live) {
        return Ok(report.but_skipped(format!("the examples in a browser: {error:#}")));
    }
    let mut passed = Vec::new();
    for (name, language, build) in [("web-fastapi", "python3", fastapi as Build), ("web-go", "go", go)] {
        if tools::on_path(language).is_none() {
            report.skipped.push(format!("{name}: {language} is missing"));
            continue;
        }
        let outcome = build(at).and_then(|command| tried(at, &BackEnd { name, command }));
        match outcome {
            Ok(()) => passed.push(name),
            Err(error) => {
                report.failed += 1;
                report.note = format!("{name}: {error:#}");
            }
        }
    }
    match fastify(at) {
        Ok(None) => passed.push("fastify"),
        Ok(Some(reason)) => report.skipped.push(format!("fastify: {reason}")),
        Err(error) => {
            report.failed += 1;
            report.note = format!("fastify: {error:#}");
        }
    }
    report.passed = passed.len();
    if report.failed == 0 {
        report.note = passed.join(", ");
    }
    Ok(report)
}

/// Builds a back end. Returns the command that starts it.
type Build = fn(&Run<'_>) -> Result<Vec<PathBuf>>;

/// Installs the Python back end's packages in an environment of its own.
pub(super) fn fastapi(at: &Run<'_>) -> Result<Vec<PathBuf>> {
    let python = at.repo.tools("examples/web-fastapi").join("bin/python");
    let requirements = ["-m", "pip", "install", "--quiet", "--requirement", "requirements.txt"];
    if !python.is_file() {
        tools::python_environment(at.repo, at.live, "examples/web-fastapi")?;
    }
    // The SDK is the last package of the list. It is installed anew, also with the same version.
    let anew = output_of(at.repo.command(&python).args(["-m", "pip", "uninstall", "--quiet", "--yes", "riposte-sdk"]));
    anew.and_then(|_| {
        let mut pip = at.repo.command(&python);
        run(at.live, pip.args(requirements).current_dir(at.repo.at("examples/web-fastapi")))
    })?;
    Ok(vec![python, PathBuf::from("main.py")])
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

/// Tests the TypeScript back end in a folder of its own, with the package of the SDK that the step
/// `sdk` has built. Returns the reason of a skip.
fn fastify(at: &Run<'_>) -> Result<Option<&'static str>> {
    let package = at.repo.target().join(concat!("sdk/typescript/riposte-sdk-", env!("CARGO_PKG_VERSION"), ".tgz"));
    if tools::on_path("npm").is_none() {
        return Ok(Some("npm is missing"));
    }
    if !package.is_file() {
        return Ok(Some("the step sdk has not built its package"));
    }
    let folder = at.repo.target().join("examples/fastify");
    fs::create_dir_all(&folder)?;
    for file in at.repo.files()?.iter().filter_map(|path| path.strip_prefix("examples/fastify/")) {
        let text = fs::read_to_string(at.repo.at(&format!("examples/fastify/{file}")))?;
        let ours = package.display().to_string();
        fs::write(folder.join(file), text.replace("file:../../sdk/typescript", &format!("file:{ours}")))?;
    }
    for arguments in [&["install", "--silent", "--no-audit", "--no-fund"][..], &["run", "build"], &["test"]] {
        let mut npm = at.repo.clean("npm");
        npm.args(arguments).current_dir(&folder).env("RIPOSTE_DEV_BINARY", at.repo.server_binary());
        run(at.live, &mut npm)?;
    }
    Ok(None)
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
        for (language, files) in [
            ("py", &["examples/web-fastapi/main.py"][..]),
            ("go", &["examples/web-go/main.go", "examples/web-go/fan_out.go"][..]),
        ] {
            let program: String = files.iter().map(|path| read(path)).collect();
            let excerpts = excerpts(&page, language);
            assert!(excerpts.len() > 5, "{language}");
            for excerpt in excerpts {
                assert!(program.contains(&excerpt), "docs/tutorial/README.md has code that no example has:\n{excerpt}");
            }
        }
    }

    #[test]
    fn the_examples_have_the_same_page() {
        let repo = Repo::find().unwrap();
        for file in ["index.html", "page.js", "style.css"] {
            let page = |example| std::fs::read(repo.at(&format!("examples/{example}/page/{file}"))).unwrap();
            assert!(page("web-fastapi") == page("web-go"), "{file} differs");
        }
    }
}
