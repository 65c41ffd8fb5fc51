//! The templates of a language, rendered with the model.

use super::model::Model;
use super::toolchain::Toolchain;
use crate::generate::files::Files;
use crate::generate::words;
use crate::repo::Repo;
use anyhow::{Context, Result};
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};
use std::fs;

/// Adds the output of a language's templates. The first line of each names its file, relative to
/// the folder of the SDK: `{# to: path #}`.
pub(super) fn add(repo: &Repo, toolchain: &Toolchain, model: &Model, files: &mut Files) -> Result<()> {
    let folder = format!("{}/templates/", toolchain.folder());
    let environment = environment();
    let context = Value::from_serialize(model);
    for path in repo.files()?.into_iter().filter(|path| path.starts_with(&folder) && path.ends_with(".j2")) {
        let text = fs::read_to_string(repo.at(&path)).with_context(|| format!("cannot read {path}"))?;
        let (head, body) = text.split_once('\n').unwrap_or_default();
        let target = head.strip_prefix("{# to: ").and_then(|rest| rest.strip_suffix(" #}"));
        let target = target.with_context(|| format!("{path}: the first line is not {{# to: path #}}"))?;
        let rendered = environment.render_named_str(&path, body, &context);
        // The error has the whole chain of causes, which names the line.
        let rendered = rendered.map_err(|error| anyhow::anyhow!("{error:#}"))?;
        files.add(format!("{}/{target}", toolchain.folder()), toolchain.formatted(repo, target, rendered)?)?;
    }
    Ok(())
}

/// Returns the environment that renders templates: unknown names are errors, and filters spell
/// names in every style.
pub(super) fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment.set_keep_trailing_newline(true);
    environment.add_filter("snake", |name: &str| words(name).join("_"));
    environment.add_filter("upper", |name: &str| words(name).join("_").to_uppercase());
    environment.add_filter("pascal", |name: &str| words(name).iter().map(|word| capital(word)).collect::<String>());
    environment.add_filter("camel", |name: &str| {
        let pascal: String = words(name).iter().map(|word| capital(word)).collect();
        pascal[..1].to_lowercase() + &pascal[1..]
    });
    environment.add_filter("wrap", wrap);
    environment
}

fn capital(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

/// Wraps a text into lines of at most `width` characters, each after `prefix`, and all but the
/// first after `hang` too. Paragraphs stay separate.
fn wrap(text: &str, width: usize, prefix: &str, hang: Option<&str>) -> String {
    let following = format!("{prefix}{}", hang.unwrap_or_default());
    let mut lines = Vec::new();
    for paragraph in text.split("\n\n") {
        if !lines.is_empty() {
            lines.push(prefix.trim_end().to_owned());
        }
        let mut line = if lines.is_empty() { prefix.to_owned() } else { following.clone() };
        let mut filled = false;
        for word in paragraph.split_whitespace() {
            if filled && line.chars().count() + 1 + word.chars().count() > width {
                lines.push(std::mem::replace(&mut line, following.clone()));
            } else if filled {
                line.push(' ');
            }
            line.push_str(word);
            filled = true;
        }
        lines.push(line);
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_spelled_in_every_way() {
        let render = |text: &str| environment().render_str(text, ()).unwrap();
        for name in ["MemberId", "memberId", "member_id", "MEMBER_ID"] {
            let template = "{{ 'N'|snake }} {{ 'N'|camel }} {{ 'N'|pascal }} {{ 'N'|upper }}".replace('N', name);
            assert_eq!(render(&template), "member_id memberId MemberId MEMBER_ID", "{name}");
        }
    }

    #[test]
    fn comments_are_wrapped_and_paragraphs_stay_separate() {
        assert_eq!(wrap("one two three\n\nfour", 11, "// ", None), "// one two\n// three\n//\n// four");
        assert_eq!(wrap("* one two three", 11, "// ", Some("  ")), "// * one\n//   two\n//   three");
    }

    #[test]
    fn a_template_that_uses_an_unknown_name_fails() {
        assert!(environment().render_str("{{ absent }}", ()).is_err());
    }
}
