//! `cargo xtask test`: every check and every test in one order, with one summary at the end.

mod alone;
mod chart;
mod contract;
mod crates;
mod dashboards;
mod deploy;
mod examples;
mod fuzz;
mod kube;
mod prove;
mod readme;
mod sdks;
mod step;
mod suites;
mod summary;
mod totals;

use crate::live::Live;
use crate::repo::Repo;
use crate::servers::{Kafka, Pair, Redis};
use anyhow::Result;
use clap::ValueEnum;
use std::sync::Arc;
use std::time::Instant;
use step::Step;
use summary::{Report, Summary};

/// The steps to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Run every case of the step `test`, also those that repeat others on a further backend
    #[arg(long)]
    full: bool,
    /// Run the store's suite on real MySQL 9 too; its server is fetched once and unpacked under
    /// .tools/
    #[arg(long)]
    mysql: bool,
    /// Run the store's suite and the API on Vitess too, with two shards over MySQL 9; vtcombo is
    /// built once under .tools/, which takes many minutes and needs go
    #[arg(long)]
    vitess: bool,
    /// Run the suites of the cache on Valkey 9 too: valkey-server of the PATH, or else fetched once
    /// and unpacked under .tools/; SKIPPED, with the way to get it, where neither is possible
    #[arg(long)]
    valkey: bool,
    /// Kill the brokers of a Kafka of three that lead the topic, twenty times
    #[arg(long)]
    kafka_cluster: bool,
    /// Compile each crate of the product by itself too
    #[arg(long)]
    alone: bool,
    /// Get helm where it is missing, which takes minutes, and check all of the Helm chart
    #[arg(long)]
    chart: bool,
    /// Build an API server of Kubernetes where it is missing, which takes many minutes, and install
    /// the Helm chart into it
    #[arg(long)]
    kube: bool,
    /// Run every query of the dashboards on a Prometheus that scrapes a server while an example
    /// runs; it is unpacked under .tools/
    #[arg(long)]
    dashboards: bool,
    /// Run each fuzzer for a moment too, from the stored corpora, which every run replays
    #[arg(long)]
    fuzz: bool,
    /// Let the test of the examples write the pictures of the tutorial too
    #[arg(long)]
    screenshots: bool,
    /// Run these steps and no others
    #[arg(long, value_name = "STEP", num_args = 1.., value_enum)]
    only: Vec<Step>,
    /// Leave these steps out
    #[arg(long, value_name = "STEP", num_args = 1.., value_enum)]
    skip: Vec<Step>,
    /// Print the steps in their order and run nothing
    #[arg(long)]
    list: bool,
}

/// The data that the steps of one run share.
#[derive(Debug)]
struct Run<'a> {
    repo: &'a Repo,
    live: &'a Arc<Live>,
    /// The step `test` runs every case if `true`.
    full: bool,
    /// The tools of the chart's checks are fetched if `true`.
    chart: bool,
    /// The pictures of the tutorial are written if `true`.
    screenshots: bool,
    /// The two MariaDB servers, after the first step that needs them.
    mariadb: Option<Pair>,
    /// The Redis servers, after the first step that needs them.
    redis: Option<Redis>,
    /// The Kafka broker, after the step that needs it, where this machine can run it.
    kafka: Option<Kafka>,
}

/// Runs the chosen steps. Returns `true` if none failed.
pub(crate) fn run(repo: &Repo, live: &Arc<Live>, args: &Args) -> Result<bool> {
    if args.list {
        for step in Step::value_variants() {
            println!("{:<8} {}", step.name(), step.about());
        }
        return Ok(true);
    }
    let chart = args.chart || args.only.contains(&Step::Chart);
    let mut run = Run {
        repo,
        live,
        full: args.full,
        chart,
        screenshots: args.screenshots,
        mariadb: None,
        redis: None,
        kafka: None,
    };
    let mut summary = Summary::default();
    for step in Step::value_variants().iter().filter(|step| args.wants(**step)) {
        eprintln!("\n=== {}: {}", step.name(), step.about());
        let start = Instant::now();
        let report = match step.blocked_by() {
            Some(before) if summary.failed(before.name()) => {
                Report::failure(format!("not run, because `{}` failed", before.name()))
            }
            Some(_) | None => step.run(&mut run).unwrap_or_else(|error| Report::failure(format!("{error:#}"))),
        };
        summary.add(step.name(), start.elapsed(), report);
    }
    drop(run);
    summary.show();
    Ok(summary.passed())
}

impl Args {
    fn wants(&self, step: Step) -> bool {
        // These steps run only on request.
        let extras = [
            (Step::Mysql, self.mysql),
            (Step::Vitess, self.vitess),
            (Step::Valkey, self.valkey),
            (Step::KafkaCluster, self.kafka_cluster),
            (Step::Alone, self.alone),
            (Step::Kube, self.kube),
            (Step::Dashboards, self.dashboards),
            (Step::Fuzz, self.fuzz),
        ];
        let extra = extras.contains(&(step, true));
        let usual = self.only.is_empty() && extras.iter().all(|(extra, _)| *extra != step);
        (usual || extra || self.only.contains(&step)) && !self.skip.contains(&step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(only: &[Step], skip: &[Step], mysql: bool) -> Vec<Step> {
        let args = Args {
            full: false,
            mysql,
            vitess: false,
            valkey: false,
            kafka_cluster: false,
            alone: false,
            chart: false,
            kube: false,
            dashboards: false,
            fuzz: false,
            screenshots: false,
            only: only.to_vec(),
            skip: skip.to_vec(),
            list: false,
        };
        Step::value_variants().iter().copied().filter(|step| args.wants(*step)).collect()
    }

    #[test]
    fn every_step_runs_except_those_on_request() {
        let all = Step::value_variants().len();
        assert_eq!(wanted(&[], &[], false).len(), all - 8);
        assert_eq!(wanted(&[], &[], true).len(), all - 7);
        assert_eq!(wanted(&[Step::Alone], &[], false), [Step::Alone]);
        assert_eq!(wanted(&[Step::Tidy], &[], false), [Step::Tidy]);
        assert_eq!(wanted(&[Step::Tidy, Step::Fmt], &[Step::Fmt], true), [Step::Tidy, Step::Mysql]);
    }
}
