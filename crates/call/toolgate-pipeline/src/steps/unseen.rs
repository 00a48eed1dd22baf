//! Content that people would have to agree to without seeing it. The caller chooses the arguments: if
//! anything that looks like a credential could be hidden from approvers, anything could be.

use serde_json::Value;
use toolgate_core::Tool;
use toolgate_core::codes;

use crate::answer::CallRefusal;
use crate::redact::{HiddenKind, HiddenValue};

/// The refusal to ask people, if a call hides something that they must see.
pub(super) fn refusal(tool: &Tool, hidden: &[HiddenValue]) -> Option<CallRefusal> {
    let unseen = hidden.iter().find(|one| !one.may_stay_unseen && !is_declared(tool, one))?;
    let (what, hint) = match unseen.kind {
        HiddenKind::Look(kind) => (
            format!("what looks like a credential ({kind})"),
            "leave it out of the text: give it in an argument that is named for it, such as `token`, or have the operator give it to the server",
        ),
        HiddenKind::Binary => (
            "binary content".to_owned(),
            "hand it in as a file and give its id, where the tool takes one: people are shown files",
        ),
        HiddenKind::Secret | HiddenKind::Rule | HiddenKind::Nested => (
            "JSON within a text, with something in it that is hidden".to_owned(),
            "give it as an argument of its own, or leave it out",
        ),
    };
    let message = format!(
        "people must agree to this call, and `{}` holds {what}, which they would not see",
        unseen.path
    );
    let refusal = CallRefusal::new(&codes::HIDDEN_FROM_APPROVERS, message).hint(hint);
    Some(refusal.details(serde_json::json!({ "argument": unseen.path })))
}

/// True if it is binary content in a place that the tool's own, reviewed definition declares.
fn is_declared(tool: &Tool, hidden: &HiddenValue) -> bool {
    if hidden.kind != HiddenKind::Binary {
        return false;
    }
    let schema = tool.input_schema.as_ref().and_then(|schema| schema.decode::<Value>().ok());
    schema.is_some_and(|schema| takes_binary(&schema, &hidden.path))
}

fn takes_binary(schema: &Value, path: &str) -> bool {
    let below = |at: &'_ Value, step: &str| -> Option<Value> {
        let step = step.replace("~1", "/").replace("~0", "~");
        at["properties"].get(&step).or_else(|| at.get("items")).cloned()
    };
    let at = path.split('/').skip(1).try_fold(schema.clone(), |at, step| below(&at, step));
    at.is_some_and(|at| {
        at["contentEncoding"] == "base64" || at["format"] == "byte" || at["format"] == "binary"
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_says_where_binary_content_stands() {
        let schema = json!({ "properties": {
            "a/b": { "contentEncoding": "base64" }, "note": { "type": "string" },
            "files": { "items": { "properties": { "data": { "format": "byte" } } } },
        } });
        for (path, expected) in
            [("/a~1b", true), ("/files/3/data", true), ("/note", false), ("/else", false), ("", false)]
        {
            assert_eq!(takes_binary(&schema, path), expected, "{path}");
        }
    }
}
