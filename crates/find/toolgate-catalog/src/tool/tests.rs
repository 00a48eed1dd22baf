use serde_json::json;
use toolgate_core::tool::FileStrategy;

use super::*;

fn described(definition: &Value, hints: HintTrust, rules: &[ToolRule]) -> Result<Tool, String> {
    let server = ServerName::new("bank").expect("a name");
    let name = CanonicalName::of(&server, "transfer");
    let item = RawJson::from(definition.clone());
    let members = ObjectMembers::of(&item).expect("an object");
    describe(&server, "transfer", &name, &DefinitionFacts::read(&item, &members, definition), hints, rules)
}

fn tool(definition: &Value, hints: HintTrust, rules: &[ToolRule]) -> Tool {
    described(definition, hints, rules).expect("a tool")
}

fn with_extra(extra: Value) -> Value {
    json!({ "name": "transfer", "annotations": { "readOnlyHint": true }, "_meta": { EXTRA_META: extra } })
}

fn effects(annotations: Value) -> Vec<&'static str> {
    let definition = json!({ "name": "transfer", "annotations": annotations });
    tool(&definition, HintTrust::Believed, &[]).effects.names().collect()
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
    let distrusted = tool(&definition, HintTrust::Ignored, &[]);
    assert_eq!(distrusted.effects, Effects::ALL);
    let wide = ToolRule { effects: Some(Effects::READ), ..ToolRule::new("bank:*") };
    let narrow = ToolRule { effects: Some(Effects::WRITE), ..ToolRule::new("bank:transfer") };
    let other = ToolRule { effects: Some(Effects::ALL), ..ToolRule::new("shop:*") };
    assert_eq!(tool(&definition, HintTrust::Believed, &[wide, narrow, other]).effects, Effects::WRITE);
}

#[test]
fn an_extra_beats_the_hints_and_the_operator_beats_both() {
    let definition = with_extra(json!({
        "effects": ["write"], "idempotent": true, "timeout_seconds": 2.5, "capabilities": ["pay", "bank", "pay"],
        "file_strategy": "image_base64" }));
    let plain = tool(&definition, HintTrust::Believed, &[]);
    assert_eq!((plain.effects, plain.idempotent), (Effects::WRITE, true));
    assert_eq!(plain.handling.timeout, Some(Duration::from_millis(2_500)));
    assert_eq!(*plain.handling.capabilities, ["bank".to_owned(), "pay".to_owned()]);
    assert_eq!(*plain.handling.files, [FileSlot::of(FileStrategy::ImageBase64)]);
    let rule = ToolRule {
        effects: Some(Effects::READ),
        idempotent: Some(false),
        timeout: Some(Duration::from_secs(9)),
        concurrency_max: Some(3),
        rate: "10/s".parse().ok(),
        capabilities: vec!["money".into()],
        files: Some(vec![FileSlot::of(FileStrategy::Passthrough)]),
        ..ToolRule::new("bank:*")
    };
    let ruled = tool(&definition, HintTrust::Believed, &[rule]);
    assert_eq!((ruled.effects, ruled.idempotent), (Effects::READ, false));
    assert_eq!(ruled.handling.timeout, Some(Duration::from_secs(9)));
    assert_eq!(ruled.handling.concurrency_max, Some(3));
    assert_eq!(ruled.handling.rate.map(|rate| rate.to_string()).as_deref(), Some("10/s"));
    assert_eq!(*ruled.handling.capabilities, ["money".to_owned()]);
    assert_eq!(*ruled.handling.files, [FileSlot::of(FileStrategy::Passthrough)]);
    let off = ToolRule { files: Some(Vec::new()), ..ToolRule::new("bank:*") };
    assert!(
        tool(&definition, HintTrust::Believed, &[off]).handling.files.is_empty(),
        "none is a word as well"
    );
}

#[test]
fn needs_are_the_servers_unless_the_operator_says_otherwise_and_examples_are_the_operators() {
    let definition = with_extra(json!({ "mounts": ["provider:slack", "pointer", "provider:slack"] }));
    let needs = |tool: &Tool| tool.handling.needs.iter().map(ToString::to_string).collect::<Vec<_>>();
    let plain = tool(&definition, HintTrust::Believed, &[]);
    assert_eq!(needs(&plain), ["provider:slack", "pointer"]);
    assert!(plain.handling.examples.is_empty());
    assert_eq!(needs(&tool(&definition, HintTrust::Ignored, &[])), [""; 0]);
    let wide = ToolRule {
        needs: vec![MountNeed::KnowledgeBase, MountNeed::Provider("teams".into()), MountNeed::KnowledgeBase],
        examples: vec!["send money".into(), "pay a bill".into()],
        ..ToolRule::new("bank:*")
    };
    let narrow = ToolRule { examples: vec!["wire funds".into()], ..ToolRule::new("bank:transfer") };
    let ruled = tool(&definition, HintTrust::Ignored, std::slice::from_ref(&wide));
    assert_eq!(needs(&ruled), ["provider:teams", "knowledge_base"]);
    assert_eq!(
        *ruled.handling.examples,
        ["send money".to_owned(), "pay a bill".to_owned()],
        "in their order"
    );
    let both = tool(&definition, HintTrust::Believed, &[wide, narrow]);
    assert_eq!(needs(&both), ["provider:teams", "knowledge_base"], "an empty list says nothing");
    assert_eq!(*both.handling.examples, ["wire funds".to_owned()]);
}

#[test]
fn an_extra_of_a_server_that_is_not_believed_says_nothing() {
    let tool =
        tool(&with_extra(json!({ "effects": ["read"], "capabilities": ["x"] })), HintTrust::Ignored, &[]);
    assert_eq!((tool.effects, tool.handling), (Effects::ALL, ToolHandling::default()));
}

#[test]
fn an_extra_that_cannot_be_read_is_a_fault_where_it_counts() {
    let definition = with_extra(json!({ "effects": ["reads"] }));
    let why = described(&definition, HintTrust::Believed, &[]).expect_err("a fault");
    assert!(why.contains("dev.toolgate/tool") && why.contains("reads"), "{why}");
    assert!(described(&definition, HintTrust::Ignored, &[]).is_ok());
}

#[test]
fn only_what_changes_nothing_is_used_again() {
    let cached = |effects: Value, rules: &[ToolRule]| {
        let definition = with_extra(json!({ "effects": effects, "cache_seconds": 60 }));
        tool(&definition, HintTrust::Believed, rules).handling.cache
    };
    let minute = CacheRule { fresh: Duration::from_secs(60), scope: CacheScope::Private };
    assert_eq!(cached(json!(["read"]), &[]), Some(minute));
    assert_eq!(cached(json!(["read", "write"]), &[]), None);
    assert_eq!(cached(json!(["external"]), &[]), None);
    let rule = |rule: CacheRule| [ToolRule { cache: Some(rule), ..ToolRule::new("*") }];
    let public = CacheRule { fresh: Duration::from_secs(5), scope: CacheScope::Public };
    assert_eq!(cached(json!(["read"]), &rule(public)), Some(public));
    assert_eq!(cached(json!(["write"]), &rule(public)), None);
    assert_eq!(cached(json!(["read"]), &rule(CacheRule { fresh: Duration::ZERO, ..public })), None);
}

#[test]
fn a_tool_takes_secrets_where_its_server_is_believed_and_is_then_not_cached() {
    let slots = json!([{ "argument": "secret" }, { "argument": "fields/*/secret" }]);
    let definition = with_extra(json!({ "effects": ["read"], "cache_seconds": 60, "secrets": slots }));
    for hints in [HintTrust::Believed, HintTrust::Handling] {
        let taking = tool(&definition, hints, &[]).handling;
        let arguments: Vec<&str> = taking.secrets.iter().map(|slot| slot.argument.as_str()).collect();
        assert_eq!((arguments, taking.cache), (vec!["secret", "fields/*/secret"], None));
    }
    assert!(tool(&definition, HintTrust::Ignored, &[]).handling.secrets.is_empty());
    let other = with_extra(json!({ "effects": ["read"], "cache_seconds": 60 }));
    assert_ne!(version_of(&definition), version_of(&other), "another slot is another version");
    let file = json!({ "file_strategy": "binary_base64", "secrets": [{ "argument": "file_id" }] });
    for (extra, said) in [
        (json!({ "secrets": [{ "argument": "a//b" }] }), "a//b"),
        (json!({ "secrets": [{ "argument": "a" }, { "argument": "a" }] }), "twice"),
        (json!({ "secrets": [{ "argument": "a", "value": "x" }] }), "value"),
        (file, "file_id"),
    ] {
        let why = described(&with_extra(extra), HintTrust::Believed, &[]).expect_err("a fault");
        assert!(why.contains(said), "{why}");
    }
}

#[test]
fn schemas_are_parts_of_the_definition_byte_for_byte() {
    let text = r#"{"name":"transfer", "inputSchema": { "type":"object", "maximum":1.10 }}"#;
    let item = RawJson::parse(text.to_owned().into()).expect("JSON");
    let members = ObjectMembers::of(&item).expect("an object");
    let facts = DefinitionFacts::read(&item, &members, &item.decode().expect("JSON"));
    let schema = facts.input_schema.expect("there is one");
    assert_eq!(schema.as_str(), r#"{ "type":"object", "maximum":1.10 }"#);
    assert!(item.as_bytes().as_ptr_range().contains(&schema.as_bytes().as_ptr()), "a copy was made");
}

#[test]
fn a_newcomer_says_how_its_tools_are_handled_and_not_what_they_do() {
    let definition = with_extra(json!({
        "effects": ["read"], "idempotent": true, "cache_seconds": 60, "capabilities": ["pay"],
        "file_strategy": "image_base64" }));
    let new = tool(&definition, HintTrust::of_newcomer(None), &[]);
    assert_eq!((new.effects, new.hinted, new.idempotent), (Effects::ALL, true, false));
    assert_eq!(*new.handling.files, [FileSlot::of(FileStrategy::ImageBase64)]);
    assert_eq!((&*new.handling.capabilities, new.handling.cache), (&["pay".to_owned()][..], None));
    let rule = ToolRule { effects: Some(Effects::READ), ..ToolRule::new("bank:*") };
    let vouched = tool(&definition, HintTrust::of_newcomer(None), &[rule]);
    assert_eq!((vouched.effects, vouched.hinted), (Effects::READ, false));
    let trusted = tool(&definition, HintTrust::of_newcomer(Some(true)), &[]);
    assert_eq!((trusted.effects, trusted.hinted, trusted.idempotent), (Effects::READ, true, true));
    assert_eq!(tool(&definition, HintTrust::of_newcomer(Some(false)), &[]).handling, ToolHandling::default());
}

#[test]
fn tools_of_a_connector_need_its_provider_whatever_else_is_said() {
    let definition = json!({ "name": "post" });
    let item = RawJson::from(definition.clone());
    let members = ObjectMembers::of(&item).expect("an object");
    let facts = DefinitionFacts::read(&item, &members, &definition);
    let needs = |server: &str, rules: &[ToolRule]| {
        let server = ServerName::new(server).expect("a name");
        let name = CanonicalName::of(&server, "post");
        let tool = describe(&server, "post", &name, &facts, HintTrust::Ignored, rules).expect("a tool");
        tool.handling.needs.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(needs("connector.slack", &[]), ["provider:slack"]);
    assert_eq!(needs("connector.slack.sales", &[]), ["provider:slack"]);
    assert!(needs("slack", &[]).is_empty() && needs("connector", &[]).is_empty());
    let rule = ToolRule { needs: vec![MountNeed::Pointer], ..ToolRule::new("*") };
    assert_eq!(needs("connector.slack", &[rule]), ["provider:slack", "pointer"]);
}
