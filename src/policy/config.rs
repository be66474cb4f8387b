//! Policy files: TOML to checked rules, and every fault with its file and line.
//!
//! Reading ends here: what comes out holds parsed patterns and known groups only. What a file
//! may say depends on whose it is ([`Role`]); what rules mean together is `rules.rs`.

mod text;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use toml::Spanned;

use super::PolicyText;
use super::builtin::fold;
use super::error::{Place, PolicyError};
use super::groups::Groups;
use super::labels::Label;
use super::pattern::Pattern;
use super::settings::{Hardlinks, Limits, Special, SymlinkMode};
use crate::relpath::RelPath;
use text::{FileText, RuleText};

/// Longest quotation of a file in an error, in characters.
const MESSAGE_MAX: usize = 300;

/// Most rules, and most shown names, in one file: a bound on the time that a file which nobody
/// wrote by hand can take.
const RULES_MAX: usize = 10_000;

/// Most names of ignore files: each is asked for in every folder.
const IGNORE_NAMES_MAX: usize = 16;

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The workspace's own file.
    Workspace,
    /// `--policy FILE`.
    PolicyFile,
    /// The user's configuration.
    User,
}

/// A policy file, checked.
#[derive(Debug, Default)]
pub(super) struct PolicyFile {
    pub(super) default: Option<Groups>,
    pub(super) default_place: Option<Place>,
    pub(super) rules: Vec<Rule>,
    pub(super) builtin_show: Vec<(Pattern, Place)>,
    pub(super) builtin_enabled: Option<bool>,
    pub(super) symlinks: Option<SymlinkMode>,
    pub(super) allow_outside: Option<Vec<String>>,
    pub(super) special: Option<Special>,
    pub(super) hardlinks: Option<Hardlinks>,
    pub(super) ignore_files: Option<Vec<String>>,
    pub(super) limits: Limits,
}

/// One `[[rule]]`, checked.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) pattern: Pattern,
    pub(super) place: Place,
    pub(super) allow: Option<Groups>,
    pub(super) deny: Groups,
    pub(super) hide: bool,
    pub(super) show: bool,
    pub(super) label: Option<Label>,
    pub(super) reason: Option<String>,
    pub(super) alternative: Option<String>,
}

/// Reads and checks one policy file.
pub(super) fn parse(source: &PolicyText, role: Role) -> Result<PolicyFile, PolicyError> {
    let newlines = memchr::memchr_iter(b'\n', source.text.as_bytes()).collect();
    Reader {
        source,
        role,
        newlines,
    }
    .read()
}

struct Reader<'a> {
    source: &'a PolicyText,
    role: Role,
    /// Where the lines end, so that placing every rule stays cheap in a huge file.
    newlines: Vec<usize>,
}

impl Reader<'_> {
    fn read(&self) -> Result<PolicyFile, PolicyError> {
        let text: FileText =
            toml::from_str(&self.source.text).map_err(|error| self.toml_error(&error))?;
        if let (Some(default), Role::User) = (&text.default, self.role) {
            return Err(self.error(
                &default.span(),
                "'default' belongs to the policy file, not to the user configuration",
            ));
        }
        if let (Some(enabled), Role::Workspace) = (&text.builtin.enabled, self.role) {
            return Err(self.error(
                &enabled.span(),
                "'enabled' is taken only from --policy or the user configuration",
            ));
        }
        let rules_end = text.rule.get(RULES_MAX).map(Spanned::span);
        let shows_end = text.builtin.show.get(RULES_MAX).map(Spanned::span);
        if let Some(span) = rules_end.or(shows_end) {
            let message = format!("more than {RULES_MAX} rules in one file");
            return Err(self.error(&span, message));
        }
        Ok(PolicyFile {
            default_place: text
                .default
                .as_ref()
                .map(|default| self.place(&default.span())),
            default: text.default.map(|default| default.into_inner().0),
            rules: text
                .rule
                .into_iter()
                .map(|rule| self.rule(rule))
                .collect::<Result<_, _>>()?,
            builtin_show: text
                .builtin
                .show
                .iter()
                .map(|name| self.builtin_show(name))
                .collect::<Result<_, _>>()?,
            builtin_enabled: text.builtin.enabled.map(Spanned::into_inner),
            symlinks: self.word(
                text.symlinks.mode.as_ref(),
                &[("inside", SymlinkMode::Inside), ("deny", SymlinkMode::Deny)],
            )?,
            allow_outside: text
                .symlinks
                .allow_outside
                .map(|list| list.into_iter().map(|path| self.outside(path)).collect())
                .transpose()?,
            special: self.word(
                text.special.as_ref(),
                &[("strip", Special::Strip), ("pass", Special::Pass)],
            )?,
            hardlinks: self.word(
                text.hardlinks.as_ref(),
                &[
                    ("check", Hardlinks::Check),
                    ("deny", Hardlinks::Deny),
                    ("allow", Hardlinks::Allow),
                ],
            )?,
            ignore_files: text
                .ignore_files
                .names
                .map(|names| self.ignore_files(names))
                .transpose()?,
            limits: Limits {
                max_file_bytes: text.limits.max_file_bytes,
                max_list_entries: text.limits.max_list_entries,
            },
        })
    }

    fn rule(&self, rule: Spanned<RuleText>) -> Result<Rule, PolicyError> {
        let header = rule.span();
        let rule = rule.into_inner();
        let only_true = |value: &Option<Spanned<bool>>, message| match value {
            Some(value) if !value.get_ref() => Err(self.error(&value.span(), message)),
            value => Ok(value.is_some()),
        };
        let hide = only_true(
            &rule.hide,
            "'hide' takes only true; to undo a hide write show = true",
        )?;
        let show = only_true(
            &rule.show,
            "'show' takes only true; to hide a path write hide = true",
        )?;
        let deny: Groups = rule.deny.unwrap_or_default().into_iter().collect();
        let allow = rule.allow.map(|groups| groups.into_iter().collect());
        if hide && show {
            return Err(self.error(&header, "the rule has both 'hide' and 'show'"));
        }
        if !hide && !show && allow.is_none() && deny.is_empty() && rule.label.is_none() {
            return Err(self.error(
                &header,
                "the rule does nothing: give it 'allow', 'deny', 'hide', 'show' or 'label'",
            ));
        }
        let pattern = self.pattern(&rule.path)?;
        if show {
            check_show(&pattern).map_err(|message| self.pattern_error(&rule.path, message))?;
        }
        Ok(Rule {
            pattern,
            place: self.place(&header),
            allow,
            deny,
            hide,
            show,
            label: rule.label,
            reason: rule.reason,
            alternative: rule.alternative,
        })
    }

    fn builtin_show(&self, name: &Spanned<String>) -> Result<(Pattern, Place), PolicyError> {
        let pattern = self.pattern(name)?;
        check_builtin_show(&pattern).map_err(|message| self.pattern_error(name, message))?;
        Ok((pattern, self.place(&name.span())))
    }

    fn ignore_files(&self, names: Vec<Spanned<String>>) -> Result<Vec<String>, PolicyError> {
        if let Some(one_more) = names.get(IGNORE_NAMES_MAX) {
            let message = format!("more than {IGNORE_NAMES_MAX} names of ignore files");
            return Err(self.error(&one_more.span(), message));
        }
        let checked = |name: Spanned<String>| {
            let text = name.get_ref();
            if RelPath::root().child(text.as_bytes()).is_err() || text.contains(['*', '?', '[']) {
                let message = format!(
                    "'{}' is no name of a file; ignore files have one name, without '/' and wildcards",
                    shortened(text)
                );
                return Err(self.error(&name.span(), message));
            }
            Ok(name.into_inner())
        };
        names.into_iter().map(checked).collect()
    }

    fn outside(&self, path: Spanned<String>) -> Result<String, PolicyError> {
        let text = path.get_ref();
        let from_root = text.strip_prefix('~').unwrap_or(text);
        let inner = from_root.trim_start_matches('/');
        let lexical = inner
            .strip_suffix('/')
            .unwrap_or(inner)
            .split('/')
            .all(|name| !matches!(name, "" | "." | ".."));
        if !from_root.starts_with('/') || from_root.starts_with("//") || !lexical {
            return Err(self.error(
                &path.span(),
                format!("'{text}' is no absolute path without '.', '..' and '//' (it may begin with '~/')"),
            ));
        }
        if text.contains(['*', '?', '[']) {
            return Err(self.error(
                &path.span(),
                format!("'{text}' holds a wildcard; 'allow_outside' takes paths, with a '/' at the end for all below"),
            ));
        }
        Ok(path.into_inner())
    }

    fn pattern(&self, text: &Spanned<String>) -> Result<Pattern, PolicyError> {
        Pattern::parse(text.get_ref()).map_err(|message| self.pattern_error(text, message))
    }

    fn pattern_error(
        &self,
        text: &Spanned<String>,
        message: impl Into<Cow<'static, str>>,
    ) -> PolicyError {
        let message = message.into();
        self.error(
            &text.span(),
            format!("pattern '{}': {message}", shortened(text.get_ref())),
        )
    }

    fn word<T: Copy>(
        &self,
        text: Option<&Spanned<String>>,
        known: &[(&str, T)],
    ) -> Result<Option<T>, PolicyError> {
        let Some(text) = text else { return Ok(None) };
        let word = text.get_ref().as_str();
        if let Some((_, value)) = known.iter().find(|(name, _)| *name == word) {
            return Ok(Some(*value));
        }
        let names: Vec<_> = known.iter().map(|(name, _)| *name).collect();
        let message = format!(
            "unknown value '{}', expected one of '{}'",
            shortened(word),
            names.join("', '")
        );
        Err(self.error(&text.span(), message).suggesting(word, names))
    }

    fn toml_error(&self, error: &toml::de::Error) -> PolicyError {
        let message = error.message();
        let place = self.place(&error.span().unwrap_or_default());
        // serde writes "unknown field `X`, expected one of `A`, `B`": the quoted words are the
        // found one and the valid ones.
        let mut quoted = message.split('`').skip(1).step_by(2);
        let unknown = message
            .starts_with("unknown ")
            .then(|| quoted.next())
            .flatten();
        let line = shortened(&message.replace('`', "'")).into_owned();
        let result = PolicyError::new(place, line);
        match unknown {
            Some(word) => result.suggesting(word, quoted.collect::<BTreeSet<_>>()),
            None => result,
        }
    }

    fn error(&self, span: &Range<usize>, message: impl Into<String>) -> PolicyError {
        PolicyError::new(self.place(span), message)
    }

    fn place(&self, span: &Range<usize>) -> Place {
        Place::Line {
            file: self.source.label.clone(),
            line: self.newlines.partition_point(|&end| end < span.start) + 1,
        }
    }
}

/// Whether the pattern can be a show: it must name what it shows.
pub(super) fn check_show(pattern: &Pattern) -> Result<(), &'static str> {
    if pattern.names_its_last() {
        Ok(())
    } else {
        Err("a show names what it shows: its last name holds no wildcard")
    }
}

fn check_builtin_show(pattern: &Pattern) -> Result<(), &'static str> {
    if !pattern.is_plain_name() && !pattern.is_literal_path() {
        return Err("[builtin] show takes names or paths from the root, without wildcards");
    }
    let Some(mut names) = pattern.literal_names() else {
        return Ok(());
    };
    let kept = |name: &[u8]| {
        let name = fold(name);
        matches!(&*name, b".git" | b"_trash" | b".trash") || name.starts_with(b".trash-")
    };
    if names.any(kept) {
        return Err(
            "[builtin] show never reaches .git or a trash; use --show, or a rule with show = true in a --policy file",
        );
    }
    Ok(())
}

fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MESSAGE_MAX) {
        Some((end, _)) => Cow::Owned(format!("{}...", text.get(..end).unwrap_or_default())),
        None => Cow::Borrowed(text),
    }
}
