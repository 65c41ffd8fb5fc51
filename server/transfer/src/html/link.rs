//! Links of HTML in plain text.

use super::{Text, attribute};

/// A link that is not closed yet.
#[derive(Debug)]
pub(super) struct Link {
    /// The offset in the text at which its label begins.
    start: usize,
    address: String,
}

impl Text {
    /// Begins the link of an `a` tag.
    pub(super) fn open_link(&mut self, tag: &str) {
        self.close_link();
        let address = attribute(tag, "href").and_then(|address| readable(&address));
        self.link = address.map(|address| Link { start: self.text.len(), address });
    }

    /// Ends the open link. Its address follows the label, unless the label contains it.
    pub(super) fn close_link(&mut self) {
        let Some(Link { start, address }) = self.link.take() else { return };
        let label = self.text.get(start..).unwrap_or_default();
        if label.trim().is_empty() {
            self.blank();
            self.text.push_str(&address);
        } else if !label.contains(address.trim_end_matches('/')) {
            self.text.push_str(&format!(" ({address})"));
        }
    }
}

/// Returns the address as a reader needs it; `None` for a place within the page, for scripts and
/// for data.
fn readable(address: &str) -> Option<String> {
    let address = address.trim();
    let scheme = address.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    match scheme.as_deref() {
        Some("javascript" | "vbscript" | "data" | "about") => None,
        // The label of such a link is usually the bare address or number.
        Some(scheme @ ("mailto" | "tel")) => address.get(scheme.len() + 1..).map(str::to_owned),
        _ if address.is_empty() || address.starts_with('#') => None,
        _ if address.starts_with("//") => Some(format!("https:{address}")),
        _ => Some(address.to_owned()),
    }
}
