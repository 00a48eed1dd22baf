use super::*;

#[test]
fn what_is_open_is_closed_from_the_inside() {
    let check = |text: &str, expected: &str| {
        assert_eq!(String::from_utf8_lossy(&closing(text.as_bytes())), expected, "{text}");
    };
    check("", "");
    check(r#"{"a":1}"#, "");
    check(r#"{"params":{"files":["x",""#, r#""]}}"#);
    check(r#"{"a":"\"{[","b":[{"c":""#, r#""}]}"#);
    check(r#"{"a":"x\\","b":["#, "]}");
}
