//! A form for arguments, made from the JSON Schema of a tool: fields for simple parts of the schema, JSON for
//! others. The filled form becomes the arguments again: `read` of what `fields` shows is the value it shows.
//!
//! A field is named by its JSON pointer: `field:/amount`; `json:/amount` if that part is written as JSON;
//! `more:/` plus the pointer for members that the schema does not name. `whole:json` is everything as JSON,
//! which counts if `whole:use` is checked. An empty field is omitted.

mod draw;
mod entry;
mod number;
mod reading;
mod shape;
mod shown;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use maud::Markup;
use serde_json::Value;

use crate::fields::Fields;
use entry::{Filling, Typed};

pub(crate) use shape::{Kind, Node, Shape};
pub(crate) use shown::shown;

/// The errors of fields: by JSON pointer, the empty one being the whole.
pub(crate) type Wrong = BTreeMap<String, String>;

/// Fields for a schema, filled with a value.
pub(crate) fn fields(schema: &Value, value: &Value, wrong: &Wrong) -> Markup {
    draw::form(&Shape::of(schema), &Filling::Value(value), wrong)
}

/// Fields for a schema, with the values that the user typed before.
pub(crate) fn refilled(schema: &Value, typed: &Fields, wrong: &Wrong) -> Markup {
    draw::form(&Shape::of(schema), &Filling::Typed(Typed::of(typed)), wrong)
}

/// The arguments of a form.
pub(crate) fn read(schema: &Value, fields: &Fields) -> Result<Value, Wrong> {
    reading::read(&Shape::of(schema), &Typed::of(fields))
}
