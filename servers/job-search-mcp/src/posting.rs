//! A posting as schema.org names it, with what schema.org has no words for beside it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::advert::AdvertSpan;

/// schema.org JobPosting. Fields that the advertisement does not have are left out.
#[derive(Clone, PartialEq, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobPosting {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hiring_organization: Option<NamedThing>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub job_location: Vec<JobPlace>,
    /// TELECOMMUTE for work that is done from anywhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_location_type: Option<&'static str>,
    /// The regions that remote workers must live in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub applicant_location_requirements: Vec<NamedThing>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_salary: Option<BaseSalary>,
    /// FULL_TIME, PART_TIME, CONTRACTOR, TEMPORARY, INTERN, VOLUNTEER, PER_DIEM or OTHER.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub employment_type: Vec<String>,
    /// As written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work_hours: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experience_requirements: Option<ExperienceMonths>,
    /// Qualifications that the page's own data names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub qualifications: Vec<String>,
    /// YYYY-MM-DD.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date_posted: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_through: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_start_date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub application_contact: Option<ApplicationContact>,
    /// The page to apply on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The application can be sent on that page itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direct_apply: Option<bool>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct NamedThing {
    pub name: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
pub struct JobPlace {
    pub address: JobAddress,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobAddress {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address_locality: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address_region: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address_country: Option<String>,
}

/// Pay with its currency (ISO 4217) and period.
#[derive(Clone, PartialEq, Debug, Default, Serialize, JsonSchema)]
pub struct BaseSalary {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    pub value: SalaryRange,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SalaryRange {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_value: Option<f64>,
    /// HOUR, DAY, WEEK, MONTH or YEAR.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit_text: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExperienceMonths {
    pub months_of_experience: u32,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct ApplicationContact {
    pub email: String,
}

/// The rule about the place of work.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Workplace {
    Onsite,
    Hybrid,
    Remote,
}

/// The source of a field: its range in the text, or its pointer in the page's JSON-LD.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PostingSource {
    Text(AdvertSpan),
    JsonLd(String),
}

/// A posting with everything that was read beside it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ParsedPosting {
    pub posting: JobPosting,
    pub workplace: Option<Workplace>,
    /// intern, junior, mid, senior, lead, staff, principal, director or executive.
    pub seniority: Option<&'static str>,
    /// Hours of a week, lowest and highest.
    pub hours: Option<(f64, f64)>,
    pub must: Vec<String>,
    pub nice: Vec<String>,
    /// Well-known skills and knowledge, in the order of the text.
    pub skills: Vec<String>,
    /// ISO 639-1.
    pub language: Option<String>,
    pub warnings: Vec<String>,
    /// By JSON pointer into the answer.
    pub sources: BTreeMap<String, PostingSource>,
}

impl ParsedPosting {
    pub(crate) fn note(&mut self, path: impl Into<String>, span: AdvertSpan) {
        self.sources.insert(path.into(), PostingSource::Text(span));
    }

    pub(crate) fn note_json(&mut self, path: &str, pointer: String) {
        self.sources.insert(path.to_owned(), PostingSource::JsonLd(pointer));
    }
}
