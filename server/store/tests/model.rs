//! The suite on the oracle itself: what it asks of the stores, the model of them keeps.

#![expect(clippy::expect_used, reason = "a test ends with a panic that names what did not hold")]

#[expect(dead_code, reason = "the oracle needs no database")]
#[path = "stage/stage.rs"]
mod stage;

use std::sync::{Arc, LazyLock};

use riposte_store::conformance::{self, Backend, Process, StepClock};
use riposte_store::model::Model;
use riposte_store::{conformance_cases, conformance_tests};

/// One oracle for all cases, as one database serves all cases of the other backends.
static ORACLE: LazyLock<Backend> = LazyLock::new(|| {
    let model = Arc::new(Model::new(StepClock::at(StepClock::START)));
    let first = process(&model);
    let start = move |clock| {
        let another = process(&Arc::new(model.another(clock)));
        Box::pin(std::future::ready(another)) as futures::future::BoxFuture<'static, Process>
    };
    Backend::new(first, Arc::new(start), stage::walk())
});

fn process(model: &Arc<Model>) -> Process {
    Process {
        reader: Arc::clone(model) as _,
        writer: Arc::clone(model) as _,
        ids: Arc::clone(model) as _,
        outbox: Arc::clone(model) as _,
        histories: Arc::clone(model) as _,
        boards: Arc::clone(model) as _,
        rankings: Arc::clone(model) as _,
        repairer: Arc::clone(model) as _,
    }
}

fn run(category: &str, name: &str) {
    stage::runtime().block_on(conformance::run(category, name, ORACLE.clone()));
}

conformance_cases!(conformance_tests);
