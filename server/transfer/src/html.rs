//! Conversion of the simple HTML that comment systems store to plain text.
//!
//! Paragraphs and breaks become line ends, list items get a dash, a link keeps its address when its
//! text does not show it, other tags are removed, entities become characters, the content of
//! `script` and `style` is dropped. Anything that is not HTML (`a < b`) is kept as it is.

use html_escape::NAMED_ENTITIES;

/// Converts a fragment of HTML to text; at most one empty line remains between two lines.
pub(crate) fn to_text(html: &str) -> String {
    let mut out = Text::default();
    let mut remaining = html;
    while let Some(offset) = remaining.find(['<', '&']) {
        let (before, input) = remaining.split_at(offset);
        out.push_str(before);
        remaining = match input.as_bytes().first() {
            Some(b'<') => tag(input, &mut out),
            _ => entity(input, &mut out),
        };
    }
    out.push_str(remaining);
    out.finish()
}

#[derive(Debug, Default)]
struct Text {
    text: String,
    /// The start of the open link in `text`, and its address.
    link: Option<(usize, String)>,
}

impl Text {
    /// HTML treats any run of blanks as one, but the supported systems keep line ends in texts, so
    /// line ends are kept.
    fn push_str(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn line(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    fn paragraph(&mut self) {
        self.line();
        self.line();
    }

    fn close_link(&mut self) {
        let Some((start, address)) = self.link.take() else { return };
        let label = self.text.get(start..).unwrap_or_default();
        if !label.trim().is_empty() && !label.contains(address.trim_end_matches('/')) {
            self.text.push_str(&format!(" ({address})"));
        }
    }

    fn finish(mut self) -> String {
        self.close_link();
        let mut lines: Vec<&str> = Vec::new();
        for line in self.text.lines().map(str::trim_end) {
            if !(line.is_empty() && lines.last().is_none_or(|last| last.is_empty())) {
                lines.push(line);
            }
        }
        lines.join("\n").trim().to_owned()
    }
}

/// Reads the tag at the start of `input` and returns the rest.
fn tag<'a>(input: &'a str, out: &mut Text) -> &'a str {
    let inner = input.get(1..).unwrap_or_default();
    if let Some(comment) = inner.strip_prefix("!--") {
        return comment.find("-->").and_then(|end| comment.get(end + 3..)).unwrap_or_default();
    }
    let is_tag = inner.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!');
    let Some(end) = inner.find('>').filter(|_| is_tag) else {
        out.push_str("<");
        return inner;
    };
    let (body, remaining) = inner.split_at(end);
    let remaining = remaining.get(1..).unwrap_or_default();
    let closing = body.starts_with('/');
    let name = body.trim_start_matches('/').split(|c: char| c.is_whitespace() || c == '/').next().unwrap_or_default();
    match name.to_ascii_lowercase().as_str() {
        "br" => out.line(),
        "p" | "div" | "blockquote" | "ul" | "ol" | "pre" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => out.paragraph(),
        "li" if !closing => {
            out.line();
            out.push_str("- ");
        }
        "a" if closing => out.close_link(),
        "a" => {
            out.close_link();
            out.link = attribute(body, "href").map(|address| (out.text.len(), address));
        }
        skipped @ ("script" | "style") if !closing => return after_end(remaining, skipped),
        _ => {}
    }
    remaining
}

fn after_end<'a>(remaining: &'a str, name: &str) -> &'a str {
    let end = format!("</{name}");
    // Lower-casing ASCII keeps every byte offset, so the offset is valid in the original.
    let found = remaining.to_ascii_lowercase().find(&end);
    let from_end = found.and_then(|offset| remaining.get(offset..)).unwrap_or_default();
    from_end.split_once('>').map_or("", |(_, after)| after)
}

fn attribute(body: &str, name: &str) -> Option<String> {
    let offset = body.find(&format!("{name}="))?;
    let value = body.get(offset + name.len() + 1..)?;
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let value = match quote {
        Some(quote) => value.get(1..)?.split(quote).next()?,
        None => value.split_whitespace().next()?,
    };
    let value = entities(value);
    (value.starts_with("http://") || value.starts_with("https://")).then_some(value)
}

fn entities(text: &str) -> String {
    let mut out = Text::default();
    let mut remaining = text;
    while let Some(offset) = remaining.find('&') {
        let (before, input) = remaining.split_at(offset);
        out.push_str(before);
        remaining = entity(input, &mut out);
    }
    out.push_str(remaining);
    out.text
}

/// Reads the entity at the start of `input`; an unknown one is kept as it is.
fn entity<'a>(input: &'a str, out: &mut Text) -> &'a str {
    let inner = input.get(1..).unwrap_or_default();
    let character = inner.find(';').filter(|end| *end <= 10).and_then(|end| {
        let (name, remaining) = inner.split_at(end);
        Some((entity_character(name)?, remaining.get(1..)?))
    });
    match character {
        Some((character, remaining)) => {
            out.text.push(character);
            remaining
        }
        None => {
            out.text.push('&');
            inner
        }
    }
}

/// Returns the character of an entity's name: a number, or a name of HTML.
pub(crate) fn entity_character(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code).filter(|c| *c != '\0');
    }
    if name == "nbsp" {
        return Some(' ');
    }
    let index = NAMED_ENTITIES.binary_search_by_key(&name.as_bytes(), |(entity, _)| *entity).ok()?;
    // The name of an entity of two characters has no value of type `char`.
    NAMED_ENTITIES.get(index)?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_becomes_text() {
        let cases = [
            ("<p>Hello, World.</p>", "Hello, World."),
            ("<p>one</p><p>two<br>three<br/>four</p>\n", "one\n\ntwo\nthree\nfour"),
            ("a &lt;b&gt; &amp;amp; &#233;&#xe9;&nbsp;&hellip;", "a <b> &amp; éé …"),
            ("<ul><li>x</li><li>y</li></ul>", "- x\n- y"),
            ("<a href=\"https://e.org/a?b=1&amp;c=2\" rel=nofollow>see</a>!", "see (https://e.org/a?b=1&c=2)!"),
            ("<a href='https://e.org/'>https://e.org</a>", "https://e.org"),
            ("<a href=\"javascript:alert(1)\">x</a>", "x"),
            ("<b>bold</b> <i>it</i><script>if (a < b) alert(1)</script>.", "bold it."),
            ("1 < 2 & 3 > 2 &unknown; &#0;", "1 < 2 & 3 > 2 &unknown; &#0;"),
            ("&alpha;&ldquo;&Auml;&rdquo; &acE;", "α“Ä” &acE;"),
            ("<!-- no --> yes", "yes"),
            ("left open <b", "left open <b"),
            ("two\nlines", "two\nlines"),
            ("<blockquote><p>q</p></blockquote><p>a</p>", "q\n\na"),
            ("", ""),
        ];
        for (html, text) in cases {
            assert_eq!(to_text(html), text, "{html}");
        }
    }
}
