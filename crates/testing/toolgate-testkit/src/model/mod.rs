//! A model that follows a script: an HTTP server in the wire formats of providers, streamed, with their faults. It is
//! written from the published formats and shares nothing with the gateway's own translations, checks every request
//! strictly, and records it. Cassettes replay what a real model said.

mod asked;
mod cassette;
mod checks;
mod exchange;
mod format;
mod formats;
mod history;
mod rules;
mod script;
mod sending;
mod server;

pub use asked::{AskedCall, AskedModel, AskedTool, HistoryItem};
pub use cassette::{Cassette, Recording};
pub use format::WireFormat;
pub use rules::script_of_lines;
pub use script::{
    ModelScript, ModelStep, ScriptedAnswer, ScriptedCall, ScriptedPart, StreamEnd, obliging, steps,
};
pub use server::{ModelSettings, ModelSource, ScriptedModel};

#[cfg(test)]
mod tests;
