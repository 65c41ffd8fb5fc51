//! Counters of the service.

use anyhow::{Context, Result, bail};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::sleep;

/// The wait between two reads: the service updates some counters once a second.
const INTERVAL: Duration = Duration::from_millis(1_100);
/// The number of reads after which a counter that still changes is an error.
const READS_MAX: usize = 20;

/// Returns the sum of a counter over all its labels, once it no longer changes; 0 if it does not
/// exist.
pub(crate) async fn settled(address: &str, name: &str) -> Result<f64> {
    let mut last = sum(&page(address).await?, name);
    for _ in 0..READS_MAX {
        sleep(INTERVAL).await;
        let now = sum(&page(address).await?, name);
        if now == last {
            return Ok(now);
        }
        last = now;
    }
    bail!("{name} still changes")
}

async fn page(address: &str) -> Result<String> {
    let mut stream = TcpStream::connect(address).await.with_context(|| address.to_owned())?;
    let request = format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut page = String::new();
    stream.read_to_string(&mut page).await?;
    Ok(page)
}

fn sum(page: &str, name: &str) -> f64 {
    let value = |line: &str| {
        let (series, value) = line.rsplit_once(' ')?;
        let series = series.split('{').next()?;
        if series == name { value.parse::<f64>().ok() } else { None }
    };
    page.lines().filter_map(value).sum()
}

#[cfg(test)]
mod tests {
    use super::sum;

    #[test]
    fn a_counter_is_added_up_over_its_labels_and_no_other_is() {
        let page = "# HELP hits hits\nhits{a=\"1\"} 2\nhits{a=\"2\"} 3\nhits_total 9\n";
        assert_eq!((sum(page, "hits"), sum(page, "misses")), (5.0, 0.0));
    }
}
