//! A Rust file in the form that the rules use: comments, strings and tests are blanked, and every
//! line keeps its number.

/// One file.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) path: String,
    pub(crate) text: String,
    /// The text with the contents of comments, strings and character literals replaced by blanks.
    pub(crate) code: String,
    /// `code` without items under `#[cfg(test)]`; empty for a file of tests.
    pub(crate) production: String,
    /// A program generated the file and says so in the first lines, if `true`.
    pub(crate) generated: bool,
}

impl Source {
    pub(crate) fn new(path: &str, text: String) -> Self {
        let code = without_comments(&text);
        let production = if is_test_file(path) { String::new() } else { without_tests(&code) };
        let generated = text.lines().take(5).any(|line| line.contains("@generated"));
        Self { path: path.to_owned(), text, code, production, generated }
    }

    /// Returns the number of lines that are not tests: the file's length less the blanked test
    /// items.
    pub(crate) fn production_lines(&self) -> usize {
        if is_test_file(&self.path) {
            return 0;
        }
        let tests = tests_in(&self.code).iter().map(|&(from, to)| self.code[from..to].lines().count()).sum::<usize>();
        self.text.lines().count().saturating_sub(tests)
    }
}

/// Returns `true` for a crate of tests, a folder of tests, or the `tests.rs` of a module.
pub(crate) fn is_test_file(path: &str) -> bool {
    path.starts_with("tests/") || path.contains("/tests/") || path.ends_with("/tests.rs")
}

/// Returns the line of a byte, counted from 1.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1
}

/// Returns the positions of `word` as a whole word.
pub(crate) fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    code.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        let before = code[..at].chars().next_back().is_some_and(in_name);
        let after = code[at + word.len()..].chars().next().is_some_and(in_name);
        let starts = word.chars().next().is_some_and(in_name);
        let ends = word.chars().next_back().is_some_and(in_name);
        !(before && starts || after && ends)
    })
}

/// Returns `true` if a character can be part of a name.
pub(crate) fn in_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the end of the bracket that opens at `open`, one past the closing bracket; the end of
/// the text if it has none.
pub(crate) fn closing(code: &str, open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in code.bytes().enumerate().skip(open) {
        if b"{([".contains(&byte) {
            depth += 1;
        } else if b"})]".contains(&byte) {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return at + 1;
            }
        }
    }
    code.len()
}

/// Returns the code without the items that are compiled for tests only.
pub(crate) fn without_tests(code: &str) -> String {
    let mut bytes = code.as_bytes().to_vec();
    for (from, to) in tests_in(code) {
        blank(&mut bytes[from..to]);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the byte ranges of the items that are compiled for tests only.
fn tests_in(code: &str) -> Vec<(usize, usize)> {
    const MARK: &str = "#[cfg(test)]";
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = code[from..].find(MARK).map(|at| from + at) {
        let item = at + MARK.len();
        let end = match code[item..].find(['{', ';']).map(|end| item + end) {
            Some(end) if code.as_bytes()[end] == b'{' => closing(code, end),
            Some(end) => end + 1,
            None => code.len(),
        };
        found.push((at, end));
        from = end;
    }
    found
}

fn blank(bytes: &mut [u8]) {
    for byte in bytes.iter_mut().filter(|byte| **byte != b'\n') {
        *byte = b' ';
    }
}

fn without_comments(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end =
            at + length_of_hidden(&text.as_bytes()[at..], at.checked_sub(1).map(|before| text.as_bytes()[before]));
        if end > at {
            blank(&mut bytes[at..end]);
            at = end;
        } else {
            at += 1;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the number of bytes from here on that are a comment, a string or a character; 0 if none
/// begins here.
fn length_of_hidden(rest: &[u8], before: Option<u8>) -> usize {
    let named = before.is_some_and(|byte| in_name(char::from(byte)) && byte.is_ascii());
    match rest {
        [b'/', b'/', ..] => rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()),
        [b'/', b'*', ..] => skip_comment(rest),
        [b'"', ..] => string(rest),
        [b'b' | b'c', b'r', b'"' | b'#', ..] if !named => raw_string(rest, 2),
        [b'r', b'"' | b'#', ..] if !named => raw_string(rest, 1),
        [b'\'', ..] => character(rest),
        [..] => 0,
    }
}

fn skip_comment(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at + 1 < rest.len() {
        match &rest[at..at + 2] {
            b"/*" => (depth, at) = (depth + 1, at + 2),
            b"*/" => (depth, at) = (depth - 1, at + 2),
            [..] => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

fn string(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != b'"' {
        at += if rest[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(rest.len())
}

fn raw_string(rest: &[u8], prefix: usize) -> usize {
    let hashes = rest[prefix..].iter().take_while(|byte| **byte == b'#').count();
    if rest.get(prefix + hashes) != Some(&b'"') {
        return 0;
    }
    let end = [b"\"".as_slice(), &vec![b'#'; hashes]].concat();
    let inside = prefix + hashes + 1;
    rest[inside..].windows(end.len()).position(|window| window == end).map_or(rest.len(), |at| inside + at + end.len())
}

/// A character literal, and not a lifetime: its quote closes after one character or one escape.
fn character(rest: &[u8]) -> usize {
    let close = if rest.get(1) == Some(&b'\\') {
        rest.iter().skip(3).position(|byte| *byte == b'\'').map(|at| at + 3)
    } else {
        let width = std::str::from_utf8(&rest[1..rest.len().min(5)])
            .or_else(|error| std::str::from_utf8(&rest[1..1 + error.valid_up_to()]))
            .ok()
            .and_then(|text| text.chars().next())
            .map_or(1, char::len_utf8);
        (rest.get(1 + width) == Some(&b'\'')).then_some(1 + width)
    };
    close.map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_strings_and_characters_are_blanked_and_lines_stay() {
        let text = "a /* x /* y */ z */ b // c\nd \"e \\\" f\" g r#\"h \" i\"# '{' '\\'' 'é' &'a k";
        let code = without_comments(text);
        assert_eq!(code.split_whitespace().collect::<Vec<_>>(), ["a", "b", "d", "g", "&'a", "k"]);
        assert_eq!(code.lines().count(), 2);
    }

    #[test]
    fn items_for_tests_are_no_production() {
        let text =
            "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() { c(\"}\"); }\n}\nfn d() {}\n#[cfg(test)]\nmod e;\n";
        let source = Source::new("server/src/x.rs", text.to_owned());
        assert_eq!(source.production.split_whitespace().collect::<Vec<_>>(), ["fn", "a()", "{}", "fn", "d()", "{}"]);
        assert_eq!(source.production_lines(), 2);
    }

    #[test]
    fn a_word_is_not_found_inside_another() {
        assert_eq!(words("MyStatus::new Status::new Status::newer", "Status::new").collect::<Vec<_>>(), [14]);
    }
}
