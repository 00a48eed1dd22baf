//! Facts about requests.

use serde_json::{Value, json};

use super::*;

fn value(place: RequestPlace, name: &str, value: Value, encode: Option<Encoding>) -> PlacedValue {
    let mut placed = PlacedValue::plain(place, name, value);
    placed.encode = encode;
    placed
}

fn made(path: &str, values: &[PlacedValue]) -> Result<ApiRequest, BadActionArguments> {
    request(Method::Post, path, &[("Accept".to_owned(), "a/b".to_owned())], values)
}

fn sent(values: &[PlacedValue]) -> (String, String) {
    let body = made("/t", values).expect("a request").body.expect("a body");
    (body.media_type, String::from_utf8(body.bytes).expect("text"))
}

#[test]
fn paths_are_filled_with_what_cannot_leave_its_place() {
    let fill = |path: &str, text: Value, encode: Option<Encoding>| {
        made(path, &[value(RequestPlace::Path, "id", text, encode)]).map(|request| request.path_and_query)
    };
    assert_eq!(fill("/t/{id}/x", json!("a/b c?d#e%"), None).as_deref(), Ok("/t/a%2Fb%20c%3Fd%23e%25/x"));
    assert_eq!(fill("/t/{id}", json!(7), None).as_deref(), Ok("/t/7"));
    assert_eq!(fill("/t/{id}", json!("/src/a b.rs"), Some(Encoding::Path)).as_deref(), Ok("/t/src/a%20b.rs"));
    assert_eq!(fill("/t/{id}", json!(""), Some(Encoding::Path)).as_deref(), Ok("/t/"));
    for bad in [json!(""), json!("."), json!(".."), json!({})] {
        assert!(fill("/t/{id}", bad.clone(), None).is_err(), "{bad}");
    }
    for bad in ["../secrets", "a/../../b", "a/./b"] {
        assert!(fill("/t/{id}", json!(bad), Some(Encoding::Path)).is_err(), "{bad}");
    }
    assert_eq!(made("/t/{id}", &[]).err(), Some(BadActionArguments::Missing("id".to_owned())));
}

#[test]
fn lists_in_a_query_are_repeated_or_joined() {
    let query = |list: Value, encode: Option<Encoding>| {
        made("/t", &[value(RequestPlace::Query, "q", list, encode)]).map(|request| request.path_and_query)
    };
    assert_eq!(query(json!(["a", 1, true]), None).as_deref(), Ok("/t?q=a&q=1&q=true"));
    assert_eq!(query(json!(["a", "b c"]), Some(Encoding::Comma)).as_deref(), Ok("/t?q=a%2Cb%20c"));
    assert_eq!(query(json!({ "a": 1 }), Some(Encoding::Json)).as_deref(), Ok("/t?q=%7B%22a%22%3A1%7D"));
    assert_eq!(query(json!("hi"), Some(Encoding::Base64)).as_deref(), Ok("/t?q=aGk%3D"));
    assert!(query(json!([["a"]]), None).is_err());
    assert!(query(json!({ "a": 1 }), None).is_err());
}

#[test]
fn a_header_replaces_that_of_the_file_and_has_no_control_characters() {
    let set = made("/t", &[value(RequestPlace::Header, "ACCEPT", json!("c/d"), None)]).expect("a request");
    assert_eq!(set.headers, [("ACCEPT".to_owned(), "c/d".to_owned())]);
    let split = made("/t", &[value(RequestPlace::Header, "X-A", json!("a\r\nX-B: c"), None)]);
    assert_eq!(split.err(), Some(BadActionArguments::refused("X-A", "may not have control characters")));
}

#[test]
fn bodies_are_json_forms_parts_or_bytes() {
    let json_body = sent(&[
        value(RequestPlace::Body, "/a/b", json!([1]), None),
        value(RequestPlace::Body, "c", json!({ "d": 1 }), Some(Encoding::Json)),
    ]);
    assert_eq!(
        json_body,
        ("application/json; charset=utf-8".to_owned(), r#"{"a":{"b":[1]},"c":"{\"d\":1}"}"#.to_owned())
    );
    let form = sent(&[value(RequestPlace::Form, "a", json!(["x&y", "z"]), None)]);
    assert_eq!(form, ("application/x-www-form-urlencoded".to_owned(), "a=x%26y&a=z".to_owned()));
    let raw = sent(&[value(RequestPlace::Raw, "f", json!("aGVsbG8="), Some(Encoding::Bytes))]);
    assert_eq!(raw, ("application/octet-stream".to_owned(), "hello".to_owned()));
    assert_eq!(made("/t", &[]).expect("a request").body, None);
}

#[test]
fn parts_are_the_same_bytes_for_the_same_values() {
    let mut file = value(RequestPlace::Multipart, "f", json!("aGVsbG8="), Some(Encoding::Bytes));
    file.file_name = Some("a\"b.txt".to_owned());
    let values = [value(RequestPlace::Multipart, "note", json!("hi"), None), file];
    let (media_type, text) = sent(&values);
    let boundary = media_type.strip_prefix("multipart/form-data; boundary=").expect("a boundary");
    let expected = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nhi\r\n\
         --{boundary}\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a%22b.txt\"\r\n\
         Content-Type: application/octet-stream\r\n\r\nhello\r\n--{boundary}--\r\n"
    );
    assert_eq!(text, expected);
    assert_eq!(sent(&values).0, media_type);
}
