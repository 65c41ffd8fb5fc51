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
static ORACLE: LazyLock<Arc<Model>> = LazyLock::new(|| Arc::new(Model::new(StepClock::at(StepClock::START))));

fn process(model: &Arc<Model>) -> Process {
    Process { reader: Arc::clone(model) as _, writer: Arc::clone(model) as _, ids: Arc::clone(model) as _ }
}

fn run(category: &str, name: &str) {
    let start = |clock| {
        let another = process(&Arc::new(ORACLE.another(clock)));
        Box::pin(std::future::ready(another)) as futures::future::BoxFuture<'static, Process>
    };
    let backend = Backend { process: process(&ORACLE), start: Arc::new(start), walk: stage::walk() };
    stage::runtime().block_on(conformance::run(category, name, backend));
}

conformance_cases!(conformance_tests);
