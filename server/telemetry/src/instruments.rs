//! The instruments that server/telemetry/metrics.yaml defines.

use opentelemetry::metrics::{
    AsyncInstrumentBuilder, Counter, Gauge, Histogram, Meter, ObservableCounter, ObservableGauge, UpDownCounter,
};

use super::exemplars::ExemplarHistogram;

include!("generated/instruments.rs");
