//! The time to normalize a text and to find the entries of lists in it, on real comments:
//! docs/benchmarks/policy.md.

#![expect(clippy::unwrap_used, reason = "a benchmark has no caller to return an error to")]

#[path = "../tests/real/texts.rs"]
mod texts;

use riposte_policy::{Day, Matcher, MemberInputs, Normalizer, RuleInputs, WordList};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

/// The repeats of a measurement. The fastest counts: other work on the machine only adds to a time.
const REPEATS: usize = 101;
/// The code points of all texts of a repeat, which takes less than a slice of the scheduler.
const CODE_POINTS: usize = 60_000;
const LENGTHS: [usize; 3] = [40, 300, 5_000];
const ENTRIES: [usize; 2] = [3_000, 60_000];
const LANGUAGES: [&str; 28] = [
    "ar",
    "cs",
    "da",
    "de",
    "en",
    "eo",
    "es",
    "fa",
    "fi",
    "fil",
    "fr",
    "fr-CA-u-sd-caqc",
    "hi",
    "hu",
    "it",
    "ja",
    "kab",
    "ko",
    "nl",
    "no",
    "pl",
    "pt",
    "ru",
    "sv",
    "th",
    "tlh",
    "tr",
    "zh",
];

fn main() {
    let Some(folder) = texts::folder() else { return };
    let tables = || timed(|| Arc::new(Normalizer::default()));
    let (normalizer, table) = (0..10).map(|_| tables()).min_by(|one, other| one.1.total_cmp(&other.1)).unwrap();
    println!("table of code points: {:.1} ms", table * 1e3);
    let corpora = [("Spanish", texts::madrid(&folder)), ("Chinese", texts::vtaiwan(&folder))];
    println!(
        "\n| entries | texts | code points | normalized, ns | normalized and matched, ns | with facts, ns | hits |"
    );
    println!("|--:|---|--:|--:|--:|--:|--:|");
    for count in ENTRIES {
        let lists = lists(&folder, count);
        let today = Day::new(2026, 11, 26).unwrap();
        let build = || timed(|| Matcher::new(Arc::clone(&normalizer), &lists, today).unwrap().0);
        let (matcher, built) = (0..5).map(|_| build()).min_by(|one, other| one.1.total_cmp(&other.1)).unwrap();
        for (name, comments) in &corpora {
            for length in LENGTHS {
                let texts = cut(comments, length);
                row(&normalizer, &matcher, name, length, &texts);
            }
        }
        let mib = matcher.heap_bytes() as f64 / f64::from(1 << 20);
        eprintln!("{} entries: built in {:.0} ms, {mib:.1} MiB", matcher.entries(), built * 1e3);
    }
}

fn row(normalizer: &Normalizer, matcher: &Matcher, name: &str, length: usize, texts: &[String]) {
    let normalized = fastest(texts, |text| normalizer.match_copy(text).as_str().len());
    let found = fastest(texts, |text| matcher.find(text, &normalizer.match_copy(text)).hits.len());
    let all = fastest(texts, |text| {
        let copy = normalizer.match_copy(text);
        let inputs = RuleInputs::of(text, &copy, 0, MemberInputs::default());
        matcher.find(text, &copy).hits.len() + inputs.links as usize
    });
    let hits: usize = texts.iter().map(|text| matcher.find(text, &normalizer.match_copy(text)).hits.len()).sum();
    let hits = hits as f64 / texts.len() as f64;
    println!("| {} | {name} | {length} | {normalized:.0} | {found:.0} | {all:.0} | {hits:.2} |", matcher.entries());
}

/// Returns the nanoseconds for each text, in the fastest repeat.
fn fastest(texts: &[String], run: impl Fn(&str) -> usize) -> f64 {
    let run_all = || timed(|| texts.iter().map(|text| black_box(run(black_box(text)))).sum::<usize>()).1;
    let seconds = (0..REPEATS).map(|_| run_all()).fold(f64::INFINITY, f64::min);
    seconds * 1e9 / texts.len() as f64
}

fn timed<T>(run: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = run();
    (result, start.elapsed().as_secs_f64())
}

/// Returns texts of a length, made of comments in their order.
fn cut(comments: &[String], length: usize) -> Vec<String> {
    let mut chars = comments.iter().flat_map(|text| text.chars().chain([' '])).cycle();
    (0..CODE_POINTS / length).map(|_| chars.by_ref().take(length).collect()).collect()
}

/// Returns the published lists of all languages, filled up with made words to a number of entries:
/// three of four Latin, one Han.
fn lists(folder: &std::path::Path, count: usize) -> Vec<WordList> {
    let mut lists: Vec<WordList> = LANGUAGES.map(|language| texts::words(folder, language, None)).to_vec();
    let real: usize = lists.iter().map(|list| list.entries.len()).sum();
    let mut made = String::new();
    for number in 0..count - real {
        made += &if number % 4 == 0 { han(number) } else { latin(number) };
        made.push('\n');
    }
    lists.push(WordList::parse(&texts::settings("made", None), made.as_bytes()).unwrap());
    lists
}

fn latin(mut number: usize) -> String {
    const SYLLABLES: [&str; 16] =
        ["ba", "ce", "di", "fo", "gu", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "xo", "zu", "tri"];
    let mut word = String::new();
    for _ in 0..5 {
        word += SYLLABLES[number % SYLLABLES.len()];
        number /= SYLLABLES.len();
    }
    word
}

fn han(number: usize) -> String {
    let at = |number: usize| char::from_u32(0x4e00 + (number * 7_919 % 6_000) as u32).unwrap();
    [at(number), at(number / 3 + 11), at(number / 7 + 29)].iter().collect()
}
