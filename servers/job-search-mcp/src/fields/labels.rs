//! Values behind labels, as in `Location: Berlin`.

use std::sync::LazyLock;

use regex::Regex;
use resume_profile_mcp::shared::folded;

use crate::advert::{Advert, AdvertSpan};

/// The meaning of a label.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum JobLabel {
    Title,
    Employer,
    Location,
    Employment,
    Salary,
    Level,
}

const LABELS: [(JobLabel, &str); 6] = [
    (
        JobLabel::Title,
        "job title|title|position|role|vacancy|stelle|stellenbezeichnung|position als|intitule du poste|poste|puesto|cargo|posizione|functie",
    ),
    (
        JobLabel::Employer,
        "company|employer|organisation|organization|company name|hiring company|unternehmen|firma|arbeitgeber|entreprise|societe|employeur|empresa|azienda|bedrijf",
    ),
    (
        JobLabel::Location,
        "location|locations|job location|place|place of work|work location|city|office|ort|arbeitsort|standort|einsatzort|lieu|lieu de travail|localisation|ubicacion|lugar|sede|plaats|locatie",
    ),
    (
        JobLabel::Employment,
        "employment type|employment|job type|contract type|contract|type|type of contract|type of employment|anstellungsart|vertragsart|beschaftigungsart|arbeitszeit|contrat|type de contrat|tipo de contrato|contrato|jornada",
    ),
    (
        JobLabel::Salary,
        "salary|salary range|pay|pay range|pay rate|compensation|remuneration|wage|rate|day rate|annual salary|gehalt|vergutung|lohn|verdienst|salaire|remuneration|salario|sueldo|stipendio|salaris",
    ),
    (JobLabel::Level, "level|seniority|experience level|career level|seniority level|karrierestufe|niveau"),
];

static LABELLED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*([\p{L}][\p{L} '’/-]{1,30}?)\s?[:：]\s*(\S.*)$").expect("the pattern is fixed")
});

/// All labelled values of an advertisement.
pub(super) struct LabelledValues(Vec<(JobLabel, AdvertSpan)>);

impl LabelledValues {
    pub(super) fn of(advert: &Advert) -> Self {
        let values = advert.lines.iter().filter_map(|line| {
            let found = LABELLED.captures(advert.line(line))?;
            let label = folded(&found[1]);
            let (kind, _) =
                LABELS.iter().find(|(_, names)| names.split('|').any(|name| name == label.trim()))?;
            let value = found.get(2)?;
            let span = AdvertSpan::new(line.span.start + value.start(), line.span.start + value.end());
            Some((*kind, span.trimmed(&advert.text)))
        });
        Self(values.filter(|(_, span)| !span.is_empty()).collect())
    }

    pub(super) fn find(&self, label: JobLabel) -> Option<AdvertSpan> {
        self.0.iter().find(|(kind, _)| *kind == label).map(|(_, span)| *span)
    }

    /// True if the range is, or is in, a value with this label.
    pub(super) fn covers(&self, label: JobLabel, span: AdvertSpan) -> bool {
        self.0
            .iter()
            .any(|(kind, value)| *kind == label && value.start <= span.start && span.end <= value.end)
    }

    /// True if a labelled value begins in this range.
    pub(super) fn begins_in(&self, span: AdvertSpan) -> bool {
        self.0.iter().any(|(_, value)| (span.start..span.end).contains(&value.start))
    }
}
