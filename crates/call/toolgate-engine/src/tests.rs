//! The link with a stand-in for the engine, `tests/engine.sh`: contents, crashes, time limits, wrong versions, builds.

mod asking;
mod building;
mod kit;
mod starting;
