//! Keywords of numbers and texts.

use serde_json::{Number, Value};

use super::conjunction::Conjunction;
use crate::equality::is_same;
use crate::judge::is_open_pattern;
use crate::keywords::count;
use crate::kinds::ValueKind;
use crate::numbers::{self, Bound};

pub(super) fn holds_for_numbers(
    case: &Conjunction<'_>,
    kind: ValueKind,
    keyword: &str,
    rule: &Value,
) -> bool {
    let bound = |is_open| rule.as_number().map(|number| Bound { number: number.clone(), is_open });
    match keyword {
        "minimum" => bound(false).is_some_and(|bound| holds_below(case, kind, &bound)),
        "exclusiveMinimum" => bound(true).is_some_and(|bound| holds_below(case, kind, &bound)),
        "maximum" => bound(false).is_some_and(|bound| holds_above(case, kind, &bound)),
        "exclusiveMaximum" => bound(true).is_some_and(|bound| holds_above(case, kind, &bound)),
        "multipleOf" => rule.as_number().is_some_and(|step| holds_step(case, kind, step)),
        _ => true,
    }
}

/// Whole numbers begin at the first one within the bound: more than 1 is at least 2.
fn holds_below(case: &Conjunction<'_>, kind: ValueKind, wide: &Bound) -> bool {
    let Some(own) = case.lower() else { return false };
    let by_whole = || Some(own.first_whole()? >= wide.first_whole()?);
    own.is_at_least(wide) || kind == ValueKind::Whole && by_whole() == Some(true)
}

fn holds_above(case: &Conjunction<'_>, kind: ValueKind, wide: &Bound) -> bool {
    let Some(own) = case.upper() else { return false };
    let by_whole = || Some(own.last_whole()? <= wide.last_whole()?);
    own.is_at_most(wide) || kind == ValueKind::Whole && by_whole() == Some(true)
}

fn holds_step(case: &Conjunction<'_>, kind: ValueKind, wide: &Number) -> bool {
    let has_same = case.steps().any(|own| is_same(own, &Value::Number(wide.clone())));
    let by_whole = || {
        let step = numbers::whole(wide).filter(|step| *step != 0)?;
        let divides = |own: &Value| {
            let own = own.as_number().and_then(numbers::whole);
            own.is_some_and(|own| own != 0 && own % step == 0)
        };
        Some(step.abs() == 1 || case.steps().any(divides))
    };
    has_same || kind == ValueKind::Whole && by_whole() == Some(true)
}

pub(super) fn holds_for_texts(case: &Conjunction<'_>, keyword: &str, rule: &Value) -> bool {
    match keyword {
        "minLength" => count(rule).is_some_and(|least| case.least(keyword) >= least),
        "maxLength" => count(rule).is_some_and(|most| case.most(keyword) <= most),
        "pattern" => rule.as_str().is_some_and(is_open_pattern) || case.has_same(keyword, rule),
        // Values are checked against formats here, so one that is new narrows.
        "format" => case.has_same(keyword, rule),
        _ => true,
    }
}
