//! JSON that is carried, not understood: text that is known to be one valid JSON value, kept byte for byte.
//!
//! Typed decoding drops unknown fields and rewrites numbers, so nothing that a server or an agent sent is
//! decoded further than routing needs.

use std::fmt;

use bytes::Bytes;
use bytestring::ByteString;
use serde_json::value::RawValue;

/// One valid JSON value inside a longer text, borrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raw<'a>(&'a str);

impl<'a> Raw<'a> {
    /// `text` must be exactly one JSON value, as a scanner has found it.
    pub fn found(text: &'a str) -> Self {
        debug_assert!(serde_json::from_str::<&RawValue>(text).is_ok(), "not one JSON value: {text}");
        Self(text)
    }

    pub fn get(self) -> &'a str {
        self.0
    }

    pub fn is_object(self) -> bool {
        self.0.starts_with('{')
    }
}

/// One valid JSON value as the bytes it arrived in. Cloning is cheap: the buffer is shared.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RawJson(ByteString);

impl RawJson {
    /// The empty object, `{}`.
    pub const EMPTY: RawJson = RawJson(ByteString::from_static("{}"));

    /// Checks that `bytes` is exactly one JSON value and keeps them.
    pub fn parse(bytes: Bytes) -> Result<Self, serde_json::Error> {
        let _: &RawValue = serde_json::from_slice(&bytes)?;
        Ok(Self(ByteString::try_from(bytes).expect("valid JSON is UTF-8")))
    }

    /// A value found inside `buffer`, shared without copying. A value from elsewhere is copied.
    pub fn within(buffer: &Bytes, value: Raw<'_>) -> Self {
        let text = value.get().as_bytes();
        let start = (text.as_ptr() as usize).wrapping_sub(buffer.as_ptr() as usize);
        if start < buffer.len() && start + text.len() <= buffer.len() {
            let slice = buffer.slice(start..start + text.len());
            Self(ByteString::try_from(slice).expect("these are the bytes of a string"))
        } else {
            Self(value.get().into())
        }
    }

    /// The same for a buffer that is known to be text; nothing is checked again.
    pub fn within_text(buffer: &ByteString, value: Raw<'_>) -> Self {
        let start = (value.get().as_ptr() as usize).wrapping_sub(buffer.as_ptr() as usize);
        if start < buffer.len() && start + value.get().len() <= buffer.len() {
            Self(buffer.slice_ref(value.get()))
        } else {
            Self(value.get().into())
        }
    }

    /// Serialises a value of ours.
    pub fn from_serialize(value: &impl serde::Serialize) -> Self {
        Self(
            serde_json::to_string(value)
                .expect("our own types serialise: string keys, no failing impls")
                .into(),
        )
    }

    /// Wraps text that the caller has just composed of valid JSON parts.
    pub fn from_composed(text: String) -> Self {
        debug_assert!(serde_json::from_str::<&RawValue>(&text).is_ok(), "composed text is not JSON: {text}");
        Self(text.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    pub fn into_bytes(self) -> Bytes {
        self.0.into_bytes()
    }

    pub fn decode<'a, T: serde::Deserialize<'a>>(&'a self) -> Result<T, serde_json::Error> {
        serde_json::from_str(&self.0)
    }
}

impl From<Raw<'_>> for RawJson {
    fn from(value: Raw<'_>) -> Self {
        Self(value.get().into())
    }
}

impl From<serde_json::Value> for RawJson {
    fn from(value: serde_json::Value) -> Self {
        Self::from_serialize(&value)
    }
}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl serde::Serialize for RawJson {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value: &RawValue = self.decode().map_err(serde::ser::Error::custom)?;
        value.serialize(serializer)
    }
}

impl<'de> serde::Deserialize<'de> for RawJson {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Box::<RawValue>::deserialize(deserializer)?;
        Ok(Self(String::from(Box::<str>::from(value)).into()))
    }
}
