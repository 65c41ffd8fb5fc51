//! The readers of import formats, for fuzzers.

use std::io::Write;

use clap::ValueEnum;

use super::group::Group;
use super::read::{ImportFormat, ReadRequest};
use super::read_settings::SubjectBy;

/// A mapping file with a column for each field that can be imported.
const MAP: &str = r#"
source = "fuzz"
null = ["NULL"]
[comment]
subject = "{subject}"
id = "{id}"
parent = "{parent}"
member = "{member}"
text = "{text}"
create_time = "{time}"
state = { value = "{state}", map = { "0" = "ACTIVE", "1" = "HIDDEN", "2" = "DELETED" } }
up = "{up}"
down = "{down}"
mentions = "{mentions}"
ip = "{ip}"
"#;

/// Reads `bytes` as a file to import, to its end or to the first error. The first byte selects the
/// format.
///
/// # Panics
/// If no temporary file can be created.
#[expect(clippy::expect_used, reason = "a fuzzer has no caller to return an error to")]
pub fn import(bytes: &[u8]) {
    let formats = ImportFormat::value_variants();
    let Some((format, rest)) = bytes.split_first() else { return };
    let format = formats[usize::from(*format) % formats.len()];
    let file = |bytes: &[u8]| {
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        file.write_all(bytes).expect("written to a temporary file");
        file
    };
    let (file, map) = (file(rest), (format == ImportFormat::Csv).then(|| file(MAP.as_bytes())));
    let request = ReadRequest {
        files: vec![file.path().to_owned()],
        format,
        map: map.as_ref().map(|map| map.path().to_owned()),
        source: None,
        object_type: None,
        salt: String::new(),
        subject_by: SubjectBy::Id,
    };
    let mut read = |_: Group| Ok(());
    if let Ok(prepared) = request.prepare() {
        // An error is a valid result.
        let _ = (prepared.records(), prepared.read(&mut read));
    }
}
