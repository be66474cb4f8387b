//! Go: imports by path, constants, variables and types by name, functions and methods. A
//! name in a parenthesised group has the span of its spec, a declaration of its own that of
//! the whole declaration.

use super::walk::{Nesting, Walk, children};
use super::{Stop, strings};
use crate::probe::entry::EntryKind;
use std::ops::Range;
use tree_sitter::Node;

pub(super) fn walk(walk: &mut Walk, root: Node) -> Result<(), Stop> {
    let mut pending = vec![root];
    while let Some(container) = pending.pop() {
        let mut nesting = Nesting::default();
        for node in children(container) {
            walk.tick()?;
            if container.is_error() && !nesting.is_outside(node) {
                continue;
            }
            match node.kind() {
                "import_declaration" | "const_declaration" | "var_declaration"
                | "type_declaration" => group(walk, node)?,
                "function_declaration" => {
                    named(walk, node, EntryKind::Function)?;
                }
                "method_declaration" => {
                    let receiver = receiver(walk, node)?;
                    let kind = walk.method(&receiver);
                    named(walk, node, kind)?;
                }
                "ERROR" => pending.push(node),
                _ => {}
            }
        }
    }
    Ok(())
}

fn named(walk: &mut Walk, node: Node, kind: EntryKind) -> Result<(), Stop> {
    if let Some(name) = node.child_by_field_name("name") {
        let (name, span) = (walk.text(name), walk.span(node)?);
        walk.push(kind, name, &span);
    }
    Ok(())
}

/// The specs of a declaration, alone or in parentheses (for `import` and `var` those stand
/// in a list node of their own).
fn group(walk: &mut Walk, declaration: Node) -> Result<(), Stop> {
    let list = children(declaration)
        .find(|node| matches!(node.kind(), "import_spec_list" | "var_spec_list"))
        .unwrap_or(declaration);
    let mut alone = true;
    for node in children(list) {
        walk.tick()?;
        match node.kind() {
            "(" => alone = false,
            "import_spec" | "const_spec" | "var_spec" | "type_spec" | "type_alias" => {
                let spanned = if alone { declaration } else { node };
                let span = walk.span(spanned)?;
                spec(walk, node, &span)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn spec(walk: &mut Walk, node: Node, span: &Range<usize>) -> Result<(), Stop> {
    let (kind, field) = match node.kind() {
        "import_spec" => (EntryKind::Import, "path"),
        "const_spec" => (EntryKind::Constant, "name"),
        "var_spec" => (EntryKind::Variable, "name"),
        _ => (EntryKind::Type, "name"),
    };
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    while more {
        walk.tick()?;
        // The commas between names stand in the field too.
        if cursor.field_name() == Some(field) && cursor.node().is_named() {
            let text = walk.text(cursor.node());
            let name = if kind == EntryKind::Import {
                strings::decode_go(&text)
            } else {
                text
            };
            walk.push(kind.clone(), name, span);
        }
        more = cursor.goto_next_sibling();
    }
    Ok(())
}

/// The type in a receiver as written but for blanks and comments: `*T[P]`.
fn receiver(walk: &mut Walk, method: Node) -> Result<String, Stop> {
    let parameter = method
        .child_by_field_name("receiver")
        .and_then(|list| children(list).find(|node| node.kind() == "parameter_declaration"));
    match parameter.and_then(|node| node.child_by_field_name("type")) {
        Some(receiver) => walk.joined(receiver),
        None => Ok(String::new()),
    }
}

#[cfg(test)]
mod tests;
