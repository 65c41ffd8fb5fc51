//! Sends every request message to a complete server in this process. The first byte selects the
//! method.

#![no_main]

use std::sync::LazyLock;

use riposte::Decorators;
use riposte::app::{App, AppInputs};
use riposte::config::{Config, Inputs, Profile};
use riposte_sdk::Error;
use riposte_tests::raw::{self, Raw};
use tokio::runtime::Runtime;

/// A server that runs as long as the process, and every method with the listener that serves it.
struct Fixture {
    runtime: Runtime,
    _app: App,
    public: Raw,
    admin: Raw,
    methods: Vec<String>,
}

static FIXTURE: LazyLock<Fixture> = LazyLock::new(|| {
    let runtime = Runtime::new().expect("a runtime");
    let sets =
        ["server.listen=127.0.0.1:0", "server.admin_listen=127.0.0.1:0", "telemetry.scrape=false", "log.filter=off"];
    let inputs = Inputs { profile: Profile::Dev, sets: sets.map(str::to_owned).to_vec(), ..Inputs::default() };
    let config = Config::load(&inputs).expect("the configuration is sound").config;
    let telemetry = riposte_telemetry::start(&config.log, &config.telemetry, riposte_grpc::audit::TARGET)
        .expect("no other has begun");
    let app = runtime.block_on(async {
        let (metrics, decorators) = (telemetry.metrics(), Decorators::default());
        let inputs = AppInputs {
            config: &config,
            metrics,
            unaudited: Default::default(),
            faults: None,
            decorators: &decorators,
        };
        let app = App::start(inputs).await.expect("it starts");
        app.wait_ready().await;
        app
    });
    let to = |address| runtime.block_on(async { Raw::to(&format!("http://{address}"), None).expect("an address") });
    let (public, admin) = (to(app.addresses().grpc), to(app.addresses().admin));
    let methods = raw::methods().expect("a contract").iter().map(raw::name).collect();
    Fixture { runtime, _app: app, public, admin, methods }
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((method, message)) = bytes.split_first() else { return };
    let fixture = &*FIXTURE;
    let method = &fixture.methods[usize::from(*method) % fixture.methods.len()];
    let raw = if raw::is_admin(method) { &fixture.admin } else { &fixture.public };
    let outcome = fixture.runtime.block_on(raw.call(method, message.to_vec()));
    if let Err(error) = outcome.map_err(Error::from) {
        assert!(!raw::is_broken(&error), "{method}: {error:?}");
    }
});
