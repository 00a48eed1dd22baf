//! `check_pdf`.

use capability_kit::{FileInput, Tool, Trouble, TroubleCode, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answers::{FindingsOutput, ReportFormat};
use super::given;
use crate::standard::{CheckError, Standard, Verdict, check};

const DESCRIPTION: &str = "Checks a PDF against PDF/UA-1 (accessibility) or PDF/A-2b (archiving), clause by clause. \
    Returns whether any checked rule is broken, findings named by clause, and what was not checked. What the file \
    claims about itself is not believed.";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CheckPdf {
    /// The PDF, in Base64.
    #[serde(default)]
    file_data: Option<String>,
    /// Its media type.
    #[serde(default)]
    file_type: Option<String>,
    /// Instead of file_data: the ref_id that a tool of this server gave before.
    #[serde(default)]
    source_ref_id: Option<String>,
    /// Both if omitted.
    #[serde(default)]
    standards: Vec<Standard>,
    /// `sarif` for a SARIF file, too.
    #[serde(default)]
    format: ReportFormat,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct StandardOutput {
    standard: Standard,
    /// No checked rule is broken. The rules under `not_checked` are for people.
    passes: bool,
    /// The file says that it conforms.
    claimed: bool,
    rules_checked: usize,
    not_checked: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct PdfOutput {
    standards: Vec<StandardOutput>,
    #[serde(flatten)]
    report: FindingsOutput,
}

pub(super) fn tool() -> Tool {
    Tool::new("check_pdf", "Check a PDF against a standard", DESCRIPTION, run)
}

fn run(arguments: CheckPdf, work: &Work) -> Result<PdfOutput, Trouble> {
    let CheckPdf { file_data, file_type, source_ref_id, standards, format } = arguments;
    let file = given::file(FileInput { file_data, file_type, source_ref_id }, work)?;
    let wanted = if standards.is_empty() { vec![Standard::Ua1, Standard::A2b] } else { standards };
    let (mut outputs, mut findings, mut warnings) = (Vec::new(), Vec::new(), Vec::new());
    for (index, standard) in wanted.iter().enumerate() {
        work.progress(index as f64, wanted.len() as f64, standard.as_str());
        let verdict = check(&file.bytes, *standard).map_err(trouble)?;
        if verdict.encrypted && warnings.is_empty() {
            warnings.push("the file is encrypted, so its content was not checked".to_owned());
        }
        outputs.push(output(&verdict));
        findings.extend(verdict.findings);
    }
    Ok(PdfOutput { standards: outputs, report: FindingsOutput::new(findings, warnings, format, work)? })
}

pub(super) fn output(verdict: &Verdict) -> StandardOutput {
    StandardOutput {
        standard: verdict.standard,
        passes: verdict.passes,
        claimed: verdict.claimed,
        rules_checked: verdict.standard.rules_checked(),
        not_checked: verdict.standard.not_checked().iter().map(|it| (*it).to_owned()).collect(),
    }
}

pub(super) fn trouble(error: CheckError) -> Trouble {
    match error {
        CheckError::Empty => Trouble::unreadable(error.to_string()).hint("pass a file with content"),
        CheckError::NotPdf => Trouble::new(TroubleCode::Unsupported, error.to_string()).hint("pass a PDF"),
        CheckError::NoCatalogue => {
            Trouble::unreadable(error.to_string()).hint("the file is cut off or damaged; pass another copy")
        }
    }
}
