//! Rules of publishers as data.

use std::sync::OnceLock;

use serde::Deserialize;

/// What a publisher asks of subtitles. A rule that is absent is not checked.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckProfile {
    pub name: String,
    /// The guideline that the numbers come from.
    pub source: String,
    /// Letters of a line.
    pub line_chars: Option<usize>,
    /// Letters of a line of Chinese, Japanese or Korean.
    pub line_chars_cjk: Option<usize>,
    pub lines: Option<usize>,
    /// Letters a second.
    pub chars_per_second: Option<f64>,
    pub chars_per_second_cjk: Option<f64>,
    pub words_per_minute: Option<f64>,
    pub duration_ms_min: Option<i64>,
    pub duration_ms_max: Option<i64>,
    /// The smallest pause between cues, in frames.
    pub gap_frames: Option<i64>,
    /// Lines should not end with an article, a conjunction or a preposition.
    #[serde(default)]
    pub line_breaks: bool,
}

/// All of them; the first is the default.
pub fn profiles() -> &'static [CheckProfile] {
    static PROFILES: OnceLock<Vec<CheckProfile>> = OnceLock::new();
    PROFILES.get_or_init(|| {
        serde_json::from_str(include_str!("profiles.json")).expect("a test reads the profiles")
    })
}

pub fn profile(name: &str) -> Option<&'static CheckProfile> {
    profiles().iter().find(|profile| profile.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profiles_can_be_read_and_have_names_of_their_own() {
        let mut names: Vec<&str> = profiles().iter().map(|profile| profile.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), profiles().len());
        assert!(profile("streaming").is_some() && profile("none").is_none());
    }
}
