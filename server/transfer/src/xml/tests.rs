use std::io::Cursor;

use super::*;

/// Walks a whole file as the formats do: every child of the root is one element.
pub(crate) fn children(bytes: &[u8]) -> Result<Vec<(String, Fields)>> {
    let mut xml = Xml::new(Input::from_reader(Cursor::new(bytes.to_vec()), "x.xml")?, "r")?;
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
    assert_eq!(children(bomb).unwrap()[0].1.get("message"), "&c;");
    let outside = br#"<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r><post>&x;</post></r>"#;
    assert_eq!(children(outside).unwrap()[0].1.get(""), "&x;");
    let attribute = br#"<!DOCTYPE r [<!ENTITY x "y">]><r><post id="&x;"/></r>"#;
    assert_eq!(children(attribute).unwrap()[0].1.get("@id"), "&x;");
}

#[test]
fn a_bad_value_spoils_its_own_element_only() {
    let found = children(b"<r><post>a & b &nope; &#0;</post><post>\xff</post><post>fine</post></r>").unwrap();
    assert_eq!(found[0].1.get(""), "a & b &nope; &#0;");
    let faults: Vec<bool> = found.iter().map(|(_, fields)| fields.fault(&[]).is_some()).collect();
    assert_eq!(faults, [false, true, false]);
}

#[test]
fn repeated_elements_are_numbered() {
    let found = children(b"<r><c><m><k>a</k><v>1</v></m><m><k>b</k><v>2</v></m></c></r>").unwrap();
    let fields = &found[0].1;
    let metas: Vec<_> = fields.repeated("m").map(|path| fields.get(&format!("{path}/k")).to_owned()).collect();
    assert_eq!(metas, ["a", "b"]);
}

#[test]
fn a_text_with_markup_inside_is_kept_as_it_is_written() {
    let xml = b"<r><post>\n<t>un &lt; closed <b></t><u>a<i k='1'>b</i></x> <mail>a@e.x</mail></u><v>fine</v><author><name>N</name></author></post></r>";
    let mut found = Vec::new();
    let mut xml = Xml::new(Input::from_reader(Cursor::new(xml.to_vec()), "x.xml").unwrap(), "r").unwrap();
    while let Tag::Open(_, attributes) = xml.next().unwrap() {
        found.push(xml.record(attributes).unwrap());
    }
    let fields: HashMap<&str, &str> = found[0].all(&["author"]).collect();
    assert_eq!(
        (fields["t"], fields["u"], fields["v"]),
        ("un < closed <b>", "a<i k='1'>b</i></x> <mail></mail>", "fine")
    );
    assert_eq!((fields["author"], fields["author/name"]), ("", "N"));
}

#[test]
fn broken_files_are_refused_with_their_line() {
    let cases: [(&[u8], &str); 6] = [
        (b"<r>\n<post>\n<message>x", "line 3, byte 21"),
        (b"<r>\n<post>\n</post></x></r>", "line 3, byte 22: </x> ends an element that does not begin"),
        (b"<r>\n<post", "line 2, byte 9: the file ends inside a tag: it is cut off"),
        (b"<?xml version='1.0' encoding='ISO-8859-1'?><r><post>\xe9</post></r>", "iso-8859-1"),
        (b"<r>x</r>\nwords", "line 2, byte 14: there is text outside"),
        (b"<r>\n<post><![CDATA[x</post></r>", "cut off"),
    ];
    for (bytes, expected) in cases {
        let error = error_text(bytes);
        assert!(error.contains(expected), "{:?} gave {error}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn a_file_of_something_else_is_refused() {
    for other in [b"".as_slice(), b"root:x:0:0", b"<rss><channel/></rss>"] {
        assert!(error_text(other).contains(": this is no export"), "{other:?}");
    }
}

#[test]
fn deep_and_endless_elements_are_refused() {
    let deep = format!("<r>{}", "<a>".repeat(1_000_000));
    assert!(error_text(deep.as_bytes()).contains("too deeply"));
    let long = [b"<r><post ".as_slice(), &vec![b'x'; 100 << 20], b"</post></r>"].concat();
    assert!(error_text(&long).contains("16 MiB"));
    assert!(!error_text(&long).contains("I/O"));
}

#[test]
fn wrong_markup_is_the_fault_of_its_record_alone() {
    let wrong: [&[u8]; 10] = [
        b"<text>a <b> c</text>",
        b"<text>a </b> c</text>",
        b"<text>a <b>b</b> c</text>",
        b"<text>I <3 you</text>",
        b"<text>a < b</text>",
        b"<text>a <b c=d e</text>",
        b"<text>a <i>b</text> c</i>",
        b"<text>a",
        b"<text a='1' a='2'>b</text>",
        b"<text>\xff</text>",
    ];
    for text in wrong {
        let file = [b"<r><post><id>1</id>", text, b"</post><post><id>2</id><text>fine</text></post></r>"].concat();
        let found = children(&file).unwrap();
        let ids: Vec<_> = found.iter().map(|(_, fields)| (fields.get("id"), fields.fault(&[]).is_some())).collect();
        assert_eq!(ids, [("1", true), ("2", false)], "{}: {:?}", text.escape_ascii(), found[0].1);
    }
    let nested = children(b"<r><post><meta><key>k</key></meta><meta><key>l</key></meta></post></r>").unwrap();
    assert_eq!((nested[0].1.fault(&["meta"]), nested[0].1.fault(&[]).is_some()), (None, true));
}

#[test]
fn a_record_beyond_the_limit_is_cut_and_the_next_one_is_complete() {
    for (start, end) in [("", ""), ("<![CDATA[", "]]>")] {
        let long = "y".repeat(2 * crate::input::RECORD_BYTES_MAX);
        let file = format!("<r><post><id>1</id><text>{start}{long}{end}</text></post><post><id>2</id></post></r>");
        let found = children(file.as_bytes()).unwrap();
        assert_eq!((found.len(), found[0].1.get("id"), found[1].1.get("id")), (2, "1", "2"));
        assert!(found[0].1.fault(&[]).unwrap().contains("16 MiB"));
        assert_eq!((found[0].1.get("text").len(), found[1].1.fault(&[])), (CUT_BYTES, None));
    }
}
