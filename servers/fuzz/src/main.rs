//! Damages documents and gives them to everything that reads files. A panic, a hang, or memory beyond its limit is a finding,
//! and the input that did it is kept.

use std::process::ExitCode;

fn main() -> ExitCode {
    damage::main::<capability_fuzz::Target>()
}
