//! The wall clock: expiry times are seconds since 1970.

pub(crate) use toolgate_store::clock::now_ms;

pub(crate) fn now_seconds() -> u64 {
    toolgate_store::clock::since_1970().as_secs()
}
