//! Checks of the places that a command writes to, before it does anything else: a command that runs
//! for hours must not find out at its end that its result has no place.

use std::fs;
use std::path::Path;

use super::exit::{Failure, USAGE};

/// Checks that a file can be created at `path`, or one there be replaced. `option` is the part of
/// the command line that names another place, such as `--out FILE`.
///
/// # Errors
/// The path, the obstacle, and the cure.
pub(super) fn check(path: &Path, option: &str) -> Result<(), Failure> {
    let shown = path.display();
    let failure = |problem: String| Failure::new(USAGE, format!("{shown} {problem}"));
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => return Err(failure(format!("is a folder: name a file in it by {option}"))),
        // The new file takes the place of an old one, so it would replace the device.
        Ok(found) if !found.is_file() => {
            return Err(failure(format!("is a device or a pipe: name a file by {option}")));
        }
        Ok(_) | Err(_) => {}
    }
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    obstacle(folder).map_or(Ok(()), |(obstacle, cure)| {
        Err(failure(format!("cannot be written: {obstacle}: {cure}, or name another file by {option}")))
    })
}

/// Checks that files can be created in `folder`.
///
/// # Errors
/// The folder, the obstacle, and the cure.
pub(super) fn check_folder(folder: &Path, option: &str) -> Result<(), Failure> {
    obstacle(folder).map_or(Ok(()), |(obstacle, cure)| {
        Err(Failure::new(USAGE, format!("{obstacle}: {cure}, or name another one by {option}")))
    })
}

/// Returns the reason why no file can be created in a folder, and what to do.
fn obstacle(folder: &Path) -> Option<(String, &'static str)> {
    let shown = folder.display();
    match fs::metadata(folder) {
        Ok(found) if !found.is_dir() => Some((format!("{shown} is no folder"), "move it away")),
        Err(_) => Some((format!("the folder {shown} does not exist"), "create it")),
        // The error names a path at random.
        Ok(_) => tempfile::tempfile_in(folder)
            .err()
            .map(|_unusable| (format!("the folder {shown} takes no files"), "let this user write there")),
    }
}

#[cfg(test)]
mod tests {
    use super::{check, check_folder};
    use std::path::Path;

    #[test]
    fn a_place_for_a_file_is_checked_and_nothing_is_left_there() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        check(&file, "--out FILE").unwrap();
        assert!(!file.exists());
        std::fs::write(&file, "stays").unwrap();
        check(&file, "--out FILE").unwrap();
        check(Path::new("in-this-folder"), "--out FILE").unwrap();
        check_folder(folder.path(), "--spool DIR").unwrap();
        for (path, words) in [
            (folder.path(), "is a folder: name a file in it by --out FILE"),
            (Path::new("/dev/null"), "is a device or a pipe"),
            (&folder.path().join("none/file"), "does not exist: create it, or name another file by --out FILE"),
            (&file.join("below"), "is no folder"),
            (Path::new("/proc/file"), "the folder /proc takes no files: let this user write there"),
        ] {
            let failure = check(path, "--out FILE").unwrap_err().message;
            assert!(failure.starts_with(&path.display().to_string()) && failure.contains(words), "{failure}");
        }
        let failure = check_folder(&file, "--spool DIR").unwrap_err().message;
        assert!(failure.ends_with("is no folder: move it away, or name another one by --spool DIR"), "{failure}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "stays");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
