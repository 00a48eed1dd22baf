//! JSON that is carried, not understood: text that is known to be one valid JSON value, kept byte for byte.
//!
//! Typed decoding drops unknown fields and rewrites numbers, so nothing that a server or an agent sent is
//! decoded further than routing needs.

use std::fmt;

use bytes::Bytes;
use serde_json::value::RawValue;

/// One valid JSON value as the bytes it arrived in. Cloning is cheap: the buffer is shared.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RawJson(Bytes);

impl RawJson {
    /// The empty object, `{}`.
    pub const EMPTY: RawJson = RawJson(Bytes::from_static(b"{}"));

    /// Checks that `bytes` is exactly one JSON value and keeps them.
    pub fn parse(bytes: Bytes) -> Result<Self, serde_json::Error> {
        let _: &RawValue = serde_json::from_slice(&bytes)?;
        Ok(Self(bytes))
    }

    /// A value found inside `buffer`, shared without copying. A value from elsewhere is copied.
    pub fn within(buffer: &Bytes, value: &RawValue) -> Self {
        let text = value.get().as_bytes();
        let start = (text.as_ptr() as usize).wrapping_sub(buffer.as_ptr() as usize);
        if start < buffer.len() && start + text.len() <= buffer.len() {
            Self(buffer.slice(start..start + text.len()))
        } else {
            Self(Bytes::copy_from_slice(text))
        }
    }

    /// Serialises a value of ours.
    pub fn from_serialize(value: &impl serde::Serialize) -> Self {
        Self(serde_json::to_vec(value).expect("our own types serialise: string keys, no failing impls").into())
    }

    /// Wraps text that the caller has just composed of valid JSON parts.
    pub fn from_composed(text: String) -> Self {
        debug_assert!(serde_json::from_str::<&RawValue>(&text).is_ok(), "composed text is not JSON: {text}");
        Self(text.into())
    }

    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("every constructor checked that this is JSON, hence UTF-8")
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub fn into_bytes(self) -> Bytes {
        self.0
    }

    pub fn decode<'a, T: serde::Deserialize<'a>>(&'a self) -> Result<T, serde_json::Error> {
        serde_json::from_slice(&self.0)
    }
}

impl From<&RawValue> for RawJson {
    fn from(value: &RawValue) -> Self {
        Self(Bytes::copy_from_slice(value.get().as_bytes()))
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
        Ok(Self(Bytes::from(Box::<str>::from(value).into_boxed_bytes())))
    }
}
