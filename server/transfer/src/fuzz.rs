//! The readers of import formats, for fuzzers.

use std::io::Write;

use clap::ValueEnum;

use super::batch::SubjectBatch;
use super::format::ImportFormat;
use super::ordering::Orphans;
use super::read::ReadRequest;
use super::read_notes::ReadNotes;
use super::totals::ImportTotals;

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

/// A time in the year 2026.
const NOW_MS: i64 = 1_780_000_000_000;

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
    let (file, map) =
        (file(rest), matches!(format, ImportFormat::Csv | ImportFormat::Json).then(|| file(MAP.as_bytes())));
    let map = map.as_ref().map(|map| map.path().to_owned());
    let request =
        ReadRequest { map, ..ReadRequest::new(vec![file.path().to_owned()], format, std::env::temp_dir(), NOW_MS) };
    let mut read = |_: SubjectBatch| Ok(());
    if let Ok(prepared) = request.prepare() {
        // An error is a valid result.
        let _ = prepared.read(Orphans::Tombstone, &ImportTotals::default(), &mut ReadNotes::default(), &mut read);
    }
}
