//! Arguments as requests: content types, forms, parts, files, and what is refused.

use serde_json::{Value, json};

use super::{body_text, fits, request, tool_of};
use crate::{ApiTool, BadArguments, FileArgument, FileLabel};

fn tool_for(media_types: &[&str], schema: Value) -> ApiTool {
    let content: serde_json::Map<String, Value> =
        media_types.iter().map(|name| ((*name).to_owned(), json!({ "schema": schema }))).collect();
    tool_of(json!({ "requestBody": { "required": true, "content": content } }), json!({}))
}

#[test]
fn of_several_media_types_the_one_that_says_most_is_sent() {
    let object = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    for (offered, sent) in [
        (&["application/xml", "application/json"][..], "application/json"),
        (&["multipart/form-data", "application/x-www-form-urlencoded"], "application/x-www-form-urlencoded"),
        (&["text/plain", "application/vnd.api+json; version=2"], "application/vnd.api+json; version=2"),
        (
            &["application/json-patch+json", "application/merge-patch+json", "application/json"],
            "application/json",
        ),
        (&["*/*"], "application/json"),
        (&["application/x-custom"], "application/json"),
    ] {
        let sending = match offered {
            ["application/x-custom"] => "application/x-custom",
            _ => sent,
        };
        let made = request(&tool_for(offered, object.clone()), json!({ "a": "x" })).expect("a request");
        assert_eq!(made.body.expect("a body").media_type, sending, "{offered:?}");
    }
}

#[test]
fn a_body_of_properties_is_flat_and_any_other_is_one_argument() {
    let property = json!({ "a": { "type": "string" } });
    for (schema, argument) in [
        (json!({ "type": "object", "properties": property }), "a"),
        (
            json!({ "allOf": [{ "type": "object", "properties": property }, { "properties": { "b": {} } }] }),
            "a",
        ),
        (json!({ "type": "object", "properties": property, "additionalProperties": true }), "body"),
        (json!({ "oneOf": [{ "type": "object", "properties": property }] }), "body"),
        (json!({ "allOf": [{ "properties": property }, { "properties": property }] }), "body"),
        (json!({ "type": "array" }), "body"),
        (json!({ "type": "object" }), "body"),
        (json!({}), "body"),
    ] {
        let tool = tool_for(&["application/json"], schema.clone());
        assert!(tool.input_schema["properties"].get(argument).is_some(), "{schema}: {}", tool.input_schema);
    }
    let tool = tool_for(&["application/json"], json!({ "type": "array", "items": {} }));
    assert_eq!(body_text(&request(&tool, json!({ "body": [1] })).expect("a request")), "[1]");
    assert_eq!(request(&tool, json!({})), Err(BadArguments::Missing { name: "body".to_owned() }));
}

#[test]
fn a_body_that_may_be_left_out_is_whole_or_not_there() {
    let schema = json!({ "type": "object", "required": ["a"], "properties": { "a": {}, "b": {} } });
    let tool = tool_of(
        json!({ "requestBody": { "content": { "application/json": { "schema": schema } } } }),
        json!({}),
    );
    assert!(fits(&tool, &json!({})) && fits(&tool, &json!({ "a": 1 })) && !fits(&tool, &json!({ "b": 1 })));
    assert_eq!(request(&tool, json!({})).expect("a request").body, None);
    assert_eq!(request(&tool, json!({ "b": 1 })), Err(BadArguments::Missing { name: "a".to_owned() }));
}

#[test]
fn forms_repeat_lists_and_write_objects_as_they_are_told() {
    let schema =
        json!({ "type": "object", "properties": { "a": {}, "list": {}, "deep": {}, "json": {}, "csv": {} } });
    let encoding = json!({ "deep": { "style": "deepObject", "explode": true }, "csv": { "explode": false } });
    let content = json!({ "application/x-www-form-urlencoded": { "schema": schema, "encoding": encoding } });
    let tool = tool_of(json!({ "requestBody": { "required": true, "content": content } }), json!({}));
    let arguments = json!({ "a": "x y&z", "list": [1, 2], "deep": { "b": { "c": true } }, "json": { "d": 1 }, "csv": [1, 2] });
    let body = body_text(&request(&tool, arguments).expect("a request"));
    assert_eq!(body, "a=x%20y%26z&list=1&list=2&deep%5Bb%5D%5Bc%5D=true&json=%7B%22d%22%3A1%7D&csv=1,2");
}

#[test]
fn parts_hold_texts_json_and_files() {
    let schema = json!({ "type": "object", "required": ["file"], "properties": {
        "file": { "type": "string", "format": "binary", "description": "the picture" },
        "more": { "type": "array", "items": { "type": "string", "format": "binary" } },
        "name": { "type": "string" }, "meta": { "type": "object" } } });
    let content = json!({ "multipart/form-data": { "schema": schema, "encoding": { "file": { "contentType": "image/png, image/gif" } } } });
    let tool = tool_of(json!({ "requestBody": { "required": true, "content": content } }), json!({}));
    let file = json!({ "type": "string", "contentEncoding": "base64", "contentMediaType": "image/png", "description": "the picture" });
    assert_eq!(tool.input_schema["properties"]["file"], file);
    let files = [("/file", Some("image/png")), ("/more/-", None)];
    let files = files.map(|(pointer, kind)| FileArgument {
        pointer: pointer.to_owned(),
        media_type: kind.map(str::to_owned),
    });
    assert_eq!(tool.plan.files(), files);
    let arguments = json!({ "file": "aGVsbG8=", "more": ["YQ", "Yg=="], "name": "x", "meta": { "a": 1 } });
    let made = request(&tool, arguments.clone()).expect("a request");
    assert_eq!(made, request(&tool, arguments).expect("a request"), "the same arguments make the same bytes");
    let media_type = made.body.as_ref().expect("a body").media_type.clone();
    let boundary = media_type.strip_prefix("multipart/form-data; boundary=").expect("a boundary").to_owned();
    let body = body_text(&made);
    let parts: Vec<&str> = body.split(&format!("--{boundary}")).collect();
    assert_eq!(parts.len(), 7, "{body}");
    assert_eq!(
        parts[1],
        "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"file\"\r\nContent-Type: image/png\r\n\r\nhello\r\n"
    );
    assert!(
        parts[2].ends_with("application/octet-stream\r\n\r\na\r\n") && parts[3].ends_with("\r\n\r\nb\r\n")
    );
    assert_eq!(parts[4], "\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nx\r\n");
    assert!(parts[5].ends_with("Content-Type: application/json\r\n\r\n{\"a\":1}\r\n"));
    assert_eq!(parts[6], "--\r\n");
    assert_eq!(tool.plan.labelled(), ["file", "more"]);
    let label = |name: &str, media_type: &str| FileLabel {
        name: Some(name.to_owned()),
        media_type: Some(media_type.to_owned()),
    };
    let labels = [
        ("file".to_owned(), vec![label("rex \"1\".gif", "image/gif")]),
        ("more".to_owned(), vec![label("", "application/octet-stream"), label("b.txt", "text/plain")]),
    ];
    let arguments = super::object(json!({ "file": "aGVsbG8=", "more": ["YQ", "Yg=="] }));
    let made = body_text(&tool.plan.request_with(&arguments, &labels.into()).expect("a request"));
    for head in [
        "name=\"file\"; filename=\"rex %221%22.gif\"\r\nContent-Type: image/gif",
        "name=\"more\"; filename=\"more\"\r\nContent-Type: application/octet-stream",
        "name=\"more\"; filename=\"b.txt\"\r\nContent-Type: text/plain",
    ] {
        assert!(made.contains(head), "{head}: {made}");
    }
    let bad = request(&tool, json!({ "file": "no base64!" }));
    assert_eq!(bad, Err(BadArguments::Value { name: "file".to_owned(), says: "is not base64" }));
}

#[test]
fn bytes_and_texts_are_sent_as_they_are() {
    let tool = tool_for(&["application/octet-stream"], json!({ "type": "string", "format": "binary" }));
    let made = request(&tool, json!({ "body": "AP8=" })).expect("a request").body.expect("a body");
    assert_eq!(
        (made.media_type.as_str(), made.bytes.as_slice()),
        ("application/octet-stream", &[0, 255][..])
    );
    assert_eq!(tool.plan.files().len(), 1);
    let tool = tool_for(&["application/xml"], json!({ "type": "object", "properties": { "a": {} } }));
    assert_eq!(tool.input_schema["properties"]["body"]["contentMediaType"], "application/xml");
    assert_eq!(body_text(&request(&tool, json!({ "body": "<a/>" })).expect("a request")), "<a/>");
}

#[test]
fn parameters_are_written_in_the_style_that_the_document_names() {
    let parameters = json!([
        { "name": "list", "in": "query", "schema": { "type": "array" } },
        { "name": "pipes", "in": "query", "style": "pipeDelimited", "explode": false, "schema": { "type": "array" } },
        { "name": "filter", "in": "query", "style": "deepObject", "schema": { "type": "object" } },
        { "name": "json", "in": "query", "content": { "application/json": { "schema": { "type": "object" } } } },
        { "name": "X-List", "in": "header", "schema": { "type": "array" } },
        { "name": "sid", "in": "cookie", "schema": { "type": "string" } },
    ]);
    let tool = tool_of(json!({ "parameters": parameters }), json!({}));
    let arguments = json!({ "list": ["a", "b"], "pipes": [1, 2], "filter": { "x": 1 }, "json": { "y": 2 }, "X-List": [1, 2], "sid": "s;t" });
    let made = request(&tool, arguments).expect("a request");
    assert_eq!(
        made.path_and_query,
        "/things?list=a&list=b&pipes=1%7C2&filter%5Bx%5D=1&json=%7B%22y%22%3A2%7D"
    );
    assert_eq!(made.headers, [("X-List".to_owned(), "1,2".to_owned())]);
    assert_eq!(made.cookies, [("sid".to_owned(), "s%3Bt".to_owned())]);
}

#[test]
fn media_types_that_a_server_wants_to_be_told_are_no_arguments() {
    let header = |name: &str, value: &str| json!({ "name": name, "in": "header", "required": true, "schema": { "default": value } });
    let parameters = json!([
        header("Accept", "text/csv"),
        header("Content-Type", "application/json"),
        header("Host", "x")
    ]);
    let tool = tool_of(json!({ "parameters": parameters }), json!({}));
    assert_eq!(tool.input_schema["properties"], json!({}));
    let headers = [("Accept", "text/csv"), ("Content-Type", "application/json")];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(request(&tool, json!({})).expect("a request").headers, headers);
    let content = json!({ "text/plain": { "schema": { "type": "string" } } });
    let tool = tool_of(json!({ "parameters": parameters, "requestBody": { "content": content } }), json!({}));
    assert_eq!(request(&tool, json!({ "body": "a" })).expect("a request").headers, headers[..1]);
}

#[test]
fn arguments_that_would_change_the_request_are_refused() {
    let parameters =
        json!([{ "name": "X-A", "in": "header" }, { "name": "q", "in": "query", "required": true }]);
    let tool = tool_of(json!({ "parameters": parameters }), json!({}));
    for (arguments, says) in [
        (
            json!({ "q": 1, "X-A": "a\r\nHost: evil" }),
            "the argument \"X-A\" has a character that no header can carry",
        ),
        (json!({ "q": 1, "X-A": "é" }), "the argument \"X-A\" has a character that no header can carry"),
        (json!({}), "the argument \"q\" is missing"),
        (json!({ "q": null }), "the argument \"q\" is missing"),
        (json!({ "q": 1, "other": 1 }), "there is no argument \"other\""),
    ] {
        assert_eq!(request(&tool, arguments).map_err(|bad| bad.to_string()), Err(says.to_owned()));
    }
    let paths = json!({ "/a/{b}/c": { "get": {} } });
    let tool = super::document(paths, json!({})).tools().tools.remove(0);
    for bad in ["", ".", ".."] {
        assert!(request(&tool, json!({ "b": bad })).is_err(), "{bad:?}");
    }
    assert_eq!(
        request(&tool, json!({ "b": "../x?y#z" })).expect("one step").path_and_query,
        "/a/..%2Fx%3Fy%23z/c"
    );
}
