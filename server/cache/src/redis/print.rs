//! First pages in print, as Redis keeps them: the xxh3 of the print (8 bytes, big-endian), and the print. The subject's row is not in
//! it: it lies in the block, which says by revision and stamp whether the print is still true.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use fred::types::Value;
use prost::bytes::Bytes;
use riposte_core::page::{Start, Window};
use tokio::sync::Semaphore;
use xxhash_rust::xxh3::xxh3_64;

use super::answers;
use super::words::{self, text};
use super::{Redis, at_of, jittered, trips, value::hex};
use crate::port::{Away, Lookup, PageAsk, PageHit, Part, Printed, Printer, Prints};
use crate::reader::roots;

/// How long a print is kept at most: to print it again costs little.
const KEPT: Duration = Duration::from_secs(10 * 60);
/// The most bytes of a print that is kept: a larger page is put together each time, for every like ends its print.
const LARGEST: usize = 128 << 10;
/// The most prints that are being kept at a time; more are not.
const KEEPING: usize = 64;

/// Who prints, and room for what is on its way.
#[derive(Debug)]
pub(super) struct Press {
    printer: Arc<dyn Printer>,
    keeping: Arc<Semaphore>,
}

impl Press {
    pub(super) fn new(printer: Arc<dyn Printer>) -> Self {
        Self { printer, keeping: Arc::new(Semaphore::new(KEEPING)) }
    }

    /// How a page is asked for and printed.
    fn name(&self, window: &Window, previews: u8) -> Value {
        text(format!("{}:{previews}:{}", window.limit, self.printer.form()))
    }
}

impl Redis {
    /// The name of a window's print, where prints are kept.
    pub(super) fn print_name(&self, ask: &PageAsk) -> Option<Value> {
        Some(self.press.as_ref()?.name(first(ask)?, ask.previews))
    }

    /// Prints a first page and keeps it, behind the back of who reads it. `of`: what it is of.
    pub(super) fn keep(&self, ask: &PageAsk, hit: &PageHit, of: Value) {
        let (Some(press), Some(window)) = (&self.press, first(ask)) else { return };
        if said(hit) > LARGEST {
            return;
        }
        let Ok(room) = Arc::clone(&press.keeping).try_acquire_owned() else { return };
        let (printer, hit, subject) = (Arc::clone(&press.printer), hit.clone(), hit.subject.id);
        let mut words = vec![
            text(hex(subject.get())),
            text(words::order(window.order)),
            jittered(KEPT.min(self.limits().ttl)),
            of,
            press.name(window, ask.previews),
        ];
        let (client, trips) = (Arc::clone(&self.client), self.trips.clone());
        let cursor = words::cursor(at_of(subject), self.config.timeline);
        tokio::spawn(async move {
            let print = printer.print(roots(hit.into()));
            if print.len() <= LARGEST {
                words.push(words::bytes([&xxh3_64(&print).to_be_bytes()[..], &print].concat()));
                // One that is not kept is printed again.
                let _ = trips::watched(trips.as_deref(), "keep", client.call_aside("keep", &cursor, words)).await;
            }
            drop(room);
        });
    }

    /// The print of a first page, and what it is of.
    async fn kept(&self, press: &Press, ask: &PageAsk) -> Result<Lookup<Option<(Value, Printed)>>, Away> {
        let Some(window) = first(ask) else { return Ok(Lookup::Miss) };
        let words =
            vec![text(words::name(&ask.key)), text(words::order(window.order)), press.name(window, ask.previews)];
        let answer = self.call("printed", ask.key.partition(), words).await?;
        Ok(answers::lookup(&answer, |parts| {
            let [row, of, kept] = parts else { return None };
            Some((of.clone(), Printed { subject: answers::subject(row)?, print: whole(kept)? }))
        }))
    }
}

#[async_trait]
impl Prints for Redis {
    async fn printed(&self, ask: &PageAsk) -> Result<Lookup<Option<Printed>>, Away> {
        let Some(press) = &self.press else { return Ok(Lookup::Miss) };
        Ok(match self.kept(press, ask).await? {
            Lookup::Hit(found) => Lookup::Hit(found.map(|(_, printed)| printed)),
            Lookup::Miss => Lookup::Miss,
        })
    }

    async fn is_right(&self, ask: &PageAsk) -> Result<bool, Away> {
        let Some(press) = &self.press else { return Ok(true) };
        let Lookup::Hit(Some((of, Printed { print, .. }))) = self.kept(press, ask).await? else { return Ok(true) };
        let (Lookup::Hit(Some(hit)), _) = self.put_together(ask, None).await? else { return Ok(true) };
        if press.printer.print(roots(hit.into())) == print {
            return Ok(true);
        }
        // Something may have changed between the two: then the print is none any more.
        Ok(!matches!(self.kept(press, ask).await?, Lookup::Hit(Some((now, _))) if now == of))
    }
}

/// The window of a first page of roots: no other page is printed, and a print's name does not say where its page begins.
fn first(ask: &PageAsk) -> Option<&Window> {
    match &ask.part {
        Part::Window(window) if ask.root.is_none() && window.start == Start::Beginning => Some(window),
        Part::Window(_) | Part::These(_) => None,
    }
}

/// How many bytes the texts on a page have: its print has more.
fn said(hit: &PageHit) -> usize {
    let replies = hit.previews.values().flat_map(|preview| &preview.replies);
    let items = hit.items.items.iter().chain(&hit.pinned).chain(replies);
    items.filter_map(|item| Some(item.content.as_ref()?.text().len())).sum()
}

/// `None` where it is damaged.
fn whole(kept: &Value) -> Option<Bytes> {
    let mut print = answers::owned(kept)?.clone();
    if print.len() < size_of::<u64>() {
        return None;
    }
    let sum = print.split_to(size_of::<u64>());
    (sum[..] == xxh3_64(&print).to_be_bytes()).then_some(print)
}
