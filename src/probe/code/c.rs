//! C and C++: includes by path, macros with a value, functions, variables, types, and in C++
//! the methods of classes.
//!
//! Conditional groups, namespaces and `extern "C"` blocks are walked through as if they were
//! not there. A prototype is a function as its definition is. Of several names declared after
//! each other each has its own part as its span; a name alone has the whole declaration's.

mod class;
mod declarator;
mod linkage;

pub(super) use linkage::hide_linkage_blocks;

use super::Stop;
use super::walk::{Nesting, Walk, children, children_in_field};
use crate::probe::entry::EntryKind;
use declarator::{Declared, declared, receiver_and_name};
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
            let Some(inner) = unwrapped(walk, node)? else {
                continue;
            };
            match inner.kind() {
                "ERROR" | "declaration_list" => pending.push(inner),
                kind if is_conditional(kind) => pending.push(inner),
                "namespace_definition" => pending.extend(inner.child_by_field_name("body")),
                _ => {
                    let span = walk.span(node)?;
                    item(walk, inner, &span)?;
                }
            }
        }
    }
    Ok(())
}

/// A group of lines under `#if` and the like, or its other branch.
fn is_conditional(kind: &str) -> bool {
    matches!(
        kind,
        "preproc_if" | "preproc_ifdef" | "preproc_else" | "preproc_elif" | "preproc_elifdef"
    )
}

/// What a template or `extern "C"` is put before.
fn unwrapped<'t>(walk: &mut Walk, node: Node<'t>) -> Result<Option<Node<'t>>, Stop> {
    let mut inner = node;
    loop {
        walk.tick()?;
        let next = match inner.kind() {
            "linkage_specification" => inner.child_by_field_name("body"),
            "template_declaration" => children(inner)
                .filter(|node| node.is_named() && !node.is_extra())
                .find(|node| !matches!(node.kind(), "template_parameter_list" | "requires_clause")),
            _ => return Ok(Some(inner)),
        };
        match next {
            Some(next) => inner = next,
            None => return Ok(None),
        }
    }
}

fn item(walk: &mut Walk, node: Node, span: &Range<usize>) -> Result<(), Stop> {
    match node.kind() {
        "preproc_include" => include(walk, node, span),
        // A macro without a value is a mark, such as the guard of a header.
        "preproc_def" if node.child_by_field_name("value").is_none() => {}
        "preproc_def" => named(walk, node, EntryKind::Constant, span)?,
        "preproc_function_def" => named(walk, node, EntryKind::Function, span)?,
        "function_definition" => {
            specifier(walk, node.child_by_field_name("type"), span)?;
            if let Some(declarator) = node.child_by_field_name("declarator")
                && let Some(declared) = declared(walk, declarator)?
            {
                function(walk, declared.name, span)?;
            }
        }
        "declaration" => declaration(walk, node, span)?,
        "type_definition" => {
            specifier(walk, node.child_by_field_name("type"), span)?;
            each_declarator(walk, node, span, |walk, declared, span| {
                let name = walk.joined(declared.name)?;
                walk.push(EntryKind::Type, name, span);
                Ok(())
            })?;
        }
        "alias_declaration" | "concept_definition" => named(walk, node, EntryKind::Type, span)?,
        "using_declaration" => {
            if let Some(name) = children(node).find(|node| node.is_named() && !node.is_extra()) {
                let name = walk.joined(name)?;
                walk.push(EntryKind::Import, name, span);
            }
        }
        _ => specifier(walk, Some(node), span)?,
    }
    Ok(())
}

fn named(walk: &mut Walk, node: Node, kind: EntryKind, span: &Range<usize>) -> Result<(), Stop> {
    if let Some(name) = node.child_by_field_name("name") {
        let name = walk.joined(name)?;
        walk.push(kind, name, span);
    }
    Ok(())
}

/// `<stdio.h>` and `"a.h"` without what they stand in; a macro as it is.
fn include(walk: &mut Walk, node: Node, span: &Range<usize>) {
    if let Some(path) = node.child_by_field_name("path") {
        let text = walk.text(path);
        let bare = [('<', '>'), ('"', '"')]
            .iter()
            .find_map(|&(open, close)| text.strip_prefix(open)?.strip_suffix(close));
        walk.push(EntryKind::Import, bare.unwrap_or(&text).to_owned(), span);
    }
}

/// The type that a declaration defines before it uses it: one with a body and a name.
fn specifier(walk: &mut Walk, node: Option<Node>, span: &Range<usize>) -> Result<(), Stop> {
    let Some(node) = node else { return Ok(()) };
    let kind = match node.kind() {
        "class_specifier" => EntryKind::Class,
        "struct_specifier" | "union_specifier" | "enum_specifier" => EntryKind::Type,
        _ => return Ok(()),
    };
    let (Some(body), Some(name)) = (
        node.child_by_field_name("body"),
        node.child_by_field_name("name"),
    ) else {
        return Ok(());
    };
    let name = walk.joined(name)?;
    walk.push(kind, name.clone(), span);
    class::members(walk, body, &name)
}

fn declaration(walk: &mut Walk, node: Node, span: &Range<usize>) -> Result<(), Stop> {
    specifier(walk, node.child_by_field_name("type"), span)?;
    let qualified = is_const(walk, node);
    each_declarator(walk, node, span, |walk, declared, span| {
        if declared.function {
            return function(walk, declared.name, span);
        }
        let kind = if declared.constant.unwrap_or(qualified) {
            EntryKind::Constant
        } else {
            EntryKind::Variable
        };
        let name = walk.joined(declared.name)?;
        walk.push(kind, name, span);
        Ok(())
    })
}

/// Whether `const` or `constexpr` stands among the children.
fn is_const(walk: &Walk, node: Node) -> bool {
    children(node).any(|child| {
        child.kind() == "type_qualifier"
            && matches!(walk.slice(child.byte_range()), b"const" | b"constexpr")
    })
}

/// Hands over each name a declaration declares, with its span.
fn each_declarator(
    walk: &mut Walk,
    node: Node,
    span: &Range<usize>,
    mut on: impl FnMut(&mut Walk, Declared, &Range<usize>) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let alone = children_in_field(node, "declarator").take(2).count() < 2;
    for declarator in children_in_field(node, "declarator") {
        walk.tick()?;
        let span = if alone {
            span.clone()
        } else {
            walk.span(declarator)?
        };
        if let Some(declared) = declared(walk, declarator)? {
            on(walk, declared, &span)?;
        }
    }
    Ok(())
}

/// A function, or with a qualified name (`A::f`) a method defined outside its class.
fn function(walk: &mut Walk, name: Node, span: &Range<usize>) -> Result<(), Stop> {
    let (receiver, name) = receiver_and_name(walk, name)?;
    let kind = if receiver.is_empty() {
        EntryKind::Function
    } else {
        walk.method(&receiver)
    };
    walk.push(kind, name, span);
    Ok(())
}

#[cfg(test)]
mod tests;
