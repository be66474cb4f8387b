//! The answer that is no answer: a code, a message, and the document that carries both.
//!
//! The document is a contract: `{"ok":false,"path":P|null,"error":{"code":C,"message":M}}` and
//! an LF. Messages name paths of the workspace only, never one of the host.

use super::document::line;
use serde::Serialize;

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The request cannot be understood.
    Usage,
    /// No such path, or a hidden one.
    NotFound,
    /// Neither what was asked for nor a regular file.
    NotRegular,
    /// A supported file that is not strict UTF-8.
    NotUtf8,
    /// The path leads out of the workspace.
    OutsideWorkspace,
    /// The file cannot be read.
    Read,
    /// The parser failed.
    Parse,
    /// Not even an empty outline fits.
    OutputLimit,
    /// The asked line is past the end, and no line has its hash.
    RowMissing,
    /// The asked line has changed, and no single other line has its hash.
    RowStale,
}

/// A code and a sentence for the reader.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// What went wrong.
    pub code: Code,
    /// The sentence; no host path in it.
    pub message: String,
}

impl Failure {
    /// A failure of this kind.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    /// `asked` does not exist; `similar` are visible names of the same folder, best first.
    pub fn not_found(asked: &str, similar: &[String]) -> Self {
        let mut message = format!("'{asked}' not found");
        if !similar.is_empty() {
            message.push_str("; similar paths: ");
            message.push_str(&similar.join(", "));
        }
        Self::new(Code::NotFound, message)
    }
}

#[derive(Serialize)]
struct Document<'a> {
    ok: bool,
    path: Option<&'a str>,
    error: Error<'a>,
}

#[derive(Serialize)]
struct Error<'a> {
    code: Code,
    message: &'a str,
}

/// The failure document, with its LF. `path` is relative to the workspace, if there is one.
pub fn failure_document(path: Option<&str>, failure: &Failure) -> Vec<u8> {
    line(&Document {
        ok: false,
        path,
        error: Error {
            code: failure.code,
            message: &failure.message,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_has_these_fields_in_this_order() {
        let failure = Failure::not_found("sales2024.csv", &["sales_2024.csv".to_owned()]);
        assert_eq!(
            String::from_utf8_lossy(&failure_document(Some("d/sales2024.csv"), &failure)),
            "{\"ok\":false,\"path\":\"d/sales2024.csv\",\"error\":{\"code\":\"not_found\",\"message\":\
             \"'sales2024.csv' not found; similar paths: sales_2024.csv\"}}\n"
        );
    }

    #[test]
    fn codes_are_spelt_as_the_contract_has_them() {
        let codes = [
            (Code::Usage, "usage"),
            (Code::NotFound, "not_found"),
            (Code::NotRegular, "not_regular"),
            (Code::NotUtf8, "not_utf8"),
            (Code::OutsideWorkspace, "outside_workspace"),
            (Code::Read, "read"),
            (Code::Parse, "parse"),
            (Code::OutputLimit, "output_limit"),
            (Code::RowMissing, "row_missing"),
            (Code::RowStale, "row_stale"),
        ];
        for (code, spelt) in codes {
            let document = failure_document(None, &Failure::new(code, ""));
            assert_eq!(
                String::from_utf8_lossy(&document),
                format!(
                    "{{\"ok\":false,\"path\":null,\"error\":{{\"code\":\"{spelt}\",\"message\":\"\"}}}}\n"
                )
            );
        }
    }
}
