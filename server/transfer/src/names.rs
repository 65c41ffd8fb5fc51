//! Names that hold for all records of an import or an export. A wrong one is found before a file is
//! read, because it would reject every record.

use super::error::TransferError;
use super::member_ids::ID_BYTES_MAX;

/// The rule of object types, as the server words it.
pub(crate) const OBJECT_TYPE_RULE: &str = "must match [a-z][a-z0-9_]{0,31}";
const OBJECT_TYPE_BYTES_MAX: usize = 32;

/// Returns true for the name of an object type that a server may have.
pub(crate) fn is_object_type(name: &str) -> bool {
    let mut bytes = name.bytes();
    let starts_with_letter = bytes.next().is_some_and(|byte| byte.is_ascii_lowercase());
    let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    starts_with_letter && bytes.all(is_inner) && name.len() <= OBJECT_TYPE_BYTES_MAX
}

/// Checks the name of an object type that the option `--object-type` gives.
///
/// # Errors
/// [`TransferError::OptionInvalid`], with the name that was probably meant.
pub(crate) fn check_object_type(name: &str) -> Result<(), TransferError> {
    if is_object_type(name) {
        return Ok(());
    }
    let likely = name.trim().to_lowercase().replace(['-', ' ', '.'], "_");
    let cure = match is_object_type(&likely) {
        true => format!("an object type {OBJECT_TYPE_RULE}; did you mean {likely}?"),
        false => format!("an object type {OBJECT_TYPE_RULE}, such as blog_post"),
    };
    Err(TransferError::OptionInvalid { option: "--object-type", value: name.to_owned(), cure })
}

/// Returns the fault of the name of a source.
pub(crate) fn source_fault(name: &str) -> Option<String> {
    if name.is_empty() || name.len() > ID_BYTES_MAX {
        return Some(format!("a source has 1 to {ID_BYTES_MAX} bytes, not {}", name.len()));
    }
    name.chars().any(char::is_control).then(|| "a source has no control characters".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn object_types_are_those_of_the_server_and_a_near_name_is_suggested() {
        for name in ["a", "blog_post", "a9_", &"a".repeat(32)] {
            assert!(is_object_type(name), "{name}");
        }
        for name in ["", "9a", "_a", "Bad", "a-b", "é", &"a".repeat(33)] {
            assert!(!is_object_type(name), "{name}");
        }
        let cure = |name| check_object_type(name).unwrap_err().to_string();
        assert!(cure("Blog-Post").ends_with("did you mean blog_post?"), "{}", cure("Blog-Post"));
        assert!(cure("9").ends_with("such as blog_post"), "{}", cure("9"));
    }

    #[test]
    fn a_source_has_1_to_64_bytes_without_control_characters() {
        for (name, is_sound) in
            [("s", true), (&"x".repeat(64), true), ("", false), (&"x".repeat(65), false), ("a\n", false)]
        {
            assert_eq!(source_fault(name).is_none(), is_sound, "{name:?}");
        }
    }
}
