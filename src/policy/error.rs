//! What is wrong with a policy, on one line: where, what, and the word that was likely meant.

use std::fmt;

/// Why a policy was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyError {
    place: Place,
    message: String,
    suggestion: Option<String>,
}

/// Where a rule or an error comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// A policy file by the name the user gave, and the line, counted from 1.
    Line { file: String, line: usize },
    /// A whole flag of the command line.
    Flag(String),
    /// The table of built-in rules.
    BuiltIn,
    /// The view's own needs, such as its mount point.
    View,
}

impl PolicyError {
    pub(super) fn new(place: Place, message: impl Into<String>) -> Self {
        Self {
            place,
            message: message.into(),
            suggestion: None,
        }
    }

    /// Adds the candidate nearest to `word`, if one is near enough to have been meant.
    pub(super) fn suggesting<'a>(
        mut self,
        word: &str,
        candidates: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        self.suggestion = nearest(word, candidates).map(str::to_owned);
        self
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The text quotes files, so nothing in it may break the line or steer a terminal.
        let mut line = format!("{}: {}", self.place, self.message);
        if let Some(word) = &self.suggestion {
            line.push_str("; did you mean '");
            line.push_str(word);
            line.push_str("'?");
        }
        line.chars().try_for_each(|character| {
            if character.is_control() {
                write!(f, "{}", character.escape_default())
            } else {
                write!(f, "{character}")
            }
        })
    }
}

impl std::error::Error for PolicyError {}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line { file, line } => write!(f, "{file}:{line}"),
            Self::Flag(flag) => f.write_str(flag),
            Self::BuiltIn => f.write_str("built-in"),
            Self::View => f.write_str("the view"),
        }
    }
}

/// The candidate that differs least, if it differs by no more than a third of the word.
fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // The distance is quadratic; no valid word is long.
    if word.len() > 64 {
        return None;
    }
    candidates
        .into_iter()
        .map(|candidate| {
            let folded = candidate.to_lowercase();
            (
                strsim::osa_distance(&word.to_lowercase(), &folded),
                candidate,
            )
        })
        .filter(|&(distance, candidate)| {
            distance <= candidate.len().max(word.len()).div_ceil(3).min(4)
        })
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}
