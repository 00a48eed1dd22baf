//! A stream: a list that nobody is asked anything about.

use super::basics::{Checked, must, pointer};
use super::places::placed;
use crate::form::{FileForm, StreamForm};
use crate::words::RequestPlace;

pub(super) fn check(text: &str, file: &FileForm, stream: &StreamForm) -> Checked {
    let says = "a stream has `method` and `path`, or an `operation`";
    must(stream.operation.is_some() != stream.path.is_some(), text, &stream.name, says)?;
    must(stream.path.is_some() == stream.method.is_some(), text, &stream.name, says)?;
    for (name, argument) in &stream.arguments {
        must(argument.constant.is_some(), text, name, "an argument of a stream is a `constant`")?;
        argument.pointer.iter().try_for_each(|one| pointer(text, one))?;
    }
    if let Some(path) = &stream.path {
        placed(text, path, stream.arguments.iter())?;
    }
    pointer(text, &stream.records)?;
    pointer(text, &stream.key)?;
    if let Some(cursor) = &stream.cursor {
        pointer(text, &cursor.pointer)?;
        let fits = matches!(
            cursor.place,
            None | Some(RequestPlace::Query | RequestPlace::Body | RequestPlace::Form)
        );
        must(fits, text, &cursor.pointer, "`place` of a cursor is `query`, `body` or `form`")?;
    }
    match &stream.pagination {
        Some(name) => must(
            file.pagination.contains_key(name),
            text,
            name,
            &format!("there is no `[pagination.{name}]`"),
        ),
        None => Ok(()),
    }
}
