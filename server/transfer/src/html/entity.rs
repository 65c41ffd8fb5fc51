//! Character references of HTML: all names, numbers, and the old names that need no semicolon.

use std::borrow::Cow;

use html_escape::NAMED_ENTITIES;

use crate::marks::push_escaped;

/// The longest name of an entity.
const NAME_BYTES_MAX: usize = 32;

/// The names that HTML also accepts without a semicolon.
const OLD_NAMES: &str = "AElig AMP Aacute Acirc Agrave Aring Atilde Auml COPY Ccedil ETH Eacute Ecirc Egrave Euml GT \
    Iacute Icirc Igrave Iuml LT Ntilde Oacute Ocirc Ograve Oslash Otilde Ouml QUOT REG THORN Uacute Ucirc Ugrave Uuml \
    Yacute aacute acirc acute aelig agrave amp aring atilde auml brvbar ccedil cedil cent copy curren deg divide eacute \
    ecirc egrave eth euml frac12 frac14 frac34 gt iacute icirc iexcl igrave iquest iuml laquo lt macr micro middot nbsp \
    not ntilde oacute ocirc ograve ordf ordm oslash otilde ouml para plusmn pound quot raquo reg sect shy sup1 sup2 sup3 \
    szlig thorn times uacute ucirc ugrave uml uuml yacute yen yuml";

/// The characters that browsers show for the numbers 128 to 159, which name no printable character.
const WINDOWS_1252: [u16; 32] = [
    0x20ac, 0x81, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160, 0x2039, 0x152, 0x8d, 0x17d,
    0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x2dc, 0x2122, 0x161, 0x203a, 0x153, 0x9d,
    0x17e, 0x178,
];

/// Returns the text of an entity's name: a number, or a name of HTML.
pub(crate) fn entity_text(name: &str) -> Option<Cow<'static, str>> {
    if let Some(number) = name.strip_prefix('#') {
        return number_text(number).map(Cow::Owned);
    }
    if name == "nbsp" {
        return Some(Cow::Borrowed(" "));
    }
    let index = NAMED_ENTITIES.binary_search_by_key(&name.as_bytes(), |(entity, _)| *entity).ok()?;
    Some(Cow::Borrowed(NAMED_ENTITIES.get(index)?.1))
}

fn number_text(number: &str) -> Option<String> {
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => number.parse().ok()?,
    };
    let printable = code.checked_sub(0x80).and_then(|index| WINDOWS_1252.get(usize::try_from(index).ok()?));
    let code = printable.map_or(code, |printable| u32::from(*printable));
    let c = char::from_u32(code).filter(|c| *c != '\0')?;
    let mut text = String::new();
    push_escaped(&mut text, c);
    Some(text)
}

/// Splits the entity at the start of `input`, which begins with `&`: its text and the rest. `None`
/// if there is no entity.
pub(super) fn split(input: &str) -> Option<(Cow<'static, str>, &str)> {
    let inner = input.strip_prefix('&')?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '#';
    let end = inner.find(|c| !is_part(c)).unwrap_or(inner.len());
    let (name, rest) = inner.split_at_checked(end).filter(|(name, _)| name.len() <= NAME_BYTES_MAX)?;
    if let Some(rest) = rest.strip_prefix(';') {
        return Some((entity_text(name)?, rest));
    }
    let is_old = OLD_NAMES.split(' ').any(|old| old == name) || name.starts_with('#');
    if !is_old || rest.starts_with('=') {
        return None;
    }
    Some((entity_text(name)?, rest))
}
