//! The methods of a class body: with a body, as overload or abstract, constructor, accessor,
//! static, private, quoted and computed; no fields, whatever they hold.

use super::super::Stop;
use super::super::walk::{Walk, children};
use tree_sitter::Node;

/// Adds the methods of `class`, which is called `receiver`. Names are as written.
pub(super) fn methods(walk: &mut Walk, class: Node, receiver: &str) -> Result<(), Stop> {
    let Some(body) = class.child_by_field_name("body") else {
        return Ok(());
    };
    // The TypeScript grammar puts decorators beside their method, the JavaScript one inside.
    let mut decorated = None;
    for member in children(body) {
        walk.tick()?;
        match member.kind() {
            "decorator" => {
                decorated.get_or_insert(member.start_byte());
                continue;
            }
            "method_definition" | "method_signature" | "abstract_method_signature" => {
                if let Some(name) = member.child_by_field_name("name") {
                    let name = walk.text(name);
                    let mut span = walk.span(member)?;
                    span.start = decorated.unwrap_or(span.start);
                    let kind = walk.method(receiver);
                    walk.push(kind, name, &span);
                }
            }
            _ if member.is_extra() && !member.is_error() => continue,
            _ => {}
        }
        decorated = None;
    }
    Ok(())
}
