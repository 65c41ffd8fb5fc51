//! The scenarios that the SDKs of all languages pass, against one real server.

mod callers;
mod calls;
mod feeds;
mod full_speed;
mod gate;
mod json;
mod scenario;

use calls::Caller;
use riposte_sdk::DevServer;
use scenario::{Scenario, Vars};
use serde::Deserialize;
use std::path::Path;

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the caller of the tests names the scenarios and the server")]
async fn every_scenario_passes() {
    let (Ok(folder), Ok(_)) = (std::env::var("RIPOSTE_CONFORMANCE"), std::env::var("RIPOSTE_DEV_BINARY")) else {
        println!("SKIPPED: scenarios of the SDKs: RIPOSTE_CONFORMANCE and RIPOSTE_DEV_BINARY are not both set");
        return;
    };
    let server = DevServer::start().await.unwrap();
    let options = std::fs::read_to_string(Path::new(&folder).join("../options.yaml")).unwrap();
    let bounds: Bounds = yaml_serde::from_str(&options).unwrap();
    let caller = Caller::new(server.client().unwrap(), server.target(), bounds.reconnect.within_ms);
    let (mut passed, mut failed) = (0, Vec::new());
    for (file, scenario) in read(Path::new(&folder)) {
        let name = format!("{file}: {}", scenario.name);
        match scenario.run(&caller, &Vars::default()).await {
            Ok(()) => {
                passed += 1;
                println!("ok     {name}");
            }
            Err(fault) => {
                println!("FAILED {name}: {fault}");
                failed.push(name);
            }
        }
    }
    println!("{passed} of {} scenarios passed", passed + failed.len());
    assert!(failed.is_empty() && passed > 0, "{failed:#?}");
}

/// The part of sdk/options.yaml that scenarios refer to.
#[derive(Debug, Deserialize)]
struct Bounds {
    reconnect: Reconnect,
}

#[derive(Debug, Deserialize)]
struct Reconnect {
    within_ms: u64,
}

/// All scenarios with the names of their files, in order.
fn read(folder: &Path) -> Vec<(String, Scenario)> {
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "yaml"));
    files.sort();
    let scenarios = files.iter().flat_map(|path| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).unwrap();
        let file: scenario::File = yaml_serde::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        file.scenarios.into_iter().map(move |scenario| (name.clone(), scenario))
    });
    scenarios.collect()
}
