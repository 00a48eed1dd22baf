//! What is seen of pages, in a real Chromium.

mod elements;
mod looks;
mod sites;

pub(crate) use sites::answer;
