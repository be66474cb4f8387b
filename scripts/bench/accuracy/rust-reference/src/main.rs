//! What `syn` sees in Rust files, by the entry rules of the outline. Paths on standard input,
//! JSON lines out, as reference.py.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use serde_json::{Value, json};
use std::io::BufRead;
use syn::spanned::Spanned;
use syn::{Attribute, ForeignItem, ImplItem, Item};

fn main() {
    for path in std::io::stdin().lock().lines() {
        let path = path.expect("paths are UTF-8 and one a line");
        let source = std::fs::read_to_string(&path).ok();
        let entries = source.and_then(|source| {
            let source = source.strip_prefix('\u{feff}').unwrap_or(&source).to_owned();
            let file = syn::parse_file(&source).ok()?;
            let mut outline = Outline {
                lines: source.split('\n').collect(),
                entries: Vec::new(),
            };
            file.items.iter().for_each(|item| outline.item(item));
            Some(outline.entries)
        });
        println!("{}", json!({ "path": path, "entries": entries }));
    }
}

struct Outline<'a> {
    lines: Vec<&'a str>,
    entries: Vec<Value>,
}

impl Outline<'_> {
    fn add(&mut self, kind: &str, receiver: &str, name: String, attributes: &[Attribute], rest: TokenStream) {
        let end = rest.span().end().line;
        let first = rest.into_iter().next().map_or(end, |token| start(&token));
        let line = attributes
            .iter()
            .filter(|attribute| self.is_written(attribute.span()))
            .map(|attribute| attribute.span().start().line)
            .fold(first, usize::min);
        self.entries.push(json!([kind, receiver, name, line, end]));
    }

    /// Documentation comments are attributes to syn.
    fn is_written(&self, span: Span) -> bool {
        let at = span.start();
        let line = self.lines.get(at.line - 1).unwrap_or(&"");
        line.chars().nth(at.column) == Some('#')
    }

    fn item(&mut self, item: &Item) {
        let mut bare = item.clone();
        macro_rules! entry {
            ($kind:expr, $name:expr, $item:ident) => {{
                let attributes = std::mem::take(&mut $item.attrs);
                let name = $name;
                self.add($kind, "", name, &attributes, $item.to_token_stream());
            }};
        }
        match &mut bare {
            Item::Use(item) => {
                let mut path = joined(item.tree.to_token_stream());
                if item.leading_colon.is_some() {
                    path.insert_str(0, "::");
                }
                entry!("import", path, item);
            }
            Item::ExternCrate(item) => {
                let alias = item.rename.as_ref();
                let name = alias.map_or(item.ident.to_string(), |(_, alias)| format!("{} as {alias}", item.ident));
                entry!("import", name, item);
            }
            Item::Const(item) => entry!("constant", item.ident.to_string(), item),
            Item::Static(item) => entry!("constant", item.ident.to_string(), item),
            Item::Struct(item) => entry!("type", item.ident.to_string(), item),
            Item::Enum(item) => entry!("type", item.ident.to_string(), item),
            Item::Union(item) => entry!("type", item.ident.to_string(), item),
            Item::Trait(item) => entry!("type", item.ident.to_string(), item),
            Item::TraitAlias(item) => entry!("type", item.ident.to_string(), item),
            Item::Type(item) => entry!("type", item.ident.to_string(), item),
            Item::Fn(item) => entry!("function", item.sig.ident.to_string(), item),
            Item::Macro(item) if item.mac.path.is_ident("macro_rules") => {
                if let Some(name) = item.ident.as_ref().map(ToString::to_string) {
                    entry!("function", name, item);
                }
            }
            Item::ForeignMod(block) => {
                for item in &mut block.items {
                    match item {
                        ForeignItem::Fn(item) => entry!("function", item.sig.ident.to_string(), item),
                        ForeignItem::Static(item) => entry!("constant", item.ident.to_string(), item),
                        ForeignItem::Type(item) => entry!("type", item.ident.to_string(), item),
                        _ => {}
                    }
                }
            }
            Item::Impl(block) => {
                let receiver = joined(block.self_ty.to_token_stream());
                for item in &mut block.items {
                    if let ImplItem::Fn(item) = item {
                        let attributes = std::mem::take(&mut item.attrs);
                        let name = item.sig.ident.to_string();
                        self.add("method", &receiver, name, &attributes, item.to_token_stream());
                    }
                }
            }
            _ => {}
        }
    }
}

/// The line a token starts on; a group starts at its bracket.
fn start(token: &TokenTree) -> usize {
    token.span().start().line
}

/// The tokens without blanks, but for one that parts two words.
fn joined(tokens: TokenStream) -> String {
    let mut text = String::new();
    push(&mut text, tokens);
    text
}

fn push(text: &mut String, tokens: TokenStream) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    proc_macro2::Delimiter::Parenthesis => ("(", ")"),
                    proc_macro2::Delimiter::Brace => ("{", "}"),
                    proc_macro2::Delimiter::Bracket => ("[", "]"),
                    proc_macro2::Delimiter::None => ("", ""),
                };
                text.push_str(open);
                push(text, group.stream());
                text.push_str(close);
            }
            token => {
                let token = token.to_string();
                let is_word = |char: char| char.is_alphanumeric() || char == '_';
                let after_word = text.chars().next_back().is_some_and(is_word);
                let starts_word = token.starts_with(|char| is_word(char) || char == '\'');
                if after_word && starts_word {
                    text.push(' ');
                }
                text.push_str(&token);
            }
        }
    }
}
