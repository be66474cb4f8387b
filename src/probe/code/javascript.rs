//! JavaScript and TypeScript: imports by binding, constants and variables by every name they
//! destructure, functions, types, classes and their methods.
//!
//! `export` and `declare` are unwrapped and belong to the span. Of a statement that declares
//! several names after each other each has its own part as its span; names taken out of one
//! value share the statement's. Members of namespaces and of ambient modules are listed as
//! if they stood outside; the namespace itself is no entry.

mod class;

use super::walk::{Nesting, Walk, children};
use super::{Stop, strings};
use crate::probe::entry::EntryKind;
use std::ops::Range;
use tree_sitter::Node;

pub(super) fn walk(walk: &mut Walk, root: Node) -> Result<(), Stop> {
    let mut pending = vec![root];
    while let Some(container) = pending.pop() {
        let mut nesting = Nesting::default();
        let mut export = None;
        for node in children(container) {
            walk.tick()?;
            // The grammar takes an `export` that ends its line for an expression.
            let lone_word = (node.kind() == "expression_statement")
                .then(|| node.named_child(0))
                .flatten();
            if lone_word.is_some_and(|word| walk.slice(word.byte_range()) == b"export") {
                export = Some(node.start_byte());
                continue;
            }
            if node.is_extra() && !node.is_error() {
                continue;
            }
            let start = export.take().unwrap_or(node.start_byte());
            if container.is_error() && !nesting.is_outside(node) {
                continue;
            }
            if node.is_error() {
                pending.push(node);
            } else if let Some(body) = statement(walk, node, start)? {
                pending.push(body);
            }
        }
    }
    Ok(())
}

/// Adds what a statement declares. A namespace gives its body back, to be walked as well.
///
/// `start` is where its first `export` stands.
fn statement<'t>(walk: &mut Walk, node: Node<'t>, start: usize) -> Result<Option<Node<'t>>, Stop> {
    let mut inner = node;
    // `export` and `declare` each wrap one declaration.
    loop {
        walk.tick()?;
        inner = match inner.kind() {
            "export_statement" => match inner.child_by_field_name("declaration") {
                Some(declaration) => declaration,
                None => return export(walk, inner).map(|()| None),
            },
            "ambient_declaration" => {
                let mut declared = children(inner).filter(Node::is_named);
                match declared.find(|node| !node.is_extra()) {
                    // `declare global { }`
                    Some(block) if block.kind() == "statement_block" => return Ok(Some(block)),
                    Some(declaration) => declaration,
                    None => return Ok(None),
                }
            }
            // `namespace N { }` is an expression to the grammar.
            "expression_statement" => match inner.named_child(0) {
                Some(child) if child.kind() == "internal_module" => child,
                Some(child) if child.kind() == "assignment_expression" => {
                    return using(walk, node, child).map(|()| None);
                }
                _ => return Ok(None),
            },
            // `global { }` in an ambient module; see `typescript::label_global`.
            "labeled_statement" => {
                let body = inner.child_by_field_name("body");
                return Ok(body.filter(|body| {
                    let label = walk.slice(start..body.start_byte()).trim_ascii_end();
                    label == b"global" && body.kind() == "statement_block"
                }));
            }
            _ => break,
        };
    }
    declaration(walk, inner, start..node.end_byte())
}

/// One declaration; `outer` starts where its `export` or `declare` does.
fn declaration<'t>(
    walk: &mut Walk,
    node: Node<'t>,
    outer: Range<usize>,
) -> Result<Option<Node<'t>>, Stop> {
    let kind = match node.kind() {
        "module" | "internal_module" => return Ok(node.child_by_field_name("body")),
        "import_statement" | "import_alias" => {
            return import(walk, node, outer.start).map(|()| None);
        }
        "lexical_declaration" | "variable_declaration" | "using_declaration" => {
            return variables(walk, node, outer.start).map(|()| None);
        }
        "function_declaration" | "generator_function_declaration" | "function_signature" => {
            EntryKind::Function
        }
        "class_declaration" | "abstract_class_declaration" => EntryKind::Class,
        "interface_declaration" | "type_alias_declaration" | "enum_declaration" => EntryKind::Type,
        _ => return Ok(None),
    };
    if let Some(name) = node.child_by_field_name("name") {
        let name = walk.text(name);
        let span = outer.start..walk.span(node)?.end;
        let is_class = kind == EntryKind::Class;
        walk.push(kind, name.clone(), &span);
        if is_class {
            class::methods(walk, node, &name)?;
        }
    }
    Ok(None)
}

/// An export without a declaration: only a default value that has no name elsewhere counts.
fn export(walk: &mut Walk, node: Node) -> Result<(), Stop> {
    let Some(value) = node.child_by_field_name("value") else {
        return Ok(());
    };
    let kind = match value.kind() {
        // As `export { name as default }`: what has a name is listed where it is declared.
        "identifier" => return Ok(()),
        "function_expression" | "generator_function" => EntryKind::Function,
        "class" => EntryKind::Class,
        _ => EntryKind::Constant,
    };
    let own_name = match kind {
        EntryKind::Constant => None,
        _ => value.child_by_field_name("name"),
    };
    let name = own_name.map_or_else(|| "default".to_owned(), |name| walk.text(name));
    let span = walk.span(node)?;
    let is_class = kind == EntryKind::Class;
    walk.push(kind, name.clone(), &span);
    if is_class {
        class::methods(walk, value, &name)?;
    }
    Ok(())
}

/// One entry a binding; the module's name where none is bound.
fn import(walk: &mut Walk, node: Node, start: usize) -> Result<(), Stop> {
    let span = start..walk.span(node)?.end;
    let mut bound = false;
    let mut cursor = node.walk();
    loop {
        walk.tick()?;
        let here = cursor.node();
        let name = match here.kind() {
            "identifier" => Some(here),
            "import_specifier" => here
                .child_by_field_name("alias")
                .or_else(|| here.child_by_field_name("name")),
            _ => None,
        };
        if let Some(name) = name {
            bound = true;
            let name = walk.text(name);
            walk.push(EntryKind::Import, name, &span);
        }
        // In `import a = b.c` what follows the first name is its value.
        if bound && node.kind() == "import_alias" {
            return Ok(());
        }
        let inside = matches!(
            here.kind(),
            "import_statement"
                | "import_alias"
                | "import_clause"
                | "namespace_import"
                | "named_imports"
                | "import_require_clause"
        ) && cursor.goto_first_child();
        let mut done = false;
        while !inside && !done && !cursor.goto_next_sibling() {
            done = !cursor.goto_parent();
        }
        if done {
            break;
        }
    }
    if let Some(module) = node.child_by_field_name("source").filter(|_| !bound) {
        let name = strings::decode_javascript(&walk.text(module));
        walk.push(EntryKind::Import, name, &span);
    }
    Ok(())
}

fn variables(walk: &mut Walk, node: Node, start: usize) -> Result<(), Stop> {
    let constant = node
        .child(0)
        .is_some_and(|keyword| matches!(keyword.kind(), "const" | "using" | "await"));
    let kind = if constant {
        EntryKind::Constant
    } else {
        EntryKind::Variable
    };
    let is_declarator = |node: &Node| node.kind() == "variable_declarator";
    let alone = children(node).filter(is_declarator).take(2).count() < 2;
    for declarator in children(node).filter(is_declarator) {
        let span = if alone {
            start..walk.span(node)?.end
        } else {
            walk.span(declarator)?
        };
        if let Some(target) = declarator.child_by_field_name("name") {
            names(walk, target, &kind, &span)?;
        }
    }
    Ok(())
}

/// `using x = y`, an assignment to the TypeScript grammar.
fn using(walk: &mut Walk, statement: Node, assignment: Node) -> Result<(), Stop> {
    let keyword = assignment.child(0).filter(|node| node.kind() == "using");
    if let Some(target) = keyword.and_then(|_| assignment.child_by_field_name("left")) {
        let span = walk.span(statement)?;
        names(walk, target, &EntryKind::Constant, &span)?;
    }
    Ok(())
}

/// The names a pattern binds, however deep, without keys and default values.
fn names(
    walk: &mut Walk,
    pattern: Node,
    kind: &EntryKind,
    span: &Range<usize>,
) -> Result<(), Stop> {
    let mut cursor = pattern.walk();
    loop {
        walk.tick()?;
        let node = cursor.node();
        let binds = !matches!(cursor.field_name(), Some("key" | "right"));
        let inside = match node.kind() {
            "identifier" | "undefined" | "shorthand_property_identifier_pattern" if binds => {
                let name = walk.text(node);
                walk.push(kind.clone(), name, span);
                false
            }
            "object_pattern"
            | "array_pattern"
            | "pair_pattern"
            | "rest_pattern"
            | "assignment_pattern"
            | "object_assignment_pattern"
                if binds =>
            {
                cursor.goto_first_child()
            }
            _ => false,
        };
        while !inside && !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests;
