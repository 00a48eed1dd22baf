//! The source of a profile: a ref of a profile, of a parsed document or of a file, a JSON Resume, or a text.

use capability_kit::{FileInput, Trouble, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::fit::ValueRange;
use crate::parsed::{Characters, ParsedDocument};
use crate::profile::{self, Profile};
use crate::reading::{self, ResumeSource, ScanEngine};

/// The treatment of scanned pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ocr {
    /// If this machine supports it.
    #[default]
    Auto,
    Never,
}

/// A stored profile, with the positions of its values in its source text.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct StoredProfile {
    pub(super) resume: Value,
    pub(super) language: Option<String>,
    pub(super) places: Vec<(String, usize, usize)>,
}

impl StoredProfile {
    pub(super) const MEDIA_TYPE: &'static str = "application/vnd.capability.resume-profile+json";

    pub(super) fn of(parsed: &ParsedDocument, profile: &Profile) -> Self {
        let characters = Characters::of(&parsed.text);
        let sources = profile.sources.iter();
        let places = sources.map(|source| {
            (source.path.clone(), characters.at(source.span.start), characters.at(source.span.end))
        });
        Self { resume: profile.resume.clone(), language: parsed.language.clone(), places: places.collect() }
    }

    pub(super) fn places(&self) -> Vec<ValueRange> {
        self.places
            .iter()
            .map(|(path, start, end)| ValueRange { path: path.clone(), start: *start, end: *end })
            .collect()
    }
}

/// A document from a file, or from a ref.
pub(super) fn document(
    input: FileInput,
    password: Option<&str>,
    eyes: &ScanEngine,
    work: &Work,
) -> Result<ParsedDocument, Trouble> {
    let loaded = input.load(work)?;
    if loaded.media_type.as_deref() == Some(ParsedDocument::MEDIA_TYPE) {
        return ParsedDocument::from_json(&loaded.bytes)
            .ok_or_else(|| Trouble::internal("the stored document is damaged"));
    }
    let source = ResumeSource { bytes: &loaded.bytes, said: loaded.media_type.as_deref(), password };
    reading::file(&source, eyes)
}

/// Exactly one of these is given.
pub(super) struct GivenProfile {
    pub(super) source_ref_id: Option<String>,
    pub(super) profile: Option<Value>,
    pub(super) text: Option<String>,
}

/// The profile of a tool call, and its warnings.
pub(super) fn profile(given: GivenProfile, work: &Work) -> Result<(StoredProfile, Vec<String>), Trouble> {
    let sources = [given.source_ref_id.is_some(), given.profile.is_some(), given.text.is_some()];
    if sources.iter().filter(|is_given| **is_given).count() != 1 {
        return Err(Trouble::bad_arguments("pass the profile in exactly one way").hint(
            "pass source_ref_id (from extract_profile or parse_document), or profile (a JSON Resume), \
                or text",
        ));
    }
    if let Some(resume) = given.profile {
        return Ok((
            StoredProfile { resume: checked(resume)?, language: None, places: Vec::new() },
            Vec::new(),
        ));
    }
    if let Some(text) = given.text {
        return Ok(made(&reading::text(&text)));
    }
    let id = given.source_ref_id.expect("one of the three is given");
    let stored = work.find(&id)?;
    if stored.media_type == StoredProfile::MEDIA_TYPE {
        let kept = serde_json::from_slice(&stored.bytes)
            .map_err(|_| Trouble::internal("the stored profile is damaged"))?;
        return Ok((kept, Vec::new()));
    }
    let input = FileInput { source_ref_id: Some(id), ..FileInput::default() };
    Ok(made(&document(input, None, &ScanEngine::Closed, work)?))
}

fn made(parsed: &ParsedDocument) -> (StoredProfile, Vec<String>) {
    let profile = profile::extract(parsed);
    (StoredProfile::of(parsed, &profile), profile.warnings)
}

/// A resume from a caller must be valid.
fn checked(resume: Value) -> Result<Value, Trouble> {
    serde_json::from_value::<capability_typeset::Resume>(resume.clone()).map_err(|error| {
        Trouble::bad_arguments(format!("profile is not a JSON Resume: {error}"))
            .hint("see https://jsonresume.org/schema, or pass a source_ref_id")
    })?;
    Ok(resume)
}
