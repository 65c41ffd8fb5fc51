//! The form in which figment keeps the source of each value.

use figment::{Metadata, Source};
use riposte_settings::ValueOrigin;

const DEFAULT: &str = "default";
const PROFILE: &str = "profile";
const FILE: &str = "file";
const VARIABLE: &str = "variable";
const FLAG: &str = "flag";

/// Returns a source in the form in which figment attaches it to each value.
pub(super) fn metadata(source: &ValueOrigin) -> Metadata {
    match source {
        ValueOrigin::Default => Metadata::named(DEFAULT),
        ValueOrigin::Profile(name) => Metadata::from(PROFILE, Source::Custom(name.clone())),
        ValueOrigin::File(path, _) => Metadata::from(FILE, Source::File(path.clone())),
        ValueOrigin::Variable(name) => Metadata::from(VARIABLE, Source::Custom(name.clone())),
        ValueOrigin::Flag(name) => Metadata::from(FLAG, Source::Custom(name.clone())),
    }
}

/// Restores the source that [`metadata`] encoded, without the line of a file.
pub(super) fn of(metadata: &Metadata) -> ValueOrigin {
    let name = || metadata.source.as_ref().and_then(Source::custom).unwrap_or_default().to_owned();
    match metadata.name.as_ref() {
        PROFILE => ValueOrigin::Profile(name()),
        VARIABLE => ValueOrigin::Variable(name()),
        FLAG => ValueOrigin::Flag(name()),
        FILE => {
            let path = metadata.source.as_ref().and_then(Source::file_path).unwrap_or_else(|| "".as_ref());
            ValueOrigin::File(path.to_owned(), None)
        }
        _ => ValueOrigin::Default,
    }
}
