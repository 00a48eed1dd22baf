//! The console in a real Chromium, used as a person uses it: by the visible text, not by the markup behind
//! it.

mod axe;
mod browser;
mod catalogue;
mod citing;
mod crawl;
mod cutting;
mod deciding;
mod driven;
mod entering;
mod finding;
mod hostile;
mod judges;
mod keeping;
mod keyboard;
mod links;
mod listing;
mod looks;
mod many;
mod markdown;
mod metrics;
mod office;
mod person;
mod pictures;
pub(crate) mod plain;
mod previews;
mod provider;
mod ruling;
mod running;
mod showing;
mod standing;
mod waterfall;
mod webdriver;
mod widths;
mod wire;
