//! From a text or the bytes of a file to a parsed posting: JSON-LD of a page first, then its text.

use capability_documents::{
    DocumentError, DocumentKind, DocumentLimits, OpenOptions, decode, language, open,
};
use capability_kit::{Trouble, TroubleCode};
use resume_profile_mcp::shared;

use crate::advert::Advert;
use crate::posting::ParsedPosting;
use crate::{fields, jsonld, requirements, skills};

/// No advertisement is longer; the rest is left out with a warning.
pub const TEXT_BYTES_MAX: usize = 64 << 10;
const PAGES_MAX: usize = 40;
const SKILLS_MAX: usize = 60;
/// The languages whose words the rules know.
const LANGUAGES: [&str; 3] = ["en", "de", "fr"];
/// Their words are known in part.
const LANGUAGES_IN_PART: [&str; 4] = ["es", "it", "pt", "nl"];

/// An advertisement before its fields are read.
pub struct JobSource {
    /// The text that places refer to.
    text: String,
    /// Postings of the page's JSON-LD.
    structured: Vec<serde_json::Value>,
    warnings: Vec<String>,
}

impl JobSource {
    /// A text. One that is a web page is read as such.
    pub fn of_text(text: &str) -> Result<Self, Trouble> {
        if jsonld::looks_like_page(text) {
            return Self::of_file(text.as_bytes(), Some("text/html"));
        }
        Self::checked(text, Vec::new(), Vec::new())
    }

    /// The bytes of a file with its declared type.
    pub fn of_file(bytes: &[u8], said: Option<&str>) -> Result<Self, Trouble> {
        let kind = DocumentKind::of(bytes, said).map_err(trouble)?;
        if matches!(kind, DocumentKind::Text | DocumentKind::Markdown) {
            let decoded = decode(bytes);
            return Self::checked(&decoded.text, Vec::new(), decoded.warning.into_iter().collect());
        }
        let limits = DocumentLimits {
            pages_max: PAGES_MAX,
            text_bytes_max: TEXT_BYTES_MAX,
            ..DocumentLimits::default()
        };
        let options = OpenOptions { limits, ..OpenOptions::default() };
        let document = open(bytes, said, &options).map_err(trouble)?;
        let structured = match kind {
            DocumentKind::Html => jsonld::postings(&decode(bytes).text),
            _ => Vec::new(),
        };
        Self::checked(&document.text(), structured, document.warnings)
    }

    fn checked(
        text: &str,
        structured: Vec<serde_json::Value>,
        mut warnings: Vec<String>,
    ) -> Result<Self, Trouble> {
        let blank = text.chars().all(|letter| letter.is_whitespace() || letter.is_control());
        if blank && structured.is_empty() {
            return Err(Trouble::unreadable("there is no text in the advertisement")
                .hint("pass its text; a scanned page needs OCR first (image-ocr-mcp or doc-parser-mcp)"));
        }
        let kept = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
        if kept.len() < text.len() {
            warnings.push(format!("the text is longer than {TEXT_BYTES_MAX} bytes; the rest was left out"));
        }
        Ok(Self { text: kept.to_owned(), structured, warnings })
    }

    /// All fields.
    pub fn parse(self) -> (ParsedPosting, String) {
        let Self { mut text, structured, warnings } = self;
        let mut parsed = ParsedPosting { warnings, ..ParsedPosting::default() };
        if structured.len() > 1 {
            parsed.warnings.push(format!("the page has {} postings; the first was read", structured.len()));
        }
        if let Some(posting) = structured.first() {
            jsonld::fill(posting, &mut parsed);
            if let Some(description) = jsonld::description(posting) {
                text = description;
            }
        }
        let advert = Advert::read(&text);
        parsed.language = language(&text).map(|language| language.code);
        fields::read(&advert, &mut parsed);
        requirements::read(&advert, &mut parsed);
        list_skills(&text, &mut parsed);
        warn(&text, structured.is_empty(), &mut parsed);
        (parsed, text)
    }
}

fn list_skills(text: &str, parsed: &mut ParsedPosting) {
    for (name, start, end) in shared::skills_in(text) {
        if parsed.skills.len() < SKILLS_MAX && !parsed.skills.iter().any(|other| other == name) {
            parsed
                .note(format!("/skills/{}", parsed.skills.len()), crate::advert::AdvertSpan::new(start, end));
            parsed.skills.push(name.to_owned());
        }
    }
}

fn warn(text: &str, is_plain: bool, parsed: &mut ParsedPosting) {
    match parsed.language.as_deref() {
        Some(code) if LANGUAGES.contains(&code) => {}
        Some(code) if LANGUAGES_IN_PART.contains(&code) => parsed
            .warnings
            .push(format!("the rules know the language {code:?} only in part; fields may be missing")),
        Some(code) => parsed.warnings.push(format!(
            "the rules do not know the language {code:?}: only numbers, addresses and well-known names were read"
        )),
        None => parsed.warnings.push("the language could not be told".to_owned()),
    }
    let has_skills = !parsed.must.is_empty() || !skills::find_known(text).is_empty();
    let fields = [
        parsed.posting.hiring_organization.is_some(),
        !parsed.posting.job_location.is_empty() || parsed.workplace.is_some(),
        parsed.posting.base_salary.is_some() || !parsed.posting.employment_type.is_empty(),
        has_skills,
    ];
    if is_plain && fields.iter().filter(|is_there| **is_there).count() < 2 {
        parsed.warnings.push("this does not look like a job advertisement".to_owned());
    }
}

fn trouble(error: DocumentError) -> Trouble {
    let (code, hint) = match &error {
        DocumentError::Empty => (TroubleCode::Unreadable, "send the bytes of an advertisement"),
        DocumentError::Unsupported { .. } => {
            (TroubleCode::Unsupported, "send text, HTML, PDF, DOCX, ODT or Markdown")
        }
        DocumentError::Damaged { .. } => {
            (TroubleCode::Unreadable, "the file may have been cut off; save the page again")
        }
        DocumentError::Locked { .. } => (TroubleCode::Locked, "send a copy without a password"),
        DocumentError::TooLarge { .. } => (TroubleCode::TooLarge, "send a smaller file"),
        DocumentError::NoSuchPage { .. } => (TroubleCode::BadArguments, "send the whole document"),
    };
    Trouble::new(code, error.to_string()).hint(hint)
}
