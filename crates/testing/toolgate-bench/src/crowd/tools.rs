//! The tools of the crowd: twenty for each server, about a kilobyte each, as servers of offices and shops have them.
//!
//! Lives here: names, descriptions, schemas. Does not live here: who asks for them.

use serde_json::{Value, json};

pub(crate) const TOOLS_PER_SERVER: usize = 20;

const NOUNS: [&str; 5] = ["invoice", "document", "customer", "shipment", "ticket"];
const VERBS: [&str; 4] = ["search", "create", "update", "archive"];

/// The tool's own name, without the server's.
pub(crate) fn name(tool: usize) -> String {
    format!("{}_{}", NOUNS[tool / VERBS.len()], VERBS[tool % VERBS.len()])
}

/// All definitions of one server as a JSON array. `changes` is the number of changes of the first one.
pub(super) fn list(server: usize, changes: u64) -> String {
    let definition = |tool| definition(server, tool, if tool == 0 { changes } else { 0 });
    Value::Array((0..TOOLS_PER_SERVER).map(definition).collect()).to_string()
}

fn definition(server: usize, tool: usize, changes: u64) -> Value {
    let (noun, verb) = (NOUNS[tool / VERBS.len()], VERBS[tool % VERBS.len()]);
    json!({
        "name": name(tool),
        "title": format!("{verb} {noun}"),
        "description": format!(
            "{verb} one or several {noun} records of branch {server}. Give as much of the {noun} as is known; what is \
             left out is taken from the branch's usual settings. Answers with the {noun} as it stands afterwards and \
             with whatever the branch remarked about it.{}",
            revision(server, changes)
        ),
        "inputSchema": schema(noun),
        "annotations": { "readOnlyHint": verb == "search", "openWorldHint": false },
    })
}

/// The addition to a changed description.
pub(crate) fn revision(server: usize, changes: u64) -> String {
    if changes == 0 { String::new() } else { format!(" Revision {changes} of branch {server}.") }
}

fn schema(noun: &str) -> Value {
    json!({
        "type": "object",
        "properties": {
            "text": { "type": "string", "description": format!("What is to be said about the {noun}") },
            "reference": { "type": "string", "pattern": "^[A-Z]{2}-[0-9]{6}$", "description": "As printed in the header" },
            "state": { "type": "string", "enum": ["draft", "open", "closed", "archived"] },
            "due": { "type": "string", "format": "date", "description": "Not before today" },
            "amount": {
                "type": "object",
                "properties": {
                    "value": { "type": "number", "minimum": 0 },
                    "currency": { "type": "string", "minLength": 3, "maxLength": 3 }
                },
                "required": ["value", "currency"]
            },
            "labels": { "type": "array", "items": { "type": "string", "maxLength": 40 }, "maxItems": 16 },
            "limit": { "type": "integer", "minimum": 1, "maximum": 500, "default": 50 }
        },
        "required": ["text"]
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_tools_of_a_server_have_names_of_their_own_and_are_about_a_kilobyte_long() {
        let names: BTreeSet<String> = (0..TOOLS_PER_SERVER).map(name).collect();
        assert_eq!(names.len(), TOOLS_PER_SERVER);
        let mean = list(123, 0).len() / TOOLS_PER_SERVER;
        assert!((1000..1300).contains(&mean), "{mean} bytes");
    }

    #[test]
    fn a_change_is_one_of_the_first_description_and_nothing_else() {
        let [before, after]: [Vec<Value>; 2] =
            [0, 3].map(|changes| serde_json::from_str(&list(7, changes)).expect("it is JSON"));
        assert!(after[0]["description"].as_str().expect("a text").ends_with("Revision 3 of branch 7."));
        assert_eq!(before[0]["inputSchema"], after[0]["inputSchema"]);
        assert_eq!(before[1..], after[1..]);
    }
}
