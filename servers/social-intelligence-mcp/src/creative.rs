//! Pictures of advertisements: colours, contrast of their text, faces, and where things stand.

mod contrast;
mod faces;
mod layout;
mod palette;

pub use contrast::{LineContrast, contrast_ratio, line_contrast};
pub use faces::{FaceDetector, FaceError, FoundFace};
pub use layout::{PicturePlace, covered_share, place_of};
pub use palette::{PaletteColour, colourfulness, palette};
