//! The steps of a scenario, as sdk/conformance/README.md has them.

use super::callers::{Callers, by_ids, listeners};
use super::calls::Caller;
use super::feeds::{feed, heartbeat, restored};
use super::full_speed::full_speed;
use super::gate::{late, outage};
use super::json::{at, compare, filled, filled_text};
use futures::future::{LocalBoxFuture, try_join_all};
use futures::stream::{StreamExt, TryStreamExt, iter};
use riposte_sdk::Error;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::time::{Duration, Instant};

const EVENTUALLY: Duration = Duration::from_secs(10);
const AGAIN: Duration = Duration::from_millis(50);

/// One file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    pub(crate) scenarios: Vec<Scenario>,
}

/// Steps that run in order.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scenario {
    pub(crate) name: String,
    steps: Vec<Step>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Step {
    call: Option<String>,
    list: Option<String>,
    watch: Option<String>,
    together: Option<Vec<Step>>,
    outage: Option<usize>,
    late: Option<usize>,
    feed: Option<usize>,
    heartbeat: bool,
    restored: bool,
    full_speed: Option<usize>,
    stream: Option<String>,
    first: Option<Value>,
    last: Option<Value>,
    listeners: Option<usize>,
    by_ids: Option<usize>,
    caller: Option<String>,
    page: Option<Value>,
    member: String,
    made: Vec<Value>,
    unsent: bool,
    unmade: bool,
    request: Value,
    repeat: Option<usize>,
    at_once: Option<usize>,
    different: Option<String>,
    fault: Option<String>,
    fault_every: Option<usize>,
    deadline_ms: Option<u64>,
    eventually: bool,
    during: Vec<Step>,
    expect: Option<Value>,
    error: Option<ExpectedError>,
    save: BTreeMap<String, String>,
    items: Option<Value>,
    count: Option<usize>,
    pages: Option<usize>,
    events: Option<Vec<Value>>,
}

/// The expected fields of an error; fields that are absent here are not compared.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedError {
    code: Option<String>,
    reason: Option<String>,
    retryable: Option<bool>,
    retry_after: Option<bool>,
    violations: Option<Vec<String>>,
    #[serde(default)]
    metadata: BTreeMap<String, String>,
}

/// The values that steps save for later steps.
#[derive(Debug, Default)]
pub(crate) struct Vars(Mutex<BTreeMap<String, String>>);

impl Vars {
    fn set(&self, name: &str, value: String) {
        self.0.lock().unwrap().insert(name.to_owned(), value);
    }

    fn all(&self) -> BTreeMap<String, String> {
        self.0.lock().unwrap().clone()
    }
}

type Outcome = Result<(), String>;

impl Scenario {
    /// Runs the scenario; an error names the step that failed.
    pub(crate) async fn run(&self, caller: &Caller, vars: &Vars) -> Outcome {
        let (unique, uuid) = (caller.uuid().replace('-', ""), caller.uuid());
        // The first half of an id is the time and a count, so only this scenario has it.
        vars.set("unique", unique[..16].to_owned());
        vars.set("uuid", uuid);
        run(&self.steps, caller, vars).await
    }
}

async fn run(steps: &[Step], caller: &Caller, vars: &Vars) -> Outcome {
    for (number, step) in (1..).zip(steps) {
        step.run(caller, vars).await.map_err(|fault| format!("step {number}: {fault}"))?;
    }
    Ok(())
}

impl Step {
    fn run<'a>(&'a self, caller: &'a Caller, vars: &'a Vars) -> LocalBoxFuture<'a, Outcome> {
        Box::pin(async move {
            let start = Instant::now();
            loop {
                match self.once(caller, vars).await {
                    Err(_) if self.eventually && start.elapsed() < EVENTUALLY => tokio::time::sleep(AGAIN).await,
                    outcome => return outcome,
                }
            }
        })
    }

    async fn once(&self, caller: &Caller, vars: &Vars) -> Outcome {
        if self.unsent {
            // No text of this language is invalid Unicode.
            return Ok(());
        }
        if let Some(attempts) = self.outage {
            return outage(caller, &filled_text("${unique}", &vars.all()), attempts).await;
        }
        if let Some(attempts) = self.late {
            return late(caller, &filled_text("${unique}", &vars.all()), attempts).await;
        }
        if let Some(breaks) = self.feed {
            return feed(caller, filled_text("f${unique}", &vars.all()), breaks).await;
        }
        if self.heartbeat {
            return heartbeat(caller, &filled_text("${unique}", &vars.all())).await;
        }
        if self.restored {
            return restored(filled_text("f${unique}", &vars.all())).await;
        }
        if let Some(calls) = self.full_speed {
            return full_speed(&filled_text("${unique}", &vars.all()), calls).await;
        }
        if let Some(method) = &self.stream {
            return self.stream(method, caller, vars).await;
        }
        if let Some(count) = self.listeners {
            return listeners(&filled_text("${unique}", &vars.all()), count).await;
        }
        if let Some(count) = self.by_ids {
            return by_ids(&caller.client, &filled_text("${unique}", &vars.all()), count).await;
        }
        if let Some(subject) = &self.page {
            return self.page(subject, caller, vars).await;
        }
        match (&self.call, &self.list, &self.watch, &self.together) {
            (Some(method), None, None, None) => self.call(method, caller, vars).await,
            (None, Some(method), None, None) => self.list(method, caller, vars).await,
            (None, None, Some(method), None) => match &self.caller {
                Some(name) => {
                    let server = Callers::start(&[]).await;
                    self.watch(method, &caller.by(server.client(name)), vars).await
                }
                None => self.watch(method, caller, vars).await,
            },
            (None, None, None, Some(steps)) => {
                try_join_all(steps.iter().map(|step| step.run(caller, vars))).await.map(drop)
            }
            _ => {
                let forms = "call, list, watch, together, outage, late, feed, heartbeat, restored, full_speed, stream, listeners, by_ids and page";
                Err(format!("a step is one of {forms}"))
            }
        }
    }

    async fn call(&self, method: &str, caller: &Caller, vars: &Vars) -> Outcome {
        let repetitions =
            iter(1..=self.repeat.unwrap_or(1)).map(|number| self.repetition(number, method, caller, vars));
        let responses: Vec<Option<Value>> = repetitions.buffered(self.at_once.unwrap_or(1)).try_collect().await?;
        let responses: Vec<Value> = responses.into_iter().flatten().collect();
        let Some(response) = responses.last() else { return Ok(()) };
        compare(&self.wanted(self.expect.as_ref(), vars), response, method)?;
        for (name, path) in &self.save {
            vars.set(name, at(response, path)?);
        }
        let Some(path) = &self.different else { return Ok(()) };
        let values = responses.iter().map(|response| at(response, path)).collect::<Result<BTreeSet<_>, _>>()?;
        same("different responses", values.len(), responses.len())
    }

    /// One repetition of a call; `None` if it failed as expected.
    async fn repetition(
        &self,
        number: usize,
        method: &str,
        caller: &Caller,
        vars: &Vars,
    ) -> Result<Option<Value>, String> {
        vars.set("i", number.to_string());
        let fault = self.fault.as_deref().filter(|_| number.is_multiple_of(self.fault_every.unwrap_or(1)));
        let limit = self.deadline_ms.map(Duration::from_millis);
        let caller = caller.with_fault(fault, &caller.uuid());
        self.expected(caller.call(method, &self.request(vars), limit).await, vars)
    }

    async fn list(&self, method: &str, caller: &Caller, vars: &Vars) -> Outcome {
        let caller = caller.with_fault(self.fault.as_deref(), &caller.uuid());
        let outcome = caller.list(method, &self.request(vars), !self.unmade).await;
        let Some((items, pages)) = self.expected(outcome, vars)? else { return Ok(()) };
        if let Some(count) = self.count {
            let different: BTreeSet<String> = items.iter().map(Value::to_string).collect();
            same("items", items.len(), count)?;
            same("different items", different.len(), count)?;
        }
        if let Some(wanted) = self.pages {
            same("pages", pages, wanted)?;
        }
        match &self.items {
            Some(wanted) => compare(&filled(wanted, &vars.all()), &Value::Array(items), method),
            None => Ok(()),
        }
    }

    async fn page(&self, subject: &Value, caller: &Caller, vars: &Vars) -> Outcome {
        let (subject, member) = (filled(subject, &vars.all()), filled_text(&self.member, &vars.all()));
        let made = self.made.iter().map(|id| filled(id, &vars.all()).as_str().unwrap().parse().unwrap());
        let outcome = caller.page(&subject, &self.request(vars), &member, made.collect()).await;
        let (items, response) = outcome.map_err(|error| error.to_string())?;
        compare(&self.wanted(self.items.as_ref(), vars), &items, "page")?;
        for (name, path) in &self.save {
            vars.set(name, at(&response, path)?);
        }
        Ok(())
    }

    async fn watch(&self, method: &str, caller: &Caller, vars: &Vars) -> Outcome {
        let watcher = caller.with_fault(self.fault.as_deref(), &caller.uuid());
        let (request, count) = (self.request(vars), self.events.as_ref().map_or(0, Vec::len));
        let Some(opened) = self.expected(watcher.watch(method, &request).await, vars)? else { return Ok(()) };
        run(&self.during, caller, vars).await?;
        let events = opened.events(count).await.map_err(|error| error.to_string())?;
        let wanted = Value::Array(self.events.clone().unwrap_or_default());
        compare(&filled(&wanted, &vars.all()), &Value::Array(events), method)
    }

    async fn stream(&self, method: &str, caller: &Caller, vars: &Vars) -> Outcome {
        let outcome = caller.stream(method, &self.request(vars)).await;
        let Some(responses) = self.expected(outcome, vars)? else { return Ok(()) };
        let [first, .., last] = responses.as_slice() else { return Err(format!("{} responses", responses.len())) };
        compare(&self.wanted(self.first.as_ref(), vars), first, "first")?;
        compare(&self.wanted(self.last.as_ref(), vars), last, "last")
    }

    fn request(&self, vars: &Vars) -> Value {
        if self.request.is_null() { json!({}) } else { filled(&self.request, &vars.all()) }
    }

    fn wanted(&self, value: Option<&Value>, vars: &Vars) -> Value {
        value.map_or_else(|| json!({}), |value| filled(value, &vars.all()))
    }

    /// Returns the response; `None` if the call failed with the expected error.
    fn expected<T>(&self, outcome: Result<T, Error>, vars: &Vars) -> Result<Option<T>, String> {
        match (outcome, &self.error) {
            (Ok(response), None) => Ok(Some(response)),
            (Ok(_), Some(wanted)) => Err(format!("no error instead of {wanted:?}")),
            (Err(error), None) => Err(error.to_string()),
            (Err(error), Some(_)) if self.unmade && error.request_id().is_some() => Err(format!("sent: {error}")),
            (Err(error), Some(wanted)) => {
                wanted.check(&error, vars, self.unmade || self.deadline_ms.is_some()).map(|()| None)
            }
        }
    }
}

impl ExpectedError {
    fn check(&self, error: &Error, vars: &Vars, has_deadline: bool) -> Outcome {
        let name = code_name(error);
        let fields: Vec<&str> = error.violations().iter().map(|violation| violation.field.as_str()).collect();
        let same = self.code.as_ref().is_none_or(|code| *code == name)
            && self.reason.as_ref().is_none_or(|reason| reason == error.reason_name())
            && self.retryable.is_none_or(|retryable| retryable == error.is_retryable())
            && self.retry_after.is_none_or(|expected| expected == error.retry_after().is_some())
            && self.violations.as_ref().is_none_or(|wanted| *wanted == fields)
            && self.metadata.iter().all(|(key, value)| {
                error.metadata().get(key).is_some_and(|found| *found == filled_text(value, &vars.all()))
            });
        if !same {
            return Err(format!("{error:?} instead of {self:?}"));
        }
        // A missing response has no id.
        if error.request_id().is_none() && !has_deadline && name != "DEADLINE_EXCEEDED" {
            return Err(format!("no request id in {error:?}"));
        }
        Ok(())
    }
}

/// `NOT_FOUND` for `NotFound`.
fn code_name(error: &Error) -> String {
    let mut name = String::new();
    for letter in format!("{:?}", error.code()).chars() {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_uppercase());
    }
    name
}

fn same(what: &str, found: usize, wanted: usize) -> Outcome {
    if found == wanted { Ok(()) } else { Err(format!("{found} {what} instead of {wanted}")) }
}
