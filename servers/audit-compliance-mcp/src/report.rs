//! The report of every check: findings with a rule, a severity, a spot, evidence and a way to mend it.

use schemars::JsonSchema;
use serde::Serialize;

/// Spots of one rule that are listed; the others are counted.
const SPOTS_MAX: usize = 3;
/// Characters of evidence.
const EVIDENCE_CHARS_MAX: usize = 160;

/// The weight of a finding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Note,
    Warning,
    Error,
}

/// A spot in a file.
#[derive(Clone, PartialEq, Debug, Default, Serialize, JsonSchema)]
pub struct Spot {
    /// From 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// Left, top, right and bottom on the page in points from its top left corner.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub bounds: Option<[f32; 4]>,
    /// First character and the one behind the last, counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chars: Option<[usize; 2]>,
    /// Line of the file from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The number of an object in a PDF.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<u32>,
}

/// One broken rule, with the first spots where it is broken.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Finding {
    /// The rule, such as `pdf/ua-1 7.1-3` or `wcag 1.1.1`.
    pub rule: String,
    pub severity: Severity,
    /// The demand of the rule.
    pub asks: String,
    /// The first ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spots: Vec<Spot>,
    /// The content of the first spot.
    pub evidence: String,
    /// A way to mend it.
    pub mend: String,
    /// The number of times that it was found.
    pub count: usize,
}

impl Spot {
    pub fn page(page: u32) -> Self {
        Self { page: Some(page), ..Self::default() }
    }

    pub fn chars(from: usize, to: usize) -> Self {
        Self { chars: Some([from, to]), ..Self::default() }
    }

    pub fn line(line: usize) -> Self {
        Self { line: Some(line), ..Self::default() }
    }

    fn is_nowhere(&self) -> bool {
        *self == Self::default()
    }
}

/// Findings so far, one for each rule, in the order in which they were made.
#[derive(Clone, Default, Debug)]
pub struct FindingList(Vec<Finding>);

impl FindingList {
    pub fn add(&mut self, finding: Finding) {
        match self.0.iter_mut().find(|known| known.rule == finding.rule) {
            Some(known) => {
                known.count += finding.count;
                known.spots.extend(finding.spots.into_iter().filter(|spot| !spot.is_nowhere()));
                known.spots.dedup();
                known.spots.truncate(SPOTS_MAX);
            }
            None => self.0.push(Finding {
                evidence: shortened(&finding.evidence),
                spots: finding.spots.into_iter().filter(|spot| !spot.is_nowhere()).collect(),
                ..finding
            }),
        }
    }

    /// Errors first.
    pub fn sorted(mut self) -> Vec<Finding> {
        self.0.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        self.0
    }
}

impl Finding {
    pub fn new(rule: impl Into<String>, severity: Severity, asks: &str, mend: &str) -> Self {
        Self {
            rule: rule.into(),
            severity,
            asks: asks.to_owned(),
            spots: Vec::new(),
            evidence: String::new(),
            mend: mend.to_owned(),
            count: 1,
        }
    }

    pub fn at(self, spot: Spot) -> Self {
        Self { spots: vec![spot], ..self }
    }

    pub fn evidence(self, evidence: impl Into<String>) -> Self {
        Self { evidence: evidence.into(), ..self }
    }
}

/// One line of bounded length.
pub fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(EVIDENCE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
