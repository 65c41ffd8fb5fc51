//! The rule against dead exemptions: a path that a rule names, as its scope or as an exemption,
//! exists. A rule whose scope has moved checks nothing.

use super::Violation;

/// Finds paths that are neither a file nor the beginning of one.
pub(crate) fn check<'p>(
    files: &[String],
    named: impl Iterator<Item = (&'p str, &'p str)>,
    faults: &mut Vec<Violation>,
) {
    for (rule, path) in named.filter(|(_, path)| !exists(files, path)) {
        faults.push(Violation::new(rule, 0, format!("names `{path}`, which does not exist")));
    }
}

/// Returns `true` for a file, and for a folder with a slash at the end.
fn exists(files: &[String], path: &str) -> bool {
    files.iter().any(|file| file == path || path.ends_with('/') && file.starts_with(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_does_not_exist_is_found() {
        let files = ["server/src/app.rs".to_owned()];
        let named =
            ["server/src/app.rs", "server/src/", "server/", "server/src/ap", "server/store/", "server/src/gone.rs"];
        let mut faults = Vec::new();
        check(&files, named.into_iter().map(|path| ("a.rs", path)), &mut faults);
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        let fault = |path: &str| format!("a.rs: names `{path}`, which does not exist");
        assert_eq!(faults, ["server/src/ap", "server/store/", "server/src/gone.rs"].map(fault));
    }
}
