//! The size limits of a document. The caller limits time.

/// Bounds of one document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArticleLimits {
    /// The maximum size of Markdown, HTML, JSON, or a filled template.
    pub input_bytes_max: usize,
    /// The maximum total text, in bytes.
    pub text_bytes_max: usize,
    /// Blocks and list items of all depths.
    pub blocks_max: usize,
    /// Lists and quotes within each other.
    pub depth_max: usize,
    /// The maximum number of cells of all tables. Each costs the typesetter some 20 kB of memory.
    pub cells_max: usize,
    pub columns_max: usize,
    pub pages_max: usize,
    pub pictures_max: usize,
    /// The maximum file size of one picture.
    pub picture_bytes_max: usize,
    /// Width times height: pictures are unpacked to be set.
    pub picture_pixels_max: u64,
}

impl ArticleLimits {
    pub const DEFAULT: Self = Self {
        input_bytes_max: 16 << 20,
        text_bytes_max: 2 << 20,
        blocks_max: 50_000,
        depth_max: 10,
        cells_max: 30_000,
        columns_max: 40,
        pages_max: 2_000,
        pictures_max: 200,
        picture_bytes_max: 8 << 20,
        picture_pixels_max: 40_000_000,
    };
}

impl Default for ArticleLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
