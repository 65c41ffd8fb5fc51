//! The words, strings and white space of a filter, and the errors with their positions.

use std::borrow::Cow;

use winnow::Parser;
use winnow::combinator::{alt, opt, preceded, repeat};
use winnow::error::{ErrMode, ModalResult, ParserError};
use winnow::stream::{LocatingSlice, Location, Stateful};
use winnow::token::{any, take_while};

/// The text of a filter, with the position in it and the counts that are bounded.
pub(super) type Input<'t> = Stateful<LocatingSlice<&'t str>, Counts>;

/// The result of a parser. An error without a description means that something else stands there,
/// and another parser may take it.
pub(super) type Parsed<T> = ModalResult<T, SyntaxError>;

/// The counts of a filter that are bounded.
#[derive(Debug, Clone, Default)]
pub(super) struct Counts {
    /// The comparisons up to the position.
    pub(super) comparisons: usize,
    /// The parentheses that are open at the position.
    pub(super) levels: usize,
}

/// A rule that the text of a filter breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SyntaxError {
    /// The position, in bytes.
    pub(super) at: usize,
    /// The rule in words.
    pub(super) description: Cow<'static, str>,
}

impl ParserError<Input<'_>> for SyntaxError {
    type Inner = Self;

    fn from_input(input: &Input<'_>) -> Self {
        Self { at: position(input), description: Cow::Borrowed("something else is expected here") }
    }

    fn into_inner(self) -> Result<Self, Self> {
        Ok(self)
    }
}

/// Ends the parser with an error at a position in bytes.
pub(super) fn fail<T>(at: usize, description: impl Into<Cow<'static, str>>) -> Parsed<T> {
    Err(ErrMode::Cut(SyntaxError { at, description: description.into() }))
}

/// Returns the position in bytes.
pub(super) fn position(input: &Input<'_>) -> usize {
    input.current_token_start()
}

/// Takes white space, which may stand between all parts of a filter.
pub(super) fn space(input: &mut Input<'_>) -> Parsed<()> {
    take_while(0.., [' ', '\t', '\r', '\n']).void().parse_next(input)
}

/// Takes the name of a field or a word such as AND; empty if none is there.
pub(super) fn name<'t>(input: &mut Input<'t>) -> Parsed<&'t str> {
    take_while(0.., |c: char| c.is_ascii_alphanumeric() || c == '_').parse_next(input)
}

/// Takes a word such as AND, if it is there as a whole.
pub(super) fn keyword(keyword: &'static str) -> impl FnMut(&mut Input<'_>) -> Parsed<()> {
    move |input| name.verify(|name: &str| name == keyword).void().parse_next(input)
}

/// Takes a value without quotes; empty if none is there.
pub(super) fn bare<'t>(input: &mut Input<'t>) -> Parsed<&'t str> {
    take_while(0.., |c: char| !c.is_whitespace() && !c.is_control() && !"()\"=<>!".contains(c)).parse_next(input)
}

/// Takes a string in double quotes, in which `\"` and `\\` stand for a quote and a backslash.
pub(super) fn quoted(input: &mut Input<'_>) -> Parsed<String> {
    let start = position(input);
    '"'.parse_next(input)?;
    let plain = take_while(1.., |c: char| c != '"' && c != '\\');
    let escaped = preceded('\\', alt(("\"", "\\")));
    let join = |text: String, part: &str| text + part;
    let text = repeat(0.., alt((plain, escaped))).fold(String::new, join).parse_next(input)?;
    let end = position(input);
    match opt(any).parse_next(input)? {
        Some('"') => Ok(text),
        Some(_backslash) => fail(end, "only \\\" and \\\\ are escapes"),
        None => fail(start, "the string has no closing quote"),
    }
}
