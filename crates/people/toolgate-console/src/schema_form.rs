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

use crate::fields::FormFields;
use entry::{FormContent, TypedFields};

pub(crate) use shape::{ControlKind, FormNode, FormShape};
pub(crate) use shown::shown;

/// The errors of fields: by JSON pointer, the empty one being the whole.
pub(crate) type FieldErrors = BTreeMap<String, String>;

/// Fields for a schema, filled with a value.
pub(crate) fn fields(schema: &Value, value: &Value, wrong: &FieldErrors) -> Markup {
    draw::form(&FormShape::of(schema), &FormContent::Value(value), wrong)
}

/// Fields for a schema, with the values that the user typed before.
pub(crate) fn refilled(schema: &Value, typed: &FormFields, wrong: &FieldErrors) -> Markup {
    draw::form(&FormShape::of(schema), &FormContent::Typed(TypedFields::of(typed)), wrong)
}

/// The arguments of a form.
pub(crate) fn read(schema: &Value, fields: &FormFields) -> Result<Value, FieldErrors> {
    reading::read(&FormShape::of(schema), &TypedFields::of(fields))
}
