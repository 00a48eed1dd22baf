//! The styles in which parameters write lists and objects: simple, label, matrix, form, delimited, and deep objects.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};

/// Everything but the characters that are never reserved.
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// The characters that may stand for themselves in a query if the document says so, without those that would end a value.
const RESERVED_TOO: &AsciiSet = &UNRESERVED
    .remove(b':')
    .remove(b'/')
    .remove(b'?')
    .remove(b'@')
    .remove(b'!')
    .remove(b'$')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b',')
    .remove(b';');

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ParameterStyle {
    Simple,
    Label,
    Matrix,
    Form,
    SpaceDelimited,
    PipeDelimited,
    DeepObject,
}

/// How a value is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ValueForm {
    Styled {
        style: ParameterStyle,
        explode: bool,
        allow_reserved: bool,
    },
    /// As the text of JSON.
    Json,
}

impl ParameterStyle {
    pub(crate) fn parse(name: &str) -> Option<ParameterStyle> {
        Some(match name {
            "simple" => ParameterStyle::Simple,
            "label" => ParameterStyle::Label,
            "matrix" => ParameterStyle::Matrix,
            "form" => ParameterStyle::Form,
            "spaceDelimited" => ParameterStyle::SpaceDelimited,
            "pipeDelimited" => ParameterStyle::PipeDelimited,
            "deepObject" => ParameterStyle::DeepObject,
            _ => return None,
        })
    }
}

/// The text of a scalar; of anything else, its JSON.
pub(super) fn text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        Value::Null => Cow::Borrowed(""),
        other => Cow::Owned(other.to_string()),
    }
}

fn encoded(value: &str) -> String {
    utf8_percent_encode(value, UNRESERVED).to_string()
}

/// What stands for a template in a path.
pub(super) fn segment(form: &ValueForm, name: &str, value: &Value) -> String {
    let ValueForm::Styled { style, explode, .. } = *form else { return encoded(&value.to_string()) };
    let name = encoded(name);
    let key_value = if explode { '=' } else { ',' };
    let plain = |value: &Value| encoded(&text(value));
    match (style, value) {
        (ParameterStyle::Label, Value::Array(items)) => {
            prefixed(".", &joined(items.iter().map(plain), if explode { "." } else { "," }))
        }
        (ParameterStyle::Label, Value::Object(members)) => {
            prefixed(".", &members_joined(members, key_value, if explode { "." } else { "," }, plain))
        }
        (ParameterStyle::Label, scalar) => format!(".{}", plain(scalar)),
        (ParameterStyle::Matrix, Value::Array(items)) if explode => {
            items.iter().map(|item| format!(";{name}={}", plain(item))).collect()
        }
        (ParameterStyle::Matrix, Value::Array(items)) => {
            prefixed(&format!(";{name}="), &joined(items.iter().map(plain), ","))
        }
        (ParameterStyle::Matrix, Value::Object(members)) if explode => {
            prefixed(";", &members_joined(members, '=', ";", plain))
        }
        (ParameterStyle::Matrix, Value::Object(members)) => {
            prefixed(&format!(";{name}="), &members_joined(members, ',', ",", plain))
        }
        (ParameterStyle::Matrix, scalar) => format!(";{name}={}", plain(scalar)),
        (_, Value::Array(items)) => joined(items.iter().map(plain), ","),
        (_, Value::Object(members)) => members_joined(members, key_value, ",", plain),
        (_, scalar) => plain(scalar),
    }
}

/// The value of a header, which is not encoded.
pub(super) fn header(form: &ValueForm, value: &Value) -> String {
    let ValueForm::Styled { explode, .. } = *form else { return value.to_string() };
    let plain = |value: &Value| text(value).into_owned();
    match value {
        Value::Array(items) => joined(items.iter().map(plain), ","),
        Value::Object(members) => members_joined(members, if explode { '=' } else { ',' }, ",", plain),
        scalar => plain(scalar),
    }
}

/// Names and values of a query, a form or cookies, encoded.
pub(super) fn pairs(form: &ValueForm, name: &str, value: &Value) -> Vec<(String, String)> {
    let ValueForm::Styled { style, explode, allow_reserved } = *form else {
        return vec![(encoded(name), encoded(&value.to_string()))];
    };
    let set = if allow_reserved { RESERVED_TOO } else { UNRESERVED };
    let plain = |value: &Value| utf8_percent_encode(&text(value), set).to_string();
    let delimiter = match style {
        ParameterStyle::SpaceDelimited => "%20",
        ParameterStyle::PipeDelimited => "%7C",
        _ => ",",
    };
    match value {
        Value::Object(members) if style == ParameterStyle::DeepObject => {
            let mut pairs = Vec::new();
            for (key, member) in members {
                deep(&format!("{name}[{key}]"), member, set, &mut pairs);
            }
            pairs
        }
        Value::Array(items) if style == ParameterStyle::DeepObject => {
            let mut pairs = Vec::new();
            deep_items(name, items, set, &mut pairs);
            pairs
        }
        Value::Array(items) if explode => items.iter().map(|item| (encoded(name), plain(item))).collect(),
        Value::Array(items) if items.is_empty() => Vec::new(),
        Value::Array(items) => vec![(encoded(name), joined(items.iter().map(plain), delimiter))],
        Value::Object(members) if explode => {
            members.iter().map(|(key, member)| (encoded(key), plain(member))).collect()
        }
        Value::Object(members) if members.is_empty() => Vec::new(),
        Value::Object(members) => {
            let flat = members.iter().flat_map(|(key, member)| [encoded(key), plain(member)]);
            vec![(encoded(name), joined(flat, delimiter))]
        }
        scalar => vec![(encoded(name), plain(scalar))],
    }
}

fn deep(name: &str, value: &Value, set: &'static AsciiSet, pairs: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                deep(&format!("{name}[{key}]"), member, set, pairs);
            }
        }
        Value::Array(items) => deep_items(name, items, set, pairs),
        Value::Null => {}
        scalar => pairs.push((encoded(name), utf8_percent_encode(&text(scalar), set).to_string())),
    }
}

/// Items have their numbers, so that objects among them stay whole.
fn deep_items(name: &str, items: &[Value], set: &'static AsciiSet, pairs: &mut Vec<(String, String)>) {
    for (index, item) in items.iter().enumerate() {
        deep(&format!("{name}[{index}]"), item, set, pairs);
    }
}

/// An empty list or object leaves nothing, not even the sign that would stand before it.
fn prefixed(prefix: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{prefix}{text}") }
}

fn joined(texts: impl Iterator<Item = String>, delimiter: &str) -> String {
    texts.collect::<Vec<String>>().join(delimiter)
}

fn members_joined(
    members: &Map<String, Value>,
    key_value: char,
    delimiter: &str,
    plain: impl Fn(&Value) -> String,
) -> String {
    let pair = |(key, member): (&String, &Value)| {
        format!("{}{key_value}{}", plain(&Value::String(key.clone())), plain(member))
    };
    joined(members.iter().map(pair), delimiter)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn form(style: ParameterStyle, explode: bool) -> ValueForm {
        ValueForm::Styled { style, explode, allow_reserved: false }
    }

    fn query(form: &ValueForm, value: &Value) -> String {
        let pairs = pairs(form, "color", value).into_iter().map(|(name, value)| format!("{name}={value}"));
        pairs.collect::<Vec<_>>().join("&")
    }

    #[test]
    fn paths_are_written_as_the_table_of_styles_says() {
        let (list, object) = (json!(["blue", "black"]), json!({ "R": 100, "G": 200 }));
        for (style, explode, of_scalar, of_list, of_object) in [
            (ParameterStyle::Simple, false, "blue", "blue,black", "R,100,G,200"),
            (ParameterStyle::Simple, true, "blue", "blue,black", "R=100,G=200"),
            (ParameterStyle::Label, false, ".blue", ".blue,black", ".R,100,G,200"),
            (ParameterStyle::Label, true, ".blue", ".blue.black", ".R=100.G=200"),
            (ParameterStyle::Matrix, false, ";color=blue", ";color=blue,black", ";color=R,100,G,200"),
            (ParameterStyle::Matrix, true, ";color=blue", ";color=blue;color=black", ";R=100;G=200"),
        ] {
            let form = form(style, explode);
            let written = [&json!("blue"), &list, &object].map(|value| segment(&form, "color", value));
            assert_eq!(written, [of_scalar, of_list, of_object], "{style:?} {explode}");
        }
    }

    #[test]
    fn queries_are_written_as_the_table_of_styles_says() {
        let (list, object) = (json!(["blue", "black"]), json!({ "R": 100, "G": 200 }));
        for (style, explode, of_list, of_object) in [
            (ParameterStyle::Form, true, "color=blue&color=black", "R=100&G=200"),
            (ParameterStyle::Form, false, "color=blue,black", "color=R,100,G,200"),
            (ParameterStyle::SpaceDelimited, false, "color=blue%20black", "color=R%20100%20G%20200"),
            (ParameterStyle::PipeDelimited, false, "color=blue%7Cblack", "color=R%7C100%7CG%7C200"),
            (ParameterStyle::PipeDelimited, true, "color=blue&color=black", "R=100&G=200"),
        ] {
            let form = form(style, explode);
            assert_eq!(
                [query(&form, &list), query(&form, &object)],
                [of_list, of_object],
                "{style:?} {explode}"
            );
        }
        assert_eq!(
            query(&form(ParameterStyle::Form, true), &json!("a b&c=d/é")),
            "color=a%20b%26c%3Dd%2F%C3%A9"
        );
        assert_eq!(query(&form(ParameterStyle::Form, false), &json!([])), "");
        assert_eq!(query(&ValueForm::Json, &json!({ "a": 1 })), "color=%7B%22a%22%3A1%7D");
    }

    #[test]
    fn deep_objects_name_each_step() {
        let form = form(ParameterStyle::DeepObject, true);
        let value = json!({ "a": 1, "b": { "c": "x" }, "d": ["y", { "e": true }], "f": null });
        let written = query(&form, &value).replace("%5B", "[").replace("%5D", "]");
        assert_eq!(written, "color[a]=1&color[b][c]=x&color[d][0]=y&color[d][1][e]=true");
    }

    #[test]
    fn reserved_characters_stay_where_they_are_allowed_but_end_no_value() {
        let form = ValueForm::Styled { style: ParameterStyle::Form, explode: true, allow_reserved: true };
        assert_eq!(query(&form, &json!("a/b:c&d#e")), "color=a/b:c%26d%23e");
    }

    #[test]
    fn headers_are_written_in_simple_style() {
        let form = form(ParameterStyle::Simple, false);
        assert_eq!(header(&form, &json!(["a b", 2])), "a b,2");
        assert_eq!(header(&ValueForm::Json, &json!([1])), "[1]");
    }
}
