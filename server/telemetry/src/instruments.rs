//! The instruments of all metrics. `cargo xtask gen` generates them from
//! server/telemetry/metrics.yaml.

use opentelemetry::metrics::{
    AsyncInstrumentBuilder, Counter, Gauge, Histogram, Meter, ObservableCounter, ObservableGauge, UpDownCounter,
};

use super::exemplars::ExemplarHistogram;

include!("generated/instruments.rs");
