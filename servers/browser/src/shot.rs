//! Pictures of a page.

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Shot {
    pub format: ShotFormat,
    /// The whole page instead of what is in view.
    pub full: bool,
    /// A part, in CSS pixels of the main frame's viewport.
    pub clip: Option<Rect>,
    /// 1.0 is one pixel per CSS pixel.
    pub scale: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShotFormat {
    Png,
    /// With a quality from 1 to 100.
    Jpeg(u8),
}

#[derive(Clone, Copy, PartialEq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Default for Shot {
    fn default() -> Self {
        Self { format: ShotFormat::Png, full: false, clip: None, scale: 1.0 }
    }
}
