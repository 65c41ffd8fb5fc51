//! Calls per second of one client, compared with those of the bare generated stub, at the server
//! that `RIPOSTE_TARGET` names. `cargo xtask bench sdk` runs it; docs/benchmarks/sdk.md says what
//! the figures mean.
//!
//! `calls first` makes one call in a new process; `calls ROUNDS SECONDS` measures both alternately
//! and writes a line of JSON for each way to call.

use futures::future::{LocalBoxFuture, try_join_all};
use riposte_sdk::Client;
use riposte_sdk::v1::subject_service_client::SubjectServiceClient;
use riposte_sdk::v1::{GetSubjectRequest, GetSubjectResponse, SubjectKey};
use std::cell::Cell;
use std::error::Error;
use std::time::{Duration, Instant};
use tonic::transport::Endpoint;
use tonic::{Response, Status};

type Outcome = Result<Response<GetSubjectResponse>, Status>;
/// Makes one call.
type Side<'a> = Box<dyn Fn() -> LocalBoxFuture<'a, Outcome> + 'a>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::from_env()?;
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [rounds, seconds] = words.as_slice() else {
        client.subject("article", "42").get().await?;
        println!("answered");
        return Ok(());
    };
    let (rounds, length) = (rounds.parse()?, Duration::from_secs_f64(seconds.parse()?));
    let target = riposte_sdk::Options::from_env()?.target;
    let target = if target.contains("://") { target } else { format!("http://{target}") };
    let (ours, bare) = (client.subjects(), SubjectServiceClient::new(Endpoint::new(target)?.connect_lazy()));
    let sides: [Side<'_>; 2] = [
        Box::new(move || {
            let mut stub = ours.clone();
            Box::pin(async move { stub.get_subject(request()).await })
        }),
        Box::new(move || {
            let mut stub = bare.clone();
            Box::pin(async move { stub.get_subject(request()).await })
        }),
    ];
    for in_flight in [1, 64] {
        compare(&sides, in_flight, rounds, length).await?;
    }
    Ok(())
}

fn request() -> GetSubjectRequest {
    let key = SubjectKey { object_type: "article".into(), object_id: "42".into() };
    GetSubjectRequest { key: Some(key), ..Default::default() }
}

/// Measures the sides alternately and changes the order in each round; the first round warms both
/// up.
async fn compare(sides: &[Side<'_>; 2], in_flight: usize, rounds: usize, length: Duration) -> Result<(), Status> {
    let (mut rates, mut costs, mut ratios) = ([vec![], vec![]], [vec![], vec![]], vec![]);
    for number in 0..=rounds {
        let mut measured = [(0.0, 0.0); 2];
        for step in 0..sides.len() {
            let side = (number + step) % sides.len();
            measured[side] = measure(&sides[side], in_flight, length).await?;
        }
        if number > 0 {
            for (side, (rate, cost)) in measured.into_iter().enumerate() {
                rates[side].push(rate);
                costs[side].push(cost);
            }
            ratios.push(measured[0].0 / measured[1].0);
        }
    }
    let ([client, stub], [client_us, stub_us]) = (rates.map(median), costs.map(median));
    let (how, ratio) = (format!("{in_flight} in flight"), median(ratios));
    let figures = serde_json::json!({
        "how": how, "client": client, "client_us": client_us, "stub": stub, "stub_us": stub_us, "ratio": ratio,
    });
    println!("{figures}");
    Ok(())
}

/// Calls per second, and microseconds of this process's processor time for each.
async fn measure(side: &Side<'_>, in_flight: usize, length: Duration) -> Result<(f64, f64), Status> {
    let (begin, used, made) = (Instant::now(), processor(), Cell::new(0_u32));
    let worker = |_| async {
        while begin.elapsed() < length {
            side().await?;
            made.set(made.get() + 1);
        }
        Ok::<_, Status>(())
    };
    try_join_all((0..in_flight).map(worker)).await?;
    let calls = f64::from(made.get());
    Ok((calls / begin.elapsed().as_secs_f64(), (processor() - used) * 1e6 / calls))
}

/// The processor time that this process has used, in seconds; 0 where the system has no /proc.
fn processor() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace();
    // User and system time, in hundredths of a second.
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
