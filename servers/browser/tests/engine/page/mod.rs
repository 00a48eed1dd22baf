//! Pages, as they are seen in a real Chromium.

mod elements;
mod looks;
mod sites;

pub(crate) use sites::answer;
