//! Damages documents and passes them to every reader of files. A panic, a hang, or memory beyond its limit is
//! a finding, and its input is kept.

use std::process::ExitCode;

fn main() -> ExitCode {
    damage::main::<capability_fuzz::ServerTarget>()
}
