//! Parts of several answers.

use capability_kit::{Trouble, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::report::Finding;
use crate::sarif;

/// The form of findings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ReportFormat {
    #[default]
    Findings,
    /// A SARIF file behind `sarif_ref_id`, too.
    Sarif,
}

/// Findings, and the file of them if it was asked for.
#[derive(Serialize, JsonSchema)]
pub(super) struct FindingsOutput {
    /// Errors first; one for each rule.
    pub(super) findings: Vec<Finding>,
    /// The same as SARIF 2.1.0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sarif_ref_id: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) warnings: Vec<String>,
}

impl FindingsOutput {
    pub(super) fn new(
        findings: Vec<Finding>,
        warnings: Vec<String>,
        format: ReportFormat,
        work: &Work,
    ) -> Result<Self, Trouble> {
        let sarif_ref_id = sarif_of(&findings, format, work)?;
        Ok(Self { findings, sarif_ref_id, warnings })
    }
}

/// The ref of a SARIF file, if it was asked for.
pub(super) fn sarif_of(
    findings: &[Finding],
    format: ReportFormat,
    work: &Work,
) -> Result<Option<String>, Trouble> {
    match format {
        ReportFormat::Findings => Ok(None),
        ReportFormat::Sarif => {
            let text = sarif::of(findings, "document").to_string();
            Ok(Some(work.keep(text.as_bytes(), sarif::MEDIA_TYPE, "findings.sarif")?.into_string()))
        }
    }
}

/// The sentence for texts in a language that rules do not know.
pub(super) fn unknown_language(language: Option<&str>, what: &str) -> String {
    match language {
        Some(language) => format!("{what} knows English; this text is in {language:?}"),
        None => format!("{what} knows English; the language of this text is not known"),
    }
}
