//! The rule that an internal message of proto/ belongs to the codec that encodes it: only the codec
//! includes the generated file, in a private module.

use super::Violation;
use super::source::{Source, line_of, words};
use crate::generate;

/// The codec of each generated file.
const CODECS: [(&str, &str); 5] = [
    ("server/grpc/src/generated/riposte.internal.v1.rs", "server/grpc/src/page_token.rs"),
    ("server/store/src/sql/row/generated/riposte.internal.v1.rs", "server/store/src/sql/row/outbox.rs"),
    ("server/store/src/sql/row/generated/content_extra.rs", "server/store/src/sql/row/content.rs"),
    ("server/store/src/sql/row/generated/subject_policy.rs", "server/store/src/sql/row/subject.rs"),
    ("server/store/src/sql/row/generated/rule_hits.rs", "server/store/src/sql/row/rule_hits.rs"),
];
/// The module in which a codec includes its messages.
const MODULE: &str = "mod internal";

/// Returns the paths that the rule names.
pub(super) fn paths() -> impl Iterator<Item = &'static str> {
    CODECS.iter().flat_map(|(file, codec)| [*file, *codec])
}

/// Finds generated messages outside their codecs, and codecs that publish them.
pub(crate) fn check(sources: &[Source], faults: &mut Vec<Violation>) {
    for file in generate::internal_files() {
        if !CODECS.iter().any(|(known, _)| *known == file) {
            faults.push(Violation::new(&file, 0, "tidy/internal_formats.rs has no codec of these messages"));
        }
    }
    for source in sources.iter().filter(|source| !source.generated && !source.path.starts_with("xtask/")) {
        check_source(source, faults);
    }
    for (file, codec) in CODECS {
        let includes = |source: &Source| source.path == codec && included(source, file).next().is_some();
        if !sources.iter().any(includes) {
            faults.push(Violation::new(codec, 0, format!("does not include {file}, whose codec it is")));
        }
    }
}

fn check_source(source: &Source, faults: &mut Vec<Violation>) {
    let codecs = CODECS.iter().filter(|(file, _)| included(source, file).next().is_some());
    for (file, codec) in codecs {
        let line = included(source, file).next().map_or(0, |at| line_of(&source.text, at));
        if !CODECS.iter().any(|(other, codec)| *codec == source.path && name(other) == name(file)) {
            faults.push(Violation::new(&source.path, line, format!("{file} is included by its codec only, {codec}")));
        } else if !words(&source.production, MODULE).any(|at| is_private(&source.production[..at])) {
            faults.push(Violation::new(
                &source.path,
                line,
                format!("a codec includes its messages in a private `{MODULE}`"),
            ));
        }
    }
}

/// Returns the places where a source names the file in a string, outside comments.
fn included<'s>(source: &'s Source, file: &str) -> impl Iterator<Item = usize> + 's {
    let literal = format!("generated/{}\"", name(file));
    let places: Vec<usize> = source.text.match_indices(&literal).map(|(at, _)| at).collect();
    places.into_iter().filter(|at| {
        let line = source.text[..*at].rfind('\n').map_or(0, |end| end + 1);
        !source.code[line..*at].trim().is_empty()
    })
}

fn name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Returns `true` if the text before a `mod` does not make it public.
fn is_private(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    !line.contains("pub")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(more: &[(&str, &str)]) -> Vec<String> {
        let mut sources: Vec<Source> = more.iter().map(|(path, text)| Source::new(path, (*text).to_owned())).collect();
        for (file, codec) in CODECS.iter().filter(|(_, codec)| !more.iter().any(|(path, _)| path == codec)) {
            let text = format!("mod internal {{\n    include!(\"generated/{}\");\n}}\n", name(file));
            sources.push(Source::new(codec, text));
        }
        let mut faults = Vec::new();
        check(&sources, &mut faults);
        faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn messages_outside_their_codec_are_found() {
        assert_eq!(found(&[]), [""; 0]);
        let include = "\nmod internal { include!(\"row/generated/riposte.internal.v1.rs\"); }\n";
        let faults = found(&[("server/store/src/sql/read.rs", include)]);
        assert!(faults.iter().all(|fault| fault.starts_with("server/store/src/sql/read.rs:2: ")), "{faults:?}");
        assert!(!faults.is_empty());
        let path = "#[path = \"generated/content_extra.rs\"]\nmod messages;\n";
        assert_eq!(found(&[("server/store/src/sql/row/history.rs", path)]).len(), 1);
        let fine = "// \"generated/content_extra.rs\"\n#[path = \"sql/content_extra.rs\"]\nmod content_extra;\n";
        assert_eq!(found(&[("server/src/a.rs", fine)]), [""; 0]);
    }

    #[test]
    fn a_codec_that_publishes_its_messages_or_has_none_is_found() {
        let codec = CODECS[2].1;
        let public = "pub(crate) mod internal {\n    include!(\"generated/content_extra.rs\");\n}\n";
        let faults = found(&[(codec, public)]);
        assert!(matches!(&faults[..], [one] if one.contains("in a private `mod internal`")), "{faults:?}");
        let faults = found(&[(codec, "fn f() {}")]);
        assert!(matches!(&faults[..], [one] if one.contains("does not include")), "{faults:?}");
    }
}
