//! Properties of predefined schemas and the types of their values.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::checker::Checker;
use super::xmp_extension::Extensions;
use super::xmp_node::{RDF, XmpNode};

/// Structures inside structures.
const DEPTH_MAX: usize = 16;

/// Names of properties or fields, with the types of their values.
pub(super) type FieldKinds = HashMap<String, String>;

/// A kind of structure: the namespace of its fields, and their types.
#[derive(Clone, Debug, Default)]
pub(super) struct StructureKind {
    pub(super) space: String,
    pub(super) fields: FieldKinds,
}

struct Predefined {
    schemas: HashMap<String, FieldKinds>,
    structures: HashMap<String, StructureKind>,
}

fn predefined() -> &'static Predefined {
    static TABLE: OnceLock<Predefined> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = Predefined { schemas: HashMap::new(), structures: HashMap::new() };
        let (mut structure, mut space) = (None, String::new());
        for line in include_str!("xmp_kinds.txt").lines().filter(|line| !line.starts_with('#')) {
            if let Some((name, uri)) = line.split_once(": ") {
                structure = name.strip_prefix('!').map(str::to_owned);
                space = uri.to_owned();
                continue;
            }
            for (name, kind) in line.split(';').filter_map(|it| it.trim().split_once('=')) {
                let fields = match &structure {
                    Some(structure) => {
                        let entry = table.structures.entry(structure.clone()).or_default();
                        entry.space.clone_from(&space);
                        &mut entry.fields
                    }
                    None => table.schemas.entry(space.clone()).or_default(),
                };
                fields.insert(name.to_owned(), kind.to_owned());
            }
        }
        table
    })
}

pub(super) fn check(c: &mut Checker<'_>, properties: &[XmpNode], extensions: &Extensions) {
    for property in properties {
        let own = extensions.kind(&property.space, &property.name);
        let known = predefined().schemas.get(&property.space).and_then(|it| it.get(&property.name));
        match known.cloned().or(own) {
            Some(kind) if !fits(property, &kind, extensions, 0) => {
                c.a("6.6.2.3.1-2", format!("{}:{} is no {kind}", property.prefix, property.name));
            }
            Some(_) => {}
            None if property.space == RDF => {}
            None => {
                let name = format!("{}:{}", property.prefix, property.name);
                c.a("6.6.2.3.1-1", name.clone());
                c.a("6.6.2.3.2-1", name);
            }
        }
    }
}

fn list_name(node: &XmpNode) -> Option<&str> {
    let list = node.children.iter().find(|it| it.space == RDF)?;
    Some(list.name.as_str()).filter(|it| matches!(*it, "Bag" | "Seq" | "Alt"))
}

/// True if a value has a type.
fn fits(node: &XmpNode, kind: &str, extensions: &Extensions, depth: usize) -> bool {
    if depth > DEPTH_MAX {
        return false;
    }
    let lower = kind.to_ascii_lowercase();
    for (prefix, name) in [("bag ", "Bag"), ("seq ", "Seq"), ("alt ", "Alt")] {
        if lower.starts_with(prefix) {
            let inner = kind[prefix.len()..].trim();
            return list_name(node) == Some(name)
                && node.items().iter().all(|it| fits(it, inner, extensions, depth + 1));
        }
    }
    // A value with qualifiers is what rdf:value says.
    let described = node.child(RDF, "Description").unwrap_or(node);
    if let Some(value) = described.child(RDF, "value") {
        return fits(value, kind, extensions, depth + 1);
    }
    match lower.as_str() {
        "any" => true,
        "lang" | "lang alt" => {
            list_name(node) == Some("Alt") && node.items().iter().all(|it| it.language().is_some())
        }
        _ => match extensions.structure(kind).or_else(|| predefined().structures.get(kind)) {
            Some(structure) => is_structure(node, structure, extensions, depth),
            None => node.children.is_empty() && is_simple(node.text.trim(), &lower),
        },
    }
}

fn is_structure(node: &XmpNode, structure: &StructureKind, extensions: &Extensions, depth: usize) -> bool {
    let fields = node.fields();
    let fits_field = |field: &&XmpNode| {
        let kind = structure.fields.get(&field.name).filter(|_| field.space == structure.space);
        kind.is_some_and(|kind| fits(field, kind, extensions, depth + 1))
    };
    !fields.is_empty() && fields.iter().all(fits_field)
}

/// Types without parts. Unknown ones are texts.
fn is_simple(text: &str, kind: &str) -> bool {
    match kind {
        "boolean" => text == "True" || text == "False",
        "integer" => is_number(text, false),
        "real" => is_number(text, true),
        "rational" => {
            text.split_once('/').is_some_and(|(up, down)| is_number(up, false) && is_number(down, false))
        }
        "date" => is_date(text),
        "mime" | "mimetype" => {
            text.split_once('/').is_some_and(|(one, other)| !one.is_empty() && !other.is_empty())
        }
        "gps" | "gpscoordinate" => is_coordinate(text),
        _ => true,
    }
}

fn is_number(text: &str, fraction: bool) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, part) = match digits.split_once('.') {
        Some((whole, part)) if fraction => (whole, part),
        Some(_) => return false,
        None => (digits, ""),
    };
    let is_digits = |it: &str| it.bytes().all(|byte| byte.is_ascii_digit());
    is_digits(whole) && is_digits(part) && !(whole.is_empty() && part.is_empty())
}

/// ISO 8601 in the profile of XMP: a year, month, day, and a time with its zone.
pub(super) fn is_date(text: &str) -> bool {
    let shape: String = text.chars().map(|it| if it.is_ascii_digit() { '0' } else { it }).collect();
    let (date, time) = match shape.split_once('T') {
        Some((date, time)) => (date, Some(time)),
        None => (shape.as_str(), None),
    };
    let Some(time) = time else { return matches!(date, "0000" | "0000-00" | "0000-00-00") };
    let clock = match time.strip_suffix('Z') {
        Some(clock) => clock,
        None => time.strip_suffix("+00:00").or(time.strip_suffix("-00:00")).unwrap_or(time),
    };
    let (clock, part) = clock.split_once('.').unwrap_or((clock, "0"));
    date == "0000-00-00"
        && matches!(clock, "00:00" | "00:00:00")
        && !part.is_empty()
        && part.bytes().all(|it| it == b'0')
}

/// Such as `43,40,53W` or `43,40.88W`.
fn is_coordinate(text: &str) -> bool {
    let Some(numbers) = text.strip_suffix(['N', 'S', 'E', 'W']) else { return false };
    let parts: Vec<&str> = numbers.split(',').collect();
    matches!(parts.len(), 2 | 3) && parts.iter().all(|it| is_number(it, true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_types_are_told_apart() {
        let cases = [
            ("true", "boolean", false),
            ("True", "boolean", true),
            ("+12", "integer", true),
            ("1.0", "integer", false),
            ("-1.5", "real", true),
            ("1/2", "rational", true),
            ("1/x", "rational", false),
            ("43,40,53W", "gps", true),
            ("43.5", "gps", false),
            ("application/pdf", "mime", true),
        ];
        for (text, kind, wanted) in cases {
            assert_eq!(is_simple(text, kind), wanted, "{text} as {kind}");
        }
        for good in ["2016", "2016-02", "2016-02-01", "2016-02-01T13:19Z", "2016-02-01T13:19:21.5+01:00"] {
            assert!(is_date(good), "{good}");
        }
        for bad in ["", "16", "2016-2-1", "Date: 2016-02-01", "2016-02-01T13"] {
            assert!(!is_date(bad), "{bad}");
        }
    }

    #[test]
    fn every_structure_that_a_property_names_is_described() {
        let table = predefined();
        let simple = ["Text", "Lang", "Integer", "Real", "Rational", "Boolean", "Date", "Mime", "Gps", "any"];
        let mut kinds: Vec<&String> = table.schemas.values().flat_map(HashMap::values).collect();
        kinds.extend(table.structures.values().flat_map(|it| it.fields.values()));
        for kind in kinds {
            let last = kind.rsplit(' ').next().unwrap_or(kind);
            assert!(simple.contains(&last) || table.structures.contains_key(last), "{kind}");
        }
    }
}
