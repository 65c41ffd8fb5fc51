//! The instruments, as server/telemetry/metrics.yaml names them.

use opentelemetry::metrics::{
    AsyncInstrumentBuilder, Counter, Gauge, Histogram, Meter, ObservableCounter, ObservableGauge, UpDownCounter,
};

use super::exemplars::ExemplarHistogram;

include!("gen/instruments.rs");
