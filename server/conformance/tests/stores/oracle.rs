//! The oracle, which passes the same suite as the stores.

use std::sync::{Arc, LazyLock};

use riposte_conformance::model::Model;
use riposte_conformance::stores::{Backend, Process, StepClock};
use riposte_conformance::{conformance_cases, conformance_tests};
use riposte_store::shard::TableCounts;

use crate::environment::{self, Environment};
use crate::servers::runtime;

/// All cases share one oracle, as those of the other backends share one database.
static ENVIRONMENT: LazyLock<Option<Environment>> = LazyLock::new(|| {
    let model = Arc::new(Model::new(StepClock::at(StepClock::START)));
    let first = process(&model);
    let start = move |clock| {
        let another = process(&Arc::new(model.another(clock)));
        Box::pin(std::future::ready(another)) as futures::future::BoxFuture<'static, Process>
    };
    let backend = Backend::new(first, Arc::new(start), environment::walk(TableCounts { subject: 1, index: 1 }));
    Some(Environment::new(runtime(), backend))
});

fn process(model: &Arc<Model>) -> Process {
    Process {
        reader: Arc::clone(model) as _,
        writer: Arc::clone(model) as _,
        ids: Arc::clone(model) as _,
        outbox: Arc::clone(model) as _,
        positions: Arc::clone(model) as _,
        histories: Arc::clone(model) as _,
        rank_indexes: Arc::clone(model) as _,
        rankings: Arc::clone(model) as _,
        repairer: Arc::clone(model) as _,
        reviews: Arc::clone(model) as _,
        reports: Arc::clone(model) as _,
        standings: Arc::clone(model) as _,
    }
}

fn run(category: &str, name: &str) {
    environment::run_case(ENVIRONMENT.as_ref(), category, name);
}

conformance_cases!(conformance_tests);
