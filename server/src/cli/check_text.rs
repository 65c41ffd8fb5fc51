//! `riposte check-text`: what word lists and rules say of a text, without a server. The lists are
//! files; or the lists and rules are those of the configuration for an object type.

use super::{
    ConfigSources,
    exit::{Failure, USAGE},
    output,
};
use crate::app;
use crate::clock::SystemClock;
use anyhow::Context;
use clap::ValueEnum;
use riposte_core::ObjectType;
use riposte_policy::{
    Day, DecisiveFinding, Findings, Hit, HitEffect, ListEffect, ListSettings, MatchMode, Matcher, MemberInputs,
    Normalizer, PolicyOutcome, Rule, RuleInputs, RuleSet, TextFindings, WordList, masked, note_summaries,
};
use std::fmt::Write;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use unicode_normalization::UnicodeNormalization;

const HELP: &str = "\
A list is a file with a word on each line, or with an entry in JSON on each line, of which only \
the word is required:
  {\"word\":\"…\",\"outcome\":\"hold\",\"mode\":\"word\",\"id\":\"spam-17\",\"code\":\"spam.link\",\"expires\":\"2027-01-31\"}

Examples:
  riposte check-text --list spam.txt \"Some text\"
  riposte check-text --list spam.txt --list allowed.jsonl - < comment.txt
  riposte check-text --config riposte.toml --object-type video \"Some text\"
  riposte check-text --config riposte.toml --object-type video --edit --mentions 3 \"Some text\"";

#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// The text; - reads it from standard input
    text: String,
    /// A file with words; may be repeated
    #[arg(long = "list", value_name = "FILE", required_unless_present = "object_type")]
    lists: Vec<PathBuf>,
    /// An object type of the configuration, whose lists and rules are asked in place of files
    #[arg(long, value_name = "TYPE", conflicts_with_all = ["lists", "outcome", "mode"])]
    object_type: Option<String>,
    /// The text replaces an earlier one, for rules about edits
    #[arg(long, conflicts_with = "lists")]
    edit: bool,
    /// The number of members that the text mentions, for rules about mentions
    #[arg(long, value_name = "NUMBER", default_value_t = 0, conflicts_with = "lists")]
    mentions: u32,
    /// The number of public comments of the member, for rules about new members; such a term counts
    /// as true without it
    #[arg(long, value_name = "NUMBER", conflicts_with = "lists")]
    approved: Option<u32>,
    /// The days since the member joined, for rules about its age; such a term counts as true
    /// without it
    #[arg(long, value_name = "DAYS", conflicts_with = "lists")]
    age: Option<u32>,
    /// The outcome of entries that name none
    #[arg(long, value_enum, value_name = "OUTCOME", default_value_t = OutcomeArg::Hold)]
    outcome: OutcomeArg,
    /// The places at which entries are found that name no mode; by default their scripts decide
    #[arg(long, value_enum, value_name = "MODE")]
    mode: Option<ModeArg>,
}

/// An outcome as list files name it.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum OutcomeArg {
    /// The word is allowed, also where a part of it is an entry
    Allow,
    /// The text is shown with the word masked
    Mask,
    /// The text is shown and put into the review queue
    Flag,
    /// The text waits for a moderator
    Hold,
    /// The text is rejected
    Reject,
    /// The text is refused and not stored
    Refuse,
}

/// The lists and rules that are asked.
struct Checks {
    normalizer: Arc<Normalizer>,
    matcher: Option<Arc<Matcher>>,
    rules: RuleSet,
}

impl From<OutcomeArg> for PolicyOutcome {
    fn from(outcome: OutcomeArg) -> Self {
        match outcome {
            OutcomeArg::Allow => Self::Allow,
            OutcomeArg::Mask => Self::Mask,
            OutcomeArg::Flag => Self::Flag,
            OutcomeArg::Hold => Self::Hold,
            OutcomeArg::Reject => Self::Reject,
            OutcomeArg::Refuse => Self::Refuse,
        }
    }
}

/// A way to match as list files name it.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ModeArg {
    /// As a word of its own
    Word,
    /// Anywhere, also inside other words
    Part,
}

impl From<ModeArg> for MatchMode {
    fn from(mode: ModeArg) -> Self {
        match mode {
            ModeArg::Word => Self::Word,
            ModeArg::Part => Self::Part,
        }
    }
}

impl Args {
    pub(super) fn run(self, sources: &ConfigSources) -> anyhow::Result<ExitCode> {
        let checked = match &self.object_type {
            Some(object_type) => configured(sources, object_type)?,
            None => self.of_files()?,
        };
        let text = if self.text == "-" { standard_input()? } else { self.text };
        // The server stores texts in this form, and ranges are those of the stored text.
        let text: String = text.nfc().collect();
        let copy = checked.normalizer.match_copy(&text);
        let lists = checked.matcher.as_ref().map_or_else(Findings::default, |matcher| matcher.find(&text, &copy));
        let first_post = self.approved.map(|approved| approved == 0);
        let member = MemberInputs { approved: self.approved, first_post, age: self.age };
        let inputs = RuleInputs::of(&text, &copy, self.mentions, member);
        let inputs = RuleInputs { is_edit: self.edit, ..inputs };
        let found = TextFindings { lists, rules: checked.rules.matching(&inputs).collect() };
        output::write(&report(&text, copy.as_str(), &found))?;
        Ok(ExitCode::SUCCESS)
    }

    /// Returns true if the lists are those of the configuration.
    pub(super) fn reads_settings(&self) -> bool {
        self.object_type.is_some()
    }

    /// Compiles the lists of the named files.
    fn of_files(&self) -> anyhow::Result<Checks> {
        let Self { lists: files, outcome, mode, .. } = self;
        let (outcome, mode) = (*outcome, *mode);
        let lists = files.iter().map(|file| read(file, outcome.into(), mode.map(MatchMode::from)));
        let lists = lists.collect::<anyhow::Result<Vec<_>>>()?;
        let normalizer = Arc::new(Normalizer::default());
        let today = Day::at_millis(SystemClock.unix_millis());
        let (matcher, notes) = Matcher::new(Arc::clone(&normalizer), &lists, today)
            .map_err(|error| Failure::new(USAGE, format!("the lists cannot be used: {error}")))?;
        for summary in note_summaries(notes) {
            output::note(&format!("{}: {summary}", lists[summary.list].name));
        }
        Ok(Checks { normalizer, matcher: Some(Arc::new(matcher)), rules: RuleSet::default() })
    }
}

/// Compiles the lists of the configuration and returns the lists and rules of an object type.
fn configured(sources: &ConfigSources, object_type: &str) -> anyhow::Result<Checks> {
    let config = sources.load_policy()?;
    let known = ObjectType::parse("object_type", object_type).ok();
    let known = known.filter(|known| config.policies().of(known).is_ok()).ok_or_else(|| {
        let what = format!("--object-type {object_type}: the configuration has no such object type");
        Failure::new(USAGE, what)
    })?;
    let policy = app::local_policy(&config)?;
    let (matcher, rules) = (policy.matcher(&known), policy.rules(&known).cloned());
    if matcher.is_none() && rules.is_none() {
        let what = format!("the object type {object_type} has no word lists and no rules");
        let how = format!("name it in [[policy.lists]], or set [[object_types.{object_type}.rules]]");
        return Err(Failure::new(USAGE, format!("{what}: {how}")).into());
    }
    Ok(Checks { normalizer: Arc::clone(policy.normalizer()), matcher, rules: rules.unwrap_or_default() })
}

/// Reads a list file; its path is the name of the list.
fn read(file: &Path, outcome: PolicyOutcome, mode: Option<MatchMode>) -> anyhow::Result<WordList> {
    let name = file.display().to_string();
    let bytes =
        std::fs::read(file).map_err(|error| Failure::new(USAGE, format!("the list {name} cannot be read: {error}")))?;
    let settings = ListSettings { name, outcome, code: "policy.list".to_owned(), mode, effect: ListEffect::Live };
    WordList::parse(&settings, &bytes)
        .map_err(|error| Failure::new(USAGE, format!("{}: {error}", file.display())).into())
}

fn standard_input() -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes).context("standard input cannot be read")?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::new(USAGE, "standard input: is no UTF-8 text; convert it first"))?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

/// Returns the outcome, the forms of the text, and a line for each hit and each matching rule.
fn report(text: &str, normalized: &str, found: &TextFindings<'_>) -> String {
    let outcome = found.outcome();
    let mut report = format!("outcome     {}", outcome.name());
    let _ = match found.decisive() {
        None => Ok(()),
        Some(DecisiveFinding::Entry(hit)) => {
            write!(report, ", code {}, by entry {} of {}", hit.code, hit.entry, hit.list)
        }
        Some(DecisiveFinding::Rule(rule)) => write!(report, ", code {}, by rule {}", rule.code, rule.id),
        Some(DecisiveFinding::TooManyHits) => write!(report, ", by rule {}", Findings::TOO_MANY_HITS),
    };
    let _ = write!(report, "\nnormalized  {}\n", output::printable(normalized));
    let masks = found.lists.masks();
    if !masks.is_empty() && outcome < PolicyOutcome::Reject {
        let _ = writeln!(report, "shown       {}", output::printable(&masked(text, &masks)));
    }
    for hit in &found.lists.hits {
        let _ = writeln!(report, "{}", line(text, hit));
    }
    for rule in &found.rules {
        let _ = writeln!(report, "{}", rule_line(rule));
    }
    report
}

fn rule_line(rule: &Rule) -> String {
    let effect = match rule.effect {
        ListEffect::Live => "",
        ListEffect::DryRun => ", without effect: the rule is in dry run",
    };
    format!("rule        {}: {}, code {}{effect}", rule.id, rule.outcome.name(), rule.code)
}

fn line(text: &str, hit: &Hit<'_>) -> String {
    let Hit { list, version, entry, code, outcome, span, effect } = hit;
    let found: String = text.chars().skip(span.start as usize).take(span.code_points() as usize).collect();
    let effect = match effect {
        HitEffect::Counts => "",
        HitEffect::Allowed => ", without effect: inside an allowed word",
        HitEffect::DryRun => ", without effect: the list is in dry run",
    };
    let (start, end, outcome, found) = (span.start, span.end, outcome.name(), output::printable(&found));
    format!(
        "hit         {start}..{end} \"{found}\": {outcome}, {list} version {version}, entry {entry}, code {code}{effect}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists(texts: [(&str, PolicyOutcome); 2]) -> Vec<WordList> {
        let folder = tempfile::tempdir().unwrap();
        let list = |(text, outcome): (&str, PolicyOutcome)| {
            let file = folder.path().join(outcome.name());
            std::fs::write(&file, text).unwrap();
            let list = read(&file, outcome, None).unwrap();
            WordList { name: outcome.name().to_owned(), ..list }
        };
        texts.map(list).to_vec()
    }

    fn reported(text: &str, texts: [(&str, PolicyOutcome); 2]) -> String {
        let normalizer = Arc::new(Normalizer::default());
        let (lists, day) = (lists(texts), Day::new(2026, 11, 26).unwrap());
        let (matcher, _) = Matcher::new(Arc::clone(&normalizer), &lists, day).unwrap();
        let copy = normalizer.match_copy(text);
        report(text, copy.as_str(), &TextFindings { lists: matcher.find(text, &copy), rules: Vec::new() })
    }

    #[test]
    fn a_report_names_list_version_entry_and_range_of_each_hit() {
        let lists = [("spam\n大麻", PolicyOutcome::Mask), ("大麻烦", PolicyOutcome::Allow)];
        assert_eq!(
            reported("SPAM 大麻烦", lists),
            "outcome     mask, code policy.list, by entry 4e388ab32b10 of mask\n\
             normalized  spam 大麻烦\n\
             shown       **** 大麻烦\n\
             hit         0..4 \"SPAM\": mask, mask version 9b75751fb8024ac5, entry 4e388ab32b10, code policy.list\n\
             hit         5..7 \"大麻\": mask, mask version 9b75751fb8024ac5, entry 68c7a9ed8b29, code policy.list, \
             without effect: inside an allowed word\n\
             hit         5..8 \"大麻烦\": allow, allow version 6fca1de3d2f1e699, entry 6fca1de3d2f1, code policy.list\n"
        );
    }

    #[test]
    fn a_text_that_a_terminal_would_obey_is_replaced() {
        let text = reported("\u{1b}[2J\u{202e} x", [("x", PolicyOutcome::Hold), ("y", PolicyOutcome::Hold)]);
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}') && text.contains("hold"), "{text}");
    }

    #[test]
    fn notes_name_the_first_lines_of_each_kind() {
        let words: String = ('一'..).take(12).map(|word| format!("{word}\n")).collect();
        let lists = lists([(&words, PolicyOutcome::Hold), ("ass", PolicyOutcome::Flag)]);
        let day = Day::new(2026, 11, 26).unwrap();
        let (_, notes) = Matcher::new(Arc::new(Normalizer::default()), &lists, day).unwrap();
        let lines: Vec<_> = note_summaries(notes).iter().map(|note| (note.list, note.to_string())).collect();
        let [(0, many), (1, one)] = lines.as_slice() else { panic!("{lines:?}") };
        assert!(many.starts_with("lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more: skipped"), "{lines:?}");
        assert!(one.starts_with("line 1: a short Latin word"), "{lines:?}");
    }
}
