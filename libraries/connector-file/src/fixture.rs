//! Small files and answers for tests.

use serde_json::{Map, Value};

use crate::action::ConnectorAction;
use crate::file::ConnectorFile;
use crate::stream::ConnectorStream;

pub(crate) const BASE: &str = "https://api.example.com/v1";

pub(crate) const HEAD: &str = r#"schema = 1
provider = "example"
title = "Example"
version = "1"
base_url = "https://api.example.com/v1"
"#;

/// A file with this after its head.
pub(crate) fn file(rest: &str) -> ConnectorFile {
    ConnectorFile::read(&format!("{HEAD}{rest}")).expect("a good file")
}

pub(crate) fn action(rest: &str) -> ConnectorAction {
    let mut actions = file(rest).actions(None).expect("no operations");
    actions.remove(0)
}

pub(crate) fn stream(rest: &str) -> ConnectorStream {
    let mut streams = file(rest).streams(None).expect("no operations");
    streams.remove(0)
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().expect("an object")
}

pub(crate) fn no_headers(_: &str) -> Option<String> {
    None
}

pub(crate) fn headers<const N: usize>(pairs: [(&'static str, &str); N]) -> impl Fn(&str) -> Option<String> {
    let pairs = pairs.map(|(name, value)| (name, value.to_owned()));
    move |name| pairs.iter().find(|(one, _)| one.eq_ignore_ascii_case(name)).map(|(_, value)| value.clone())
}
