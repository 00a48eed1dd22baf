//! Chromium's process: which program, with which flags, in which confinement, and that it ends with us.

mod flags;
mod launch;
mod process;
mod program;

pub(crate) use launch::{Launched, SandboxLevel, launch};
pub(crate) use process::ChromiumProcess;
pub(crate) use program::find;
