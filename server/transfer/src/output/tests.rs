use std::io::Cursor;

use super::*;
use crate::input::Input;
use crate::record::{Comment, Key, Record, Subject};

fn scope() -> Scope {
    Scope { object_type: "t".to_owned(), object_id: None }
}

/// The lines of a subject with three comments.
fn subject(object_id: &str) -> Vec<u8> {
    let key = Key { object_type: "t".to_owned(), object_id: object_id.to_owned() };
    let mut lines = Vec::new();
    jsonl::write(&mut lines, &Record::Subject(Subject { key: key.clone(), ..Subject::default() }), None).unwrap();
    for n in 0..3 {
        let comment = Comment { key: key.clone(), external_id: n.to_string(), ..Comment::default() };
        jsonl::write(&mut lines, &Record::Comment(comment), None).unwrap();
    }
    lines
}

fn target(path: &Path, gzip: bool, resume: bool) -> OutputTarget {
    OutputTarget { path: Some(path.to_owned()), gzip, resume, overwrite: false }
}

fn export(path: &Path, gzip: bool, resume: bool) {
    let (mut output, done) = target(path, gzip, resume).open(&scope()).unwrap();
    for object_id in ["a", "b", "c"].iter().filter(|id| !done.contains(**id)) {
        output.append(&mut Cursor::new(subject(object_id))).unwrap();
    }
    output.finish().unwrap();
}

#[test]
fn an_export_cut_anywhere_and_resumed_equals_an_unbroken_one() {
    for gzip in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let complete = folder.path().join("complete");
        export(&complete, gzip, false);
        let bytes = std::fs::read(&complete).unwrap();
        for cut in 0..=bytes.len() {
            let path = folder.path().join(format!("cut-{cut}"));
            std::fs::write(part_path(&path), &bytes[..cut]).unwrap();
            export(&path, gzip, true);
            assert!(std::fs::read(&path).unwrap() == bytes, "cut at {cut}, gzip {gzip}");
            assert!(!part_path(&path).exists());
        }
        let mut text = String::new();
        Input::open(&complete).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text.lines().count(), 13);
    }
}

#[test]
fn an_export_without_content_is_its_header_and_one_that_is_discarded_leaves_nothing() {
    for gzip in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let open = || target(&path, gzip, false).open(&scope()).unwrap().0;
        let output = open();
        assert!(output.is_empty());
        output.discard().unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        open().finish().unwrap();
        let mut text = String::new();
        Input::open(&path).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text.lines().count(), 1);
    }
}

#[test]
fn files_that_are_there_are_not_touched_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    std::fs::write(part_path(&path), b"").unwrap();
    assert!(target(&path, false, false).open(&scope()).unwrap_err().to_string().contains("--resume"));
    export(&path, false, true);
    assert!(target(&path, false, false).open(&scope()).unwrap_err().to_string().contains("--overwrite"));
    std::fs::copy(&path, part_path(&path)).unwrap();
    let other = Scope { object_type: "u".to_owned(), object_id: None };
    let again = OutputTarget { overwrite: true, ..target(&path, false, true) };
    assert!(format!("{:#}", again.open(&other).unwrap_err()).contains("it is an export of"));
    std::fs::write(part_path(&path), b"something else\n").unwrap();
    assert!(format!("{:#}", again.open(&scope()).unwrap_err()).contains("does not begin with the header"));
}
