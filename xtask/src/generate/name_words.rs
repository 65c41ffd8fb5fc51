//! The words of a name, independent of its spelling.

/// Returns the words of a name in any spelling, in lower case: `MemberId`, `memberId`, `member_id`
/// and `MEMBER_ID` are the same.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = '_';
    for letter in name.chars() {
        let starts = before == '_' || letter.is_ascii_uppercase() && !before.is_ascii_uppercase();
        if letter != '_' && starts {
            words.push(String::new());
        }
        if let (false, Some(word)) = (letter == '_', words.last_mut()) {
            word.push(letter.to_ascii_lowercase());
        }
        before = letter;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_the_same_words_in_every_spelling() {
        for name in ["MemberId", "memberId", "member_id", "MEMBER_ID"] {
            assert_eq!(words(name), ["member", "id"], "{name}");
        }
    }
}
