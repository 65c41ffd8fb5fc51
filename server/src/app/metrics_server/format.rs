//! The format of the metrics, selected by the `accept` header of a scraper.

use http::header::ACCEPT;
use http::{HeaderMap, HeaderValue};

/// A format of the metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MetricsFormat {
    /// The text format of Prometheus, the default.
    Text,
    /// OpenMetrics 1.0, with exemplars.
    OpenMetrics,
}

impl MetricsFormat {
    /// Selects OpenMetrics if the header names it, with this version or none, and does not prefer
    /// the text format.
    pub(super) fn accepted(headers: &HeaderMap) -> Self {
        let values = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let ranges: Vec<Range> = values.flat_map(|value| value.split(',')).map(Range::parse).collect();
        let open =
            ranges.iter().filter(|range| range.name == "application/openmetrics-text" && range.is_version("1.0.0"));
        let open = open.map(|range| range.weight).fold(0.0, f64::max);
        // The most specific range present decides the weight of the text format.
        let text = ["text/plain", "text/*", "*/*"].iter().find_map(|name| {
            let weights = ranges.iter().filter(|range| range.name == *name).map(|range| range.weight);
            weights.max_by(f64::total_cmp)
        });
        if open > 0.0 && open >= text.unwrap_or_default() { Self::OpenMetrics } else { Self::Text }
    }

    /// The value of `content-type`.
    pub(super) fn content_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Text => "text/plain; version=0.0.4; charset=utf-8",
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        })
    }
}

/// One element of `accept`.
struct Range {
    name: String,
    version: Option<String>,
    /// The weight from 0, not acceptable, to 1. A value that is not a number counts as 0.
    weight: f64,
}

impl Range {
    fn parse(element: &str) -> Self {
        let mut parts = element.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default().to_ascii_lowercase();
        let (mut version, mut weight) = (None, 1.0);
        for (key, value) in parts.filter_map(|part| part.split_once('=')) {
            let value = value.trim().trim_matches('"');
            if key.trim().eq_ignore_ascii_case("version") {
                version = Some(value.to_owned());
            } else if key.trim().eq_ignore_ascii_case("q") {
                weight = value.parse().unwrap_or_default();
            }
        }
        Self { name, version, weight }
    }

    fn is_version(&self, supported: &str) -> bool {
        self.version.as_ref().is_none_or(|version| version == supported)
    }
}

#[cfg(test)]
mod tests {
    use http::header::ACCEPT;
    use http::{HeaderMap, HeaderValue};

    use super::MetricsFormat;

    fn accepted(values: &[&'static str]) -> MetricsFormat {
        MetricsFormat::accepted(
            &values.iter().map(|value| (ACCEPT, HeaderValue::from_static(value))).collect::<HeaderMap>(),
        )
    }

    #[test]
    fn a_scraper_that_accepts_openmetrics_gets_it() {
        for header in [
            &["application/openmetrics-text; version=1.0.0"][..],
            &["application/openmetrics-text"],
            &["Application/OpenMetrics-Text; Version=\"1.0.0\"; charset=utf-8"],
            &["text/plain;q=0.5", "application/openmetrics-text;version=1.0.0"],
            &[
                "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
            ],
            &[
                "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1",
            ],
        ] {
            assert_eq!(accepted(header), MetricsFormat::OpenMetrics, "{header:?}");
        }
    }

    #[test]
    fn every_other_scraper_gets_the_text_format() {
        for header in [
            &[][..],
            &["*/*"],
            &["text/html, application/xml;q=0.9, */*;q=0.8"],
            &["application/openmetrics-text;version=0.0.1"],
            &["application/openmetrics-text;version=1.0.0;q=0"],
            &["application/openmetrics-text;version=1.0.0;q=much"],
            &["application/openmetrics-text;version=1.0.0;q=0.2, text/plain;q=0.3"],
            &["application/openmetrics-text;q=0.2, */*"],
        ] {
            assert_eq!(accepted(header), MetricsFormat::Text, "{header:?}");
        }
    }
}
