//! The names and the prose of a file, and the retired words in them.

use super::Occurrence;
use super::glossary::{Exception, Forms, Glossary};
use crate::tidy::source::{Source, in_name, words};

/// The keywords that define a type.
const DEFINING: [&str; 5] = ["struct", "enum", "trait", "type", "union"];
/// The number of words from which a name is a sentence, such as the name of a test.
const SENTENCE: usize = 5;

/// The kinds of files that hold prose and no Rust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    /// Prose from the first line to the last.
    Document,
    /// Comments begin with `--`.
    Lua,
    /// Comments begin with `#`.
    Data,
}

impl FileKind {
    /// Returns the kind of a file by the end of its name.
    pub(super) fn of(path: &str) -> Option<Self> {
        Some(match path.rsplit_once('.')?.1 {
            "md" => Self::Document,
            "lua" => Self::Lua,
            "yaml" | "yml" | "toml" => Self::Data,
            _ => return None,
        })
    }

    /// Returns the part of a line that is prose.
    fn prose(self, line: &str) -> &str {
        match self {
            Self::Document => line,
            Self::Lua => comment(line, "--"),
            Self::Data => comment(line, "#"),
        }
    }
}

/// Returns the comment of a line: the text after the mark outside quotes, at the start or after a
/// blank.
fn comment<'a>(line: &'a str, mark: &str) -> &'a str {
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '"' || c == '\'' && !before.is_alphanumeric() => quote = Some(c),
            None if line[at..].starts_with(mark) && before.is_whitespace() => return &line[at + mark.len()..],
            None => {}
        }
        before = c;
    }
    ""
}

/// Finds the retired words of a document or of the comments of a file that is not Rust.
pub(super) fn prose_file(
    glossary: &Glossary,
    path: &str,
    kind: FileKind,
    text: &str,
    occurrences: &mut Vec<Occurrence>,
) {
    let Some(hidden) = hidden(&glossary.exceptions, path, text) else { return };
    for (number, line) in masked(text, &hidden).lines().enumerate() {
        let mut add = |word| occurrences.push(Occurrence { path: path.to_owned(), line: number + 1, word });
        prose(glossary, kind.prose(line), &mut add);
    }
}

/// Finds the retired words in the names, comments and strings of a Rust file.
pub(super) fn rust(glossary: &Glossary, source: &Source, occurrences: &mut Vec<Occurrence>) {
    let Some(hidden) = hidden(&glossary.exceptions, &source.path, &source.text) else { return };
    let (text, code) = (masked(&source.text, &hidden), masked(&source.code, &hidden));
    let outside: Vec<u8> = std::iter::zip(text.bytes(), code.bytes())
        .map(|(byte, code)| if code == b' ' || byte == b'\n' { byte } else { b' ' })
        .collect();
    let outside = String::from_utf8_lossy(&outside);
    let mut before = "";
    for (number, ((code, outside), line)) in code.lines().zip(outside.lines()).zip(text.lines()).enumerate() {
        let mut add = |word| occurrences.push(Occurrence { path: source.path.clone(), line: number + 1, word });
        names(glossary, code, &mut add);
        prose(glossary, outside, &mut add);
        if let Some(word) = opening(before, line).and_then(|first| glossary.openings.get(first)) {
            add(*word);
        }
        before = line;
    }
}

/// Returns the first word of a doc comment that begins on this line.
fn opening<'a>(before: &str, line: &'a str) -> Option<&'a str> {
    let mark = ["///", "//!"].into_iter().find(|mark| line.trim_start().starts_with(mark))?;
    if before.trim_start().starts_with(mark) {
        return None;
    }
    line.trim_start()[mark.len()..].trim_start().split(|c: char| !in_name(c)).next()
}

/// Returns the byte ranges that exceptions keep; `None` when the whole file is an exception.
fn hidden(exceptions: &[Exception], path: &str, text: &str) -> Option<Vec<(usize, usize)>> {
    let mut found = Vec::new();
    for exception in exceptions.iter().filter(|exception| path.starts_with(&exception.path)) {
        let kept = exception.text.as_deref()?;
        found.extend(words(text, kept).map(|at| (at, at + kept.len())));
    }
    Some(found)
}

fn masked(text: &str, hidden: &[(usize, usize)]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for &(from, to) in hidden {
        bytes[from..to].fill(b' ');
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A word or a name in a line.
struct Token<'a> {
    text: &'a str,
    /// Only blanks and hyphens separate this token from the previous one.
    joined: bool,
}

fn tokens(line: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut end = None;
    let mut at = 0;
    while let Some(from) = line[at..].find(in_name).map(|from| at + from) {
        let to = line[from..].find(|c| !in_name(c)).map_or(line.len(), |to| from + to);
        let joined = end.is_some_and(|end: usize| line[end..from].chars().all(|c| c == ' ' || c == '-'));
        found.push(Token { text: &line[from..to], joined });
        (end, at) = (Some(to), to);
    }
    found
}

/// Finds retired names and type names in a line of code.
fn names(glossary: &Glossary, line: &str, add: &mut impl FnMut(usize)) {
    let mut before = "";
    for token in tokens(line) {
        name(glossary, token.text, add);
        if let Some(word) = glossary.types.get(token.text).filter(|_| DEFINING.contains(&before)) {
            add(*word);
        }
        before = token.text;
    }
}

/// Finds retired words in a line of prose, and retired names quoted in it.
fn prose(glossary: &Glossary, line: &str, add: &mut impl FnMut(usize)) {
    let mut run = Vec::new();
    for token in tokens(line) {
        let named = is_name(token.text);
        if !token.joined || named {
            matches(&glossary.prose, &std::mem::take(&mut run), add);
        }
        if named {
            name(glossary, token.text, add);
        } else {
            run.push(token.text.to_lowercase());
        }
    }
    matches(&glossary.prose, &run, add);
}

/// Finds retired words in a name. A name in the form of a sentence is prose.
fn name(glossary: &Glossary, name: &str, add: &mut impl FnMut(usize)) {
    let parts = parts(name);
    let sentence = parts.len() >= SENTENCE && name.chars().all(|c| c == '_' || !c.is_uppercase());
    matches(if sentence { &glossary.prose } else { &glossary.identifiers }, &parts, add);
}

fn matches(forms: &Forms, parts: &[String], add: &mut impl FnMut(usize)) {
    let mut at = 0;
    while at < parts.len() {
        match forms.longest(&parts[at..]) {
            Some((length, word)) => {
                add(word);
                at += length;
            }
            None => at += 1,
        }
    }
}

/// Returns `true` for a name of code: it has an underscore or a capital after a small letter.
fn is_name(text: &str) -> bool {
    text.contains('_') || parts(text).len() > 1
}

/// Returns the parts of a name in small letters, split at underscores and capitals.
fn parts(name: &str) -> Vec<String> {
    let chars: Vec<char> = name.chars().collect();
    let mut found = vec![String::new()];
    for (at, c) in chars.iter().enumerate() {
        let after_small = at.checked_sub(1).is_some_and(|before| !chars[before].is_uppercase());
        let before_small = chars.get(at + 1).is_some_and(|next| next.is_lowercase());
        if *c == '_' || c.is_uppercase() && (after_small || before_small) {
            found.push(String::new());
        }
        if *c != '_'
            && let Some(part) = found.last_mut()
        {
            part.extend(c.to_lowercase());
        }
    }
    found.retain(|part| !part.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const GLOSSARY: &str = "\
## Retired words
| word | where | sense | use instead |
|---|---|---|---|
| `lane` | both | a queue | write queue |
| `told`, `tell` | prose | of a program | return |
| `hot page` | prose | a page | response cache |
| `request key` | identifier | a key | `IdempotencyKey` |
| `Kind` | type | any | `<Owner>Kind` |
| `who`, `whoever`, `somebody`, `nobody` | prose | a program | the caller |
| `What` | doc comment | a clause | a noun |
## Exceptions
| text | in | why |
|---|---|---|
| `lane_depth` | everywhere | a stored name |
| `fast lane` | `docs/` | English |
| `*` | `docs/old/` | history |
";

    fn found(path: &str, text: &str) -> Vec<String> {
        let mut faults = Vec::new();
        let glossary = Glossary::parse(GLOSSARY, &mut faults);
        assert!(faults.is_empty(), "{faults:?}");
        let mut occurrences = Vec::new();
        match FileKind::of(path) {
            Some(kind) => prose_file(&glossary, path, kind, text, &mut occurrences),
            None => rust(&glossary, &Source::new(path, text.to_owned()), &mut occurrences),
        }
        let show = |it: &Occurrence| format!("{} {}", it.line, glossary.words[it.word].key);
        occurrences.iter().map(show).collect()
    }

    #[test]
    fn a_retired_identifier_is_found_in_snake_and_camel_case() {
        assert_eq!(found("a.rs", "fn a() {}\nlet write_lanes = 1;\n"), ["2 both: lane"]);
        assert_eq!(found("a.rs", "struct FastLane(HTTPLane, RequestKey, REQUEST_KEY);\n").len(), 4);
        assert!(found("a.rs", "let plane = told(request, key);\n").is_empty());
    }

    #[test]
    fn a_name_in_the_form_of_a_sentence_is_prose() {
        assert_eq!(found("a.rs", "fn the_first_caller_is_told() {}\n"), ["1 prose: told"]);
        assert!(found("a.rs", "fn a_request_key_of_old() {}\nfn is_told() {}\n").is_empty());
    }

    #[test]
    fn a_retired_word_is_found_in_comments_and_strings() {
        assert_eq!(found("a.rs", "// It is told.\nf(\"Tells\");\n"), ["1 prose: told", "2 prose: told"]);
        assert_eq!(found("a.rs", "// see `lane_queue` and RequestKey\n").len(), 2);
        assert!(found("a.rs", "// a request key is untold\n").is_empty());
    }

    #[test]
    fn a_phrase_is_found_with_blank_or_hyphen() {
        assert_eq!(found("a.md", "Hot pages, hot-page. Hot, page\n"), ["1 prose: hot page"; 2]);
    }

    #[test]
    fn a_retired_type_is_found_where_it_is_defined_under_its_whole_name() {
        assert_eq!(found("a.rs", "enum Kind {}\nstruct PageKind(Kind);\nlet kind = Sort::Kind;\n"), ["1 type: Kind"]);
    }

    #[test]
    fn a_pronoun_for_a_program_is_found() {
        let each = ["who", "whoever", "somebody", "nobody"];
        assert_eq!(found("a.rs", &format!("// {}\n", each.join(", "))), ["1 prose: who"; 4]);
    }

    #[test]
    fn a_clause_at_the_start_of_a_doc_comment_is_found() {
        assert_eq!(found("a.rs", "//! What is.\n//! What more.\n\n/// What was.\nfn a() {}\n").len(), 2);
        assert!(found("a.rs", "// What is.\n/// Whatever is.\n/// What follows.\nfn a() {}\n").is_empty());
    }

    #[test]
    fn documents_are_prose_and_other_files_have_it_in_comments() {
        assert_eq!(found("a.md", "the lane\n").len(), 1);
        assert_eq!(found("a.lua", "local lane = '--' -- a lane\n").len(), 1);
        assert_eq!(found("a.yaml", "lane: '# lane' # a lane\n").len(), 1);
        assert_eq!(found("a.toml", "# don't use the lane\nlane = 1\n").len(), 1);
        assert!(FileKind::of("a.rs").is_none() && FileKind::of("Dockerfile").is_none());
    }

    #[test]
    fn exceptions_keep_a_text_a_text_in_some_files_or_a_file() {
        assert!(found("a.rs", "let lane_depth = \"lane_depth\";\n").is_empty());
        assert_eq!(found("a.rs", "let lane_depths = 1;\n").len(), 1);
        assert!(found("docs/a.md", "in the fast lane\n").is_empty());
        assert_eq!(found("a.md", "in the fast lane\n").len(), 1);
        assert!(found("docs/old/a.md", "the lane\n").is_empty());
    }
}
