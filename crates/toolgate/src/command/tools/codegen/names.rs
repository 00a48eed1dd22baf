//! Names in generated code: of any text, legal, and each used once.

use std::collections::HashSet;

/// Words that neither language lets functions or fields of classes be called.
const RESERVED: [&str; 78] = [
    "False",
    "None",
    "True",
    "and",
    "any",
    "arguments",
    "as",
    "assert",
    "async",
    "await",
    "bool",
    "boolean",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "def",
    "default",
    "del",
    "delete",
    "dict",
    "do",
    "elif",
    "else",
    "enum",
    "eval",
    "except",
    "export",
    "extends",
    "false",
    "finally",
    "float",
    "for",
    "from",
    "function",
    "global",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "int",
    "interface",
    "is",
    "lambda",
    "let",
    "list",
    "match",
    "new",
    "nonlocal",
    "not",
    "null",
    "or",
    "package",
    "pass",
    "private",
    "protected",
    "public",
    "raise",
    "return",
    "static",
    "str",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "type",
    "typeof",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

/// The names that were given.
#[derive(Debug, Default)]
pub(super) struct GivenNames(HashSet<String>);

impl GivenNames {
    /// With names that the file itself uses.
    pub(super) fn without(used: &[&str]) -> Self {
        Self(used.iter().map(|name| (*name).to_owned()).collect())
    }

    /// This name, or the first like it that is free.
    pub(super) fn give(&mut self, wanted: String) -> String {
        let mut name = wanted.clone();
        let mut number = 1;
        while !self.0.insert(name.clone()) {
            number += 1;
            name = format!("{wanted}{number}");
        }
        name
    }
}

/// `desk__send-all` as `DeskSendAll`.
pub(super) fn pascal(text: &str) -> String {
    let words = words(text);
    let name: String = words.iter().map(|word| capital(word)).collect();
    started(name, "T")
}

/// `desk__send-all` as `deskSendAll`.
pub(super) fn camel(text: &str) -> String {
    let words = words(text);
    let mut name = String::new();
    for (place, word) in words.iter().enumerate() {
        if place == 0 { name.push_str(&word.to_ascii_lowercase()) } else { name.push_str(&capital(word)) }
    }
    unreserved(started(name, "t"))
}

/// `desk__sendAll` as `desk_send_all`.
pub(super) fn snake(text: &str) -> String {
    unreserved(started(words(text).join("_").to_ascii_lowercase(), "t"))
}

/// True if a language takes it as it is.
pub(super) fn is_identifier(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|one| one.is_ascii_alphanumeric() || one == '_')
}

pub(super) fn is_reserved(text: &str) -> bool {
    RESERVED.contains(&text)
}

fn unreserved(name: String) -> String {
    if is_reserved(&name) { format!("{name}_") } else { name }
}

/// No name begins with a digit, and none is empty.
fn started(name: String, letter: &str) -> String {
    let begins = name.starts_with(|first: char| first.is_ascii_alphabetic());
    if begins { name } else { format!("{letter}{name}") }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

/// Runs of letters and digits, cut before a capital that follows a small letter.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for one in text.chars() {
        let ends = word.ends_with(|last: char| last.is_ascii_lowercase()) && one.is_ascii_uppercase();
        if (!one.is_ascii_alphanumeric() || ends) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if one.is_ascii_alphanumeric() {
            word.push(one);
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_legal_whatever_a_tool_is_called() {
        let of = |text| (pascal(text), camel(text), snake(text));
        assert_eq!(
            of("desk__send-all"),
            ("DeskSendAll".into(), "deskSendAll".into(), "desk_send_all".into())
        );
        assert_eq!(of("getHTTPPage"), ("GetHTTPPage".into(), "getHTTPPage".into(), "get_httppage".into()));
        assert_eq!(of("2fast"), ("T2fast".into(), "t2fast".into(), "t2fast".into()));
        assert_eq!(of("über"), ("Ber".into(), "ber".into(), "ber".into()));
        assert_eq!(of("…"), ("T".into(), "t".into(), "t".into()));
        assert_eq!((camel("delete"), snake("import")), ("delete_".into(), "import_".into()));
    }

    #[test]
    fn a_name_is_given_once() {
        let mut names = GivenNames::without(&["Caller"]);
        assert_eq!(names.give("Caller".into()), "Caller2");
        assert_eq!(
            [names.give("A".into()), names.give("A".into()), names.give("A".into())],
            ["A", "A2", "A3"]
        );
    }
}
