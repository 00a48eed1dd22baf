//! The ids in the arguments of a call, and their positions.

use serde_json::{Map, Value};
use toolgate_core::Refusal;
use toolgate_core::codes;
use toolgate_core::tool::FileSlot;
use toolgate_wire::object::may_say;

/// More ids are not looked up for one call.
const MENTIONS_MAX: usize = 64;
/// Files are never nested deeper than this.
const DEPTH_MAX: usize = 32;

/// An id in the arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct IdMention {
    /// As a JSON pointer.
    pub(super) place: String,
    pub(super) id: String,
    pub(super) role: MentionRole,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum MentionRole {
    /// It is in an argument that takes a file: the index of the slot among the tool's.
    Slot(usize),
    /// A separate argument of this name.
    Argument(String),
    /// Somewhere within an argument, under this name.
    Within(String),
}

/// All ids, in the order of their places.
pub(super) fn scan(slots: &[FileSlot], arguments: &Value) -> Result<Vec<IdMention>, Refusal> {
    let Value::Object(members) = arguments else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for (key, value) in members {
        let place = step("", key);
        match slots.iter().position(|slot| slot.argument == *key) {
            Some(at) => slot(&slots[at], at, members, value, &mut found)?,
            None => walk(key, value, &place, 0, &mut found),
        }
    }
    if found.len() > MENTIONS_MAX {
        let message =
            format!("the arguments name {} files; a call takes {MENTIONS_MAX} at most", found.len());
        return Err(Refusal::new(&codes::TOO_MANY_FILES, message));
    }
    Ok(found)
}

/// True if a text of arguments may name a file at all, in any form of escaping.
pub(super) fn may_mention(arguments: &[u8]) -> bool {
    ["ref_id", "file_id"].iter().any(|name| may_say(arguments, name))
}

/// True if an argument of this name is an id.
pub(super) fn is_id_key(key: &str) -> bool {
    ["ref_id", "file_id"]
        .iter()
        .any(|name| key.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('_')))
}

fn slot(
    slot: &FileSlot,
    at: usize,
    members: &Map<String, Value>,
    value: &Value,
    found: &mut Vec<IdMention>,
) -> Result<(), Refusal> {
    let place = step("", &slot.argument);
    let mention =
        |place: String, id: &str| IdMention { place, id: id.to_owned(), role: MentionRole::Slot(at) };
    match value {
        // Missing: the server has an optional argument.
        Value::Null => return Ok(()),
        Value::String(id) => found.push(mention(place, id)),
        Value::Array(ids) if slot.many => {
            for (at, id) in ids.iter().enumerate() {
                let place = step(&place, &at.to_string());
                let Value::String(id) = id else { return Err(not_an_id(slot, &place)) };
                found.push(mention(place, id));
            }
        }
        _ => return Err(not_an_id(slot, &place)),
    }
    match slot.filled().find(|name| **name != slot.argument && members.contains_key(*name)) {
        Some(name) => Err(given_twice(slot, name)),
        None => Ok(()),
    }
}

fn walk(key: &str, value: &Value, place: &str, depth: usize, found: &mut Vec<IdMention>) {
    if depth == DEPTH_MAX {
        return;
    }
    let role = || {
        if depth == 0 { MentionRole::Argument(key.to_owned()) } else { MentionRole::Within(key.to_owned()) }
    };
    match value {
        Value::String(id) if is_id_key(key) => {
            found.push(IdMention { place: place.to_owned(), id: id.clone(), role: role() });
        }
        Value::Array(values) => {
            for (at, value) in values.iter().enumerate() {
                walk(key, value, &step(place, &at.to_string()), depth + 1, found);
            }
        }
        Value::Object(members) => {
            for (key, value) in members {
                walk(key, value, &step(place, key), depth + 1, found);
            }
        }
        _ => {}
    }
}

/// One step deeper in a JSON pointer.
fn step(place: &str, name: &str) -> String {
    format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"))
}

fn not_an_id(slot: &FileSlot, place: &str) -> Refusal {
    let takes = if slot.many { "ids of files or refs" } else { "the id of one file or ref" };
    let message = format!("`{}` takes {takes}", slot.argument);
    Refusal::new(&codes::BAD_FILE_ID, message).field(place)
}

fn given_twice(slot: &FileSlot, name: &str) -> Refusal {
    let argument = &slot.argument;
    let message = format!("`{name}` is filled from `{argument}`, and both were given");
    Refusal::new(&codes::GIVEN_TWICE, message)
        .hint(format!("give `{argument}` alone, and leave `{name}` to the gateway"))
        .field(step("", name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use toolgate_core::RefusalKind;
    use toolgate_core::tool::FileStrategy;

    use super::*;

    fn mention(place: &str, id: &str, role: MentionRole) -> IdMention {
        IdMention { place: place.to_owned(), id: id.to_owned(), role }
    }

    fn binary() -> FileSlot {
        FileSlot::of(FileStrategy::BinaryBase64)
    }

    fn several() -> FileSlot {
        FileSlot { many: true, ..binary() }
    }

    #[test]
    fn ids_are_found_in_slots_and_elsewhere_in_the_order_of_their_places() {
        let arguments = json!({
            "source_ref_id": "doc_1",
            "file_id": "file_1",
            "options": {"a/b": [{"template_file_id": "file_2"}], "ref_ids": ["no"], "xfile_id": "no"},
            "ref_id": ["ref_1", 7],
            "profile": "file_3",
        });
        let argument = |name: &str| MentionRole::Argument(name.to_owned());
        let within = |name: &str| MentionRole::Within(name.to_owned());
        let expected = [
            mention("/source_ref_id", "doc_1", argument("source_ref_id")),
            mention("/file_id", "file_1", MentionRole::Slot(0)),
            mention("/options/a~1b/0/template_file_id", "file_2", within("template_file_id")),
            mention("/ref_id/0", "ref_1", within("ref_id")),
        ];
        assert_eq!(scan(&[binary()], &arguments), Ok(expected.to_vec()));
    }

    #[test]
    fn a_list_is_taken_where_the_server_takes_several() {
        let ids = ["/file_id/0", "/file_id/1"].map(|place| mention(place, "file_1", MentionRole::Slot(0)));
        assert_eq!(scan(&[several()], &json!({"file_id": ["file_1", "file_1"]})), Ok(ids.to_vec()));
        let one = mention("/file_id", "file_1", MentionRole::Slot(0));
        assert_eq!(scan(&[several()], &json!({"file_id": "file_1"})), Ok(vec![one]));
        assert_eq!(scan(&[several()], &json!({"file_id": null})), Ok(vec![]));
    }

    #[test]
    fn what_is_no_id_is_refused_in_a_slot() {
        let cases = [
            (binary(), json!(["file_1"]), "/file_id"),
            (binary(), json!(7), "/file_id"),
            (several(), json!(["file_1", {}]), "/file_id/1"),
        ];
        for (slot, value, field) in cases {
            let refused = scan(&[slot], &json!({"file_id": value})).unwrap_err();
            assert_eq!((refused.code.name, refused.field.as_deref()), ("bad_file_id", Some(field)));
        }
    }

    #[test]
    fn an_id_and_what_it_fills_do_not_go_together() {
        for name in ["file_data", "file_type"] {
            let refused = scan(&[binary()], &json!({"file_id": "file_1", name: "x"})).unwrap_err();
            assert_eq!((refused.kind, refused.code.name), (RefusalKind::Invalid, "given_twice"));
            assert_eq!(refused.message, format!("`{name}` is filled from `file_id`, and both were given"));
            assert_eq!(refused.hint, format!("give `file_id` alone, and leave `{name}` to the gateway"));
        }
        let passed = FileSlot::of(FileStrategy::Passthrough);
        assert!(scan(&[passed], &json!({"file_id": "file_1", "file_data": "x"})).is_ok());
        assert!(scan(&[binary()], &json!({"file_data": "x"})).is_ok());
    }

    #[test]
    fn there_is_an_end_to_ids_and_to_depth() {
        let many: Vec<String> = (0..=MENTIONS_MAX).map(|at| format!("file_{at}")).collect();
        let refused = scan(&[several()], &json!({"file_id": many})).unwrap_err();
        assert_eq!(refused.code.name, "too_many_files");
        let mut deep = json!({"file_id": "file_1"});
        for _ in 0..DEPTH_MAX {
            deep = json!({"a": deep});
        }
        assert_eq!(scan(&[], &deep), Ok(vec![]));
    }

    #[test]
    fn the_quick_look_misses_no_key() {
        for key in ["ref_id", "file_id", "source_ref_id", "a_file_id"] {
            assert!(is_id_key(key), "{key}");
            assert!(may_mention(json!({key: "x"}).to_string().as_bytes()), "{key}");
        }
        assert!(!is_id_key("ref_ids") && !is_id_key("xref_id") && !is_id_key("profile_ids"));
        for escaped in [r#"{"file\u005fid":"x"}"#, r#"{"a":[{"source_\u0072ef_id":"x"}]}"#] {
            assert!(may_mention(escaped.as_bytes()), "{escaped}");
        }
        assert!(!may_mention(b"{\"path\":\"a\"}"));
    }
}
