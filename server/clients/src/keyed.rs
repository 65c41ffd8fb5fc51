//! Results that belong to items by key.

use std::collections::HashMap;

use crate::breach::Breach;

/// The names of one result and of its key in messages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Nouns {
    pub(crate) result: &'static str,
    pub(crate) key: &'static str,
}

/// Returns the result of each key with its number, in the order of the keys; `None` where it is
/// missing or doubled. Missing, doubled and foreign results are breaches.
pub(crate) fn by_key<'a, R>(
    keys: &[&str],
    results: &'a [R],
    key_of: impl Fn(&R) -> &str,
    nouns: Nouns,
    breaches: &mut Vec<Breach>,
) -> Vec<Option<(usize, &'a R)>> {
    let places: HashMap<&str, usize> = keys.iter().enumerate().map(|(place, key)| (*key, place)).collect();
    let mut found: Vec<Vec<(usize, &R)>> = keys.iter().map(|_| Vec::new()).collect();
    let Nouns { result, key } = nouns;
    for (number, given) in results.iter().enumerate() {
        match places.get(key_of(given)).and_then(|place| found.get_mut(*place)) {
            Some(slot) => slot.push((number + 1, given)),
            None => breaches.push(Breach::new(
                format!("{result} {}", number + 1),
                format!("`{key}` is that of no item of the request"),
                format!("copy `{key}` from the item of the request, unchanged"),
            )),
        }
    }
    for (number, slot) in found.iter().enumerate() {
        if slot.len() != 1 {
            let what = format!("has {} {result}", if slot.is_empty() { "no" } else { "more than one" });
            let change = format!("send one {result} for each item of the request");
            breaches.push(Breach::new(format!("item {}", number + 1), what, change));
        }
    }
    found.into_iter().map(|slot| if slot.len() == 1 { slot.into_iter().next() } else { None }).collect()
}

#[cfg(test)]
mod tests {
    use super::{Nouns, by_key};

    #[test]
    fn missing_doubled_and_foreign_keys_affect_no_other_item() {
        let nouns = Nouns { result: "verdict", key: "key" };
        let mut breaches = Vec::new();
        let results = ["c", "b", "x", "b"];
        let found = by_key(&["a", "b", "c"], &results, |result| result, nouns, &mut breaches);
        assert_eq!(found, [None, None, Some((1, &"c"))]);
        let breaches: Vec<String> = breaches.iter().map(ToString::to_string).collect();
        let foreign = "verdict 3: `key` is that of no item of the request";
        assert_eq!(breaches, [foreign, "item 1: has no verdict", "item 2: has more than one verdict"]);
    }
}
