//! Python: imports by the names they bind, targets of assignments, functions, classes and
//! their methods; nothing from under `if`, `try` or any other block.

use super::Stop;
use super::walk::{Walk, children};
use crate::probe::entry::EntryKind;
use std::ops::Range;
use tree_sitter::Node;

pub(super) fn walk(walk: &mut Walk, root: Node) -> Result<(), Stop> {
    let mut pending = vec![root];
    while let Some(container) = pending.pop() {
        let recovered = container.is_error();
        for node in children(container) {
            walk.tick()?;
            // A statement the parser lost the surroundings of is of the top level if it
            // starts a line.
            if recovered && !walk.starts_line(node.start_byte()) {
                continue;
            }
            if node.is_error() {
                pending.push(node);
            } else {
                statement(walk, node)?;
            }
        }
    }
    Ok(())
}

fn statement(walk: &mut Walk, node: Node) -> Result<(), Stop> {
    match node.kind() {
        "import_statement" | "import_from_statement" | "future_import_statement" => {
            imports(walk, node)
        }
        "expression_statement" => {
            let span = walk.span(node)?;
            match node.named_child(0) {
                Some(child) if child.kind() == "assignment" => targets(walk, child, &span),
                _ => Ok(()),
            }
        }
        "type_alias_statement" => {
            let span = walk.span(node)?;
            let mut name = node.child_by_field_name("left");
            while let Some(inner) = name.filter(|name| name.kind() != "identifier") {
                walk.tick()?;
                name = inner.named_child(0);
            }
            if let Some(name) = name {
                let name = walk.text(name);
                walk.push(EntryKind::Type, name, &span);
            }
            Ok(())
        }
        "function_definition" | "class_definition" | "decorated_definition" => {
            definition(walk, node)
        }
        _ => Ok(()),
    }
}

/// One entry for each name an import binds: the alias, or the first part of a dotted name.
fn imports(walk: &mut Walk, node: Node) -> Result<(), Stop> {
    let span = walk.span(node)?;
    let module = node.child_by_field_name("module_name");
    for child in children(node) {
        walk.tick()?;
        let bound = match child.kind() {
            "aliased_import" => child.child_by_field_name("alias"),
            "dotted_name" if Some(child) != module => child.named_child(0),
            _ => None,
        };
        if let Some(bound) = bound {
            let name = walk.text(bound);
            walk.push(EntryKind::Import, name, &span);
        }
    }
    Ok(())
}

/// The names bound by an assignment and by those chained to its right.
fn targets(walk: &mut Walk, assignment: Node, span: &Range<usize>) -> Result<(), Stop> {
    let mut chained = Some(assignment);
    while let Some(assignment) = chained {
        if let Some(left) = assignment.child_by_field_name("left") {
            names(walk, left, span)?;
        }
        chained = assignment
            .child_by_field_name("right")
            .filter(|right| right.kind() == "assignment");
    }
    Ok(())
}

/// The names in a target, however deep in tuples and lists; attributes and subscripts bind
/// none.
fn names(walk: &mut Walk, target: Node, span: &Range<usize>) -> Result<(), Stop> {
    let mut cursor = target.walk();
    loop {
        walk.tick()?;
        let node = cursor.node();
        let inside = match node.kind() {
            "identifier" => {
                let name = walk.text(node);
                walk.push(EntryKind::Variable, name, span);
                false
            }
            "pattern_list" | "tuple_pattern" | "list_pattern" | "list_splat_pattern" => {
                cursor.goto_first_child()
            }
            _ => false,
        };
        // The cursor cannot leave the target it was made for.
        while !inside && !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Ok(());
            }
        }
    }
}

/// A function, or a class and its direct methods, from its first decorator on.
fn definition(walk: &mut Walk, node: Node) -> Result<(), Stop> {
    let Some((inner, name)) = defined(node) else {
        return Ok(());
    };
    let name = walk.text(name);
    let span = walk.span(node)?;
    if inner.kind() == "function_definition" {
        walk.push(EntryKind::Function, name, &span);
        return Ok(());
    }
    walk.push(EntryKind::Class, name.clone(), &span);
    let Some(body) = inner.child_by_field_name("body") else {
        return Ok(());
    };
    for member in children(body) {
        walk.tick()?;
        if let Some((inner, method)) = defined(member)
            && inner.kind() == "function_definition"
        {
            let (method, span) = (walk.text(method), walk.span(member)?);
            let kind = walk.method(&name);
            walk.push(kind, method, &span);
        }
    }
    Ok(())
}

/// The definition below decorators and its name.
fn defined(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let inner = match node.kind() {
        "decorated_definition" => node.child_by_field_name("definition")?,
        "function_definition" | "class_definition" => node,
        _ => return None,
    };
    Some((inner, inner.child_by_field_name("name")?))
}

#[cfg(test)]
mod tests;
