//! The properties of every code point that normalisation and matching need, in one table.

use caseless::Caseless;
use std::collections::HashMap;
use std::iter::once;
use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick, is_nfkc_quick};
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_script::{Script, UnicodeScript};
use unicode_security::skeleton;

/// The number of code points of a segment: equal segments are stored once.
const SEGMENT: u32 = 128;
/// The ranges of code points with properties of their own. All others are private or unassigned.
const ASSIGNED: [std::ops::Range<u32>; 2] = [0..0x4_0000, 0xE_0000..0xE_1000];

/// A set of scripts, one bit for each group of scripts that matching treats alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Scripts(u8);

impl Scripts {
    pub(crate) const NONE: Self = Self(0);
    pub(crate) const LATIN: Self = Self(1);
    const GREEK: Self = Self(1 << 1);
    const CYRILLIC: Self = Self(1 << 2);
    const ARMENIAN: Self = Self(1 << 3);
    const CHEROKEE: Self = Self(1 << 4);
    /// The scripts that are written without spaces between words, or whose particles follow a word
    /// without a space, as in Korean.
    const UNSPACED: Self = Self(1 << 5);
    const OTHER: Self = Self(1 << 6);
    /// The scripts with letters that are confusable with letters of another one of them.
    const CONFUSABLE: Self = Self(0b1_1111);
    /// The scripts whose letters lose the marks that have no composed form.
    const DROPPING_MARKS: Self = Self(0b111);

    fn of(script: Script) -> Self {
        const UNSPACED: [Script; 9] = [
            Script::Han,
            Script::Hiragana,
            Script::Katakana,
            Script::Bopomofo,
            Script::Hangul,
            Script::Thai,
            Script::Lao,
            Script::Khmer,
            Script::Myanmar,
        ];
        const NAMED: [(Script, Scripts); 8] = [
            (Script::Latin, Scripts::LATIN),
            (Script::Greek, Scripts::GREEK),
            (Script::Cyrillic, Scripts::CYRILLIC),
            (Script::Armenian, Scripts::ARMENIAN),
            (Script::Cherokee, Scripts::CHEROKEE),
            (Script::Common, Scripts::NONE),
            (Script::Inherited, Scripts::NONE),
            (Script::Unknown, Scripts::NONE),
        ];
        if UNSPACED.contains(&script) {
            return Self::UNSPACED;
        }
        NAMED.iter().find(|(named, _)| *named == script).map_or(Self::OTHER, |(_, scripts)| *scripts)
    }

    /// Returns both sets together, or only the second one if one is unspaced and the other is not:
    /// a token ends there.
    pub(crate) fn followed_by(self, next: Self) -> Self {
        let both = Self(self.0 | next.0);
        if both.is_unspaced() && both != Self::UNSPACED { next } else { both }
    }

    pub(crate) fn is_unspaced(self) -> bool {
        self.0 & Self::UNSPACED.0 != 0
    }

    /// Returns `true` if confusable letters of several scripts are together.
    pub(crate) fn is_mixed(self) -> bool {
        let scripts = self.0 & Self::CONFUSABLE.0;
        scripts & scripts.wrapping_sub(1) != 0
    }

    /// Returns `true` if the set has a script with confusable letters.
    pub(crate) fn has_confusables(self) -> bool {
        self.0 & Self::CONFUSABLE.0 != 0
    }

    pub(crate) fn drops_marks(self) -> bool {
        self.0 & Self::DROPPING_MARKS.0 != 0
    }
}

/// A class of code points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum CharClass {
    Letter,
    Mark,
    Digit,
    Other,
}

/// The normalized form of a code point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Form {
    /// One code point, at this distance. It does not depend on the code points around it.
    Single(u32),
    /// Nothing: the code point is not visible.
    Removed,
    /// The sequence of this number, which does not depend on the code points around it.
    Sequence(u32),
    /// The sequence of this number, whose end may be composed with what follows.
    Opens(u32),
    /// The sequence of this number, which may be composed with what stands before it.
    Joins(u32),
}

/// The properties of a code point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Character {
    pub(crate) form: Form,
    pub(crate) class: CharClass,
    pub(crate) script: Script,
    pub(crate) scripts: Scripts,
}

impl Character {
    /// Returns `true` for a letter that is its own normalized form, whatever stands around it.
    pub(crate) fn is_plain_letter(self) -> bool {
        self.class == CharClass::Letter && self.form == Form::Single(0)
    }

    /// Returns the scripts of a letter or a mark; none if it occurs in texts of several scripts.
    pub(crate) fn own_scripts(self) -> Scripts {
        if self.class == CharClass::Mark { Scripts::of(self.script) } else { self.scripts }
    }
}

/// A run of code points at the beginning of a text.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Run {
    pub(crate) code_points: u32,
    pub(crate) bytes: usize,
    /// The size of its last code point.
    pub(crate) last_bytes: usize,
}

const UNASSIGNED: Character =
    Character { form: Form::Single(0), class: CharClass::Other, script: Script::Unknown, scripts: Scripts::NONE };

/// The properties of every code point.
pub(crate) struct Characters {
    /// The segment of each run of code points.
    index: Vec<u16>,
    segments: Vec<Character>,
    sequences: Vec<Box<[char]>>,
}

impl Characters {
    /// Computes the table from the data of Unicode, in some 90 ms.
    pub(crate) fn new() -> Self {
        let mut characters = Self { index: Vec::new(), segments: Vec::new(), sequences: Vec::new() };
        let mut known: HashMap<Vec<Character>, u16> = HashMap::new();
        let mut digits = 0;
        for first in (0..=u32::from(char::MAX)).step_by(SEGMENT as usize) {
            let is_assigned = ASSIGNED.iter().any(|range| range.contains(&first));
            let segment: Vec<Character> = if is_assigned {
                (first..first + SEGMENT).map(|code| characters.character(code, &mut digits)).collect()
            } else {
                vec![UNASSIGNED; SEGMENT as usize]
            };
            let next = characters.segments.len() as u32 / SEGMENT;
            let number = *known.entry(segment).or_insert_with_key(|segment| {
                characters.segments.extend_from_slice(segment);
                next as u16
            });
            characters.index.push(number);
        }
        characters
    }

    /// Returns the properties of a code point.
    #[inline]
    pub(crate) fn get(&self, c: char) -> Character {
        let code = u32::from(c);
        let segment = u32::from(self.index[(code / SEGMENT) as usize]);
        self.segments[(segment * SEGMENT + code % SEGMENT) as usize]
    }

    /// Returns the run of plain letters of these scripts at the beginning of a text, without ASCII.
    pub(crate) fn plain_letters(&self, text: &str, scripts: Scripts) -> Run {
        let mut run = Run::default();
        for c in text.chars() {
            let character = self.get(c);
            if c.is_ascii() || !character.is_plain_letter() || character.scripts != scripts {
                break;
            }
            run.last_bytes = c.len_utf8();
            run.bytes += run.last_bytes;
            run.code_points += 1;
        }
        run
    }

    pub(crate) fn sequence(&self, number: u32) -> &[char] {
        &self.sequences[number as usize]
    }

    /// Computes the properties of a code point. `digits` counts the decimal digits directly before
    /// it: those of a script are ten code points in a row, from zero to nine.
    fn character(&mut self, code: u32, digits: &mut u32) -> Character {
        let Some(c) = char::from_u32(code) else { return UNASSIGNED };
        let is_digit = c.general_category() == GeneralCategory::DecimalNumber;
        let value = *digits % 10;
        *digits = if is_digit { *digits + 1 } else { 0 };
        let group = c.general_category_group();
        let class = if group == GeneralCategoryGroup::Letter {
            CharClass::Letter
        } else if group == GeneralCategoryGroup::Mark {
            CharClass::Mark
        } else if is_digit {
            CharClass::Digit
        } else {
            CharClass::Other
        };
        let script = c.script();
        let scripts = if class == CharClass::Letter { Scripts::of(script) } else { Scripts::NONE };
        let form = if is_digit {
            Form::Single((u32::from(b'0') + value).wrapping_sub(code))
        } else {
            self.form(c, nfkc_casefold(c, script))
        };
        Character { form, class, script, scripts }
    }

    fn form(&mut self, c: char, mapped: Vec<char>) -> Form {
        let all_alone = mapped.iter().all(|c| stands_alone(*c));
        match mapped.as_slice() {
            [] => Form::Removed,
            [only] if all_alone => Form::Single(u32::from(*only).wrapping_sub(u32::from(c))),
            [first, ..] => {
                let (first, number) = (*first, self.sequences.len() as u32);
                self.sequences.push(mapped.into());
                match (all_alone, stands_alone(first)) {
                    (true, _) => Form::Sequence(number),
                    (false, true) => Form::Opens(number),
                    (false, false) => Form::Joins(number),
                }
            }
        }
    }
}

/// Returns `true` if NFC leaves a code point and all before it as they are.
fn stands_alone(c: char) -> bool {
    canonical_combining_class(c) == 0 && is_nfc_quick(once(c)) == IsNormalized::Yes
}

/// Returns the mapping `NFKC_Casefold` of one code point, without the NFC of what is around it.
fn nfkc_casefold(c: char, script: Script) -> Vec<char> {
    if c.is_ascii() {
        return vec![c.to_ascii_lowercase()];
    }
    // Most code points have no case and are visible.
    let is_caseless = matches!(script, Script::Han | Script::Hangul | Script::Tangut | Script::Yi);
    if is_caseless && is_nfkc_quick(once(c)) == IsNormalized::Yes && !matches!(c, '\u{1100}'..='\u{11ff}') {
        return vec![c];
    }
    let is_unassigned = script == Script::Unknown;
    if is_unassigned && !is_ignorable(c) {
        return vec![c];
    }
    let mut now = vec![c];
    // The folded form of a compatibility character may have a compatibility form itself.
    loop {
        let visible = now.iter().copied().filter(|c| !is_ignorable(*c));
        let next: Vec<char> = visible.nfkc().default_case_fold().nfkc().collect();
        if next == now {
            return next;
        }
        now = next;
    }
}

/// Returns `true` for a code point with the property `Default_Ignorable_Code_Point`. These alone
/// have an empty skeleton.
fn is_ignorable(c: char) -> bool {
    skeleton(c.encode_utf8(&mut [0; 4])).next().is_none()
}
