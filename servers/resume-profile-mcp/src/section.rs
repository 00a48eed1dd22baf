//! One section of a resume, and its kind.

use serde::Serialize;

use crate::parsed::ByteSpan;

/// The subject of a section.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SectionKind {
    /// The part before the first heading: usually name and contacts.
    Top,
    Summary,
    Work,
    Education,
    Skills,
    Languages,
    Certificates,
    Projects,
    Awards,
    Publications,
    Volunteer,
    Interests,
    Contact,
    References,
    Other,
}

impl SectionKind {
    pub(crate) fn named(name: &str) -> Self {
        match name {
            "summary" => Self::Summary,
            "work" => Self::Work,
            "education" => Self::Education,
            "skills" => Self::Skills,
            "languages" => Self::Languages,
            "certificates" => Self::Certificates,
            "projects" => Self::Projects,
            "awards" => Self::Awards,
            "publications" => Self::Publications,
            "volunteer" => Self::Volunteer,
            "interests" => Self::Interests,
            "contact" => Self::Contact,
            "references" => Self::References,
            _ => Self::Other,
        }
    }
}

/// A run of lines under one heading.
#[derive(Clone, PartialEq, Debug)]
pub struct ResumeSection {
    pub kind: SectionKind,
    /// The heading's line; `None` for the top section.
    pub heading: Option<usize>,
    /// The first line after the heading begins here: an inline heading such as `Skills: Rust, Go` leaves the rest of its line.
    pub spans: Vec<(usize, ByteSpan)>,
}
