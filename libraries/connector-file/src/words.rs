//! Words of the file that mean the same where it is written and where it is carried out.

use openapi_tools::Method;
use serde::Deserialize;
use toml::Spanned;

/// Reads a header of an answer, whatever the case of its name.
pub type HeaderOf<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A name with the place where it stands.
pub(crate) type Marked = Spanned<String>;

/// The body that an answer is expected to have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerKind {
    /// JSON; anything else is a broken answer.
    #[default]
    Json,
    /// Nobody reads it.
    Any,
    /// Bytes for the caller.
    File,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum MethodWord {
    Get,
    Head,
    Post,
    Put,
    Patch,
    Delete,
}

impl MethodWord {
    pub(crate) fn method(self) -> Method {
        match self {
            Self::Get => Method::Get,
            Self::Head => Method::Head,
            Self::Post => Method::Post,
            Self::Put => Method::Put,
            Self::Patch => Method::Patch,
            Self::Delete => Method::Delete,
        }
    }

    pub(crate) fn effects(self) -> EffectsWord {
        match self {
            Self::Get | Self::Head => EffectsWord::Read,
            Self::Post | Self::Put | Self::Patch => EffectsWord::Write,
            Self::Delete => EffectsWord::Destructive,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EffectsWord {
    Read,
    Write,
    Destructive,
}

/// The part of a request that a value stands in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RequestPlace {
    Path,
    Query,
    Header,
    /// A member of the JSON body.
    Body,
    Form,
    Multipart,
    /// The whole body.
    Raw,
}

/// The form that a value takes on the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Encoding {
    /// A list as one text, with commas.
    Comma,
    /// Anything as the text of its JSON.
    Json,
    /// Text as Base64.
    Base64,
    /// Base64 as the bytes that it stands for.
    Bytes,
    /// A path whose slashes stay.
    Path,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CursorFormat {
    #[default]
    AsItIs,
    /// A date of RFC 3339 in the record, milliseconds since 1970 in the request.
    UnixMs,
}
