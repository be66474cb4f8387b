//! What a declarator of C or C++ declares: the name at its heart, and whether that is a
//! function.

use super::super::Stop;
use super::super::walk::{Walk, children};
use super::is_const;
use tree_sitter::Node;

/// The heart of a declarator.
pub(super) struct Declared<'t> {
    /// An identifier, or what C++ has in its place (`~A`, `operator==`, `A::f`).
    pub(super) name: Node<'t>,
    /// Whether a call of the name is a call of a function, and not of what a pointer leads to.
    pub(super) function: bool,
    /// For a pointer whether it is constant itself (`* const p`).
    pub(super) constant: Option<bool>,
}

/// Goes inwards: what is met last, next to the name, says what the name is.
pub(super) fn declared<'t>(
    walk: &mut Walk,
    declarator: Node<'t>,
) -> Result<Option<Declared<'t>>, Stop> {
    let mut name = declarator;
    let (mut function, mut constant) = (false, None);
    loop {
        walk.tick()?;
        match name.kind() {
            "function_declarator" => function = true,
            "pointer_declarator" => (function, constant) = (false, Some(is_const(walk, name))),
            "array_declarator" | "reference_declarator" => function = false,
            "parenthesized_declarator" | "attributed_declarator" | "init_declarator" => {}
            "structured_binding_declarator" | "gnu_asm_expression" | "ms_call_modifier" => {
                return Ok(None);
            }
            kind => {
                let function = function || is_conversion(name, kind);
                return Ok(Some(Declared {
                    name,
                    function,
                    constant,
                }));
            }
        }
        let inner = name.child_by_field_name("declarator").or_else(|| {
            children(name).find(|node| {
                let kind = node.kind();
                node.is_named() && (kind.ends_with("declarator") || kind.ends_with("identifier"))
            })
        });
        match inner {
            Some(inner) => name = inner,
            None => return Ok(None),
        }
    }
}

/// `operator bool()` has no declarator around it.
fn is_conversion(name: Node, kind: &str) -> bool {
    kind == "operator_cast"
        || (kind == "qualified_identifier"
            && last_name(name).is_some_and(|last| last.kind() == "operator_cast"))
}

fn last_name(name: Node<'_>) -> Option<Node<'_>> {
    let mut last = name;
    while last.kind() == "qualified_identifier" {
        last = last.child_by_field_name("name")?;
    }
    Some(last)
}

/// `a::B<T>::f` as `a::B<T>` and `f`; an unqualified name has no receiver.
pub(super) fn receiver_and_name(walk: &mut Walk, name: Node) -> Result<(String, String), Stop> {
    let mut receiver = Vec::new();
    let mut last = name;
    while last.kind() == "qualified_identifier" {
        walk.tick()?;
        if let Some(scope) = last.child_by_field_name("scope") {
            receiver.push(walk.joined(scope)?);
        }
        match last.child_by_field_name("name") {
            Some(next) => last = next,
            None => break,
        }
    }
    let mut text = walk.joined(last)?;
    // The parameters of a conversion stand inside of it.
    if let Some(parameters) = last
        .child_by_field_name("declarator")
        .filter(|_| last.kind() == "operator_cast")
    {
        let parameters = walk.joined(parameters)?;
        let shorter = text.strip_suffix(&parameters).map(str::to_owned);
        text = shorter.unwrap_or(text);
    }
    Ok((receiver.join("::"), text))
}
