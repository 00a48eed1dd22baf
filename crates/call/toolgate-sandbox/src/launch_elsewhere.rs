//! The launcher for systems without means of confinement. Nothing is started through it.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::Means;

pub fn launch(_plan: &str, _command: &[OsString]) -> ExitCode {
    ExitCode::FAILURE
}

pub fn probe() -> Means {
    Means::none("this system has none")
}
