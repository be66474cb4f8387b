//! The compact document of a folder: totals over what a walk showed, as one JSON line.
//!
//! Who walks, what is visible and which names of one inode count is the caller's; this only
//! adds up. The contract is the type `FolderDocument`.

use super::document::line;
use super::formats::lower_case_extension;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::collections::HashMap;

/// How many extensions a document lists.
const LISTED_EXTENSIONS: usize = 8;
/// How many extensions are told apart; a hostile tree has a million.
const COUNTED_EXTENSIONS: usize = 10_000;

/// What a walk met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TotalKind {
    /// A file, link or special file of this own size in bytes.
    File {
        /// Apparent size in bytes.
        size: u64,
    },
    /// A folder.
    Folder,
}

/// Sums over the visible entries below one folder.
#[derive(Debug, Clone)]
pub struct Totals {
    tier_3_bytes: u64,
    files: u64,
    dirs: u64,
    subtree_size_bytes: u64,
    max_depth: usize,
    tier_3_files: u64,
    extensions: HashMap<String, u64>,
    /// Files whose extension was one too many to be told apart.
    uncounted: u64,
}

impl Totals {
    /// Nothing met yet; files of more than `tier_3_bytes` are tier 3.
    pub fn new(tier_3_bytes: u64) -> Self {
        Self {
            tier_3_bytes,
            files: 0,
            dirs: 0,
            subtree_size_bytes: 0,
            max_depth: 0,
            tier_3_files: 0,
            extensions: HashMap::new(),
            uncounted: 0,
        }
    }

    /// Adds one entry; `depth` is 1 directly inside the folder.
    pub fn entry(&mut self, depth: usize, name: &[u8], kind: TotalKind) {
        self.max_depth = self.max_depth.max(depth);
        let TotalKind::File { size } = kind else {
            self.dirs += u64::from(depth == 1);
            return;
        };
        self.files += u64::from(depth == 1);
        self.subtree_size_bytes = self.subtree_size_bytes.saturating_add(size);
        self.tier_3_files += u64::from(size > self.tier_3_bytes);
        let extension = lower_case_extension(name).unwrap_or_else(|| "(none)".to_owned());
        if let Some(count) = self.extensions.get_mut(&extension) {
            *count += 1;
        } else if self.extensions.len() < COUNTED_EXTENSIONS {
            self.extensions.insert(extension, 1);
        } else {
            self.uncounted += 1;
        }
    }
}

/// Most frequent first, then by name; the rest as one number.
struct ByExtension<'a>(&'a Totals);

impl Serialize for ByExtension<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut counts: Vec<(&str, u64)> = self
            .0
            .extensions
            .iter()
            .map(|(extension, count)| (extension.as_str(), *count))
            .collect();
        counts.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let rest = counts.split_off(counts.len().min(LISTED_EXTENSIONS));
        let rest = rest.iter().map(|(_, count)| count).sum::<u64>() + self.0.uncounted;
        let mut map = serializer.serialize_map(None)?;
        for (extension, count) in counts {
            map.serialize_entry(extension, &count)?;
        }
        if rest > 0 {
            map.serialize_entry("…", &rest)?;
        }
        map.end()
    }
}

/// What the root's document says about the view.
#[derive(Debug, Clone, Copy)]
pub struct ViewFacts<'a> {
    /// `write`, `plan` or `read-only`.
    pub mode: &'a str,
    /// The label the view carries, if any.
    pub taint: Option<&'a str>,
}

#[derive(Serialize)]
struct FolderDocument<'a> {
    path: &'a str,
    r#type: &'static str,
    entries: Entries,
    subtree_size_bytes: u64,
    max_depth: usize,
    tier_3_files: u64,
    permissions: &'a [&'a str],
    by_extension: ByExtension<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    listed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    complete: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    view: Option<View<'a>>,
}

#[derive(Serialize)]
struct Entries {
    files: u64,
    dirs: u64,
}

#[derive(Serialize)]
struct View<'a> {
    mode: &'a str,
    sidecars: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    taint: Option<&'a str>,
}

const SIDECARS: &str =
    "append .inspect.json (summary) or .outline.json (symbols with lines) to any path";

/// The compact document of a folder, with its LF.
///
/// `path` is relative to the workspace, `.` for the root. `complete` is false when the walk ran
/// out of time. `listed` is how many entries a listing shows, where it is cut.
pub fn folder_document(
    path: &str,
    permissions: &[&str],
    totals: &Totals,
    complete: bool,
    listed: Option<u64>,
    view: Option<ViewFacts<'_>>,
) -> Vec<u8> {
    line(&FolderDocument {
        path,
        r#type: "folder",
        entries: Entries {
            files: totals.files,
            dirs: totals.dirs,
        },
        subtree_size_bytes: totals.subtree_size_bytes,
        max_depth: totals.max_depth,
        tier_3_files: totals.tier_3_files,
        permissions,
        by_extension: ByExtension(totals),
        listed,
        complete: (!complete).then_some(false),
        view: view.map(|view| View {
            mode: view.mode,
            sidecars: SIDECARS,
            taint: view.taint,
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(totals: &Totals) -> String {
        String::from_utf8_lossy(&folder_document("d", &["read"], totals, true, None, None))
            .into_owned()
    }

    #[test]
    fn an_empty_folder() {
        assert_eq!(
            document(&Totals::new(10)),
            "{\"path\":\"d\",\"type\":\"folder\",\"entries\":{\"files\":0,\"dirs\":0},\
             \"subtree_size_bytes\":0,\"max_depth\":0,\"tier_3_files\":0,\"permissions\":[\"read\"],\
             \"by_extension\":{}}\n"
        );
    }

    #[test]
    fn every_field_in_its_order() {
        let mut totals = Totals::new(10);
        totals.entry(1, b"src", TotalKind::Folder);
        totals.entry(2, b"a.rs", TotalKind::File { size: 11 });
        totals.entry(2, b"b.RS", TotalKind::File { size: 10 });
        totals.entry(1, b".gitignore", TotalKind::File { size: 1 });
        let view = ViewFacts {
            mode: "write",
            taint: Some("secret"),
        };
        let document = folder_document(".", &[], &totals, false, Some(3), Some(view));
        assert_eq!(
            String::from_utf8_lossy(&document),
            "{\"path\":\".\",\"type\":\"folder\",\"entries\":{\"files\":1,\"dirs\":1},\
             \"subtree_size_bytes\":22,\"max_depth\":2,\"tier_3_files\":1,\"permissions\":[],\
             \"by_extension\":{\"rs\":2,\"(none)\":1},\"listed\":3,\"complete\":false,\
             \"view\":{\"mode\":\"write\",\"sidecars\":\"append .inspect.json (summary) or \
             .outline.json (symbols with lines) to any path\",\"taint\":\"secret\"}}\n"
        );
    }

    #[test]
    fn eight_extensions_are_listed_and_the_rest_is_counted() {
        let mut totals = Totals::new(10);
        for number in 0..10_u32 {
            for _ in 0..=number / 9 {
                totals.entry(
                    1,
                    format!("f.e{number}").as_bytes(),
                    TotalKind::File { size: 0 },
                );
            }
        }
        let document = document(&totals);
        assert!(
            document.contains(
                "{\"e9\":2,\"e0\":1,\"e1\":1,\"e2\":1,\"e3\":1,\"e4\":1,\"e5\":1,\"e6\":1,\"…\":2}"
            ),
            "{document}"
        );
    }

    #[test]
    fn a_million_extensions_take_bounded_memory_and_none_is_lost() {
        let mut totals = Totals::new(10);
        for number in 0..20_000 {
            totals.entry(
                1,
                format!("f.{number}").as_bytes(),
                TotalKind::File { size: 0 },
            );
        }
        assert_eq!(totals.extensions.len(), COUNTED_EXTENSIONS);
        assert!(document(&totals).contains("\"…\":19992"));
    }
}
