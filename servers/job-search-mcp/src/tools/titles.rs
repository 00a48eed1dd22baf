//! `normalize_title`.

use capability_kit::{Trouble, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::occupation::{self, OccupationGuess};

const ALTERNATIVES_MAX: usize = 3;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NormalizeTitleArguments {
    /// Such as `Sr. Backend Engineer (m/f/d)`.
    title: String,
}

/// An occupation of ISCO-08.
#[derive(Serialize, JsonSchema)]
pub(super) struct OccupationOut {
    name: &'static str,
    /// The unit group of ISCO-08.
    isco: &'static str,
    /// The name that the title fits.
    matched: &'static str,
    /// 0 to 1: the share of common words.
    confidence: f64,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct NormalizeTitleOutput {
    /// Without marks about genders.
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    seniority: Option<&'static str>,
    /// Left out if the title is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    occupation: Option<OccupationOut>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    alternatives: Vec<OccupationOut>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

pub(super) fn normalize(
    arguments: NormalizeTitleArguments,
    _: &Work,
) -> Result<NormalizeTitleOutput, Trouble> {
    if arguments.title.trim().is_empty() {
        return Err(Trouble::bad_arguments("title is empty").hint("pass the title of a job"));
    }
    let (title, seniority) = occupation::cleaned(&arguments.title);
    let mut guesses = occupation::guesses(&arguments.title).into_iter().map(shown);
    let occupation = guesses.next();
    let warnings = match &occupation {
        Some(_) => Vec::new(),
        None => vec![
            "no occupation of the list fits; it has English, German, French and Spanish names".to_owned(),
        ],
    };
    let alternatives = guesses.take(ALTERNATIVES_MAX).collect();
    Ok(NormalizeTitleOutput { title, seniority, occupation, alternatives, warnings })
}

fn shown(guess: OccupationGuess) -> OccupationOut {
    let occupation = &occupation::all()[guess.at];
    OccupationOut {
        name: occupation.name,
        isco: occupation.isco,
        matched: guess.by,
        confidence: (guess.share * 100.0).round() / 100.0,
    }
}
