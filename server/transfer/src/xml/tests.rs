use std::io::Write;

use super::*;

/// Walks a whole file as the formats do: every child of the root is one element.
pub(crate) fn children(bytes: &[u8]) -> Result<Vec<(String, Fields)>> {
    let mut file = tempfile::NamedTempFile::new()?;
    file.write_all(bytes)?;
    let mut xml = Xml::open(file.path(), "r")?;
    let mut found = Vec::new();
    loop {
        match xml.next()? {
            Tag::Open(name, attributes) => found.push((name, xml.fields(attributes)?)),
            Tag::Close(_) => {}
            Tag::End => return Ok(found),
        }
    }
}

fn error_text(bytes: &[u8]) -> String {
    format!("{:#}", children(bytes).unwrap_err())
}

#[test]
fn elements_are_read_by_path_with_attributes_entities_and_cdata() {
    let text = br#"<?xml version="1.0" encoding="UTF-8"?><r xmlns:d="x"><!-- c -->
        <d:post d:id="4&amp;5"><message> a &lt; <![CDATA[<b>&amp;]]>&#233; </message><a><b>1</b><b>2</b></a><e/></d:post></r>"#;
    let found = children(text).unwrap();
    let (name, fields) = &found[0];
    assert_eq!((found.len(), name.as_str(), fields.get("@id")), (1, "post", "4&5"));
    assert_eq!(fields.get("message"), "a < <b>&amp;é");
    assert_eq!((fields.get("a/b"), fields.get("e"), fields.get("none")), ("1", "", ""));
}

#[test]
fn a_billion_laughs_are_not_laughed() {
    let bomb = br#"<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;"><!ENTITY c "&b;&b;&b;">]>
<r><post>
<message>&c;</message></post></r>"#;
    let error = error_text(bomb);
    assert!(error.contains(":3: ") && error.contains("&c;"), "{error}");
    let outside = br#"<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r><post>&x;</post></r>"#;
    assert!(error_text(outside).contains("&x;"));
    let attribute = br#"<!DOCTYPE r [<!ENTITY x "y">]><r><post id="&x;"/></r>"#;
    assert!(error_text(attribute).contains(":1: "));
}

#[test]
fn broken_files_are_refused_with_their_line() {
    let cases: [(&[u8], &str); 8] = [
        (b"<r>\n<post>\n<message>x", ":3: "),
        (b"<r>\n<post>\n</message></post></r>", ":3: "),
        (b"<r>\n<post", ":2: "),
        (b"<r>\n<post>a & b</post></r>", ":2: "),
        (b"<r>\n<post>\xff\xfe</post></r>", ":2: "),
        (b"<?xml version='1.0' encoding='ISO-8859-1'?><r><post>\xe9</post></r>", "iso-8859-1"),
        (b"<r><post a='1' a='2'/></r>", ":1: "),
        (b"<r>\n<post><![CDATA[x</post></r>", ":2: "),
    ];
    for (bytes, expected) in cases {
        let error = error_text(bytes);
        assert!(error.contains(expected), "{:?} gave {error}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn a_file_of_something_else_is_refused() {
    for other in [b"".as_slice(), b"root:x:0:0", b"<rss><channel/></rss>"] {
        assert!(error_text(other).contains(":1: this is no export"), "{other:?}");
    }
}

#[test]
fn deep_and_endless_elements_are_refused() {
    let deep = format!("<r>{}", "<a>".repeat(1_000_000));
    assert!(error_text(deep.as_bytes()).contains("too deeply"));
    let long = [b"<r><post>".as_slice(), &vec![b'x'; 100 << 20], b"</post></r>"].concat();
    assert!(error_text(&long).contains("16 MiB"));
}
