//! The grammar of filters: comparisons of AIP-160, without functions, wildcards and bare words.

use winnow::Parser;
use winnow::combinator::{alt, opt, preceded, repeat};
use winnow::stream::LocatingSlice;
use winnow::token::any;

use super::lexical::{Counts, Input, Parsed, SyntaxError, fail, keyword, position, space};
use super::{MAX_FILTER_BYTES, MAX_FILTER_COMPARISONS, MAX_FILTER_LEVELS, SearchFilter, value};
use crate::domain::error::Violation;

impl SearchFilter {
    /// Parses a filter that arrived as `field`. The keys of the texts that it compares are not set.
    ///
    /// # Errors
    /// One violation: of the first rule that the text breaks, with the position in code points from
    /// 1, or for a text that is too long. A blank text is no filter.
    pub fn parse(field: &str, text: &str) -> Result<Self, Violation> {
        if text.len() > MAX_FILTER_BYTES {
            let description = format!("must have at most {MAX_FILTER_BYTES} bytes, has {}", text.len());
            return Err(Violation::field(field, description));
        }
        let mut input = Input { input: LocatingSlice::new(text), state: Counts::default() };
        complete(&mut input).map_err(|error| {
            let unknown = |_| SyntaxError { at: text.len(), description: "the filter is incomplete".into() };
            let SyntaxError { at, description } = error.into_inner().unwrap_or_else(unknown);
            let code_points = text.char_indices().take_while(|(start, _)| *start < at).count();
            Violation::field(field, format!("at position {}: {description}", code_points + 1))
        })
    }
}

/// The word between two parts of a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Connective {
    And,
    Or,
}

fn complete(input: &mut Input<'_>) -> Parsed<SearchFilter> {
    let filter = joined(input)?;
    let end = position(input);
    match opt(any).parse_next(input)? {
        None => Ok(filter),
        Some(')') => fail(end, "no parenthesis is open"),
        Some(_other) => fail(end, "AND, OR or the end is expected"),
    }
}

/// Takes parts that are joined by AND alone or by OR alone, and the white space around them.
fn joined(input: &mut Input<'_>) -> Parsed<SearchFilter> {
    let first = term(input)?;
    let more: Vec<(usize, Connective, SearchFilter)> =
        repeat(0.., |input: &mut Input<'_>| Ok((position(input), connective(input)?, term(input)?)))
            .parse_next(input)?;
    let Some(of_all) = more.first().map(|(_, connective, _)| *connective) else { return Ok(first) };
    if let Some((at, ..)) = more.iter().find(|(_, connective, _)| *connective != of_all) {
        return fail(*at, "AND beside OR needs parentheses");
    }
    let filters = std::iter::once(first).chain(more.into_iter().map(|(.., filter)| filter)).collect();
    Ok(match of_all {
        Connective::And => SearchFilter::And(filters),
        Connective::Or => SearchFilter::Or(filters),
    })
}

fn connective(input: &mut Input<'_>) -> Parsed<Connective> {
    alt((keyword("AND").value(Connective::And), keyword("OR").value(Connective::Or))).parse_next(input)
}

/// Takes a comparison or a filter in parentheses, with its complement sign and the white space
/// around it. Its errors have a description.
fn term(input: &mut Input<'_>) -> Parsed<SearchFilter> {
    let complement = preceded(space, opt(alt((keyword("NOT"), '-'.void())))).parse_next(input)?;
    let filter = preceded(space, alt((group, comparison))).parse_next(input)?;
    space(input)?;
    Ok(if complement.is_some() { SearchFilter::Not(Box::new(filter)) } else { filter })
}

fn group(input: &mut Input<'_>) -> Parsed<SearchFilter> {
    let at = position(input);
    '('.parse_next(input)?;
    if input.state.levels == MAX_FILTER_LEVELS {
        return fail(at, format!("more than {MAX_FILTER_LEVELS} parentheses are open"));
    }
    input.state.levels += 1;
    let filter = joined(input)?;
    if opt(')').parse_next(input)?.is_none() {
        return fail(position(input), "AND, OR or a closing parenthesis is expected");
    }
    input.state.levels -= 1;
    Ok(filter)
}

fn comparison(input: &mut Input<'_>) -> Parsed<SearchFilter> {
    let at = position(input);
    let comparison = value::comparison(input)?;
    if input.state.comparisons == MAX_FILTER_COMPARISONS {
        return fail(at, format!("the filter has more than {MAX_FILTER_COMPARISONS} comparisons"));
    }
    input.state.comparisons += 1;
    Ok(SearchFilter::Comparison(comparison))
}
