//! The arguments of a call as Cedar values:
//!
//! | JSON | Cedar |
//! |---|---|
//! | string, boolean | `String`, `Bool` |
//! | number where the schema says `integer` | `Long`; too large is the largest |
//! | number where the schema says `number` | `decimal`: four digits, rounded away from zero; too large is the largest |
//! | number where the schema says nothing | `Long` if it is whole, else `decimal` |
//! | array | `Set` |
//! | object | record |
//! | null | left out, as if it were not there |

use cedar_policy::RestrictedExpression;
use serde_json::{Map, Number, Value};

use crate::number::{CedarNumber, decimal_text};
use crate::shape::SchemaShape;
use crate::usage::UsedArguments;

/// The arguments that policies look at, as a record.
pub(crate) fn input(
    arguments: &Map<String, Value>,
    shape: &SchemaShape,
    fields: &UsedArguments,
) -> RestrictedExpression {
    let wanted = arguments.iter().filter(|(name, _)| fields.contains(name));
    record(wanted, shape)
}

fn record<'a>(
    members: impl Iterator<Item = (&'a String, &'a Value)>,
    shape: &SchemaShape,
) -> RestrictedExpression {
    let converted =
        members.filter_map(|(name, value)| Some((name.clone(), convert(value, shape.field(name))?)));
    RestrictedExpression::new_record(converted).expect("a JSON object has each name once")
}

/// The Cedar value of a JSON value; `None` for null.
fn convert(value: &Value, shape: &SchemaShape) -> Option<RestrictedExpression> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(value) => RestrictedExpression::new_bool(*value),
        Value::String(text) => RestrictedExpression::new_string(text.clone()),
        Value::Number(number) => convert_number(number, shape),
        Value::Array(elements) => {
            let element = shape.element();
            RestrictedExpression::new_set(elements.iter().filter_map(|value| convert(value, element)))
        }
        Value::Object(members) => record(members.iter(), shape),
    })
}

fn convert_number(number: &Number, shape: &SchemaShape) -> RestrictedExpression {
    match CedarNumber::of(number, shape) {
        CedarNumber::Long(value) => RestrictedExpression::new_long(value),
        CedarNumber::Decimal(value) => RestrictedExpression::new_decimal(decimal_text(value)),
    }
}

#[cfg(test)]
mod tests {
    use cedar_policy::{Context, EvalResult};
    use serde_json::json;

    use super::*;

    fn shown(arguments: Value, schema: Value) -> String {
        let shape = SchemaShape::of_schema(&schema);
        let record = input(arguments.as_object().unwrap(), &shape, &UsedArguments::All);
        let context = Context::from_pairs([("input".to_owned(), record)]).unwrap();
        let Some(EvalResult::Record(record)) = context.get("input") else { panic!("input is a record") };
        let mut members: Vec<String> = record.iter().map(|(name, value)| format!("{name}={value}")).collect();
        members.sort();
        members.join(" ")
    }

    fn schema(of: Value) -> Value {
        json!({"type": "object", "properties": of})
    }

    #[test]
    fn a_number_has_the_type_its_schema_gives_it() {
        let number = schema(json!({"amount": {"type": "number"}}));
        let integer = schema(json!({"amount": {"type": "integer"}}));
        for (amount, as_number, as_integer, unknown) in [
            (json!(1500), "decimal(\"1500.0000\")", "1500", "1500"),
            (json!(1500.0), "decimal(\"1500.0000\")", "1500", "1500"),
            (json!(1500.5), "decimal(\"1500.5000\")", "1501", "decimal(\"1500.5000\")"),
            (json!(1e300), "decimal(\"922337203685477.5807\")", "9223372036854775807", "9223372036854775807"),
            (
                json!(u64::MAX),
                "decimal(\"922337203685477.5807\")",
                "9223372036854775807",
                "9223372036854775807",
            ),
        ] {
            let arguments = json!({"amount": amount});
            let one = |schema| shown(arguments.clone(), schema);
            assert_eq!(one(number.clone()), format!("amount={as_number}"));
            assert_eq!(one(integer.clone()), format!("amount={as_integer}"));
            assert_eq!(one(json!({})), format!("amount={unknown}"));
        }
    }

    #[test]
    fn numbers_inside_lists_and_objects_follow_the_schema_too() {
        let schema = schema(json!({
            "items": {"type": "array", "items": {"properties": {"price": {"type": "number"}}}},
            "total": {"properties": {"price": {"type": "number"}}},
        }));
        let arguments = json!({"items": [{"price": 2}], "total": {"price": 2, "extra": 2}});
        assert_eq!(
            shown(arguments, schema),
            r#"items=[{"price": decimal("2.0000")}] total={"extra": 2, "price": decimal("2.0000")}"#
        );
    }

    #[test]
    fn null_is_left_out_everywhere() {
        let arguments = json!({"a": null, "b": [null, "x"], "c": {"d": null}, "e": true});
        assert_eq!(shown(arguments, json!({})), "b=[\"x\"] c={} e=true");
    }

    #[test]
    fn only_the_fields_that_policies_look_at_are_converted() {
        let arguments = json!({"a": 1, "b": 2});
        let fields = UsedArguments::Named(["b".to_owned()].into());
        let record = input(arguments.as_object().unwrap(), &SchemaShape::Any, &fields);
        let context = Context::from_pairs([("input".to_owned(), record)]).unwrap();
        assert_eq!(context.get("input").unwrap().to_string(), r#"{"b": 2}"#);
    }
}
