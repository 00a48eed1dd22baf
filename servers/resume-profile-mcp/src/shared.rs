//! The parts that the server for jobs uses too: known skills, places and words of occupations, and the fit of a
//! profile to a job. One scorer, so that both servers give the same points for the same reasons.

use serde_json::Value;

use crate::fit::{self, Evidence, Importance, JobDescription, ProfileFacts};
use crate::vocabulary;
use crate::words::{self, ORGANISATIONS, PlaceNameKind, TITLES};

/// The fit of a profile to a job, for other servers.
#[derive(Clone, PartialEq, Debug)]
pub struct ProfileFit {
    /// 0 to 100.
    pub score: f64,
    /// Name, weight, points and reason of each part.
    pub parts: Vec<(&'static str, f64, f64, String)>,
    pub met: Vec<FitRequirement>,
    pub missing: Vec<FitRequirement>,
    pub years_asked: Option<f64>,
    pub years_found: Option<f64>,
    pub warnings: Vec<String>,
}

/// A requirement of a job beside a profile.
#[derive(Clone, PartialEq, Debug)]
pub struct FitRequirement {
    pub requirement: String,
    pub must: bool,
    /// Path and quote of each piece of evidence.
    pub evidence: Vec<(String, String)>,
    /// The nearest item of the profile, for a requirement that is not met.
    pub nearest: Option<String>,
}

/// Compares a JSON Resume with the text of a job. `today` is a year and a month.
pub fn score_profile(resume: &Value, job: &str, today: (i32, u8)) -> ProfileFit {
    let facts = ProfileFacts::of(resume, &[]);
    let mut description = JobDescription::read(job);
    description.want_known(job, &facts.listed_skills());
    let report = fit::score(&facts, &description, today);
    let met = report.matched.into_iter().map(|met| FitRequirement {
        requirement: met.requirement,
        must: met.importance == Importance::Must,
        evidence: met.evidence.into_iter().map(|Evidence { path, quote, .. }| (path, quote)).collect(),
        nearest: None,
    });
    let missing = report.missing.into_iter().map(|unmet| FitRequirement {
        requirement: unmet.requirement,
        must: unmet.importance == Importance::Must,
        evidence: Vec::new(),
        nearest: unmet.nearest,
    });
    let parts = report.components.into_iter();
    ProfileFit {
        score: report.score,
        parts: parts.map(|part| (part.name, part.weight, part.points, part.why)).collect(),
        met: met.collect(),
        missing: missing.collect(),
        years_asked: report.years.asked,
        years_found: report.years.found,
        warnings: report.warnings,
    }
}

/// Name, start and end of each well-known skill in a text, in bytes.
pub fn skills_in(text: &str) -> Vec<(&'static str, usize, usize)> {
    vocabulary::mentions(text).into_iter().map(|mention| (mention.name, mention.start, mention.end)).collect()
}

/// The usual name of a skill, if it is well known.
pub fn skill_name(text: &str) -> Option<&'static str> {
    vocabulary::canonical(text)
}

/// All names of a well-known skill, in lower case.
pub fn names_of_skill(name: &str) -> Vec<&'static str> {
    vocabulary::other_names(name)
}

/// Every name of every well-known skill, in lower case.
pub fn names_of_skills() -> impl Iterator<Item = &'static str> {
    vocabulary::all_names()
}

/// True for a country, a state or a well-known city.
pub fn is_place(name: &str) -> bool {
    words::place(name).is_some()
}

/// True for a country.
pub fn is_country(name: &str) -> bool {
    words::place(name) == Some(PlaceNameKind::Country)
}

/// True for a state or a region.
pub fn is_state(name: &str) -> bool {
    words::place(name) == Some(PlaceNameKind::State)
}

/// The number of words that names of occupations contain.
pub fn occupation_words(text: &str) -> usize {
    TITLES.count(text)
}

/// The number of words that names of employers contain.
pub fn employer_words(text: &str) -> usize {
    ORGANISATIONS.count(text)
}

/// Lower case, without accents.
pub fn folded(text: &str) -> String {
    words::fold(text)
}
