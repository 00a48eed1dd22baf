//! Numbers as a model pays for them.

/// Two places.
pub(crate) fn two(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// One place.
pub(crate) fn one(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}
