//! Conversion of the simple HTML that comment systems store to plain text.
//!
//! Paragraphs and breaks become line ends, list items get a dash, a link keeps its address when its
//! text does not show it, a picture says its alternative text or else its address, an embedded page
//! or video its address. Other tags are removed, entities become characters, the content of
//! `script` and `style` is dropped. Anything that is not HTML (`a < b`) is kept as it is.

mod entity;
mod link;
mod media;

pub(crate) use self::entity::entity_text;

use self::link::Link;
use self::media::Media;

/// Converts a fragment of HTML to text; at most one empty line remains between two lines.
fn to_text(html: &str) -> String {
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

/// Converts the text of a comment. Markup that would leave nothing although it is more than an
/// empty paragraph (a drawing, a form) stays as it is, so that the comment is not taken for an
/// empty one.
pub(crate) fn to_comment(html: &str) -> String {
    let text = to_text(html);
    if text.is_empty() && has_more_than_paragraphs(html) { html.trim().to_owned() } else { text }
}

fn has_more_than_paragraphs(html: &str) -> bool {
    const EMPTY: &str = "a b blockquote br div em font i li ol p pre span strong u ul";
    let name = |tag: &str| {
        let end = tag.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(tag.len());
        tag.get(..end).unwrap_or_default().to_ascii_lowercase()
    };
    let mut tags = html.split('<').skip(1).map(|tag| name(tag.trim_start_matches('/')));
    tags.any(|tag| !tag.is_empty() && !EMPTY.split(' ').any(|empty| empty == tag))
}

/// Converts a name or a title, which has one line.
pub(crate) fn to_line(html: &str) -> String {
    to_text(html).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The elements that are paragraphs of their own.
const PARAGRAPHS: [&str; 25] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "details",
    "div",
    "dl",
    "fieldset",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "ul",
];

#[derive(Debug, Default)]
struct Text {
    text: String,
    /// The open link.
    link: Option<Link>,
    media: Media,
    /// True if the text ends with an address, which a blank separates from the next word.
    is_after_address: bool,
}

impl Text {
    /// HTML treats any run of blanks as one, but the supported systems keep line ends in texts, so
    /// line ends are kept.
    fn push_str(&mut self, text: &str) {
        if !text.is_empty() && std::mem::take(&mut self.is_after_address) && !text.starts_with(char::is_whitespace) {
            self.text.push(' ');
        }
        self.text.push_str(text);
    }

    fn line(&mut self) {
        self.is_after_address = false;
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    /// Begins a line, unless the text is at the start of one.
    fn fresh_line(&mut self) {
        if !self.text.ends_with('\n') {
            self.line();
        }
    }

    fn paragraph(&mut self) {
        // A video whose end is missing does not contain what follows in other paragraphs.
        self.media.end_at_paragraph();
        self.line();
        self.line();
    }

    /// Adds a blank after text that does not end with one.
    fn blank(&mut self) {
        if self.text.ends_with(|c: char| !c.is_whitespace()) {
            self.text.push(' ');
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
    let Some(end) = tag_end(inner).filter(|_| is_tag) else {
        out.push_str("<");
        return inner;
    };
    let (body, remaining) = inner.split_at(end);
    let remaining = remaining.get(1..).unwrap_or_default();
    let closing = body.starts_with('/');
    let name = body.trim_start_matches('/').split(|c: char| c.is_whitespace() || c == '/').next().unwrap_or_default();
    match name.to_ascii_lowercase().as_str() {
        "br" => out.line(),
        "tr" | "dt" | "dd" | "summary" | "caption" | "figcaption" | "legend" | "option" => out.fresh_line(),
        "td" | "th" if !closing => out.blank(),
        "li" if !closing => {
            out.line();
            out.push_str("- ");
        }
        "a" if closing => out.close_link(),
        "a" => out.open_link(body),
        skipped @ ("script" | "style") if !closing => return after_end(remaining, skipped),
        element if PARAGRAPHS.contains(&element) => out.paragraph(),
        other => out.media(other, body, closing),
    }
    remaining
}

/// Returns the offset of the `>` that ends a tag; one inside a quoted value does not.
fn tag_end(inner: &str) -> Option<usize> {
    let mut quote = None;
    let mut previous = ' ';
    for (offset, c) in inner.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '>' => return Some(offset),
            None if matches!(c, '"' | '\'') && previous == '=' => quote = Some(c),
            None => {}
        }
        previous = c;
    }
    // A quote that never ends is part of a broken tag.
    inner.find('>').filter(|_| quote.is_some())
}

fn after_end<'a>(remaining: &'a str, name: &str) -> &'a str {
    let end = format!("</{name}");
    // Lower-casing ASCII keeps every byte offset, so the offset is valid in the original.
    let found = remaining.to_ascii_lowercase().find(&end);
    let from_end = found.and_then(|offset| remaining.get(offset..)).unwrap_or_default();
    from_end.split_once('>').map_or("", |(_, after)| after)
}

/// Returns the value of an attribute with its entities replaced.
fn attribute(body: &str, name: &str) -> Option<String> {
    let mut rest = body.split_once(|c: char| c.is_whitespace() || c == '/')?.1;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
        let end = rest.find(|c: char| c.is_whitespace() || c == '=').unwrap_or(rest.len());
        let (found, after) = rest.split_at(end);
        if found.is_empty() && after.is_empty() {
            return None;
        }
        let after = after.trim_start();
        let Some(value) = after.strip_prefix('=').map(str::trim_start) else {
            rest = after;
            continue;
        };
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (value, after) = match quote {
            Some(quote) => value.get(1..)?.split_once(quote).unwrap_or((value.get(1..)?, "")),
            None => value.split_once(char::is_whitespace).unwrap_or((value, "")),
        };
        if found.eq_ignore_ascii_case(name) {
            return Some(entities(value));
        }
        rest = after;
    }
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
    match entity::split(input) {
        Some((text, remaining)) => {
            out.push_str(&text);
            remaining
        }
        None => {
            out.push_str("&");
            input.get(1..).unwrap_or_default()
        }
    }
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
            ("&alpha;&ldquo;&Auml;&rdquo; &acE;", "α“Ä” ∾̳"),
            ("&CounterClockwiseContourIntegral; &copy 2020 &amp &#8217 &#146;&#150;", "∳ © 2020 & ’ ’–"),
            ("?a=1&copy=2&copyright &notit;", "?a=1&copy=2&copyright &notit;"),
            ("Hi <img class=emoji src=\"https://s.w.org/1.svg\" alt=\"&#x1f600;\">!", "Hi 😀!"),
            ("see<img src='/a.png' alt=''>and<img data-src=//e.org/b.png>", "see /a.png and https://e.org/b.png"),
            ("<img alt=\"a > b\" src=x>", "a > b"),
            ("<img src=\"data:image/png;base64,AAAA\">", "[picture]"),
            (
                "<iframe src=\"https://www.youtube.com/embed/x?a=1&amp;b=2\"></iframe>",
                "https://www.youtube.com/embed/x?a=1&b=2",
            ),
            ("<video><source src=a.mp4><source src=a.webm></video>", "a.mp4"),
            ("<object data=\"https://e.org/f.swf\"></object>", "https://e.org/f.swf"),
            (
                "<a href=\"https://e.org/big.png\"><img src=\"https://e.org/s.png\" alt=\"cat\"></a>",
                "cat (https://e.org/big.png)",
            ),
            ("<!-- no --> yes", "yes"),
            ("left open <b", "left open <b"),
            ("<table><tr><td>a</td><td>b</td></tr><tr><th>c</th></tr></table>", "a b\nc"),
            ("<details><summary>S</summary>D</details>", "S\nD"),
            ("<dl><dt>t</dt><dd>d</dd></dl>", "t\nd"),
            ("see <img srcset=\"one.png 1x, two.png 2x\"> this", "see one.png this"),
            ("v <object><param name=\"movie\" value=\"https://yt/v/z\"></object> w", "v https://yt/v/z w"),
            (
                "<object><param name='movie' value='https://yt/v/z'><embed src='https://yt/v/z'></object>",
                "https://yt/v/z",
            ),
            ("<video poster=p.png></video>", "p.png"),
            ("<video poster=p.png><source src=v.mp4></video>", "v.mp4"),
            ("<picture><source srcset=a.webp><img src=a.jpg alt=\"\"></picture>", "a.jpg"),
            ("<picture><source srcset=a.webp><source srcset=b.png><img src=a.jpg alt=cat></picture>!", "cat!"),
            ("x <picture><source srcset=\"a.webp 1x, b.webp 2x\"></picture> y", "x a.webp y"),
            ("<picture><source srcset=a.webp><img alt=''></picture> <img src=b.jpg>", "a.webp b.jpg"),
            ("<video><source src=v.mp4><img src=fallback.png></video>", "v.mp4"),
            ("<object data=f.swf><img src=f.png></object>", "f.swf"),
            ("<object><img src=f.png></object>", "f.png"),
            ("<object data=f.swf><img src=f.png alt=drawing></object>", "f.swf drawing"),
            ("<img src=\"data:image/gif;base64,R0\" data-src=a.jpg><noscript><img src=a.jpg></noscript>", "a.jpg"),
            ("<img src=a.jpg srcset=\"a.jpg 1x, b.jpg 2x\">", "a.jpg"),
            ("<amp-img src=a.png alt=cat></amp-img>", "cat"),
            ("<amp-img src=a.png></amp-img>", "a.png"),
            ("<lite-youtube videoid=xyz></lite-youtube>", "https://www.youtube.com/watch?v=xyz"),
            ("<amp-youtube data-videoid=xyz></amp-youtube>", "https://www.youtube.com/watch?v=xyz"),
            ("<a href=\"/page\">here</a>", "here (/page)"),
            ("<a href=\"//e.x/y\">here</a>", "here (https://e.x/y)"),
            ("<a href=www.e.x>here</a>", "here (www.e.x)"),
            ("<a href=mailto:ann@e.x>write</a>", "write (ann@e.x)"),
            ("<a href=mailto:ann@e.x>ann@e.x</a>", "ann@e.x"),
            ("<a href=tel:+49123>call</a> <a href=ftp://e.x/f>f</a>", "call (+49123) f (ftp://e.x/f)"),
            ("<a href=\"https://only.link/\"></a>", "https://only.link/"),
            ("<a href=\"#top\">up</a><a name=x></a><a href='data:text/html,x'>d</a>", "upd"),
            ("two\nlines", "two\nlines"),
            ("<blockquote><p>q</p></blockquote><p>a</p>", "q\n\na"),
            ("", ""),
        ];
        for (html, text) in cases {
            assert_eq!(to_text(html), text, "{html}");
        }
    }

    #[test]
    fn markup_without_words_is_not_an_empty_comment() {
        for empty in ["", " ", "<p>&nbsp;</p>", "<div><br></div>", "<!-- -->"] {
            assert_eq!(to_comment(empty), "", "{empty}");
        }
        assert_eq!(to_comment("<svg><path d='M0'/></svg>"), "<svg><path d='M0'/></svg>");
        assert_eq!(to_comment("<p>x</p>"), "x");
    }

    #[test]
    fn names_and_titles_are_one_line_with_their_entities() {
        assert_eq!(to_line("Ren&eacute;e &amp;\n <b>Co</b>"), "Renée & Co");
        assert_eq!(to_line("a < b"), "a < b");
    }
}
