//! The mouse.

/// At a point of the main frame's viewport, in CSS pixels.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MouseEvent {
    pub kind: MouseKind,
    pub x: f64,
    pub y: f64,
    pub button: MouseButton,
    /// 2 for the second press of a double click, 3 for the third of a triple click.
    pub count: u32,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum MouseKind {
    Move,
    Press,
    Release,
    Wheel { dx: f64, dy: f64 },
}

/// Keys that are held down while the mouse does something.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HeldKeys {
    pub alt: bool,
    pub control: bool,
    pub meta: bool,
    pub shift: bool,
}

impl HeldKeys {
    /// As Chromium counts them.
    pub(crate) fn bits(self) -> u8 {
        let bits = [self.alt, self.control, self.meta, self.shift].into_iter().enumerate();
        bits.map(|(at, held)| u8::from(held) << at).sum()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MouseButton {
    #[default]
    None,
    Left,
    Middle,
    Right,
}
