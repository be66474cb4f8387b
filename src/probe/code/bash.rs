//! Shell: sourced files, variables of the top level, functions; nothing from under `if`,
//! loops or other compound commands.

use super::Stop;
use super::walk::{Walk, children};
use crate::probe::entry::EntryKind;
use std::ops::Range;
use tree_sitter::Node;

pub(super) fn walk(walk: &mut Walk, root: Node) -> Result<(), Stop> {
    let mut pending = vec![root];
    while let Some(container) = pending.pop() {
        for node in children(container) {
            walk.tick()?;
            if container.is_error() && !walk.starts_line(node.start_byte()) {
                continue;
            }
            match node.kind() {
                // Several assignments in one command.
                "ERROR" | "variable_assignments" => pending.push(node),
                _ => command(walk, node)?,
            }
        }
    }
    Ok(())
}

fn command(walk: &mut Walk, node: Node) -> Result<(), Stop> {
    match node.kind() {
        "function_definition" => {
            if let Some(name) = node.child_by_field_name("name") {
                let (name, span) = (walk.text(name), walk.span(node)?);
                walk.push(EntryKind::Function, name, &span);
            }
        }
        "variable_assignment" => {
            let span = walk.span(node)?;
            assigned(walk, node, EntryKind::Variable, &span);
        }
        "declaration_command" => declared(walk, node)?,
        "command" => {
            prefixes(walk, node)?;
            sourced(walk, node)?;
        }
        _ => {}
    }
    Ok(())
}

/// Assignments before a command are for it alone, but the grammar lets several of them go on
/// over the end of their line: `a=1 b=2`, then a command.
fn prefixes(walk: &mut Walk, node: Node) -> Result<(), Stop> {
    let mut before: Vec<Node> = Vec::new();
    for child in children(node).filter(|child| !child.is_extra()) {
        walk.tick()?;
        if let Some(last) = before.last() {
            let between = walk.slice(last.end_byte()..child.start_byte());
            let line_ends = memchr::memchr2_iter(b'\n', b'\r', between);
            let mut kept = line_ends.map(|at| between.get(..at).unwrap_or_default());
            if kept.any(|line| !line.trim_ascii_end().ends_with(b"\\")) {
                for assignment in before.drain(..) {
                    command(walk, assignment)?;
                }
            }
        }
        if child.kind() != "variable_assignment" {
            break;
        }
        before.push(child);
    }
    Ok(())
}

/// The name an assignment binds; an element of an array is no name.
fn assigned(walk: &mut Walk, node: Node, kind: EntryKind, span: &Range<usize>) {
    let name = node.child_by_field_name("name");
    if let Some(name) = name.filter(|name| name.kind() == "variable_name") {
        let name = walk.text(name);
        walk.push(kind, name, span);
    }
}

/// `export A=1`, `readonly B=2`, `declare -A c`. A name alone is one only where the command
/// gives it a type.
fn declared(walk: &mut Walk, node: Node) -> Result<(), Stop> {
    let span = walk.span(node)?;
    let keyword = node.child(0).map_or("", |keyword| keyword.kind());
    let mut kind = match keyword {
        "readonly" => EntryKind::Constant,
        _ => EntryKind::Variable,
    };
    for child in children(node) {
        walk.tick()?;
        match child.kind() {
            "word" => {
                let flags = walk.slice(child.byte_range());
                if flags.starts_with(b"-") && flags.contains(&b'r') {
                    kind = EntryKind::Constant;
                }
            }
            "variable_assignment" => assigned(walk, child, kind.clone(), &span),
            "variable_name" if matches!(keyword, "declare" | "typeset") => {
                let name = walk.text(child);
                walk.push(kind.clone(), name, &span);
            }
            _ => {}
        }
    }
    Ok(())
}

/// `source FILE` and `. FILE`, FILE as written but for quotes around it.
fn sourced(walk: &mut Walk, node: Node) -> Result<(), Stop> {
    let name = node.child_by_field_name("name");
    if !name.is_some_and(|name| matches!(walk.slice(name.byte_range()), b"source" | b".")) {
        return Ok(());
    }
    if let Some(file) = node.child_by_field_name("argument") {
        let (text, span) = (walk.text(file), walk.span(node)?);
        let bare = ['"', '\'']
            .iter()
            .find_map(|&quote| text.strip_prefix(quote)?.strip_suffix(quote));
        let name = bare.unwrap_or(&text).to_owned();
        walk.push(EntryKind::Import, name, &span);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
