//! The evasion corpus: words in disguises that must be found, and harmless texts that must not.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops where it stands")]

use riposte_policy::{Day, ListEffect, ListSettings, Matcher, Normalizer, PolicyOutcome, WordList};
use std::sync::Arc;

const LATIN: [&str; 20] = [
    "spam",
    "casino",
    "viagra",
    "lottery",
    "crypto",
    "forex",
    "escort",
    "replica",
    "betting",
    "jackpot",
    "pharma",
    "hacker",
    "malware",
    "phishing",
    "scammer",
    "keylogger",
    "botnet",
    "cracked",
    "torrent",
    "giveaway",
];
const HAN: [&str; 20] = [
    "赌博", "博彩", "色情", "发票", "办证", "枪支", "彩票", "贷款", "刷单", "外挂", "传销", "诈骗", "假钞", "迷药",
    "毒品", "翻墙", "私服", "裸聊", "走私", "洗钱",
];
/// Letters of other scripts that are confusable with small Latin letters.
const SMALL: &[(char, &str)] = &[
    ('a', "аα"),
    ('c', "сϲ"),
    ('d', "ԁ"),
    ('e', "е"),
    ('g', "ց"),
    ('h', "һ"),
    ('i', "і"),
    ('j', "ј"),
    ('l', "ӏ"),
    ('n', "ո"),
    ('o', "оοօ"),
    ('p', "рρ"),
    ('q', "ԛ"),
    ('s', "ѕ"),
    ('u', "ս"),
    ('v', "ѵν"),
    ('w', "ԝ"),
    ('x', "х"),
    ('y', "у"),
];
/// Letters of other scripts that are confusable with capital Latin letters.
const CAPITAL: &[(char, &str)] = &[
    ('A', "АΑ"),
    ('B', "ВΒ"),
    ('C', "СϹ"),
    ('E', "ЕΕ"),
    ('H', "НΗ"),
    ('I', "ІΙ"),
    ('J', "Ј"),
    ('K', "КΚ"),
    ('M', "МΜ"),
    ('N', "Ν"),
    ('O', "ОΟ"),
    ('P', "РΡ"),
    ('S', "Ѕ"),
    ('T', "ТΤ"),
    ('X', "ХΧ"),
    ('Y', "ҮΥ"),
];

/// The disguises of one kind.
struct Disguise {
    name: &'static str,
    /// The disguised forms of a word.
    of: fn(&str) -> Vec<String>,
    for_latin: bool,
    for_han: bool,
}

const DISGUISES: [Disguise; 15] = [
    latin("full width", |word| vec![moved(word, 'ａ')]),
    latin("circled", |word| vec![moved(word, 'ⓐ')]),
    latin("squared", |word| vec![moved(word, '🄰')]),
    latin("bold and script letters", |word| vec![moved(word, '𝐚'), moved(word, '𝓪'), moved(word, '𝚊')]),
    both("zero width", |word| vec![between(word, "\u{200b}"), between(word, "\u{200d}"), between(word, "\u{2060}")]),
    both("soft hyphen", |word| vec![between(word, "\u{ad}")]),
    both("bidi override", |word| vec![format!("\u{202e}{word}\u{202c}"), between(word, "\u{200f}")]),
    both("tags", |word| vec![between(word, "\u{e0041}\u{e007f}")]),
    both("variation selectors", |word| vec![between(word, "\u{fe0f}"), between(word, "\u{e0100}")]),
    latin("a confusable letter", |word| replaced(word, SMALL)),
    latin("a confusable capital", |word| replaced(&word.to_uppercase(), CAPITAL)),
    latin("stray marks", |word| ["\u{336}", "\u{337}", "\u{20dd}"].map(|mark| between(word, mark) + mark).to_vec()),
    latin("mixed case", |word| vec![word.to_uppercase(), alternating(word)]),
    both("other digits", |word| vec![format!("{word}٢٤"), format!("{word}２४"), format!("{word}𝟚𝟰")]),
    both("combined", |word| vec![between(&format!("{word}２４"), "\u{200b}\u{fe0f}")]),
];

const fn latin(name: &'static str, of: fn(&str) -> Vec<String>) -> Disguise {
    Disguise { name, of, for_latin: true, for_han: false }
}

const fn both(name: &'static str, of: fn(&str) -> Vec<String>) -> Disguise {
    Disguise { name, of, for_latin: true, for_han: true }
}

/// Returns a word in the letters that begin at `first`.
fn moved(word: &str, first: char) -> String {
    let letter = |c: char| char::from_u32(u32::from(first) + u32::from(c) - u32::from('a')).unwrap();
    word.chars().map(letter).collect()
}

/// Returns a word with a text between each two of its code points.
fn between(word: &str, text: &str) -> String {
    word.chars().map(String::from).collect::<Vec<_>>().join(text)
}

/// Returns a word with one letter replaced, in each way of a table.
fn replaced(word: &str, table: &[(char, &str)]) -> Vec<String> {
    let of = |c: char| table.iter().filter(move |(from, _)| *from == c).flat_map(|(_, to)| to.chars());
    let at = |(at, c): (usize, char)| of(c).map(move |to| format!("{}{to}{}", &word[..at], &word[at + 1..]));
    word.char_indices().flat_map(at).collect()
}

fn alternating(word: &str) -> String {
    let swapped = |(at, c): (usize, char)| if at % 2 == 0 { c } else { c.to_ascii_uppercase() };
    word.chars().enumerate().map(swapped).collect()
}

/// Returns texts in which the disguised word stands alone, as a word between others.
fn texts(word: &str, is_latin: bool) -> [String; 3] {
    let (before, after) = if is_latin { ("Buy ", ", now!") } else { ("本店提供", "哦") };
    [word.to_owned(), format!("{before}{word}{after}"), format!("看{word}的")]
}

/// The words, each also with digits, and phrases that are allowed.
fn matcher(normalizer: &Arc<Normalizer>) -> Matcher {
    let settings = |name: &str, outcome| {
        let (name, code) = (name.to_owned(), "policy.list".to_owned());
        ListSettings { name, outcome, code, mode: None, effect: ListEffect::Live }
    };
    let words = || LATIN.into_iter().chain(HAN);
    let denied: Vec<String> = words().flat_map(|word| [word.to_owned(), format!("{word}24")]).collect();
    let allowed: Vec<String> = words().map(allowed).collect();
    let list = |name, outcome, words: &[String]| {
        WordList::parse(&settings(name, outcome), words.join("\n").as_bytes()).unwrap()
    };
    let lists = [list("denied", PolicyOutcome::Hold, &denied), list("allowed", PolicyOutcome::Allow, &allowed)];
    let (matcher, notes) = Matcher::new(Arc::clone(normalizer), &lists, Day::parse("2026-11-26").unwrap()).unwrap();
    assert!(notes.is_empty(), "{notes:?}");
    matcher
}

/// Returns the allowed phrase of a word.
fn allowed(word: &str) -> String {
    if word.is_ascii() { format!("anti {word} act") } else { format!("反{word}法") }
}

#[test]
fn at_least_98_per_cent_of_the_disguised_words_are_found() {
    let normalizer = Arc::new(Normalizer::default());
    let matcher = matcher(&normalizer);
    let (mut found, mut missed) = (0, Vec::new());
    for Disguise { name, of, for_latin, for_han } in DISGUISES {
        let latin = LATIN.into_iter().filter(|_| for_latin);
        for word in latin.chain(HAN.into_iter().filter(|_| for_han)) {
            for text in of(word).iter().flat_map(|disguised| texts(disguised, word.is_ascii())) {
                if matcher.find(&text, &normalizer.match_copy(&text)).outcome == PolicyOutcome::Hold {
                    found += 1;
                } else {
                    missed.push(format!("{name}: {text}"));
                }
            }
        }
    }
    let total = found + missed.len();
    println!("{found} of {total} found, {:.2} %", found as f64 * 100.0 / total as f64);
    println!("missed: {missed:#?}");
    assert!(total > 3_000 && found * 100 >= total * 98, "{found} of {total} found; missed: {missed:?}");
}

#[test]
fn no_harmless_text_is_a_hit() {
    let normalizer = Arc::new(Normalizer::default());
    let matcher = matcher(&normalizer);
    let inside = |word: &str| match word.char_indices().nth(1) {
        // A word inside another one, and one whose letters have others between them.
        Some(_) if word.is_ascii() => vec![format!("un{word}"), format!("{word}ed"), format!("ne{word}ly")],
        Some((at, _)) => vec![format!("{}不{}", &word[..at], &word[at..]), word[..at].repeat(2), word[at..].repeat(2)],
        None => Vec::new(),
    };
    let (mut tried, mut hits) = (0, Vec::new());
    for word in LATIN.into_iter().chain(HAN) {
        for harmless in inside(word).into_iter().chain([allowed(word)]) {
            let disguised = DISGUISES.iter().filter(|disguise| disguise.name != "other digits" && disguise.for_han);
            let same_letters = disguised.filter(|disguise| disguise.name != "combined");
            let all = same_letters.flat_map(|disguise| (disguise.of)(&harmless)).chain([harmless.clone()]);
            for text in all.flat_map(|text| texts(&text, word.is_ascii())) {
                tried += 1;
                if matcher.find(&text, &normalizer.match_copy(&text)).outcome != PolicyOutcome::Allow {
                    hits.push(text);
                }
            }
        }
    }
    assert!(tried > 1_000 && hits.is_empty(), "{} of {tried}: {hits:?}", hits.len());
}

#[test]
fn words_of_one_script_that_are_confusable_with_latin_ones_are_no_hits() {
    let normalizer = Arc::new(Normalizer::default());
    let list = "cop\nmope\nHE\nPOT\ncoyc\n";
    let settings = ListSettings {
        name: "words".to_owned(),
        outcome: PolicyOutcome::Hold,
        code: "policy.list".to_owned(),
        mode: None,
        effect: ListEffect::Live,
    };
    let lists = [WordList::parse(&settings, list.as_bytes()).unwrap()];
    let (matcher, _) = Matcher::new(Arc::clone(&normalizer), &lists, Day::parse("2026-11-26").unwrap()).unwrap();
    // Russian and Greek, beside Latin and Chinese words.
    for text in ["сор", "море и НЕ РОТ", "соус, the sea", "我的app соус", "POTATO сорок"] {
        assert_eq!(matcher.find(text, &normalizer.match_copy(text)).outcome, PolicyOutcome::Allow, "{text}");
    }
}
