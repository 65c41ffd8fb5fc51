//! compose.yaml without a container engine: its commands, environments and health checks as
//! processes, on the MariaDB and the Redis of the test run, with the files that its one-shot step
//! makes. The services' names become addresses of the test, and the paths of the containers become
//! those of the test's folder; nothing else is changed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use riposte_tests::command::{self, Ran};
use riposte_tests::mysql;
use riposte_tests::real::workspace;
use riposte_tests::redis::{self, Program};
use serde::Deserialize;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// The part of the file that says what runs.
#[derive(Debug, Deserialize)]
struct Project {
    services: BTreeMap<String, Service>,
}

#[derive(Debug, Deserialize)]
struct Service {
    image: String,
    #[serde(default)]
    command: Vec<String>,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    #[serde(default)]
    volumes: Vec<String>,
    healthcheck: Option<HealthCheck>,
}

#[derive(Debug, Deserialize)]
struct HealthCheck {
    test: Vec<String>,
}

impl Project {
    /// Reads the file, with its merges.
    fn read() -> Result<Self> {
        let mut tree: yaml_serde::Value = yaml_serde::from_str(&std::fs::read_to_string(path("compose.yaml"))?)?;
        // A merged mapping may name another one itself.
        for _ in 0..2 {
            tree.apply_merge()?;
        }
        Ok(yaml_serde::from_value(tree)?)
    }

    fn service(&self, name: &str) -> Result<&Service> {
        self.services.get(name).with_context(|| format!("no service {name}"))
    }
}

fn path(of: &str) -> PathBuf {
    workspace().join(of)
}

/// Runs the one-shot step into a folder `made` and returns that folder.
pub(super) async fn prepared(folder: &Path) -> Result<PathBuf> {
    let made = folder.join("made");
    let mut prepare = Command::new("sh");
    prepare.arg(path("deploy/compose/prepare.sh")).arg(&made).stdin(Stdio::null());
    command::finish(&mut prepare).await?.ended(0)?;
    Ok(made)
}

/// The machine of the test in the place of the containers.
struct Deployment {
    made: PathBuf,
    redis: redis::Server,
}

impl Deployment {
    /// Makes the files, and the accounts and the database on a server of the test run.
    async fn new(folder: &Path, server: &str, program: &Program) -> Result<Self> {
        let made = prepared(folder).await?;
        let name = mysql::fresh_name();
        let accounts = std::fs::read_to_string(made.join("database/accounts.sql"))?;
        let local =
            |text: &str| text.replace("riposte_owner", &format!("{name}_o")).replace("riposte@", &format!("{name}@"));
        let accounts = local(&accounts.replace("riposte.*", &format!("{name}.*")));
        let accounts = accounts.replace("DATABASE riposte;", &format!("DATABASE {name};"));
        mysql::query(server, "", &accounts).await?;
        let host = server.rsplit('@').next().context("no host")?;
        for file in ["server/database", "migration/database"] {
            let url = std::fs::read_to_string(made.join(file))?;
            let url = url.replace("://riposte:", &format!("://{name}:")).replace("riposte_owner", &format!("{name}_o"));
            let url = url.replace("@database:3306/riposte", &format!("@{host}/{name}"));
            std::fs::write(made.join(file), url)?;
        }
        Ok(Self { made, redis: redis::Server::start(program)? })
    }

    /// Returns the command of a service with its environment.
    fn command(&self, service: &Service, arguments: &[String]) -> Result<Command> {
        let mut command = command::riposte(arguments)?;
        for (name, value) in &service.environment {
            command.env(name, self.local(service, value)?);
        }
        Ok(command)
    }

    /// Replaces what only the containers have.
    fn local(&self, service: &Service, value: &str) -> Result<String> {
        let redis = self.redis.url().trim_start_matches("redis://").to_owned();
        let mut value = value.replace("redis:6379", &redis);
        if value.starts_with("0.0.0.0:") {
            // A container has the port to itself; a process of the test does not.
            "127.0.0.1:0".clone_into(&mut value);
        }
        for volume in &service.volumes {
            let (from, inside) = volume.trim_end_matches(":ro").split_once(':').context("no volume")?;
            let from = from.strip_prefix("./deploy/compose/made").context("another folder")?;
            value = value.replace(&format!("{inside}/"), &format!("{}{from}/", self.made.display()));
        }
        Ok(value)
    }

    async fn run(&self, service: &Service, arguments: &[String]) -> Result<Ran> {
        command::finish(&mut self.command(service, arguments)?).await
    }

    /// Starts a server, waits until it serves and returns its address.
    async fn start(&self, service: &Service) -> Result<(Child, String)> {
        let mut command = self.command(service, &service.command)?;
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let mut log = BufReader::new(child.stderr.take().context("no stderr")?).lines();
        let (mut address, mut output) = (None, String::new());
        let served = async {
            while let Some(line) = log.next_line().await? {
                let event: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
                address = address.take().or(event["grpc"].as_str().map(str::to_owned));
                if event["message"] == "serving" {
                    return anyhow::Ok(true);
                }
                output += &format!("{line}\n");
            }
            anyhow::Ok(false)
        };
        let is_serving = tokio::time::timeout(Duration::from_secs(60), served).await??;
        ensure!(is_serving, "it does not serve:\n{output}");
        // The log is read on, so that the process can write it.
        tokio::spawn(async move { while let Ok(Some(_)) = log.next_line().await {} });
        Ok((child, address.context("no address")?))
    }

    /// Returns a command of a person with the token of a caller.
    fn client(&self, caller: &str, address: &str, arguments: &[&str]) -> Result<Command> {
        let port = address.rsplit_once(':').context("no port")?.1;
        let mut client = command::riposte(arguments)?;
        client.args(["--target", &format!("https://localhost:{port}")]);
        client.env("RIPOSTE_TLS_CA", self.made.join("ca.crt"));
        client.env("RIPOSTE_TOKEN", std::fs::read_to_string(self.made.join(format!("{caller}.token")))?.trim());
        Ok(client)
    }
}

#[tokio::test]
async fn the_commands_of_compose_yaml_migrate_and_serve_with_tls_and_callers() -> Result<()> {
    let (Some([server, _]), Some(program)) = (mysql::servers(), Program::find()) else { return Ok(()) };
    let (project, folder) = (Project::read()?, tempfile::tempdir()?);
    let deployment = Deployment::new(folder.path(), &server, &program).await?;
    let (migrate, one, two) = (project.service("migrate")?, project.service("server-1")?, project.service("server-2")?);

    // The servers' own account cannot make tables: the migration has another.
    ensure!(deployment.run(one, &migrate.command).await?.code != 0);
    deployment.run(migrate, &migrate.command).await?.ended(0)?;
    deployment.run(migrate, &["doctor".to_owned()]).await?.ended(0)?;
    let (mut first, at_first) = deployment.start(one).await?;
    let (mut second, at_second) = deployment.start(two).await?;

    for (service, address) in [(one, &at_first), (two, &at_second)] {
        let test = &service.healthcheck.as_ref().context("no health check")?.test;
        ensure!(test[..2] == ["CMD", "/riposte"], "{test:?}");
        // The port of the test is another one.
        let check = [&test[2..], &["--set".to_owned(), format!("server.listen={address}")]].concat();
        deployment.run(service, &check).await?.ended(0)?.says(&["SERVING"])?;
    }

    let post = ["comment", "post", "article/1", "ann", "Hello"];
    let posted = command::finish(&mut deployment.client("web", &at_first, &post)?).await?.ended(0)?;
    let list = ["comment", "list", "article/1"];
    let listed = command::finish(&mut deployment.client("web", &at_second, &list)?).await?.ended(0)?;
    ensure!(listed.out.contains(posted.out.trim()), "{}", listed.out);
    // A caller of people reads and does not write; without a token nothing is answered.
    command::finish(&mut deployment.client("staff", &at_first, &post)?)
        .await?
        .ended(4)?
        .says(&["CALLER_NOT_ALLOWED"])?;
    let mut without_token = deployment.client("web", &at_first, &list)?;
    command::finish(without_token.env_remove("RIPOSTE_TOKEN")).await?.ended(4)?.says(&["CALLER_UNKNOWN"])?;
    first.kill().await?;
    second.kill().await?;
    Ok(())
}

#[test]
fn prometheus_scrapes_each_server_and_grafana_reads_prometheus() -> Result<()> {
    let project = Project::read()?;
    let file = |name: &str| Ok::<_, anyhow::Error>(std::fs::read_to_string(path("deploy/compose").join(name))?);
    let prometheus: yaml_serde::Value = yaml_serde::from_str(&file("prometheus.yml")?)?;
    let targets = &prometheus["scrape_configs"][0]["static_configs"][0]["targets"];
    let targets: Vec<&str> = targets.as_sequence().context("no targets")?.iter().filter_map(|t| t.as_str()).collect();
    let mut expected = Vec::new();
    for (name, service) in project.services.iter().filter(|(_, service)| service.command == ["serve"]) {
        let listen = service.environment.get("RIPOSTE__SERVER__METRICS_LISTEN").context("no metrics")?;
        expected.push(listen.replace("0.0.0.0", name));
    }
    ensure!(targets == expected && targets.len() == 2, "{targets:?} instead of {expected:?}");
    let rules = prometheus["rule_files"][0].as_str().context("no rules")?;
    let mounted =
        |service: &Service, inside: &str| service.volumes.iter().any(|volume| volume.contains(&format!(":{inside}:")));
    ensure!(mounted(project.service("prometheus")?, &format!("/etc/prometheus/{rules}")), "{rules}");

    let grafana = project.service("grafana")?;
    let source: yaml_serde::Value = yaml_serde::from_str(&file("grafana/datasources.yml")?)?;
    ensure!(source["datasources"][0]["url"] == "http://prometheus:9090");
    let provider: yaml_serde::Value = yaml_serde::from_str(&file("grafana/dashboards.yml")?)?;
    ensure!(mounted(grafana, provider["providers"][0]["options"]["path"].as_str().context("no path")?));
    // No tag that moves: the images of a trial are those that were tried.
    for (name, service) in &project.services {
        let tag = service.image.rsplit_once(':').context(name.clone())?.1;
        ensure!(tag != "latest" && !tag.contains('/'), "{name}: {}", service.image);
    }
    Ok(())
}

#[tokio::test]
async fn the_one_shot_step_replaces_nothing_that_it_made() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let made = prepared(folder.path()).await?;
    let before = std::fs::read(made.join("server/tls.key"))?;
    let mut again = Command::new("sh");
    again.arg(path("deploy/compose/prepare.sh")).arg(&made).stdin(Stdio::null());
    command::finish(&mut again).await?.ended(1)?.says(&["exists already"])?;
    ensure!(std::fs::read(made.join("server/tls.key"))? == before);
    Ok(())
}
