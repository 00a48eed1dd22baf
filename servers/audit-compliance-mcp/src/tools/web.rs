//! `check_accessibility`.

use capability_kit::{FileInput, Tool, Trouble, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answers::{FindingsOutput, ReportFormat};
use super::given;
use crate::web;

/// Bytes of a page.
const PAGE_BYTES_MAX: usize = 4 << 20;

const DESCRIPTION: &str = "Checks an HTML page by rules of WCAG 2.2 that a program can decide: text alternatives, \
    labels, names, languages, headings, ARIA, and contrast where the page itself tells colours. Returns findings with \
    lines, and what was not checked. For PDFs use check_pdf.";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CheckAccessibility {
    /// The page as text.
    #[serde(default)]
    html: Option<String>,
    /// Instead: the page, in Base64.
    #[serde(default)]
    file_data: Option<String>,
    /// Its media type.
    #[serde(default)]
    file_type: Option<String>,
    /// Instead: the ref_id that a tool of this server gave before.
    #[serde(default)]
    source_ref_id: Option<String>,
    /// `sarif` for a SARIF file, too.
    #[serde(default)]
    format: ReportFormat,
}

#[derive(Serialize, JsonSchema)]
struct AccessibilityOutput {
    /// No checked rule is broken by an error.
    passes: bool,
    not_checked: Vec<String>,
    #[serde(flatten)]
    report: FindingsOutput,
}

pub(super) fn tool() -> Tool {
    Tool::new("check_accessibility", "Check a web page for accessibility", DESCRIPTION, run)
}

fn run(arguments: CheckAccessibility, work: &Work) -> Result<AccessibilityOutput, Trouble> {
    let CheckAccessibility { html, file_data, file_type, source_ref_id, format } = arguments;
    let input = FileInput { file_data, file_type, source_ref_id };
    let html = match html {
        Some(_) if input.file_data.is_some() || input.source_ref_id.is_some() => {
            return Err(
                Trouble::bad_arguments("both html and a file were passed").hint("pass only one of them")
            );
        }
        Some(html) => html,
        None => capability_documents::decode(&given::file(input, work)?.bytes).text,
    };
    let findings = page(&html)?;
    let passes = !findings.iter().any(|it| it.severity == crate::report::Severity::Error);
    let not_checked = web::NOT_CHECKED.iter().map(|it| (*it).to_owned()).collect();
    Ok(AccessibilityOutput {
        passes,
        not_checked,
        report: FindingsOutput::new(findings, Vec::new(), format, work)?,
    })
}

/// Findings of a page within limits.
pub(super) fn page(html: &str) -> Result<Vec<crate::report::Finding>, Trouble> {
    if html.trim().is_empty() {
        return Err(Trouble::unreadable("the page is empty").hint("pass a page with content"));
    }
    if html.starts_with("%PDF") || !html.contains('<') {
        return Err(Trouble::unsupported("this is not an HTML page").hint("for PDFs use check_pdf"));
    }
    if html.len() > PAGE_BYTES_MAX {
        return Err(Trouble::new(
            capability_kit::TroubleCode::TooLarge,
            format!("the page has more than {PAGE_BYTES_MAX} bytes"),
        )
        .hint("pass a part of it"));
    }
    Ok(web::check(html))
}
