//! `extract_profile`: a document becomes a JSON Resume with the source of every field.

use capability_kit::{FileInput, Trouble, Work};
use capability_typeset::Resume;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::given::{self, Ocr, StoredProfile};
use crate::parsed::{Characters, ParsedDocument};
use crate::profile::{self, Profile};
use crate::reading::{self, ScanEngine};

/// Values with less confidence are named.
const SURE: f32 = 0.5;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExtractProfileArguments {
    /// The `ref_id` that parse_document returned.
    #[serde(default)]
    source_ref_id: Option<String>,
    /// Instead: the text of a resume.
    #[serde(default)]
    text: Option<String>,
    /// Instead: the file, in Base64.
    #[serde(default)]
    file_data: Option<String>,
    /// Its media type or file extension. Detected from the content if omitted.
    #[serde(default)]
    file_type: Option<String>,
    /// For protected files.
    #[serde(default)]
    password: Option<String>,
    /// OCR of scanned pages: `auto` if this machine supports it, or `never`.
    #[serde(default)]
    ocr: Ocr,
    /// Also return the position and the confidence of each field.
    #[serde(default)]
    spans: bool,
}

/// The source of a value.
#[derive(Serialize, JsonSchema)]
pub(super) struct FieldSource {
    /// JSON pointer into `resume`.
    path: String,
    /// In characters of the parsed text.
    start: usize,
    end: usize,
    /// 0 to 1.
    confidence: f32,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ExtractProfileOutput {
    /// The stored profile. Pass it as `source_ref_id` to score_fit or tailor_resume.
    ref_id: String,
    /// JSON Resume. A job or course without endDate continues, or its end is unknown.
    resume: Resume,
    /// With `spans`: the source of each value.
    #[serde(skip_serializing_if = "Option::is_none")]
    fields: Option<Vec<FieldSource>>,
    /// JSON pointers to values that may be wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    unsure: Vec<String>,
    /// Expected fields that were not found.
    missing: Vec<String>,
    /// Lines without any used part.
    unmapped: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    warnings: Vec<String>,
}

pub(super) fn extract(
    arguments: ExtractProfileArguments,
    work: &Work,
    eyes: &ScanEngine,
) -> Result<ExtractProfileOutput, Trouble> {
    let spans = arguments.spans;
    let parsed = parsed(arguments, work, eyes)?;
    let profile = profile::extract(&parsed);
    let kept = StoredProfile::of(&parsed, &profile);
    let bytes = serde_json::to_vec(&kept)
        .map_err(|error| Trouble::internal(format!("the profile could not be written: {error}")))?;
    let id = work.keep(&bytes, StoredProfile::MEDIA_TYPE, "profile.json")?;
    let resume = serde_json::from_value(profile.resume.clone())
        .map_err(|error| Trouble::internal(format!("the profile is not a JSON Resume: {error}")))?;
    Ok(ExtractProfileOutput {
        ref_id: id.into_string(),
        resume,
        fields: spans.then(|| fields(&parsed, &profile)),
        unsure: unsure(&profile),
        missing: profile.missing,
        unmapped: profile.unmapped.iter().map(|span| span.of(&parsed.text).to_owned()).collect(),
        language: parsed.language.clone(),
        warnings: profile.warnings,
    })
}

fn parsed(
    arguments: ExtractProfileArguments,
    work: &Work,
    eyes: &ScanEngine,
) -> Result<ParsedDocument, Trouble> {
    let ExtractProfileArguments { source_ref_id, text, file_data, file_type, password, ocr, .. } = arguments;
    match text {
        Some(text) if source_ref_id.is_none() && file_data.is_none() => Ok(reading::text(&text)),
        Some(_) => Err(Trouble::bad_arguments("both text and a file were passed")
            .hint("pass only one of source_ref_id, text and file_data")),
        None => {
            let eyes = if ocr == Ocr::Never { &ScanEngine::Closed } else { eyes };
            given::document(
                FileInput { file_data, file_type, source_ref_id },
                password.as_deref(),
                eyes,
                work,
            )
        }
    }
}

fn fields(parsed: &ParsedDocument, profile: &Profile) -> Vec<FieldSource> {
    let characters = Characters::of(&parsed.text);
    let field = |source: &crate::draft::ValueSource| FieldSource {
        path: source.path.clone(),
        start: characters.at(source.span.start),
        end: characters.at(source.span.end),
        confidence: source.confidence,
    };
    profile.sources.iter().map(field).collect()
}

fn unsure(profile: &Profile) -> Vec<String> {
    let doubtful = profile.sources.iter().filter(|source| source.confidence < SURE);
    doubtful.map(|source| source.path.clone()).collect()
}
