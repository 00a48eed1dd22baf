//! The schema of tools as Cedar reads it.

use std::sync::Arc;

use serde_json::{Value, json};
use toolgate_core::Effects;

use super::*;
use crate::fixture::{balance, tool, transfer};

fn schema(of: Value) -> String {
    let text = schema_for(&[Arc::new(tool("s:t", Effects::READ, of))]).unwrap().text;
    let start = text.find("\"input\": ").unwrap();
    text[start..text.find("\"session\"").unwrap()].trim_end().to_owned()
}

#[test]
fn each_tool_is_an_action_with_its_arguments() {
    let generated = schema_for(&[Arc::new(transfer()), Arc::new(balance()), Arc::new(balance())]).unwrap();
    insta::assert_snapshot!(generated.text.strip_prefix(HEADER).unwrap(), @r#"

    action "bank:balance" appliesTo {
      principal: [Human, Agent, Service],
      resource: [Tool],
      context: {
        "input": {
          "account": String
        },
        "session"?: String,
        "agent"?: String,
        "run"?: String,
        "task"?: String,
        "credentials"?: Set<String>,
        "credential_origins"?: Set<String>,
        "new_credentials"?: Set<String>,
        "template": String
      }
    };

    action "bank:transfer" appliesTo {
      principal: [Human, Agent, Service],
      resource: [Tool],
      context: {
        "input": {
          "account": String,
          "amount": decimal,
          "copies": Long,
          "currency"?: String,
          "note"?: String
        },
        "session"?: String,
        "agent"?: String,
        "run"?: String,
        "task"?: String,
        "credentials"?: Set<String>,
        "credential_origins"?: Set<String>,
        "new_credentials"?: Set<String>,
        "template": String
      }
    };
    "#);
    assert_eq!(generated.schema.actions().count(), 2);
}

#[test]
fn nested_arguments_keep_their_form_and_what_has_no_type_is_left_out() {
    let nested = schema(json!({
        "type": "object",
        "properties": {
            "free": {},
            "mixed": {"type": ["string", "integer"]},
            "list": {"type": "array", "items": {"type": "object", "properties": {"price": {"type": "number"}, "any": {}}, "required": ["price"]}},
            "loose": {"type": "array"},
            "empty": {"type": "object"},
        },
        "required": ["list"],
    }));
    insta::assert_snapshot!(nested, @r#"
    "input": {
          "empty"?: {},
          "list": Set<{
            "price": decimal
          }>
        },
    "#);
}

#[test]
fn a_tool_without_a_schema_or_with_a_strange_one_has_no_arguments() {
    for strange in [Value::Null, json!({}), json!(true), json!({"type": "string"}), json!("text")] {
        assert_eq!(schema(strange.clone()), "\"input\": {},", "{strange}");
    }
}

#[test]
fn names_of_any_kind_are_quoted() {
    let odd = json!({"properties": {
        "a \"b\" \\ c\n\u{7f}": {"type": "string"}, "in": {"type": "string"}, "": {"type": "string"},
        "ü": {"type": "string"}, "__cedar": {"type": "string"}, "__entity": {"type": "string"}
    }});
    let text = schema(odd);
    assert!(text.contains(r#""a \"b\" \\ c\u{a}\u{7f}"?: String"#), "{text}");
    let named = tool("s:odd \"name\"\n", Effects::READ, Value::Null);
    assert!(schema_for(&[Arc::new(named)]).is_ok());
}

#[test]
fn no_tools_make_a_schema_too() {
    assert_eq!(schema_for(&[]).unwrap().schema.actions().count(), 0);
}
