//! Rust: `use` by its path, constants, types, functions, macros and the methods of `impl`
//! blocks; nothing from the bodies of modules and traits.
//!
//! Attributes are siblings before their item in the grammar, and belong to its span.

use super::Stop;
use super::walk::{Nesting, Walk, children};
use crate::probe::entry::EntryKind;
use std::ops::Range;
use tree_sitter::Node;

pub(super) fn walk(walk: &mut Walk, root: Node) -> Result<(), Stop> {
    let mut pending = vec![root];
    while let Some(container) = pending.pop() {
        let mut nesting = Nesting::default();
        let mut attributes = Attributes::default();
        for node in children(container) {
            walk.tick()?;
            let Some(start) = attributes.start_of(node) else {
                continue;
            };
            if container.is_error() && !nesting.is_outside(node) {
                continue;
            }
            match node.kind() {
                "ERROR" => pending.push(node),
                "foreign_mod_item" => pending.extend(node.child_by_field_name("body")),
                "impl_item" => methods(walk, node)?,
                _ => item(walk, node, start)?,
            }
        }
    }
    Ok(())
}

/// Where the attributes before the next item start.
#[derive(Default)]
struct Attributes(Option<usize>);

impl Attributes {
    /// Where `node` starts with its attributes; `None` for an attribute or a comment.
    fn start_of(&mut self, node: Node) -> Option<usize> {
        if node.kind() == "attribute_item" {
            self.0.get_or_insert(node.start_byte());
            return None;
        }
        if node.is_extra() && !node.is_error() {
            return None;
        }
        Some(self.0.take().unwrap_or(node.start_byte()))
    }
}

fn item(walk: &mut Walk, node: Node, start: usize) -> Result<(), Stop> {
    let kind = match node.kind() {
        "use_declaration" | "extern_crate_declaration" => return import(walk, node, start),
        "const_item" | "static_item" => EntryKind::Constant,
        "struct_item" | "enum_item" | "union_item" | "trait_item" | "type_item"
        | "associated_type" => EntryKind::Type,
        "function_item" | "function_signature_item" | "macro_definition" => EntryKind::Function,
        _ => return Ok(()),
    };
    if let Some(name) = node.child_by_field_name("name") {
        let (name, span) = (walk.text(name), span(walk, node, start)?);
        walk.push(kind, name, &span);
    }
    Ok(())
}

fn import(walk: &mut Walk, node: Node, start: usize) -> Result<(), Stop> {
    let span = span(walk, node, start)?;
    let mut name = match node.child_by_field_name("argument") {
        Some(path) => walk.joined(path)?,
        None => match node.child_by_field_name("name") {
            Some(name) => walk.text(name),
            None => return Ok(()),
        },
    };
    if let Some(alias) = node.child_by_field_name("alias") {
        name = format!("{name} as {}", walk.text(alias));
    }
    walk.push(EntryKind::Import, name, &span);
    Ok(())
}

/// The functions of an `impl` block, their receiver being its type.
fn methods(walk: &mut Walk, block: Node) -> Result<(), Stop> {
    let Some(receiver) = block.child_by_field_name("type") else {
        return Ok(());
    };
    let receiver = walk.joined(receiver)?;
    let Some(body) = block.child_by_field_name("body") else {
        return Ok(());
    };
    let mut attributes = Attributes::default();
    for member in children(body) {
        walk.tick()?;
        let Some(start) = attributes.start_of(member) else {
            continue;
        };
        if !matches!(member.kind(), "function_item" | "function_signature_item") {
            continue;
        }
        if let Some(name) = member.child_by_field_name("name") {
            let (name, span) = (walk.text(name), span(walk, member, start)?);
            let kind = walk.method(&receiver);
            walk.push(kind, name, &span);
        }
    }
    Ok(())
}

fn span(walk: &mut Walk, node: Node, start: usize) -> Result<Range<usize>, Stop> {
    Ok(start..walk.span(node)?.end)
}

#[cfg(test)]
mod tests;
