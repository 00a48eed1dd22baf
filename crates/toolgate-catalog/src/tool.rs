//! What a tool is to policy and ledger: its version, its effects, how closely it is watched.

use std::sync::Arc;

use serde_json::Value;
use toolgate_core::{AuditLevel, CanonicalName, Digest, Effects, OutputCheck, RawJson, ServerName, Tool};
use wildmatch::WildMatch;

/// What the operator says about tools, by canonical name. It beats what servers say about themselves.
#[derive(Clone, Debug)]
pub struct ToolRule {
    pub name: WildMatch,
    pub effects: Option<Effects>,
    pub audit: Option<AuditLevel>,
    pub idempotent: Option<bool>,
    pub output_check: Option<OutputCheck>,
}

impl ToolRule {
    /// `name` may have `*` for any run of characters and `?` for one.
    pub fn new(name: &str) -> Self {
        Self { name: WildMatch::new(name), effects: None, audit: None, idempotent: None, output_check: None }
    }
}

/// The members that make a definition what it is. A change to any of them is another version.
const VERSIONED: [&str; 6] = ["name", "title", "description", "inputSchema", "outputSchema", "annotations"];

/// How far a server's own hints about its tools are believed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hints {
    Believed,
    Ignored,
}

pub(crate) fn describe(
    server: &ServerName,
    own: &str,
    name: &CanonicalName,
    item: &RawJson,
    hints: Hints,
    rules: &[ToolRule],
) -> Arc<Tool> {
    let definition: Value = item.decode().unwrap_or_default();
    let annotations = match hints {
        Hints::Believed => &definition["annotations"],
        Hints::Ignored => &Value::Null,
    };
    let rules: Vec<&ToolRule> = rules.iter().filter(|rule| rule.name.matches(name.as_str())).collect();
    // The last rule that says something about a matter decides it.
    let effects = rules.iter().rev().find_map(|rule| rule.effects);
    let schema = |key: &str| definition.get(key).map(|schema| RawJson::from(schema.clone()));
    Arc::new(Tool {
        name: name.clone(),
        server: server.clone(),
        own: own.into(),
        version: version(&definition),
        effects: effects.unwrap_or_else(|| effects_of(annotations)),
        idempotent: rules
            .iter()
            .rev()
            .find_map(|rule| rule.idempotent)
            .unwrap_or(annotations["idempotentHint"] == Value::Bool(true)),
        audit: rules.iter().rev().find_map(|rule| rule.audit).unwrap_or(AuditLevel::Standard),
        input_schema: schema("inputSchema"),
        output_schema: schema("outputSchema"),
        output_check: rules.iter().rev().find_map(|rule| rule.output_check),
    })
}

/// The digest of what the server says the tool is, in whatever order it says it.
fn version(definition: &Value) -> Digest {
    let mut kept = serde_json::Map::new();
    for key in VERSIONED {
        if let Some(value) = definition.get(key) {
            kept.insert(key.into(), value.clone());
        }
    }
    let mut kept = Value::Object(kept);
    kept.sort_all_objects();
    Digest::of(kept.to_string())
}

/// The hints of MCP with the defaults of MCP; where there is none at all, nothing is known.
fn effects_of(annotations: &Value) -> Effects {
    const HINTS: [&str; 4] = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
    if !HINTS.iter().any(|hint| annotations[hint].is_boolean()) {
        return Effects::ALL;
    }
    let hint = |name: &str, default: bool| annotations[name].as_bool().unwrap_or(default);
    let mut effects = Effects::READ;
    if !hint("readOnlyHint", false) {
        effects = effects.and(Effects::WRITE);
        if hint("destructiveHint", true) {
            effects = effects.and(Effects::DESTRUCTIVE);
        }
    }
    if hint("openWorldHint", true) {
        effects = effects.and(Effects::EXTERNAL);
    }
    effects
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(definition: Value, hints: Hints, rules: &[ToolRule]) -> Arc<Tool> {
        let server = ServerName::new("bank").expect("a name");
        let name = CanonicalName::of(&server, "transfer");
        describe(&server, "transfer", &name, &RawJson::from(definition), hints, rules)
    }

    fn effects(annotations: Value) -> Vec<&'static str> {
        tool(json!({ "name": "transfer", "annotations": annotations }), Hints::Believed, &[])
            .effects
            .names()
            .collect()
    }

    #[test]
    fn effects_follow_the_hints_and_unknown_means_all() {
        let all = vec!["read", "write", "external", "destructive"];
        assert_eq!(effects(json!({})), all);
        assert_eq!(effects(json!({ "title": "T" })), all);
        assert_eq!(effects(json!({ "readOnlyHint": true, "openWorldHint": false })), ["read"]);
        assert_eq!(effects(json!({ "readOnlyHint": true })), ["read", "external"]);
        assert_eq!(effects(json!({ "destructiveHint": false })), ["read", "write", "external"]);
        assert_eq!(effects(json!({ "openWorldHint": false })), ["read", "write", "destructive"]);
    }

    #[test]
    fn what_the_operator_says_beats_the_hints() {
        let definition = json!({ "name": "transfer", "annotations": { "readOnlyHint": true } });
        let distrusted = tool(definition.clone(), Hints::Ignored, &[]);
        assert_eq!(distrusted.effects, Effects::ALL);
        let wide = ToolRule { effects: Some(Effects::READ), ..ToolRule::new("bank:*") };
        let narrow = ToolRule { effects: Some(Effects::WRITE), ..ToolRule::new("bank:transfer") };
        let other = ToolRule { effects: Some(Effects::ALL), ..ToolRule::new("shop:*") };
        assert_eq!(tool(definition, Hints::Believed, &[wide, narrow, other]).effects, Effects::WRITE);
    }

    #[test]
    fn a_version_is_the_meaning_and_not_the_spelling() {
        let of = |text: &str| version(&serde_json::from_str(text).expect("JSON"));
        let one = of(r#"{"name":"a","inputSchema":{"type":"object","x":1}}"#);
        assert_eq!(one, of(r#"{"inputSchema":{ "x":1,"type":"object"},"name":"a","_meta":{"seen":3}}"#));
        assert_ne!(one, of(r#"{"name":"a","inputSchema":{"type":"object","x":2}}"#));
        assert_ne!(one, of(r#"{"name":"a","description":"","inputSchema":{"type":"object","x":1}}"#));
    }
}
