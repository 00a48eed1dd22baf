//! The desk against a listener that says what each test wants.

mod listener;
mod story;
