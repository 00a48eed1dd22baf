//! Postings in the JSON-LD of a page, as boards embed them for search engines.

use std::sync::LazyLock;

use capability_documents::{OpenOptions, open};
use regex::Regex;
use serde_json::Value;

use resume_profile_mcp::shared;

use crate::fields::{clean_title, employment_types, unit_of, weekly};
use crate::posting::{
    ApplicationContact, BaseSalary, ExperienceMonths, JobAddress, JobPlace, NamedThing, ParsedPosting,
    SalaryRange, Workplace,
};
use crate::requirements::months_in;

/// Scripts of a page that are tried.
const SCRIPTS_MAX: usize = 50;
const SCRIPT_BYTES_MAX: usize = 1 << 20;
/// Objects within objects, and all objects that are looked at.
const DEPTH_MAX: usize = 8;
const POSTINGS_MAX: usize = 100;
const PLACES_MAX: usize = 10;
const TEXT_CHARS_MAX: usize = 300;
/// Skills or qualifications of one posting.
const NAMES_MAX: usize = 40;
/// A text of more words without a comma is a sentence, not a list.
const SENTENCE_WORDS_MIN: usize = 6;
/// Sixty years.
const MONTHS_MAX: f64 = 720.0;

static SCRIPT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?is)<script\b[^>]{0,400}application/ld\+json[^>]{0,400}>(.*?)</script"#)
        .expect("the pattern is fixed")
});

/// True for a text that begins like a web page, or carries JSON-LD.
pub(crate) fn looks_like_page(text: &str) -> bool {
    let head = text.trim_start();
    let head = head[..head.floor_char_boundary(200)].to_ascii_lowercase();
    head.starts_with("<!doctype html") || head.starts_with("<html") || SCRIPT.is_match(text)
}

/// All postings of a page, in its order. Scripts that are no JSON are left alone.
pub(crate) fn postings(page: &str) -> Vec<Value> {
    let mut found = Vec::new();
    let scripts = SCRIPT.captures_iter(page).take(SCRIPTS_MAX).filter_map(|script| script.get(1));
    for script in scripts.filter(|script| script.len() <= SCRIPT_BYTES_MAX) {
        let text = script.as_str().trim().trim_start_matches("<!--").trim_end_matches("-->");
        if let Ok(value) = serde_json::from_str::<Value>(text) {
            collect(value, DEPTH_MAX, &mut found);
        }
    }
    found
}

fn collect(value: Value, depth: usize, found: &mut Vec<Value>) {
    if depth == 0 || found.len() >= POSTINGS_MAX {
        return;
    }
    match value {
        Value::Array(values) => values.into_iter().for_each(|value| collect(value, depth - 1, found)),
        Value::Object(_) if is_posting(&value) => found.push(value),
        Value::Object(fields) => fields.into_iter().for_each(|(_, value)| collect(value, depth - 1, found)),
        _ => {}
    }
}

fn is_posting(value: &Value) -> bool {
    let named =
        |kind: &Value| kind.as_str().is_some_and(|kind| kind.rsplit(['/', ':']).next() == Some("JobPosting"));
    match &value["@type"] {
        Value::Array(kinds) => kinds.iter().any(named),
        kind => named(kind),
    }
}

/// The text of the posting's description, which is HTML.
pub(crate) fn description(posting: &Value) -> Option<String> {
    let written = posting["description"].as_str().filter(|text| !text.trim().is_empty())?;
    // Some boards escape it twice.
    let html = written.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let page = format!("<!doctype html><html><body>{html}</body></html>");
    let text = open(page.as_bytes(), Some("text/html"), &OpenOptions::default()).ok()?.text();
    Some(text).filter(|text| !text.trim().is_empty())
}

/// Fills what the page itself says about the posting.
pub(crate) fn fill(posting: &Value, parsed: &mut ParsedPosting) {
    named(posting, parsed);
    places(posting, parsed);
    salary(posting, parsed);
    terms(posting, parsed);
    dates(posting, parsed);
    contact(posting, parsed);
    wants(posting, parsed);
}

fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Array(values) => return values.first().and_then(text),
        _ => return None,
    };
    (!text.is_empty() && text.chars().count() <= TEXT_CHARS_MAX).then_some(text)
}

fn name(value: &Value) -> Option<String> {
    text(value).or_else(|| text(&value["name"]))
}

fn list(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(values) => values.iter().take(PLACES_MAX).collect(),
        Value::Null => Vec::new(),
        value => vec![value],
    }
}

fn named(posting: &Value, parsed: &mut ParsedPosting) {
    if let Some(title) = text(&posting["title"]).or_else(|| text(&posting["name"])) {
        parsed.posting.title = Some(clean_title(&title));
        parsed.note_json("/posting/title", "/title".to_owned());
    }
    if let Some(name) = name(&posting["hiringOrganization"]) {
        parsed.posting.hiring_organization = Some(NamedThing { name });
        parsed.note_json("/posting/hiringOrganization", "/hiringOrganization".to_owned());
    }
}

fn places(posting: &Value, parsed: &mut ParsedPosting) {
    for (at, place) in list(&posting["jobLocation"]).into_iter().enumerate() {
        let address = match &place["address"] {
            Value::Null => &place["name"],
            address => address,
        };
        let address = match address {
            Value::String(_) => JobAddress { address_locality: text(address), ..JobAddress::default() },
            fields => JobAddress {
                address_locality: text(&fields["addressLocality"]),
                address_region: name(&fields["addressRegion"]),
                address_country: name(&fields["addressCountry"]),
            },
        };
        if address != JobAddress::default() {
            let path = format!("/posting/jobLocation/{}", parsed.posting.job_location.len());
            parsed.note_json(&path, format!("/jobLocation/{at}"));
            parsed.posting.job_location.push(JobPlace { address });
        }
    }
    if text(&posting["jobLocationType"]).is_some_and(|kind| kind.eq_ignore_ascii_case("TELECOMMUTE")) {
        parsed.posting.job_location_type = Some("TELECOMMUTE");
        parsed.workplace = Some(Workplace::Remote);
        parsed.note_json("/workplace", "/jobLocationType".to_owned());
    }
    regions(posting, parsed);
}

/// The regions that workers must live in: by name, or by the address of a place.
fn regions(posting: &Value, parsed: &mut ParsedPosting) {
    for region in list(&posting["applicantLocationRequirements"]) {
        let address = &region["address"];
        let in_address = || name(&address["addressRegion"]).or_else(|| name(&address["addressCountry"]));
        if let Some(name) = name(region).or_else(in_address) {
            parsed.posting.applicant_location_requirements.push(NamedThing { name });
            let source = "/applicantLocationRequirements".to_owned();
            parsed.note_json("/posting/applicantLocationRequirements", source);
        }
    }
}

/// The wishes of the posting: skills, qualifications, experience; and whether one applies on the page.
fn wants(posting: &Value, parsed: &mut ParsedPosting) {
    for written in named_list(&posting["skills"]) {
        let skill = shared::skill_name(&written).map_or(written, str::to_owned);
        if !parsed.skills.iter().any(|other| other.eq_ignore_ascii_case(&skill)) {
            parsed.note_json(&format!("/skills/{}", parsed.skills.len()), "/skills".to_owned());
            parsed.skills.push(skill);
        }
    }
    let education = named_list(&posting["educationRequirements"]);
    let qualifications = named_list(&posting["qualifications"]);
    for (source, all) in [("/qualifications", qualifications), ("/educationRequirements", education)] {
        for one in all {
            must(&one, source, parsed);
            parsed.posting.qualifications.push(one);
            parsed.note_json("/posting/qualifications", source.to_owned());
        }
    }
    experience(&posting["experienceRequirements"], parsed);
    parsed.posting.direct_apply = flag(&posting["directApply"]);
    if parsed.posting.direct_apply.is_some() {
        parsed.note_json("/posting/directApply", "/directApply".to_owned());
    }
}

/// Months as a number, or a sentence that may name years.
fn experience(value: &Value, parsed: &mut ParsedPosting) {
    const SOURCE: &str = "/experienceRequirements";
    let months = text(&value["monthsOfExperience"]).and_then(|months| months.parse::<f64>().ok());
    let months =
        months.filter(|months| (0.0..=MONTHS_MAX).contains(months)).map(|months| months.round() as u32);
    let written = name(value).filter(|_| months.is_none());
    if let Some(written) = &written {
        must(written, SOURCE, parsed);
    }
    if let Some(months) = months.or_else(|| months_in(written.as_deref()?)) {
        parsed.posting.experience_requirements = Some(ExperienceMonths { months_of_experience: months });
        parsed.note_json("/posting/experienceRequirements", SOURCE.to_owned());
    }
}

fn must(requirement: &str, source: &str, parsed: &mut ParsedPosting) {
    if !parsed.must.iter().any(|other| other == requirement) {
        parsed.note_json(&format!("/must/{}", parsed.must.len()), source.to_owned());
        parsed.must.push(requirement.to_owned());
    }
}

/// Names of a list; several in one text are parted by commas, semicolons or lines.
fn named_list(value: &Value) -> Vec<String> {
    let mut names = Vec::new();
    for one in list(value) {
        let Some(written) = name(one).or_else(|| text(&one["credentialCategory"])) else { continue };
        let is_sentence = written.contains(". ")
            || written.split_whitespace().count() > SENTENCE_WORDS_MIN && !written.contains(',');
        let parts: Vec<&str> =
            if is_sentence { vec![&written] } else { written.split([',', ';', '\n', '•']).collect() };
        names.extend(parts.into_iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()));
    }
    names.truncate(NAMES_MAX);
    names
}

fn flag(value: &Value) -> Option<bool> {
    value.as_bool().or_else(|| match text(value)?.rsplit('/').next()?.to_ascii_lowercase().as_str() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    })
}

fn salary(posting: &Value, parsed: &mut ParsedPosting) {
    let base = list(&posting["baseSalary"]).into_iter().next().unwrap_or(&Value::Null);
    let amount = |value: &Value| value.as_f64().or_else(|| text(value)?.replace(',', "").parse().ok());
    let value = &base["value"];
    let one = amount(value).or_else(|| amount(&value["value"])).filter(|amount| *amount > 0.0);
    let range = SalaryRange {
        min_value: amount(&value["minValue"]).or(one),
        max_value: amount(&value["maxValue"]).or(one),
        unit_text: text(&value["unitText"]).map(|unit| unit_name(&unit)),
    };
    if range.min_value.is_none() && range.max_value.is_none() {
        return;
    }
    let currency = text(&base["currency"]).or_else(|| text(&posting["salaryCurrency"]));
    parsed.posting.base_salary = Some(BaseSalary { currency, value: range });
    parsed.note_json("/posting/baseSalary", "/baseSalary".to_owned());
}

fn unit_name(written: &str) -> String {
    let upper = written.to_uppercase();
    let known = ["HOUR", "DAY", "WEEK", "MONTH", "YEAR"].into_iter().find(|unit| upper.starts_with(unit));
    known.or_else(|| unit_of(written)).map_or(upper, str::to_owned)
}

fn terms(posting: &Value, parsed: &mut ParsedPosting) {
    const KINDS: [&str; 8] =
        ["FULL_TIME", "PART_TIME", "CONTRACTOR", "TEMPORARY", "INTERN", "VOLUNTEER", "PER_DIEM", "OTHER"];
    let written = list(&posting["employmentType"]).into_iter().filter_map(text);
    let pieces: Vec<String> =
        written.flat_map(|text| text.split(',').map(str::to_owned).collect::<Vec<_>>()).collect();
    for piece in pieces {
        let upper = piece.trim().to_uppercase().replace([' ', '-'], "_");
        let kind = KINDS.into_iter().find(|kind| *kind == upper);
        let kind = kind.or_else(|| employment_types(&piece).first().map(|(kind, ..)| *kind));
        let known = &mut parsed.posting.employment_type;
        if let Some(kind) = kind.filter(|kind| !known.iter().any(|other| other == kind)) {
            known.push(kind.to_owned());
            parsed.note_json("/posting/employmentType", "/employmentType".to_owned());
        }
    }
    if let Some(hours) = text(&posting["workHours"]) {
        parsed.hours = weekly(&hours).map(|(low, high, ..)| (low, high));
        parsed.posting.work_hours = Some(hours);
        parsed.note_json("/hours_per_week", "/workHours".to_owned());
    }
}

/// Of a moment, the day.
fn dates(posting: &Value, parsed: &mut ParsedPosting) {
    let day = |name: &str| {
        let written = text(&posting[name])?;
        written.get(..10)?.parse::<jiff::civil::Date>().ok().map(|date| date.to_string())
    };
    let (posted, until, start) = (day("datePosted"), day("validThrough"), day("jobStartDate"));
    for (name, found) in [("datePosted", &posted), ("validThrough", &until), ("jobStartDate", &start)] {
        if found.is_some() {
            parsed.note_json(&format!("/posting/{name}"), format!("/{name}"));
        }
    }
    (parsed.posting.date_posted, parsed.posting.valid_through, parsed.posting.job_start_date) =
        (posted, until, start);
}

fn contact(posting: &Value, parsed: &mut ParsedPosting) {
    if let Some(email) = text(&posting["applicationContact"]["email"]) {
        parsed.posting.application_contact = Some(ApplicationContact { email });
        parsed.note_json("/posting/applicationContact", "/applicationContact".to_owned());
    }
    if let Some(url) = text(&posting["url"]).filter(|url| url.starts_with("http")) {
        parsed.posting.url = Some(url);
        parsed.note_json("/posting/url", "/url".to_owned());
    }
}
