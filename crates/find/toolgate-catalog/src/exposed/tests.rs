use insta::assert_snapshot;
use serde_json::json;
use toolgate_core::server::{AskPermissions, ServerListing};
use toolgate_core::tool::{EXTRA_META, FileStrategy, SlotForm};
use toolgate_core::{Digest, ServerName};

use super::*;
use crate::{
    Catalog, CatalogEntry, CatalogUpdate, HintTrust, ServerSettings, Snapshot, ToolNameFilter, ToolRule,
};

fn docs() -> ServerName {
    ServerName::new("docs").expect("a name")
}

/// A catalogue with one server that has one tool, and the operator's file settings.
fn catalog(definition: &str, files: Option<Vec<FileSlot>>) -> Catalog {
    let catalog = Catalog::new();
    let settings = ServerSettings {
        name: docs(),
        prefix: true,
        filter: ToolNameFilter::default(),
        hints: HintTrust::Believed,
        asks: AskPermissions::default(),
    };
    let item = RawJson::parse(definition.to_owned().into()).expect("JSON");
    catalog.update(CatalogUpdate {
        servers: Some(vec![settings]),
        rules: Some(vec![ToolRule { files, ..ToolRule::new("docs:*") }]),
        listings: [(docs(), Some(ServerListing { tools: vec![item], ..ServerListing::default() }))].into(),
        ..CatalogUpdate::default()
    });
    catalog
}

fn only(snapshot: &Snapshot) -> &CatalogEntry {
    assert_eq!(snapshot.left_out, []);
    &snapshot.tools.entries()[0]
}

fn slots(forms: Value) -> Vec<FileSlot> {
    FileSlot::all(serde_json::from_value::<Vec<SlotForm>>(forms).expect("slots")).expect("they fit together")
}

/// The schema that agents see, and the slots that calls go by.
fn exposed(schema: &Value, files: Vec<FileSlot>) -> (String, Vec<FileSlot>) {
    let definition = format!(r#"{{"name":"read","inputSchema":{schema}}}"#);
    let catalog = catalog(&definition, Some(files));
    let snapshot = catalog.snapshot();
    let entry = only(&snapshot);
    assert_eq!(snapshot.misfits, [], "everything was to fit");
    let tool = entry.tool.as_ref().expect("a tool");
    let schema = tool.input_schema.as_ref().expect("there is one").as_str();
    assert_eq!(entry.definition().as_str(), format!(r#"{{"name":"docs__read","inputSchema":{schema}}}"#));
    (schema.to_owned(), tool.handling.files.to_vec())
}

fn schema_of(schema: &Value, files: Value) -> String {
    exposed(schema, slots(files)).0
}

/// A typical tool for a strategy: the file first, then an argument of its own.
fn usual(strategy: FileStrategy) -> String {
    let slot = FileSlot::of(strategy);
    let mut properties =
        json!({ slot.content.as_str(): { "type": "string", "description": "as the server has it" } });
    if let Some(media_type) = &slot.media_type {
        properties[media_type.as_str()] = json!({ "type": "string" });
    }
    properties["pages"] = json!({ "type": "integer" });
    let required: Vec<&str> =
        [Some(slot.content.as_str()), slot.media_type.as_deref()].into_iter().flatten().collect();
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    exposed(&schema, vec![slot]).0
}

#[test]
fn bytes_become_an_id() {
    assert_snapshot!(usual(FileStrategy::BinaryBase64), @r#"{"type":"object","properties":{"file_id":{"type":"string","description":"Id of a file (file_…), ref (ref_…) or artifact (sha256:…); its bytes are sent"},"pages":{"type":"integer"}},"required":["file_id"]}"#);
}

#[test]
fn text_called_content_becomes_an_id() {
    assert_snapshot!(usual(FileStrategy::PlainTextContent), @r#"{"type":"object","properties":{"file_id":{"type":"string","description":"Id of a file (file_…), ref (ref_…) or artifact (sha256:…); its text is sent"},"pages":{"type":"integer"}},"required":["file_id"]}"#);
}

#[test]
fn text_called_text_becomes_an_id() {
    assert_snapshot!(usual(FileStrategy::PlainTextText), @r#"{"type":"object","properties":{"file_id":{"type":"string","description":"Id of a file (file_…), ref (ref_…) or artifact (sha256:…); its text is sent"},"pages":{"type":"integer"}},"required":["file_id"]}"#);
}

#[test]
fn an_image_becomes_an_id() {
    assert_snapshot!(usual(FileStrategy::ImageBase64), @r#"{"type":"object","properties":{"file_id":{"type":"string","description":"Id of an image file (file_…), ref (ref_…) or artifact (sha256:…); its bytes are sent"},"pages":{"type":"integer"}},"required":["file_id"]}"#);
}

#[test]
fn an_address_becomes_an_id() {
    assert_snapshot!(usual(FileStrategy::VideoS3PresignedUrl), @r#"{"type":"object","properties":{"file_id":{"type":"string","description":"Id of a file (file_…), ref (ref_…) or artifact (sha256:…); its address is sent"},"pages":{"type":"integer"}},"required":["file_id"]}"#);
}

#[test]
fn an_id_that_is_passed_on_stays_as_the_server_wrote_it() {
    assert_snapshot!(usual(FileStrategy::Passthrough), @r#"{"type":"object","properties":{"file_id":{"type":"string","description":"as the server has it"},"pages":{"type":"integer"}},"required":["file_id"]}"#);
}

#[test]
fn a_file_that_may_be_left_out_may_be_left_out() {
    let schema = json!({ "type": "object", "properties": { "query": { "type": "string" }, "text": { "type": "string" } },
        "required": ["query"] });
    assert_snapshot!(schema_of(&schema, json!([{ "strategy": "plain_text_text" }])), @r#"{"type":"object","properties":{"query":{"type":"string"},"file_id":{"type":"string","description":"Id of a file (file_…), ref (ref_…) or artifact (sha256:…); its text is sent"}},"required":["query"]}"#);
    let none = json!({ "type": "object", "properties": { "file_data": {}, "file_type": {} } });
    assert_snapshot!(schema_of(&none, json!([{ "strategy": "binary_base64" }])), @r#"{"type":"object","properties":{"file_id":{"type":"string","description":"Id of a file (file_…), ref (ref_…) or artifact (sha256:…); its bytes are sent"}}}"#);
}

#[test]
fn a_server_that_takes_lists_is_given_lists() {
    let lists = [
        json!({ "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": 5, "title": "Pages" }),
        json!({ "anyOf": [{ "type": "array", "items": { "type": "string" } }, { "type": "null" }], "default": null }),
        json!({ "type": ["array", "null"] }),
        json!({ "$ref": "#/$defs/Pages" }),
    ];
    let shown = lists.map(|list| {
        let schema = json!({ "type": "object", "$defs": { "Pages": { "type": "array" } },
            "properties": { "image_data": list, "image_type": { "type": "array" } } });
        let (schema, slots) = exposed(&schema, vec![FileSlot::of(FileStrategy::ImageBase64)]);
        assert!(slots[0].many);
        let schema: Value = serde_json::from_str(&schema).expect("JSON");
        schema["properties"].to_string()
    });
    assert_snapshot!(shown.join("\n"), @r#"
    {"file_id":{"type":"array","items":{"type":"string"},"description":"Ids of image files (file_…), refs (ref_…) or artifacts (sha256:…); their bytes are sent","minItems":1,"maxItems":5}}
    {"file_id":{"type":"array","items":{"type":"string"},"description":"Ids of image files (file_…), refs (ref_…) or artifacts (sha256:…); their bytes are sent"}}
    {"file_id":{"type":"array","items":{"type":"string"},"description":"Ids of image files (file_…), refs (ref_…) or artifacts (sha256:…); their bytes are sent"}}
    {"file_id":{"type":"array","items":{"type":"string"},"description":"Ids of image files (file_…), refs (ref_…) or artifacts (sha256:…); their bytes are sent"}}
    "#);
}

#[test]
fn a_server_that_takes_both_is_given_one() {
    let both = json!({ "type": "object", "properties": {
        "text": { "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] } } });
    let (_, slots) = exposed(&both, vec![FileSlot::of(FileStrategy::PlainTextText)]);
    assert!(!slots[0].many);
}

#[test]
fn an_id_that_is_passed_on_is_a_list_where_the_server_has_one() {
    let schema = json!({ "type": "object", "properties": { "file_id": { "type": "array" } } });
    let (shown, slots) = exposed(&schema, vec![FileSlot::of(FileStrategy::Passthrough)]);
    assert_eq!(shown, schema.to_string());
    assert!(slots[0].many);
}

#[test]
fn two_files_have_an_id_each_and_nothing_else_moves() {
    let schema = json!({ "type": "object", "additionalProperties": false, "properties": {
            "before": { "type": "string" }, "mode": { "enum": ["words", "lines"] }, "scan": { "type": "string" },
            "scan_kind": { "type": "string" }, "limit": { "type": "integer", "maximum": 10 } },
        "required": ["mode", "scan", "before", "scan_kind"], "x-own": 1 });
    let files = json!([
        { "strategy": "binary_base64", "argument": "scan_file", "content": "scan", "media_type": "scan_kind" },
        { "strategy": "plain_text_text", "argument": "before_file", "content": "before" },
    ]);
    assert_snapshot!(schema_of(&schema, files), @r#"{"type":"object","additionalProperties":false,"properties":{"before_file":{"type":"string","description":"Id of a file (file_…), ref (ref_…) or artifact (sha256:…); its text is sent"},"mode":{"enum":["words","lines"]},"scan_file":{"type":"string","description":"Id of a file (file_…), ref (ref_…) or artifact (sha256:…); its bytes are sent"},"limit":{"type":"integer","maximum":10}},"required":["mode","scan_file","before_file"],"x-own":1}"#);
}

#[test]
fn an_argument_that_the_server_has_itself_keeps_its_words() {
    let schema = json!({ "type": "object", "properties": {
            "file_id": { "type": "integer", "description": "Number of a document of yours", "default": 7 },
            "lang": { "type": "string" }, "file_data": { "type": "string" }, "file_type": { "type": "string" } },
        "required": ["file_id", "file_data"] });
    assert_snapshot!(schema_of(&schema, json!([{ "strategy": "binary_base64" }])), @r#"{"type":"object","properties":{"lang":{"type":"string"},"file_id":{"type":"string","description":"Number of a document of yours"}},"required":["file_id"]}"#);
}

#[test]
fn an_id_may_stand_where_the_content_stood() {
    let schema = json!({ "type": "object", "properties": { "text": { "type": "string", "description": "The whole text" } },
        "required": ["text"] });
    assert_snapshot!(schema_of(&schema, json!([{ "strategy": "plain_text_text", "argument": "text" }])), @r#"{"type":"object","properties":{"text":{"type":"string","description":"Id of a file (file_…), ref (ref_…) or artifact (sha256:…); its text is sent"}},"required":["text"]}"#);
}

#[test]
fn conditions_speak_of_ids_too() {
    let schema = json!({ "type": "object",
        "properties": { "url": { "type": "string" }, "file_data": { "type": "string" }, "file_type": { "type": "string" } },
        "oneOf": [{ "required": ["url"] }, { "required": ["file_data", "file_type"] }],
        "dependentRequired": { "file_data": ["file_type"], "file_type": ["file_data"], "lang": ["file_data", "url"] },
        "if": { "required": ["file_type"] }, "then": { "properties": { "url": false } }, "else": true,
        "dependencies": { "file_type": ["file_data", "lang"], "file_data": { "required": ["pages", "file_type"] } },
        "allOf": [{ "anyOf": [{ "required": ["file_data"] }, true] }] });
    assert_snapshot!(schema_of(&schema, json!([{ "strategy": "binary_base64" }])), @r#"{"type":"object","properties":{"url":{"type":"string"},"file_id":{"type":"string","description":"Id of a file (file_…), ref (ref_…) or artifact (sha256:…); its bytes are sent"}},"oneOf":[{"required":["url"]},{"required":["file_id"]}],"dependentRequired":{"lang":["file_id","url"]},"if":{"required":["file_id"]},"then":{"properties":{"url":false}},"else":true,"dependencies":{"file_id":["lang"]},"allOf":[{"anyOf":[{"required":["file_id"]},true]}]}"#);
}

#[test]
fn a_file_that_only_some_branches_take_is_an_id_in_them() {
    let schema = json!({ "type": "object", "anyOf": [
        { "properties": { "url": { "type": "string" } }, "additionalProperties": false },
        { "properties": { "text": { "type": "string" } }, "required": ["text"], "additionalProperties": false }] });
    assert_snapshot!(schema_of(&schema, json!([{ "strategy": "plain_text_text" }])), @r#"{"type":"object","anyOf":[{"properties":{"url":{"type":"string"}},"additionalProperties":false},{"properties":{"file_id":{"type":"string","description":"Id of a file (file_…), ref (ref_…) or artifact (sha256:…); its text is sent"}},"required":["file_id"],"additionalProperties":false}]}"#);
}

#[test]
fn a_media_type_that_the_server_does_not_take_is_not_sent() {
    let schema = json!({ "type": "object", "properties": { "file_data": { "type": "string" } } });
    let (_, slots) = exposed(&schema, vec![FileSlot::of(FileStrategy::BinaryBase64)]);
    assert_eq!(slots[0].media_type, None);
}

#[test]
fn what_says_more_about_a_file_is_the_gateways_and_not_the_agents() {
    let text = json!({ "type": "string" });
    let properties = json!({ "photo": text, "kind": text, "name": text });
    let schema = json!({ "type": "object", "properties": properties });
    let file = json!([{ "strategy": "binary_base64", "content": "photo", "media_type": "kind", "file_name": "name" }]);
    let (shown, fitted) = exposed(&schema, slots(file.clone()));
    assert!(!shown.contains("\"kind\"") && !shown.contains("\"name\""), "{shown}");
    assert_eq!(fitted[0].file_name.as_deref(), Some("name"));
    let schema = json!({ "type": "object", "properties": { "photo": text } });
    assert_eq!(exposed(&schema, slots(file)).1[0].file_name, None, "a server is sent what it takes");
}

const CURIOUS: &str = r#"{ "x-own" : 1.10, "inputSchema":{ "type":"object", "properties":{"text":{"type":"string"},"n":{"maximum":12345678901234567890123}} } ,"name":"read", "description":"\u00e9" }"#;

#[test]
fn the_rest_of_a_definition_reaches_agents_byte_for_byte() {
    let catalog = catalog(CURIOUS, Some(vec![FileSlot::of(FileStrategy::PlainTextText)]));
    let snapshot = catalog.snapshot();
    let entry = only(&snapshot);
    assert_snapshot!(entry.definition().as_str(), @r#"{ "x-own" : 1.10, "inputSchema":{"type":"object","properties":{"file_id":{"type":"string","description":"Id of a file (file_…), ref (ref_…) or artifact (sha256:…); its text is sent"},"n":{"maximum":12345678901234567890123}}} ,"name":"docs__read", "description":"\u00e9" }"#);
    assert_eq!(entry.offered().as_str(), CURIOUS, "the server's own is kept as well");
    assert_eq!(entry.exposed().as_str(), entry.definition().as_str().replace("docs__read", "read"));
    assert!(entry.bytes() >= entry.definition().as_str().len());
}

#[test]
fn what_agents_read_changes_and_the_version_does_not() {
    let catalog = catalog(CURIOUS, None);
    let before = catalog.snapshot();
    let rule = |strategy| ToolRule { files: Some(vec![FileSlot::of(strategy)]), ..ToolRule::new("docs:*") };
    let ruled = |rule: ToolRule| {
        catalog.update(CatalogUpdate { rules: Some(vec![rule]), ..CatalogUpdate::default() }).tools
    };
    assert!(ruled(rule(FileStrategy::PlainTextText)), "agents read an id now");
    let after = catalog.snapshot();
    assert!(!only(&before).reads_like(only(&after)));
    let version = |snapshot: &Snapshot| -> Digest { only(snapshot).tool.as_ref().expect("a tool").version };
    assert_eq!(version(&before), version(&after));
    assert!(
        !ruled(ToolRule { idempotent: Some(true), ..rule(FileStrategy::PlainTextText) }),
        "the same words"
    );
    assert!(only(&after).reads_like(only(&catalog.snapshot())));
    assert!(ruled(rule(FileStrategy::Passthrough)), "back to the server's own");
}

#[test]
fn what_a_server_says_of_its_files_is_exposed_unless_the_operator_says_otherwise() {
    let said = |extra: Value, files: Option<Vec<FileSlot>>| {
        let definition = json!({ "name": "read", "_meta": { EXTRA_META: extra },
            "inputSchema": { "type": "object", "properties": { "text": {}, "file_data": {} } } });
        let catalog = catalog(&definition.to_string(), files);
        let snapshot = catalog.snapshot();
        let schema =
            only(&snapshot).tool.as_ref().and_then(|tool| tool.input_schema.clone()).expect("a schema");
        let schema: Value = schema.decode().expect("JSON");
        schema["properties"].as_object().expect("properties").keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(said(json!({ "file_strategy": "plain_text_text" }), None), ["file_id", "file_data"]);
    let named = json!({ "files": [{ "strategy": "plain_text_text", "argument": "letter" }] });
    assert_eq!(said(named.clone(), None), ["letter", "file_data"]);
    let other = Some(vec![FileSlot::of(FileStrategy::BinaryBase64)]);
    assert_eq!(said(named.clone(), other), ["text", "file_id"]);
    assert_eq!(said(named, Some(Vec::new())), ["text", "file_data"]);
}

#[test]
fn a_strategy_that_does_not_fit_is_told_and_leaves_the_tool_as_it_is() {
    let definition =
        r#"{"name":"read","inputSchema":{"type":"object","properties":{"path":{"type":"string"}}}}"#;
    let files = vec![FileSlot::of(FileStrategy::BinaryBase64)];
    let catalog = catalog(definition, Some(files));
    let snapshot = catalog.snapshot();
    let entry = only(&snapshot);
    assert_eq!(entry.definition().as_str(), definition.replace("read", "docs__read"));
    assert!(entry.tool.as_ref().expect("a tool").handling.files.is_empty(), "no call is expanded");
    let told: Vec<String> = snapshot.misfits.iter().map(|(name, why)| format!("{name}: {why}")).collect();
    assert_snapshot!(told.join("\n"), @r#"docs:read: its schema has no argument "file_data" for the file strategy `binary_base64` to fill"#);
    catalog.update(CatalogUpdate { rules: Some(Vec::new()), ..CatalogUpdate::default() });
    assert_eq!(catalog.snapshot().misfits, [], "it is not told for ever");
}

#[test]
fn of_two_files_the_one_that_fits_is_an_id() {
    let definition =
        r#"{"name":"read","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}"#;
    let files = slots(
        json!([{ "strategy": "plain_text_text" }, { "strategy": "image_base64", "argument": "picture" }]),
    );
    let catalog = catalog(definition, Some(files));
    let snapshot = catalog.snapshot();
    let kept = &only(&snapshot).tool.as_ref().expect("a tool").handling.files;
    assert_eq!(kept.iter().map(|slot| slot.argument.as_str()).collect::<Vec<_>>(), ["file_id"]);
    assert_eq!(snapshot.misfits.len(), 1);
}

#[test]
fn headers_repeat_only_what_agents_give() {
    let definition = json!({ "name": "read", "inputSchema": { "type": "object", "properties": {
        "region": { "type": "string", "x-mcp-header": "Region" },
        "file_type": { "type": "string", "x-mcp-header": "Kind" },
        "file_data": { "type": "string" } } } });
    let headers = |files| {
        let catalog = catalog(&definition.to_string(), files);
        let snapshot = catalog.snapshot();
        only(&snapshot).param_headers.iter().map(|one| one.header.clone()).collect::<Vec<_>>()
    };
    assert_eq!(headers(None), ["Mcp-Param-Region", "Mcp-Param-Kind"]);
    assert_eq!(headers(Some(vec![FileSlot::of(FileStrategy::BinaryBase64)])), ["Mcp-Param-Region"]);
}

#[test]
fn a_tool_of_the_gateway_is_listed_as_it_defines_it() {
    let definition = r#"{"name":"read_ref","description":"d","inputSchema":{"type":"object"}}"#;
    let tool = Tool {
        name: toolgate_core::CanonicalName::recorded("toolgate.refs.read"),
        ..Tool::unread(&docs(), "read_ref")
    };
    let item = RawJson::parse(definition.to_owned().into()).expect("JSON");
    let entry = CatalogEntry::built_in(tool.into(), "read_ref", item);
    assert_eq!(entry.definition().as_str(), definition);
    assert_eq!((entry.canonical.as_str(), entry.own.as_str()), ("toolgate.refs.read", "read_ref"));
    assert!(entry.reads_like(&entry.clone()));
}

#[test]
fn a_schema_that_does_not_say_what_arguments_are_is_completed_and_that_is_told() {
    let written = r#"{"name":"read", "inputSchema":{ "properties":{"a":{"type":"integer"}}},"x":1.10}"#;
    let catalog = catalog(written, None);
    let snapshot = catalog.snapshot();
    let entry = only(&snapshot);
    let schema = r#"{"type":"object", "properties":{"a":{"type":"integer"}}}"#;
    let text = entry.definition().as_str().to_owned();
    assert_eq!(
        serde_json::from_str::<Value>(&text).expect("JSON"),
        json!({ "name": "docs__read", "inputSchema": serde_json::from_str::<Value>(schema).expect("JSON"), "x": 1.10 })
    );
    assert!(text.ends_with(r#","x":1.10}"#), "the rest stays as it was: {text}");
    let tool = entry.tool.as_ref().expect("a tool");
    assert!(tool.input_schema.as_ref().is_some_and(|schema| schema.as_str().contains(r#""type":"object""#)));
    let original = RawJson::parse(written.to_owned().into()).expect("JSON");
    assert_eq!(tool.version, toolgate_core::tool::version_of_text(&original), "it is what the server offers");
    assert_eq!(snapshot.completed.len(), 1);
    assert!(snapshot.completed[0].1.contains("has no `type`"), "{:?}", snapshot.completed);
}

#[test]
fn a_schema_without_a_type_may_take_files_too() {
    let files = slots(json!([{ "strategy": "plain_text_text" }]));
    let catalog =
        catalog(r#"{"name":"read","inputSchema":{"properties":{"text":{"type":"string"}}}}"#, Some(files));
    let snapshot = catalog.snapshot();
    let text = only(&snapshot).definition().as_str().to_owned();
    assert!(text.contains("file_id") && text.contains(r#""type":"object""#), "{text}");
}
