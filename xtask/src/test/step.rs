//! The steps in their order of execution: the quick ones first, so that a mistake shows early.

use super::summary::Report;
use super::{
    Run, alone, chart, contract, crates, dashboards, deploy, examples, fuzz, kube, prove, readme, sdks, suites,
};
use crate::run::run;
use crate::{regenerate, tidy, tools, toys};
use anyhow::Result;
use clap::ValueEnum;

/// One step of the test run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Step {
    Tools,
    Fmt,
    Tidy,
    Deny,
    Buf,
    Drift,
    Clippy,
    Build,
    Chart,
    Kube,
    Deploy,
    Test,
    Toys,
    Sdk,
    Examples,
    Dashboards,
    Prove,
    Fuzz,
    Alone,
    Readme,
    Mysql,
    Vitess,
    Valkey,
    KafkaCluster,
}

impl Step {
    /// The name on the command line and in the summary.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Fmt => "fmt",
            Self::Tidy => "tidy",
            Self::Deny => "deny",
            Self::Buf => "buf",
            Self::Drift => "drift",
            Self::Clippy => "clippy",
            Self::Build => "build",
            Self::Chart => "chart",
            Self::Kube => "kube",
            Self::Deploy => "deploy",
            Self::Test => "test",
            Self::Toys => "toys",
            Self::Sdk => "sdk",
            Self::Examples => "examples",
            Self::Dashboards => "dashboards",
            Self::Prove => "prove",
            Self::Fuzz => "fuzz",
            Self::Alone => "alone",
            Self::Readme => "readme",
            Self::Mysql => "mysql",
            Self::Vitess => "vitess",
            Self::Valkey => "valkey",
            Self::KafkaCluster => "kafka-cluster",
        }
    }

    /// Returns the description of a step that passes.
    pub(super) fn about(self) -> &'static str {
        match self {
            Self::Tools => "every tool the checks need is there, installed if it was missing",
            Self::Fmt => "the code is formatted",
            Self::Tidy => "the conventions that no other tool can check are followed",
            Self::Deny => "bans, licences and sources of all dependencies; advisories where their database is at hand",
            Self::Buf => "the contract passes buf lint and buf format, and is compatible with the one before",
            Self::Drift => "the generated code in the repository is what the contract generates",
            Self::Clippy => "no lint fires",
            Self::Build => "the server and all tests compile",
            Self::Chart => "the Helm chart takes what the server takes, renders what was agreed and refuses the rest",
            Self::Kube => "a real API server of Kubernetes takes all that the chart renders, twice (only with --kube)",
            Self::Deploy => "compose.yaml, the systemd unit and the Debian package are what their own tools take",
            Self::Test => {
                "unit, conformance and black-box tests, against two real MariaDB servers, Redis and a Redis Cluster"
            }
            Self::Toys => "toy changes of six kinds touch no more files than agreed, and they work",
            Self::Sdk => {
                "the SDKs of all languages, installed from their packages, pass one list against the built server"
            }
            Self::Examples => "the examples do what the tutorial says, with two browsers, and stop with streams open",
            Self::Dashboards => {
                "every panel of the dashboards has data in a real Prometheus, while the example runs (only with --dashboards)"
            }
            Self::Prove => {
                "under many faults every promise is kept: the checker finds no violation in the recorded responses"
            }
            Self::Fuzz => {
                "what comes from outside, altered by fuzzers for a moment, breaks nothing that reads it (only with --fuzz)"
            }
            Self::Alone => {
                "each crate of the product compiles by itself, leaning on no neighbour's features (only with --alone)"
            }
            Self::Readme => "the README's commands work in a fresh checkout, and so do its lines that install each SDK",
            Self::Mysql => "the store's suite passes on two real MySQL 9 servers (only with --mysql)",
            Self::Vitess => "the store's suite and the API pass on Vitess with two shards (only with --vitess)",
            Self::Valkey => "the suites of the cache pass on Valkey 9 (only with --valkey)",
            Self::KafkaCluster => {
                "kills of leading brokers of three lose no event of the topic (only with --kafka-cluster)"
            }
        }
    }

    /// Returns the step whose failure makes this one meaningless.
    pub(super) fn blocked_by(self) -> Option<Self> {
        match self {
            Self::Chart
            | Self::Deploy
            | Self::Test
            | Self::Toys
            | Self::Sdk
            | Self::Examples
            | Self::Dashboards
            | Self::Prove
            | Self::Fuzz
            | Self::Readme => Some(Self::Build),
            Self::Tools
            | Self::Fmt
            | Self::Tidy
            | Self::Deny
            | Self::Buf
            | Self::Drift
            | Self::Clippy
            | Self::Build
            | Self::Kube
            | Self::Alone
            | Self::Mysql
            | Self::Vitess
            | Self::Valkey
            | Self::KafkaCluster => None,
        }
    }

    /// Runs the step. An error fails this step and no other.
    pub(super) fn run(self, at: &mut Run<'_>) -> Result<Report> {
        let (repo, live) = (at.repo, at.live);
        match self {
            Self::Tools => tools::all(repo, live).map(Report::success),
            Self::Fmt => {
                tools::rust_components(repo, live)?;
                run(live, &mut repo.cargo(&["fmt", "--all", "--check"])).map(|()| Report::success(""))
            }
            Self::Tidy => {
                let report = tidy::run(repo)?;
                let summary = format!("{}; {} fault(s)", report.checked, report.faults.len());
                Ok(if report.show() { Report::success(summary) } else { Report::failure(summary) })
            }
            Self::Deny => crates::check(at),
            Self::Buf => contract::check(at),
            Self::Drift => {
                let skipped = regenerate::run(repo, live, true)?;
                Ok(skipped.into_iter().fold(Report::success(""), Report::but_skipped))
            }
            Self::Clippy => {
                tools::rust_components(repo, live)?;
                let clippy = ["clippy", "--release", "--workspace", "--all-targets", "--all-features", "--locked"];
                run(live, repo.cargo(&clippy).args(["--", "-D", "warnings"])).map(|()| Report::success(""))
            }
            Self::Build => suites::build(at),
            Self::Chart => chart::check(at),
            Self::Kube => kube::check(at),
            Self::Deploy => deploy::check(at),
            Self::Test => suites::all(at),
            Self::Toys => toys::check(repo, live).map(|passed| Report { passed, ..Report::default() }),
            Self::Sdk => sdks::check(at),
            Self::Examples => examples::check(at),
            Self::Dashboards => dashboards::check(at),
            Self::Prove => prove::check(at),
            Self::Fuzz => fuzz::check(at),
            Self::Alone => alone::check(at),
            Self::Readme => readme::check(at),
            Self::Mysql => suites::mysql(at),
            Self::Vitess => suites::vitess(at),
            Self::Valkey => suites::valkey(at),
            Self::KafkaCluster => suites::kafka_cluster(at),
        }
    }
}
