//! First pages in print.

use riposte_core::SubjectKey;
use riposte_core::page::{Order, Start, Which, Window};

use super::{CachedReader, Parts, Sample, Wanted};
use crate::port::{Lookup, Printed};
use crate::tally::Told;

impl CachedReader {
    /// The first page of roots in print, if it is kept; else it is to be read in another way, which may lead to its being kept.
    pub async fn printed(&self, key: &SubjectKey, order: Order, limit: usize, previews: u8) -> Option<Printed> {
        let window = Window { order, start: Start::Beginning, limit };
        let wanted = Wanted { key: key.clone(), root: None, which: Which::Window(window), previews };
        let printed = self.0.printed(&wanted).await?;
        self.0.tally.one(Told::Hit);
        self.0.seen.note(Sample::PAGE, || Sample::Page(wanted));
        Some(printed)
    }
}

impl Parts {
    async fn printed(&self, wanted: &Wanted) -> Option<Printed> {
        let prints = self.cache.prints()?;
        self.owed.clear(wanted.key.partition()).ok()?;
        match prints.printed(&wanted.ask(&self.places)?).await {
            Ok(Lookup::Hit(printed)) => printed,
            Ok(Lookup::Miss) | Err(_) => None,
        }
    }

    /// Whether what is kept in print is what would be printed now; where that cannot be told, it is.
    pub(super) async fn is_printed_right(&self, wanted: &Wanted) -> bool {
        let (Some(prints), Some(ask)) = (self.cache.prints(), wanted.ask(&self.places)) else { return true };
        prints.is_right(&ask).await.unwrap_or(true)
    }
}
