//! `score_content`.

use capability_kit::{Tool, Trouble, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::basis::{FindingBasis, FindingSeverity, SocialFinding, language_warning};
use crate::copy::{ClaimKind, TextClaim, appeals, claims, readability};
use crate::given;
use crate::platform::{GivenMedia, SpecCheck, check_media};
use crate::rounded::one;

const DESCRIPTION: &str = "Judges the text of a post or advertisement in named parts: readability, beginning, \
    call to action, claims that need proof, and a platform's limits. There is no total: no number here predicts how \
    far a post will reach.";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ScoreContentArguments {
    /// The text.
    #[serde(default)]
    text: Option<String>,
    /// Instead of `text`: the text of a file, which a gateway fills in for its id.
    #[serde(default)]
    file_text: Option<String>,
    /// Such as `linkedin`: its limits are checked.
    #[serde(default)]
    platform: Option<String>,
    /// Such as `feed`; the usual one if omitted.
    #[serde(default)]
    placement: Option<String>,
    /// Give the places of claims, in characters.
    #[serde(default)]
    spans: bool,
}

#[derive(Serialize, JsonSchema)]
struct ScoreContentOutput {
    #[serde(skip_serializing_if = "Option::is_none")]
    readability: Option<ReadabilityPart>,
    /// Words before the first end of a sentence or line.
    first_sentence_words: usize,
    /// Calls to action.
    calls_to_action: Vec<&'static str>,
    /// Statements that the advertiser must be able to prove.
    claims: Vec<ContentClaim>,
    /// Against the platform's dated rules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    platform_checks: Vec<SpecCheck>,
    findings: Vec<SocialFinding>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct ReadabilityPart {
    words: usize,
    sentences: usize,
    /// Flesch reading ease: 100 is very easy, 60 plain, 30 hard.
    reading_ease: f64,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ContentClaim {
    kind: ClaimKind,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<usize>,
}

impl ContentClaim {
    pub(super) fn of(claim: TextClaim, spans: bool) -> Self {
        let TextClaim { kind, text, span } = claim;
        Self { kind, text, start: spans.then_some(span.start), end: spans.then_some(span.end) }
    }
}

pub(super) fn tool() -> Tool {
    Tool::new("score_content", "Judge a post", DESCRIPTION, score)
}

fn score(arguments: ScoreContentArguments, _: &Work) -> Result<ScoreContentOutput, Trouble> {
    let ScoreContentArguments { text, file_text, platform, placement, spans } = arguments;
    let text = given::text("text", text, file_text)?;
    let rules = match &platform {
        Some(platform) => Some(given::placement(platform, placement.as_deref())?.1),
        None => None,
    };
    let media = GivenMedia { text: Some(text.clone()), ..GivenMedia::default() };
    let warning = language_warning(&text);
    // The formula counts syllables of English.
    let easy = readability(&text).filter(|_| warning.is_none());
    let calls: Vec<&'static str> = appeals(&text).into_iter().map(|appeal| appeal.phrase).collect();
    let claims = claims(&text);
    let mut findings = text_findings(&text, calls.len(), claims.len());
    if let Some(found) = easy.filter(|found| found.reading_ease < HARD && found.words >= WORDS_MIN) {
        findings.push(SocialFinding {
            rule: "readability",
            severity: FindingSeverity::Warning,
            message: format!(
                "reading ease {:.0} is hard: shorter sentences and words help",
                found.reading_ease
            ),
            basis: FindingBasis::Standard,
            source: "Flesch 1948; the bound of 50 is a rule of thumb",
        });
    }
    Ok(ScoreContentOutput {
        readability: easy.map(|found| ReadabilityPart {
            words: found.words,
            sentences: found.sentences,
            reading_ease: one(found.reading_ease),
        }),
        first_sentence_words: first_sentence_words(&text),
        calls_to_action: calls,
        claims: claims.into_iter().map(|claim| ContentClaim::of(claim, spans)).collect(),
        platform_checks: rules.map(|rules| check_media(&media, rules)).unwrap_or_default(),
        findings,
        warnings: warning.into_iter().collect(),
    })
}

const HARD: f64 = 50.0;
/// Shorter texts have no readability to speak of.
const WORDS_MIN: usize = 20;
const FIRST_WORDS_MAX: usize = 20;
const APPEALS_MAX: usize = 2;
const EMOJI_MAX: usize = 5;

/// Findings about a text alone.
pub(super) fn text_findings(text: &str, calls: usize, claims: usize) -> Vec<SocialFinding> {
    let thumb = |rule, severity, message: String, source| SocialFinding {
        rule,
        severity,
        message,
        basis: FindingBasis::RuleOfThumb,
        source,
    };
    let mut findings = Vec::new();
    if claims > 0 {
        findings.push(SocialFinding {
            rule: "claims",
            severity: FindingSeverity::Warning,
            message: format!("{claims} statements need proof before they are published"),
            basis: FindingBasis::Standard,
            source: "advertising law: objective claims need evidence (such as FTC policy on substantiation, ICC Code)",
        });
    }
    if calls == 0 {
        let message = "no call to action was found: say what the reader should do".to_owned();
        findings.push(thumb(
            "call_to_action",
            FindingSeverity::Note,
            message,
            "common advice of ad platforms",
        ));
    } else if calls > APPEALS_MAX {
        let message = format!("{calls} calls to action compete with each other");
        findings.push(thumb(
            "call_to_action",
            FindingSeverity::Note,
            message,
            "common advice of ad platforms",
        ));
    }
    let first = first_sentence_words(text);
    if first > FIRST_WORDS_MAX {
        let message = format!("the first sentence has {first} words; the beginning is what most people see");
        findings.push(thumb(
            "beginning",
            FindingSeverity::Note,
            message,
            "platforms cut long texts after a line or two",
        ));
    }
    let emoji = text.chars().filter(|letter| is_emoji(*letter)).count();
    if emoji > EMOJI_MAX {
        let message = format!("{emoji} emoji: screen readers read each of them aloud");
        findings.push(thumb(
            "emoji",
            FindingSeverity::Note,
            message,
            "accessibility advice of the platforms",
        ));
    }
    findings
}

fn first_sentence_words(text: &str) -> usize {
    let text = text.trim_start();
    let end = text.find(['.', '!', '?', '…', '\n', '。', '！', '？']).unwrap_or(text.len());
    crate::headline::headline_words(&text[..end]).len()
}

fn is_emoji(letter: char) -> bool {
    matches!(letter, '\u{1F300}'..='\u{1FAFF}' | '\u{2600}'..='\u{27BF}')
}
