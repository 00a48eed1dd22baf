//! JSON pointers: reading is `serde_json`'s; writing makes what is missing on the way.

use serde_json::{Map, Value};

/// A list that is made on the way grows one by one, so a pointer cannot ask for a long one.
const INDEX_MAX: usize = 99;

/// The pointer is empty, or begins with `/`.
pub(crate) fn is_pointer(text: &str) -> bool {
    text.is_empty() || text.starts_with('/')
}

/// Puts a value at a pointer. A step that is a small number makes a list, any other an object; what stands in the way is
/// replaced.
pub(crate) fn put(target: &mut Value, pointer: &str, value: Value) {
    let Some(rest) = pointer.strip_prefix('/') else {
        *target = value;
        return;
    };
    let mut at = target;
    for step in rest.split('/') {
        at = descend(at, &step.replace("~1", "/").replace("~0", "~"));
    }
    *at = value;
}

fn descend<'a>(at: &'a mut Value, step: &str) -> &'a mut Value {
    match step.parse::<usize>() {
        Ok(index) if index <= INDEX_MAX && !at.is_object() => {
            if !at.is_array() {
                *at = Value::Array(Vec::new());
            }
            let list = at.as_array_mut().expect("it was made one");
            while list.len() <= index {
                list.push(Value::Null);
            }
            &mut list[index]
        }
        _ => {
            if !at.is_object() {
                *at = Value::Object(Map::new());
            }
            let object = at.as_object_mut().expect("it was made one");
            object.entry(step.to_owned()).or_insert(Value::Null)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_missing_on_the_way_is_made() {
        let mut body = json!({});
        put(&mut body, "/files/0/id", json!("F1"));
        put(&mut body, "/files/0/title", json!("a"));
        put(&mut body, "/a~1b/c~0d", json!(1));
        put(&mut body, "/deep/1", json!(true));
        assert_eq!(
            body,
            json!({ "files": [{ "id": "F1", "title": "a" }], "a/b": { "c~d": 1 }, "deep": [null, true] })
        );
        put(&mut body, "", json!("whole"));
        assert_eq!(body, json!("whole"));
    }

    #[test]
    fn a_large_number_is_a_name_and_no_long_list() {
        let mut body = json!({});
        put(&mut body, "/a/1000000000", json!(1));
        assert_eq!(body, json!({ "a": { "1000000000": 1 } }));
    }
}
