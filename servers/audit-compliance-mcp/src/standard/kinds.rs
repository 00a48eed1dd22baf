//! The standards, and the outcome of a check.

use crate::cos::PdfError;
use crate::report::Finding;

/// A standard that a file is checked against.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub enum Standard {
    #[serde(rename = "pdf/ua-1")]
    Ua1,
    #[serde(rename = "pdf/a-2b")]
    A2b,
}

impl Standard {
    pub fn as_str(self) -> &'static str {
        match self {
            Standard::Ua1 => "pdf/ua-1",
            Standard::A2b => "pdf/a-2b",
        }
    }
}

/// The outcome for one standard.
#[derive(Clone, Debug)]
pub struct Verdict {
    pub standard: Standard,
    /// No checked rule is broken.
    pub passes: bool,
    /// The file says that it conforms.
    pub claimed: bool,
    pub findings: Vec<Finding>,
    /// The content could not be looked into.
    pub encrypted: bool,
}

/// The reason why a file was not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    #[error("the file is empty")]
    Empty,
    #[error("the file is not a PDF")]
    NotPdf,
    #[error("the PDF is damaged: it has no document catalogue")]
    NoCatalogue,
}

impl From<PdfError> for CheckError {
    fn from(error: PdfError) -> Self {
        match error {
            PdfError::NotPdf => CheckError::NotPdf,
            PdfError::NoCatalogue => CheckError::NoCatalogue,
        }
    }
}
