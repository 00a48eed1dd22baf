//! Keys by their names, with modifiers.

use std::str::FromStr;

use capability_kit::Trouble;

/// `Enter`, `a`, `Control+A`, `Shift+Tab`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyChord {
    modifiers: u8,
}

impl FromStr for KeyChord {
    type Err = Trouble;

    fn from_str(_text: &str) -> Result<Self, Trouble> {
        todo!()
    }
}
