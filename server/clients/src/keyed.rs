//! Answers that belong to questions by key.

use std::collections::HashMap;

use crate::fault::AnswerFault;

/// What answers are called in messages, and their key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Nouns {
    pub(crate) answer: &'static str,
    pub(crate) key: &'static str,
}

/// Returns the answer to each key with its number, in the order of the keys; `None` where it is
/// missing or doubled. Missing, doubled and foreign answers are breaches.
pub(crate) fn by_key<'a, A>(
    keys: &[&str],
    answers: &'a [A],
    key_of: impl Fn(&A) -> &str,
    nouns: Nouns,
    faults: &mut Vec<AnswerFault>,
) -> Vec<Option<(usize, &'a A)>> {
    let places: HashMap<&str, usize> = keys.iter().enumerate().map(|(place, key)| (*key, place)).collect();
    let mut found: Vec<Vec<(usize, &A)>> = keys.iter().map(|_| Vec::new()).collect();
    let Nouns { answer, key } = nouns;
    for (number, given) in answers.iter().enumerate() {
        match places.get(key_of(given)).and_then(|place| found.get_mut(*place)) {
            Some(slot) => slot.push((number + 1, given)),
            None => faults.push(AnswerFault::new(
                format!("{answer} {}", number + 1),
                format!("`{key}` is that of no item of the request"),
                format!("copy `{key}` from the item of the request, unchanged"),
            )),
        }
    }
    for (number, slot) in found.iter().enumerate() {
        if slot.len() != 1 {
            let what = if slot.is_empty() { "has no answer" } else { "has more than one answer" };
            let change = format!("send one {answer} for each item of the request");
            faults.push(AnswerFault::new(format!("item {}", number + 1), what, change));
        }
    }
    found.into_iter().map(|slot| if slot.len() == 1 { slot.into_iter().next() } else { None }).collect()
}

#[cfg(test)]
mod tests {
    use super::{Nouns, by_key};

    #[test]
    fn missing_doubled_and_foreign_keys_affect_no_other_item() {
        let nouns = Nouns { answer: "verdict", key: "key" };
        let mut faults = Vec::new();
        let answers = ["c", "b", "x", "b"];
        let found = by_key(&["a", "b", "c"], &answers, |answer| answer, nouns, &mut faults);
        assert_eq!(found, [None, None, Some((1, &"c"))]);
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        let foreign = "verdict 3: `key` is that of no item of the request";
        assert_eq!(faults, [foreign, "item 1: has no answer", "item 2: has more than one answer"]);
    }
}
