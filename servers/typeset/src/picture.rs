//! Pictures inside a document: PNG or JPEG, checked before anything else looks at them.

use std::fmt;
use std::io::Cursor;

use image::{ImageFormat, ImageReader};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::TypesetError;
use crate::limits::ArticleLimits;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PictureKind {
    Png,
    Jpeg,
}

/// A picture that unpacks to the size in its header.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    bytes: Vec<u8>,
    kind: PictureKind,
    width: u32,
    height: u32,
}

impl Picture {
    /// Unpacks it once, within limits, so that a broken one is found here and not in the middle of a page.
    pub fn new(bytes: Vec<u8>) -> Result<Self, TypesetError> {
        let kind = kind_of(&bytes)?;
        let (width, height) = size_of(&bytes)?;
        let mut reader = reader_of(&bytes)?;
        let mut limits = image::Limits::default();
        limits.max_alloc = Some(ArticleLimits::DEFAULT.picture_pixels_max * 8);
        reader.limits(limits);
        reader.decode().map_err(|error| wrong(format!("it is damaged ({error})")))?;
        Ok(Self { bytes, kind, width, height })
    }

    /// From Base64 with or without line breaks and padding, or a `data:` URL.
    pub fn from_base64(text: &str) -> Result<Self, TypesetError> {
        let data = match text.strip_prefix("data:") {
            Some(url) => url.split_once(',').map_or(url, |(_, data)| data),
            None => text,
        };
        let packed: Vec<u8> =
            data.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=').collect();
        if packed.len() / 4 * 3 > ArticleLimits::DEFAULT.picture_bytes_max {
            return Err(TypesetError::TooLarge {
                what: "a picture with bytes",
                limit: ArticleLimits::DEFAULT.picture_bytes_max,
            });
        }
        let bytes = base64_simd::STANDARD_NO_PAD.decode_to_vec(&packed);
        Self::new(bytes.map_err(|_| wrong("it is not Base64".to_owned()))?)
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn kind(&self) -> PictureKind {
        self.kind
    }

    /// Width and height in pixels.
    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    pub fn media_type(&self) -> &'static str {
        match self.kind {
            PictureKind::Png => "image/png",
            PictureKind::Jpeg => "image/jpeg",
        }
    }

    pub fn data_url(&self) -> String {
        format!("data:{};base64,{}", self.media_type(), base64_simd::STANDARD.encode_to_string(&self.bytes))
    }

    /// Displayed width and height in points: its own size at 96 dots per inch, reduced to fit.
    pub(crate) fn fit(&self, width_max: f64, height_max: f64) -> (f64, f64) {
        let (width, height) = (f64::from(self.width) * 0.75, f64::from(self.height) * 0.75);
        let scale = (width_max / width).min(height_max / height).min(1.0);
        (width * scale, height * scale)
    }
}

fn wrong(why: String) -> TypesetError {
    TypesetError::Picture { why }
}

fn kind_of(bytes: &[u8]) -> Result<PictureKind, TypesetError> {
    if bytes.len() > ArticleLimits::DEFAULT.picture_bytes_max {
        return Err(TypesetError::TooLarge {
            what: "a picture with bytes",
            limit: ArticleLimits::DEFAULT.picture_bytes_max,
        });
    }
    match image::guess_format(bytes) {
        Ok(ImageFormat::Png) => Ok(PictureKind::Png),
        Ok(ImageFormat::Jpeg) => Ok(PictureKind::Jpeg),
        _ => Err(wrong("it is neither PNG nor JPEG".to_owned())),
    }
}

/// From the header, before anything is unpacked.
fn size_of(bytes: &[u8]) -> Result<(u32, u32), TypesetError> {
    let size = reader_of(bytes)?.into_dimensions();
    let (width, height) = size.map_err(|error| wrong(format!("it is damaged ({error})")))?;
    let pixels_max = ArticleLimits::DEFAULT.picture_pixels_max;
    match u64::from(width) * u64::from(height) {
        0 => Err(wrong("it has no size".to_owned())),
        pixels if pixels > pixels_max => {
            Err(wrong(format!("it has {width} × {height} pixels, more than {pixels_max}")))
        }
        _ => Ok((width, height)),
    }
}

fn reader_of(bytes: &[u8]) -> Result<ImageReader<Cursor<&[u8]>>, TypesetError> {
    ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(|error| wrong(error.to_string()))
}

impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Picture({:?}, {} × {}, {} bytes)", self.kind, self.width, self.height, self.bytes.len())
    }
}

impl Serialize for Picture {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&base64_simd::STANDARD.encode_to_string(&self.bytes))
    }
}

impl<'de> Deserialize<'de> for Picture {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::from_base64(&text).map_err(D::Error::custom)
    }
}

impl JsonSchema for Picture {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Picture".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "description": "A PNG or JPEG in Base64.", "contentEncoding": "base64" })
    }
}
