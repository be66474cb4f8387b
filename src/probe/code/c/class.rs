//! What stands directly in a class, struct or union of C++: methods, declared or defined, and
//! nested types; no fields, aliases or friends. A struct of C has neither.

use super::super::Stop;
use super::super::walk::{Walk, children};
use super::declarator::receiver_and_name;
use super::{each_declarator, is_conditional, unwrapped};
use crate::probe::entry::EntryKind;
use tree_sitter::Node;

/// Adds the members in `body`; the type is called `receiver`.
pub(super) fn members(walk: &mut Walk, body: Node, receiver: &str) -> Result<(), Stop> {
    let mut pending = vec![body];
    while let Some(body) = pending.pop() {
        for member in children(body) {
            walk.tick()?;
            let Some(inner) = unwrapped(walk, member)? else {
                continue;
            };
            match inner.kind() {
                kind if is_conditional(kind) => pending.push(inner),
                "field_declaration" | "declaration" | "function_definition" => {
                    nested(walk, member, inner)?;
                    let span = walk.span(member)?;
                    each_declarator(walk, inner, &span, |walk, declared, span| {
                        if declared.function {
                            let (_, name) = receiver_and_name(walk, declared.name)?;
                            let kind = walk.method(receiver);
                            walk.push(kind, name, span);
                        }
                        Ok(())
                    })?;
                }
                _ => nested(walk, member, member)?,
            }
        }
    }
    Ok(())
}

/// A type defined in `declaration`, without its members.
fn nested(walk: &mut Walk, member: Node, declaration: Node) -> Result<(), Stop> {
    let node = declaration
        .child_by_field_name("type")
        .unwrap_or(declaration);
    let kind = match node.kind() {
        "class_specifier" => EntryKind::Class,
        "struct_specifier" | "union_specifier" | "enum_specifier" => EntryKind::Type,
        _ => return Ok(()),
    };
    if node.child_by_field_name("body").is_some()
        && let Some(name) = node.child_by_field_name("name")
    {
        let (name, span) = (walk.joined(name)?, walk.span(member)?);
        walk.push(kind, name, &span);
    }
    Ok(())
}
