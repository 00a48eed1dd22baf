//! `check_subtitles`: broken rules by a publisher's profile.

use std::collections::BTreeMap;

use capability_kit::{Trouble, Work};
use capability_subtitles::{CheckRule, check, clock, profile, profiles};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::input::SubtitleInput;
use crate::shift::rate;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckSubtitlesArguments {
    /// The subtitles themselves.
    #[serde(default)]
    text: Option<String>,
    /// Or a file with them, in Base64.
    #[serde(default)]
    file_data: Option<String>,
    /// Its type, such as srt.
    #[serde(default)]
    file_type: Option<String>,
    /// Or the ref_id that a tool of this server returned.
    #[serde(default)]
    source_ref_id: Option<String>,
    /// streaming (default), streaming-children, broadcast, captions or technical.
    #[serde(default)]
    profile: Option<String>,
    /// The frame rate of the video, for gaps in frames; 24 if omitted.
    #[serde(default)]
    frame_rate: Option<String>,
    /// At most this many findings are listed; all are counted.
    #[serde(default = "usual_findings")]
    findings_max: usize,
}

fn usual_findings() -> usize {
    30
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct CheckSubtitlesOutput {
    /// True if no rule is broken.
    ok: bool,
    cues: usize,
    profile: &'static str,
    /// The guideline behind the profile.
    source: &'static str,
    /// How often each rule is broken.
    counts: BTreeMap<&'static str, usize>,
    /// The first of them, errors before matters of style.
    findings: Vec<SubtitleFinding>,
}

#[derive(Serialize, JsonSchema)]
struct SubtitleFinding {
    rule: &'static str,
    /// error, or style.
    severity: &'static str,
    /// The number of the cue, from 1.
    cue: usize,
    at: String,
    detail: String,
}

pub(crate) fn check_subtitles(
    arguments: CheckSubtitlesArguments,
    work: &Work,
) -> Result<CheckSubtitlesOutput, Trouble> {
    let CheckSubtitlesArguments {
        text,
        file_data,
        file_type,
        source_ref_id,
        profile: name,
        frame_rate,
        findings_max,
    } = arguments;
    let name = name.as_deref().unwrap_or("streaming");
    let rules = profile(name).ok_or_else(|| {
        let names: Vec<&str> = profiles().iter().map(|profile| profile.name.as_str()).collect();
        Trouble::bad_arguments(format!("there is no profile {name:?}"))
            .hint(format!("pass one of {}", names.join(", ")))
    })?;
    let rate = rate(frame_rate.as_deref().unwrap_or("24"))?;
    let (_, subtitles) = SubtitleInput { text, file_data, file_type, source_ref_id }.load(work)?;
    let mut found = check(&subtitles, rules, rate);
    let mut counts = BTreeMap::new();
    for finding in &found {
        *counts.entry(finding.rule.as_str()).or_insert(0) += 1;
    }
    found.sort_by_key(|finding| !finding.rule.is_error());
    let severity = |rule: CheckRule| if rule.is_error() { "error" } else { "style" };
    let listed = found.iter().take(findings_max).map(|finding| SubtitleFinding {
        rule: finding.rule.as_str(),
        severity: severity(finding.rule),
        cue: finding.cue + 1,
        at: clock(subtitles.cues[finding.cue].start, '.'),
        detail: finding.detail.clone(),
    });
    let findings = listed.collect();
    let cues = subtitles.cues.len();
    Ok(CheckSubtitlesOutput {
        ok: found.is_empty(),
        cues,
        profile: &rules.name,
        source: &rules.source,
        counts,
        findings,
    })
}
