//! Numbers compared exactly, whether they were written as whole ones or not.

use std::cmp::Ordering;

use serde_json::Number;

/// Beyond this, a number is only known as a float; whole numbers of JSON text are far below.
const WHOLE_MAX: f64 = 1e30;

enum ExactNumber {
    Whole(i128),
    /// Not whole, or too large to say.
    Float(f64),
}

fn exact(number: &Number) -> ExactNumber {
    if let Some(whole) = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from)) {
        return ExactNumber::Whole(whole);
    }
    let float = number.as_f64().unwrap_or_default();
    match float.fract() == 0.0 && float.abs() < WHOLE_MAX {
        true => ExactNumber::Whole(float as i128),
        false => ExactNumber::Float(float),
    }
}

pub(crate) fn compare(one: &Number, other: &Number) -> Ordering {
    match (exact(one), exact(other)) {
        (ExactNumber::Whole(one), ExactNumber::Whole(other)) => one.cmp(&other),
        (ExactNumber::Whole(one), ExactNumber::Float(other)) => whole_to_float(one, other),
        (ExactNumber::Float(one), ExactNumber::Whole(other)) => whole_to_float(other, one).reverse(),
        (ExactNumber::Float(one), ExactNumber::Float(other)) => one.total_cmp(&other),
    }
}

/// The float is not whole, or farther out than every whole number here.
fn whole_to_float(whole: i128, float: f64) -> Ordering {
    if float.abs() >= WHOLE_MAX {
        return if float > 0.0 { Ordering::Less } else { Ordering::Greater };
    }
    if whole <= float.floor() as i128 { Ordering::Less } else { Ordering::Greater }
}

pub(crate) fn is_whole(number: &Number) -> bool {
    match exact(number) {
        ExactNumber::Whole(_) => true,
        ExactNumber::Float(float) => float.fract() == 0.0,
    }
}

/// The number itself, if it is whole and not huge.
pub(crate) fn whole(number: &Number) -> Option<i128> {
    match exact(number) {
        ExactNumber::Whole(whole) => Some(whole),
        ExactNumber::Float(_) => None,
    }
}

/// An end of a range: the number, and whether it belongs to the range.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    pub(crate) number: Number,
    pub(crate) is_open: bool,
}

impl Bound {
    /// The least whole number at or above a lower bound.
    pub(crate) fn first_whole(&self) -> Option<i128> {
        match exact(&self.number) {
            ExactNumber::Whole(whole) => Some(if self.is_open { whole + 1 } else { whole }),
            ExactNumber::Float(float) if float.abs() < WHOLE_MAX => Some(float.ceil() as i128),
            ExactNumber::Float(_) => None,
        }
    }

    /// The greatest whole number at or below an upper bound.
    pub(crate) fn last_whole(&self) -> Option<i128> {
        match exact(&self.number) {
            ExactNumber::Whole(whole) => Some(if self.is_open { whole - 1 } else { whole }),
            ExactNumber::Float(float) if float.abs() < WHOLE_MAX => Some(float.floor() as i128),
            ExactNumber::Float(_) => None,
        }
    }

    /// True if every number on the inner side of this lower bound is on that of the other.
    pub(crate) fn is_at_least(&self, other: &Bound) -> bool {
        match compare(&self.number, &other.number) {
            Ordering::Greater => true,
            Ordering::Equal => self.is_open || !other.is_open,
            Ordering::Less => false,
        }
    }

    /// The same for upper bounds.
    pub(crate) fn is_at_most(&self, other: &Bound) -> bool {
        match compare(&self.number, &other.number) {
            Ordering::Less => true,
            Ordering::Equal => self.is_open || !other.is_open,
            Ordering::Greater => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn number(value: Value) -> Number {
        value.as_number().expect("a number").clone()
    }

    #[test]
    fn numbers_are_compared_by_value_without_rounding() {
        let order = |one: Value, other: Value| compare(&number(one), &number(other));
        assert_eq!(order(json!(1), json!(1.0)), Ordering::Equal);
        assert_eq!(order(json!(1), json!(1.5)), Ordering::Less);
        assert_eq!(order(json!(-1), json!(-1.5)), Ordering::Greater);
        // As floats these two are the same.
        assert_eq!(
            order(json!(9_007_199_254_740_993_u64), json!(9_007_199_254_740_992.0)),
            Ordering::Greater
        );
        assert_eq!(order(json!(u64::MAX), json!(1e300)), Ordering::Less);
        assert_eq!(order(json!(i64::MIN), json!(-1e300)), Ordering::Greater);
    }

    #[test]
    fn whole_numbers_within_a_bound_are_counted_from_its_inner_side() {
        let bound = |value: Value, is_open| Bound { number: number(value), is_open };
        assert_eq!(bound(json!(1), true).first_whole(), Some(2));
        assert_eq!(bound(json!(1.2), true).first_whole(), Some(2));
        assert_eq!(bound(json!(1.2), false).last_whole(), Some(1));
        assert_eq!(bound(json!(3.0), true).last_whole(), Some(2));
        assert!(is_whole(&number(json!(1e300))) && !is_whole(&number(json!(0.5))));
    }
}
