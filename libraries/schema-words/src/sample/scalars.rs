//! Values without parts, and those that a schema writes out.

use serde_json::{Map, Number, Value, json};

use crate::keywords::count;

/// Texts are not made longer than this.
const TEXT_CHARS_MAX: u64 = 300;
/// Values that a schema lists, as far as they are tried.
const LISTED_MAX: usize = 24;

pub(super) fn values(said: &[&Map<String, Value>]) -> Vec<Value> {
    let mut values = Vec::new();
    for members in said {
        values.extend(members.get("const").cloned());
        for keyword in ["enum", "examples"] {
            let listed = members.get(keyword).and_then(Value::as_array);
            values.extend(listed.into_iter().flatten().take(LISTED_MAX).cloned());
        }
        values.extend(members.get("default").cloned());
    }
    values.extend([
        json!("a"),
        json!(1),
        json!(0),
        json!(-1),
        json!(0.5),
        json!(true),
        json!(false),
        json!(null),
        json!(""),
    ]);
    for members in said {
        for keyword in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"] {
            values.extend(members.get(keyword).and_then(Value::as_number).into_iter().flat_map(around));
        }
        for limit in ["minLength", "maxLength"].iter().filter_map(|keyword| count(members.get(*keyword)?)) {
            let lengths = [limit.saturating_sub(1), limit, limit.saturating_add(1)];
            values.extend(lengths.into_iter().filter(|length| *length <= TEXT_CHARS_MAX).map(text));
        }
    }
    values
}

fn text(length: u64) -> Value {
    "a".repeat(length as usize).into()
}

/// The number itself, and those beside it.
fn around(number: &Number) -> Vec<Value> {
    if let Some(whole) = number.as_i64() {
        let beside = [Some(whole), whole.checked_add(1), whole.checked_sub(1), whole.checked_mul(2)];
        let whole = beside.into_iter().flatten().map(Value::from);
        return whole.chain([Value::from(number.as_f64().unwrap_or_default() + 0.5)]).collect();
    }
    let float = number.as_f64().unwrap_or_default();
    [float, float + 0.5, float - 0.5, float.ceil(), float.floor(), float * 2.0]
        .into_iter()
        .map(Value::from)
        .collect()
}
