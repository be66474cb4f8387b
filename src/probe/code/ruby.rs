//! Ruby: what is required, constants and variables of the top level, modules and classes with
//! their methods.
//!
//! Modules are namespaces: what stands in one is listed as if it stood outside. A class
//! directly in a class is listed, what stands in it is not.

use super::Stop;
use super::walk::{Walk, children};
use crate::probe::entry::EntryKind;
use std::ops::Range;
use tree_sitter::Node;

/// What is walked: a body and whose it is.
struct Container<'t> {
    node: Node<'t>,
    owner: Owner,
}

enum Owner {
    /// The file.
    TopLevel,
    /// The module of this name.
    Module(String),
    /// The class of this name, also `class << self` in it.
    Class(String),
}

impl Owner {
    fn name(&self) -> Option<&str> {
        match self {
            Self::TopLevel => None,
            Self::Module(name) | Self::Class(name) => Some(name),
        }
    }
}

pub(super) fn walk(walk: &mut Walk, root: Node) -> Result<(), Stop> {
    let owner = Owner::TopLevel;
    let mut pending = vec![Container { node: root, owner }];
    while let Some(container) = pending.pop() {
        for node in children(container.node) {
            walk.tick()?;
            if container.node.is_error() && !walk.starts_line(node.start_byte()) {
                continue;
            }
            statement(walk, node, &container.owner, &mut pending)?;
        }
    }
    Ok(())
}

fn statement<'t>(
    walk: &mut Walk,
    node: Node<'t>,
    owner: &Owner,
    pending: &mut Vec<Container<'t>>,
) -> Result<(), Stop> {
    match node.kind() {
        "ERROR" => pending.push(Container {
            node,
            owner: Owner::TopLevel,
        }),
        "class" | "module" => {
            let Some(name) = node.child_by_field_name("name") else {
                return Ok(());
            };
            let (name, span) = (walk.joined(name)?, walk.span(node)?);
            let is_class = node.kind() == "class";
            let kind = if is_class {
                EntryKind::Class
            } else {
                EntryKind::Type
            };
            walk.push(kind, name.clone(), &span);
            if let Some(body) = body(node).filter(|_| !matches!(owner, Owner::Class(_))) {
                let owner = if is_class {
                    Owner::Class(name)
                } else {
                    Owner::Module(name)
                };
                pending.push(Container { node: body, owner });
            }
        }
        "singleton_class" => {
            if let (Some(name), Some(body)) = (owner.name(), body(node)) {
                let owner = Owner::Class(name.to_owned());
                pending.push(Container { node: body, owner });
            }
        }
        "method" | "singleton_method" => {
            let span = walk.span(node)?;
            method(walk, node, owner, &span);
        }
        "call" => call(walk, node, owner)?,
        "assignment" if matches!(owner, Owner::TopLevel) => {
            let span = walk.span(node)?;
            if let Some(left) = node.child_by_field_name("left") {
                targets(walk, left, &span)?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn body(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("body")
        .or_else(|| children(node).find(|child| child.kind() == "body_statement"))
}

/// A function of the file, or a method of what it stands in.
fn method(walk: &mut Walk, node: Node, owner: &Owner, span: &Range<usize>) {
    if let Some(name) = node.child_by_field_name("name") {
        let kind = match owner.name() {
            Some(receiver) => walk.method(receiver),
            None => EntryKind::Function,
        };
        let name = walk.text(name);
        walk.push(kind, name, span);
    }
}

/// `require "x"`, and `private def x`.
fn call(walk: &mut Walk, node: Node, owner: &Owner) -> Result<(), Stop> {
    if node.child_by_field_name("receiver").is_some() {
        return Ok(());
    }
    let (Some(called), Some(arguments)) = (
        node.child_by_field_name("method"),
        node.child_by_field_name("arguments"),
    ) else {
        return Ok(());
    };
    let is_require = matches!(
        walk.slice(called.byte_range()),
        b"require" | b"require_relative"
    );
    for argument in children(arguments) {
        walk.tick()?;
        match argument.kind() {
            "string" if is_require => {
                let content = children(argument).find(|part| part.kind() == "string_content");
                if let Some(content) = content {
                    let (name, span) = (walk.text(content), walk.span(node)?);
                    walk.push(EntryKind::Import, name, &span);
                }
            }
            "method" | "singleton_method" => {
                let span = walk.span(node)?;
                method(walk, argument, owner, &span);
            }
            _ => {}
        }
    }
    Ok(())
}

/// The names that an assignment binds: constants, and variables of either scope.
fn targets(walk: &mut Walk, left: Node, span: &Range<usize>) -> Result<(), Stop> {
    let mut cursor = left.walk();
    loop {
        walk.tick()?;
        let node = cursor.node();
        let inside = match node.kind() {
            "constant" => {
                let name = walk.text(node);
                walk.push(EntryKind::Constant, name, span);
                false
            }
            "identifier" | "global_variable" => {
                let name = walk.text(node);
                walk.push(EntryKind::Variable, name, span);
                false
            }
            "left_assignment_list" | "destructured_left_assignment" | "rest_assignment" => {
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
