//! Damages what the gateway reads, without looking at coverage: quick to build, and in the gate.

use std::process::ExitCode;

fn main() -> ExitCode {
    damage::main::<toolgate_fuzz::Target>()
}
