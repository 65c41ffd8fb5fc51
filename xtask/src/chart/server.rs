//! A check by the server: it accepts the configuration file that the chart makes, with the
//! variables and arguments of the pods.

use super::findings::Findings;
use super::objects::{Rendered, word};
use crate::live::Live;
use crate::repo::Repo;
use crate::run::output_of;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// Replacements for the secrets: valid in form and otherwise useless.
const DATABASE: &str = "mysql://user:password@database.example:3306/riposte";
const KEY: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
const HEADERS: &str = "tenant=shop";
/// The value of a pod's field.
const FIELD: &str = "riposte-0";

/// Checks every container of every example.
pub(super) fn check(repo: &Repo, live: &Arc<Live>, examples: &[Rendered], found: &mut Findings) -> Result<()> {
    for rendered in examples {
        let folder = live.folder()?;
        let config = folder.path().join("riposte.toml");
        fs::write(&config, rendered.file()?)?;
        fs::write(folder.path().join("secret.toml"), secret_file(rendered.file()?))?;
        for (pod, spec) in rendered.pods() {
            found.judge(format!("{}, {pod}, its credentials", rendered.name), mounted(rendered.file()?, spec));
            for container in spec["containers"].as_array().into_iter().flatten() {
                found.judge(
                    format!("{}, {pod}, as the server reads it", rendered.name),
                    takes(repo, folder.path(), container),
                );
            }
        }
    }
    Ok(())
}

/// Returns a file with the secrets that are not mounted separately, for as many data sources as the
/// chart's file has.
fn secret_file(file: &str) -> String {
    let sources = file.matches("[[store.sources]]").count().max(1);
    let urls: Vec<String> = (0..sources).map(|_| format!("{{url = \"{DATABASE}\"}}")).collect();
    let keys = if file.contains("key_files") { String::new() } else { format!("page_tokens.keys = [\"{KEY}\"]\n") };
    format!("store.sources = [{}]\n{keys}", urls.join(", "))
}

/// Fails unless a serving pod has every credential that the chart's file names, as a file that
/// follows its Secret.
fn mounted(file: &str, spec: &Value) -> Result<()> {
    const FOLDER: &str = "/etc/riposte/credentials/";
    let container = &spec["containers"][0];
    let named: Vec<&str> = file.split('"').filter_map(|text| text.strip_prefix(FOLDER)).collect();
    if named.is_empty() || !words(&container["args"]).iter().any(|word| word == "serve") {
        return Ok(());
    }
    let mounts = container["volumeMounts"].as_array().into_iter().flatten();
    let mount = mounts.clone().find(|mount| mount["mountPath"] == FOLDER.trim_end_matches('/'));
    let mount = mount.with_context(|| format!("nothing is mounted at {FOLDER}"))?;
    ensure!(mount["subPath"].is_null(), "a file that is mounted by itself never changes");
    let volume = spec["volumes"].as_array().into_iter().flatten().find(|volume| volume["name"] == mount["name"]);
    let sources = volume.map(|volume| &volume["projected"]["sources"]).context("its volume is not there")?;
    let items = sources.as_array().into_iter().flatten().filter_map(|source| source["secret"]["items"].as_array());
    let paths: Vec<&str> = items.flatten().map(|item| word(&item["path"])).collect();
    ensure!(named.iter().all(|name| paths.contains(name)), "{named:?} are named, {paths:?} mounted");
    Ok(())
}

/// Fails unless the program accepts the arguments of a container and its probes, and its
/// configuration is valid.
fn takes(repo: &Repo, folder: &Path, container: &Value) -> Result<()> {
    let arguments = words(&container["args"]);
    known(repo, &arguments)?;
    for probe in ["startupProbe", "readinessProbe", "livenessProbe"] {
        let command = words(&container[probe]["exec"]["command"]);
        if let Some((program, arguments)) = command.split_first() {
            ensure!(program == "/riposte", "{probe} runs {program}");
            known(repo, arguments).with_context(|| probe.to_owned())?;
        }
    }
    let verb: &[&str] = match arguments.first().map(String::as_str) {
        // The files of the container are not here.
        Some("serve") => &["config", "check", "--no-files"],
        Some("migrate") => &["config", "print"],
        Some(_) | None => return Ok(()),
    };
    let mut command = with_variables(repo, container)?;
    command.args(verb);
    for argument in arguments.iter().filter(|argument| argument.starts_with("--")) {
        let here = argument.replace("/etc/riposte/config", &folder.to_string_lossy());
        let secret = here.replace("/etc/riposte/secret/riposte.toml", &folder.join("secret.toml").to_string_lossy());
        command.arg(secret);
    }
    output_of(&mut command).map(drop)
}

/// Fails unless the program knows these arguments. With `--help` after them it does nothing else.
fn known(repo: &Repo, arguments: &[String]) -> Result<()> {
    output_of(repo.clean(repo.server_binary()).args(arguments).arg("--help")).map(drop)
}

/// Returns the program with the variables of a container, secrets replaced.
fn with_variables(repo: &Repo, container: &Value) -> Result<Command> {
    let mut command = repo.clean(repo.server_binary());
    for variable in container["env"].as_array().into_iter().flatten() {
        let name = word(&variable["name"]);
        let value = match variable["value"].as_str() {
            Some(value) => value,
            None if name == "RIPOSTE__TELEMETRY__HEADERS" => HEADERS,
            None if variable.pointer("/valueFrom/fieldRef").is_some() => FIELD,
            None => anyhow::bail!("there is no secret {name}"),
        };
        command.env(name, value);
    }
    Ok(command)
}

fn words(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().map(|item| word(item).to_owned()).collect()
}
