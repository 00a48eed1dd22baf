//! Names of tools, of arguments and of definitions: legal for every client, and the same as long as what they name is.

use std::collections::HashSet;

use sha2::{Digest as _, Sha256};

use crate::limits::NAME_CHARS_MAX;
use crate::method::Method;

/// Characters of a hash within a name.
const HASH_CHARS: usize = 8;

/// The name of an operation: its id, or its method and path. It depends on nothing else.
pub(crate) fn tool(operation_id: Option<&str>, method: Method, path: &str) -> String {
    let id = operation_id.map(|id| legal(id, is_tool_char)).filter(|name| !name.is_empty());
    let name = id.unwrap_or_else(|| legal(&format!("{} {path}", method.key()), is_tool_char));
    short(name, operation_id.unwrap_or(path))
}

/// The name of an operation that would otherwise have the name of another one.
pub(crate) fn tool_apart(name: &str, method: Method, path: &str) -> String {
    with_hash(name, &format!("{method} {path}"))
}

/// The name of a schema that moves into `$defs`.
pub(crate) fn definition(document: &str, pointer: &str) -> String {
    let own = pointer.rsplit('/').next().unwrap_or_default();
    let is_component = document.is_empty() && pointer.strip_prefix("/components/schemas/") == Some(own);
    let is_legal = !own.is_empty() && own.len() <= NAME_CHARS_MAX && own.chars().all(is_argument_char);
    if is_component && is_legal {
        return own.to_owned();
    }
    with_hash(&legal(own, is_argument_char), &format!("{document}#{pointer}"))
}

/// The names of arguments, given as places and names. An earlier one keeps its name; a later one that would have the same gets its
/// place added, and if that does not help, a hash.
pub(crate) fn arguments<'n>(named: impl IntoIterator<Item = (&'static str, &'n str)>) -> Vec<String> {
    let mut taken = HashSet::new();
    let mut names = Vec::new();
    for (place, name) in named {
        let plain = short(legal(name, is_argument_char), name);
        let plain = if plain.is_empty() { place.to_owned() } else { plain };
        let placed = short(format!("{plain}_{place}"), name);
        let apart = with_hash(&plain, &format!("{place} {name}"));
        let free = [plain, placed].into_iter().find(|candidate| !taken.contains(candidate));
        let name = free.unwrap_or(apart);
        taken.insert(name.clone());
        names.push(name);
    }
    names
}

fn is_tool_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

fn is_argument_char(c: char) -> bool {
    is_tool_char(c) || c == '.'
}

/// The text with one `_` for each run of other characters, and none at its ends.
fn legal(text: &str, is_legal: fn(char) -> bool) -> String {
    let mut name = String::with_capacity(text.len());
    let mut gap = false;
    for c in text.chars() {
        if !is_legal(c) {
            gap = !name.is_empty();
            continue;
        }
        if gap && !name.ends_with('_') {
            name.push('_');
        }
        gap = false;
        name.push(c);
    }
    name
}

fn short(name: String, origin: &str) -> String {
    if name.len() <= NAME_CHARS_MAX { name } else { with_hash(&name, origin) }
}

/// The beginning of a name, and a hash of what it stands for.
fn with_hash(name: &str, origin: &str) -> String {
    let head = &name[..name.len().min(NAME_CHARS_MAX - HASH_CHARS - 1)];
    let digest = Sha256::digest(origin.as_bytes());
    let hash: String = digest.iter().take(HASH_CHARS / 2).map(|byte| format!("{byte:02x}")).collect();
    format!("{}_{hash}", head.trim_end_matches('_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_named_by_their_id_or_by_method_and_path() {
        let long = "x".repeat(70);
        for (id, path, expected) in [
            (Some("listPets"), "/pets", "listPets"),
            (Some("repos/list-for-org"), "/", "repos_list-for-org"),
            (Some("Größe ändern"), "/", "Gr_e_ndern"),
            (Some("  "), "/pets/{id}", "get_pets_id"),
            (None, "/pets/{id}.json", "get_pets_id_json"),
            (None, "/", "get"),
            (Some("日本"), "/a", "get_a"),
            (Some(&long), "/", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx_"),
        ] {
            let name = tool(id, Method::Get, path);
            assert!(name.len() <= NAME_CHARS_MAX && name.chars().all(is_tool_char), "{name}");
            assert!(if id == Some(&long) { name.starts_with(expected) } else { name == expected }, "{name}");
        }
    }

    #[test]
    fn long_names_differ_where_what_they_name_differs() {
        let (one, two) = ("x".repeat(80) + "1", "x".repeat(80) + "2");
        assert_ne!(tool(Some(&one), Method::Get, "/"), tool(Some(&two), Method::Get, "/"));
        assert_eq!(tool(Some(&one), Method::Get, "/"), tool(Some(&one), Method::Get, "/"));
    }

    #[test]
    fn arguments_of_one_name_are_told_apart_by_their_place() {
        let named = [
            ("path", "id"),
            ("query", "id"),
            ("header", "id"),
            ("query", "a[b]"),
            ("body", "a_b"),
            ("body", "id_query"),
        ];
        assert_eq!(arguments(named)[..5], ["id", "id_query", "id_header", "a_b", "a_b_body"]);
        let last = &arguments(named)[5];
        assert!(last != "id_query" && last.starts_with("id_query"), "{last}");
    }
}
