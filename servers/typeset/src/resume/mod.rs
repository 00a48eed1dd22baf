//! Résumés in the form of JSON Resume, and as documents.

mod article;
#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::docx::docx;
use crate::error::TypesetError;
use crate::made::FinishedFile;
use crate::pdf::pdf;
use crate::style::{DocxOptions, FontSource, PdfOptions, Standard, Style, Theme};

pub use article::resume_article;

/// A résumé as in <https://jsonresume.org/schema>. Everything is optional; unknown fields are ignored.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Resume {
    pub basics: Basics,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub work: Vec<Work>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub volunteer: Vec<Volunteer>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub education: Vec<Education>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub awards: Vec<Award>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub certificates: Vec<Certificate>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub publications: Vec<Publication>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<Skill>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<Language>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub interests: Vec<Interest>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<Reference>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub projects: Vec<Project>,
}

/// Defines a part of a résumé: each field is optional and omitted from the JSON if missing.
macro_rules! part {
    ($(#[$about:meta])* $name:ident { $($(#[$note:meta])* $field:ident : $kind:ty),* $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(default, rename_all = "camelCase")]
        pub struct $name {
            $($(#[$note])* #[serde(skip_serializing_if = "is_missing")] pub $field: $kind,)*
        }
    };
}

/// Missing values are not written.
trait IsMissing {
    fn is_missing(&self) -> bool;
}

impl<T> IsMissing for Option<T> {
    fn is_missing(&self) -> bool {
        self.is_none()
    }
}

impl<T> IsMissing for Vec<T> {
    fn is_missing(&self) -> bool {
        self.is_empty()
    }
}

fn is_missing<T: IsMissing>(value: &T) -> bool {
    value.is_missing()
}

part!(
    /// Who it is, and where to reach them.
    Basics {
        name: Option<String>,
        /// What they are, such as `Web developer`.
        label: Option<String>,
        email: Option<String>,
        phone: Option<String>,
        url: Option<String>,
        summary: Option<String>,
        location: Option<Location>,
        profiles: Vec<Profile>,
    }
);
part!(Location {
    address: Option<String>,
    postal_code: Option<String>,
    city: Option<String>,
    country_code: Option<String>,
    region: Option<String>,
});
part!(
    /// An account on another site.
    Profile { network: Option<String>, username: Option<String>, url: Option<String> }
);
part!(
    /// A job. Dates are `2026`, `2026-11` or `2026-11-15`; without an end it goes on.
    Work {
        name: Option<String>,
        location: Option<String>,
        description: Option<String>,
        position: Option<String>,
        url: Option<String>,
        start_date: Option<String>,
        end_date: Option<String>,
        summary: Option<String>,
        highlights: Vec<String>,
    }
);
part!(Volunteer {
    organization: Option<String>,
    position: Option<String>,
    url: Option<String>,
    start_date: Option<String>,
    end_date: Option<String>,
    summary: Option<String>,
    highlights: Vec<String>,
});
part!(Education {
    institution: Option<String>,
    url: Option<String>,
    area: Option<String>,
    study_type: Option<String>,
    start_date: Option<String>,
    end_date: Option<String>,
    score: Option<String>,
    courses: Vec<String>,
});
part!(Award { title: Option<String>, date: Option<String>, awarder: Option<String>, summary: Option<String> });
part!(Certificate { name: Option<String>, date: Option<String>, url: Option<String>, issuer: Option<String> });
part!(Publication {
    name: Option<String>,
    publisher: Option<String>,
    release_date: Option<String>,
    url: Option<String>,
    summary: Option<String>,
});
part!(Skill { name: Option<String>, level: Option<String>, keywords: Vec<String> });
part!(Language { language: Option<String>, fluency: Option<String> });
part!(Interest { name: Option<String>, keywords: Vec<String> });
part!(Reference { name: Option<String>, reference: Option<String> });
part!(Project {
    name: Option<String>,
    description: Option<String>,
    highlights: Vec<String>,
    keywords: Vec<String>,
    start_date: Option<String>,
    end_date: Option<String>,
    url: Option<String>,
    roles: Vec<String>,
    entity: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
});

/// The layout of a résumé.
#[derive(Clone, PartialEq, Debug)]
pub struct ResumeOptions {
    /// Its theme is always the one for résumés.
    pub style: Style,
    pub standard: Standard,
    pub fonts: FontSource,
    /// Of the headings and of the text; `en` by default.
    pub language: Option<String>,
    /// The order of the parts by their JSON names, such as `["skills", "work"]`; those that are left out follow in the
    /// usual order.
    pub order: Vec<String>,
}

impl Default for ResumeOptions {
    fn default() -> Self {
        Self {
            style: Style { theme: Theme::Resume, ..Style::default() },
            standard: Standard::PdfA2b,
            fonts: FontSource::Machine,
            language: None,
            order: Vec::new(),
        }
    }
}

impl ResumeOptions {
    fn style(&self) -> Style {
        Style { theme: Theme::Resume, ..self.style.clone() }
    }
}

/// PDF/A-2b unless the options say otherwise. A letter that no font has would break that standard; then it is set without.
pub fn resume_pdf(resume: &Resume, options: &ResumeOptions) -> Result<FinishedFile, TypesetError> {
    let article = resume_article(resume, options);
    let mut pdf_options =
        PdfOptions { style: options.style(), standard: options.standard, fonts: options.fonts };
    match pdf(&article, &pdf_options) {
        Err(TypesetError::Standard { standard, why }) => {
            pdf_options.standard = Standard::None;
            let mut made = pdf(&article, &pdf_options)?;
            made.warnings.push(format!("the document does not conform to {standard}: {why}"));
            Ok(made)
        }
        made => made,
    }
}

pub fn resume_docx(resume: &Resume, options: &ResumeOptions) -> Result<FinishedFile, TypesetError> {
    docx(&resume_article(resume, options), &DocxOptions { style: options.style() })
}
