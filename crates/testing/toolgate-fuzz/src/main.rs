//! Damages the gateway's inputs, without coverage guidance: quick to build, and part of the gate.

use std::process::ExitCode;

fn main() -> ExitCode {
    damage::main::<toolgate_fuzz::GatewayTarget>()
}
