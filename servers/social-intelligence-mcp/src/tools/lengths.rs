//! `best_length`.

use capability_kit::{Tool, Trouble, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::basis::FindingBasis;
use crate::given;
use crate::headline::{HeadlineModel, headline_words};
use crate::platform::Placement;

const DESCRIPTION: &str = "How long a headline or post should be: how headlines of each length fared in \
    experiments, and a platform's dated limits (accepted, and seen before \"more\").";

const EVIDENCE: &str = "Measured: English headlines of one publisher (Upworthy, 2013-15), clear pairs with the same \
    picture; other readers and platforms are not measured.";
const SHOWN_SOURCE: &str =
    "what screens of the usual size show before \"more\", as posting services give it; screens differ";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BestLengthArguments {
    /// Such as `instagram`, `x`, `linkedin`; omit it for headlines alone.
    #[serde(default)]
    platform: Option<String>,
    /// Such as `feed` or `story`; the usual one if omitted.
    #[serde(default)]
    placement: Option<String>,
    /// A headline to place among the lengths.
    #[serde(default)]
    headline: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct BestLengthOutput {
    /// Headlines in words, and the share of pairs they won against other lengths.
    headline_words: Vec<LengthRow>,
    /// Measured on other headlines: whose, and what that does not tell.
    evidence: &'static str,
    /// The words of the given headline.
    #[serde(skip_serializing_if = "Option::is_none")]
    yours: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    platform: Option<LengthLimits>,
}

#[derive(Serialize, JsonSchema)]
struct LengthRow {
    from: usize,
    to: usize,
    wins: f64,
    pairs: u32,
}

/// In characters.
#[derive(Serialize, JsonSchema)]
struct LengthLimits {
    placement: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    text_max: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text_shown: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title_max: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title_shown: Option<usize>,
    /// The basis of `text_max` and `title_max`.
    max_basis: FindingBasis,
    source: &'static str,
    as_of: &'static str,
    /// The basis of `text_shown` and `title_shown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    shown_basis: Option<FindingBasis>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shown_source: Option<&'static str>,
}

pub(super) fn tool() -> Tool {
    Tool::new("best_length", "Find the best length", DESCRIPTION, find)
}

fn find(arguments: BestLengthArguments, _: &Work) -> Result<BestLengthOutput, Trouble> {
    if arguments.platform.is_none() && arguments.placement.is_some() {
        return Err(Trouble::bad_arguments("placement needs a platform").hint("pass platform as well"));
    }
    let limits = match &arguments.platform {
        Some(platform) => Some(given::placement(platform, arguments.placement.as_deref())?.1),
        None => None,
    };
    let rows = HeadlineModel::shipped().lengths().iter();
    let row = |record: &crate::headline::LengthRecord| LengthRow {
        from: record.from,
        to: record.to,
        wins: record.share,
        pairs: record.pairs,
    };
    Ok(BestLengthOutput {
        headline_words: rows.map(row).collect(),
        yours: arguments.headline.map(|headline| headline_words(&headline).len()),
        evidence: EVIDENCE,
        platform: limits.map(limits_of),
    })
}

fn limits_of(placement: &'static Placement) -> LengthLimits {
    let is_shown = placement.text_shown.or(placement.title_shown).is_some();
    LengthLimits {
        placement: &placement.name,
        text_max: placement.text_max,
        text_shown: placement.text_shown,
        title_max: placement.title_max,
        title_shown: placement.title_shown,
        max_basis: FindingBasis::PlatformRule,
        source: &placement.source,
        as_of: &placement.as_of,
        shown_basis: is_shown.then_some(FindingBasis::RuleOfThumb),
        shown_source: is_shown.then_some(SHOWN_SOURCE),
    }
}
