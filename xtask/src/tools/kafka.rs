//! Apache Kafka: the jars of the broker, which Maven fetches once.

use super::on_path;
use crate::live::Live;
use crate::maven;
use crate::repo::Repo;
use anyhow::Result;
use std::path::PathBuf;
use std::sync::Arc;

/// The version that the tests use.
pub(crate) const KAFKA: &str = "4.1.1";
const LOG4J: &str = "2.24.3";

/// Returns the folder of the jars, or the reason for which this machine has none.
///
/// # Errors
/// Maven fails for another reason than a registry that cannot be reached.
pub(crate) fn kafka(repo: &Repo, live: &Arc<Live>) -> Result<std::result::Result<PathBuf, String>> {
    if on_path("java").is_none() {
        return Ok(Err("java is missing: install a JDK of version 17 or later".to_owned()));
    }
    let folder = repo.tools("kafka");
    let jars = folder.join(KAFKA);
    if jars.join(format!("kafka_2.13-{KAFKA}.jar")).is_file() {
        return Ok(Ok(jars));
    }
    if on_path("mvn").is_none() {
        return Ok(Err("mvn is missing, which fetches Kafka: install Maven".to_owned()));
    }
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("pom.xml"), pom())?;
    let mut copy = repo.command("mvn");
    copy.args(["-q", "-B", "dependency:copy-dependencies", "-DincludeScope=runtime"]).current_dir(&folder);
    copy.arg(format!("-DoutputDirectory={}", jars.display()));
    Ok(match maven::run_or_offline(live, &mut copy)? {
        None => Ok(jars),
        Some(reason) => Err(reason),
    })
}

fn pom() -> String {
    let dependency = |group: &str, artefact: &str, version: &str| {
        format!(
            "<dependency><groupId>{group}</groupId><artifactId>{artefact}</artifactId><version>{version}</version></dependency>"
        )
    };
    format!(
        "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion><groupId>dev.riposte</groupId>\
         <artifactId>kafka-of-tests</artifactId><version>1</version><dependencies>{}{}</dependencies></project>\n",
        dependency("org.apache.kafka", "kafka_2.13", KAFKA),
        dependency("org.apache.logging.log4j", "log4j-slf4j-impl", LOG4J),
    )
}
