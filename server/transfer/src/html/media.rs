//! Pictures, videos and embedded pages of HTML in plain text.

use super::{Text, attribute};

/// The state of the open video, sound, object or picture with several sources.
#[derive(Debug, Default)]
pub(super) struct Media {
    /// True if its address is in the text.
    is_named: bool,
    is_open: bool,
    /// True for a picture, whose sources are the same as its `img`.
    is_picture: bool,
    /// The still picture of a video, or a source of a picture, which stands for one without an
    /// address.
    poster: Option<String>,
}

impl Media {
    pub(super) fn end_at_paragraph(&mut self) {
        self.is_open = false;
    }
}

impl Text {
    /// Adds what stands for an element that is neither text nor a link.
    pub(super) fn media(&mut self, name: &str, tag: &str, closing: bool) {
        match name {
            "video" | "audio" | "object" | "picture" if closing => {
                if let Some(poster) = self.media.poster.take().filter(|_| !self.media.is_named) {
                    self.address(&poster);
                }
                self.media = Media::default();
            }
            _ if closing => {}
            "img" if self.media.is_open => self.inner_picture(tag),
            "img" | "image" | "area" | "input" => self.picture(tag),
            "iframe" | "embed" | "frame" => self.address_of(tag, &["src", "data-src"]),
            "video" | "audio" | "object" => {
                self.media = Media { poster: attribute(tag, "poster"), is_open: true, ..Media::default() };
                self.media_address(tag, &["src", "data"]);
            }
            "picture" => self.media = Media { is_picture: true, is_open: true, ..Media::default() },
            "source" if self.media.is_picture => {
                let source = address_of(tag, &["srcset", "data-srcset", "src", "data-src"]);
                self.media.poster = self.media.poster.take().or(source);
            }
            "source" => self.media_address(tag, &["src", "srcset"]),
            "param" if attribute(tag, "name").is_some_and(|name| is_address_parameter(&name)) => {
                self.media_address(tag, &["value"]);
            }
            custom if custom.contains('-') => self.custom(custom, tag),
            _ => {}
        }
    }

    /// Adds what stands for a picture: its alternative text, or else its address.
    fn picture(&mut self, tag: &str) {
        match alternative(tag) {
            Some(text) => self.push_str(&text),
            None => self.address_of(tag, &["src", "data-src", "srcset", "data-srcset"]),
        }
    }

    /// Adds what stands for a picture inside of a video, an object or a picture with several
    /// sources: its words always, its address only in place of theirs.
    fn inner_picture(&mut self, tag: &str) {
        let has_words = alternative(tag).is_some();
        if has_words || !self.media.is_named && self.media.poster.is_none() || self.media.is_picture {
            let before = self.text.len();
            self.picture(tag);
            self.media.is_named |= self.text.len() > before;
        }
    }

    /// Adds what stands for an element of a script library, such as `amp-img` and `lite-youtube`.
    fn custom(&mut self, name: &str, tag: &str) {
        let video = attribute(tag, "videoid").or_else(|| attribute(tag, "data-videoid"));
        match video.filter(|_| name.contains("youtube")) {
            Some(id) => self.address(&format!("https://www.youtube.com/watch?v={id}")),
            None => self.picture(tag),
        }
    }

    /// Adds the address of the open video, sound or object, unless it has one already.
    fn media_address(&mut self, tag: &str, names: &[&str]) {
        if !self.media.is_named {
            let before = self.text.len();
            self.address_of(tag, names);
            self.media.is_named = self.text.len() > before;
        }
    }

    /// Adds the address that the first of these attributes has.
    fn address_of(&mut self, tag: &str, names: &[&str]) {
        if let Some(address) = address_of(tag, names) {
            self.address(&address);
        }
    }

    /// Adds an address apart from the text around it, unless the text ends with it.
    fn address(&mut self, value: &str) {
        let value = value.trim();
        let address = match value.split_once(':') {
            Some((scheme, _)) if scheme.eq_ignore_ascii_case("javascript") => return,
            // The bytes of a picture are no text.
            Some((scheme, _)) if scheme.eq_ignore_ascii_case("data") => "[picture]".to_owned(),
            _ if value.starts_with("//") => format!("https:{value}"),
            _ => value.to_owned(),
        };
        if self.text.trim_end().ends_with(&address) {
            return;
        }
        self.blank();
        self.text.push_str(&address);
        self.is_after_address = true;
    }
}

/// Returns the words for a picture.
fn alternative(tag: &str) -> Option<String> {
    let alternative = attribute(tag, "alt").or_else(|| attribute(tag, "title"));
    alternative.filter(|text| !text.trim().is_empty())
}

/// Returns the address that the first of these attributes has. One with the bytes of a picture
/// stands for the others until they are loaded.
fn address_of(tag: &str, names: &[&str]) -> Option<String> {
    let values = names.iter().filter_map(|name| {
        let value = attribute(tag, name)?;
        let value = value.trim();
        // A set of sources lists addresses with their sizes.
        let is_list = name.ends_with("srcset") && !is_data(value);
        let value = if is_list { value.split([',', ' ']).next().unwrap_or_default() } else { value };
        (!value.is_empty()).then(|| value.to_owned())
    });
    let (data, addresses): (Vec<String>, Vec<String>) = values.partition(|value| is_data(value));
    addresses.into_iter().chain(data).next()
}

fn is_data(address: &str) -> bool {
    address.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
}

/// Returns `true` for the parameters of an `object` that name what it shows.
fn is_address_parameter(name: &str) -> bool {
    ["movie", "src", "url", "filename"].iter().any(|known| name.eq_ignore_ascii_case(known))
}
