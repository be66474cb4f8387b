//! Java: imports by path, classes and other types, their methods and constructors, and the
//! types nested directly in them; no fields, enum constants or initializers.

use super::Stop;
use super::walk::{Nesting, Walk, children};
use crate::probe::entry::EntryKind;
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
                "ERROR" => pending.push(node),
                "import_declaration" => import(walk, node)?,
                // A file may be a class without saying so.
                "method_declaration" => named(walk, node, EntryKind::Function)?,
                kind => {
                    if let Some(kind) = type_kind(kind) {
                        named(walk, node, kind)?;
                        members(walk, node)?;
                    }
                }
            }
        }
    }
    Ok(())
}

fn type_kind(kind: &str) -> Option<EntryKind> {
    match kind {
        "class_declaration" | "record_declaration" => Some(EntryKind::Class),
        "interface_declaration" | "enum_declaration" | "annotation_type_declaration" => {
            Some(EntryKind::Type)
        }
        _ => None,
    }
}

fn named(walk: &mut Walk, node: Node, kind: EntryKind) -> Result<(), Stop> {
    if let Some(name) = node.child_by_field_name("name") {
        let (name, span) = (walk.text(name), walk.span(node)?);
        walk.push(kind, name, &span);
    }
    Ok(())
}

/// The path as written, `.*` included: `java.util.Map.*`.
fn import(walk: &mut Walk, node: Node) -> Result<(), Stop> {
    let span = walk.span(node)?;
    let mut path = String::new();
    for child in children(node).filter(Node::is_named) {
        walk.tick()?;
        match child.kind() {
            "asterisk" => path.push_str(".*"),
            _ if child.is_extra() => {}
            _ => path.push_str(&walk.joined(child)?),
        }
    }
    walk.push(EntryKind::Import, path, &span);
    Ok(())
}

/// What stands directly in the body of a type, of an enum behind its constants.
fn members(walk: &mut Walk, node: Node) -> Result<(), Stop> {
    let Some(name) = node.child_by_field_name("name") else {
        return Ok(());
    };
    let receiver = walk.text(name);
    let mut pending: Vec<Node> = node.child_by_field_name("body").into_iter().collect();
    while let Some(body) = pending.pop() {
        for member in children(body) {
            walk.tick()?;
            match member.kind() {
                "enum_body_declarations" => pending.push(member),
                "method_declaration"
                | "constructor_declaration"
                | "compact_constructor_declaration"
                | "annotation_type_element_declaration" => {
                    let kind = walk.method(&receiver);
                    named(walk, member, kind)?;
                }
                kind => {
                    if let Some(kind) = type_kind(kind) {
                        named(walk, member, kind)?;
                    }
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
