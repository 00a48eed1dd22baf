//! One target of `capability-fuzz` under libFuzzer: the variable `FUZZ_TARGET` says which.
#![no_main]

use std::sync::LazyLock;

use clap::ValueEnum;
use libfuzzer_sys::fuzz_target;
use damage::FuzzTarget as _;
use capability_fuzz::ServerTarget;

static TARGET: LazyLock<ServerTarget> = LazyLock::new(|| {
    let name = std::env::var("FUZZ_TARGET").expect("FUZZ_TARGET names a target");
    ServerTarget::from_str(&name, false).expect("FUZZ_TARGET is one of the targets")
});

fuzz_target!(|input: &[u8]| TARGET.try_one(input));
