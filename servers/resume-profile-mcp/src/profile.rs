//! From a document to a profile: each module reads its part, then the missing fields and the unused lines are
//! listed.

use serde_json::Value;

use crate::contact;
use crate::draft::{FoundValue, ProfileDraft, ValueSource};
use crate::parsed::{ByteSpan, ParsedDocument};
use crate::person;
use crate::sections::{self, ResumeSection, SectionKind};
use crate::{education, others, skills, spoken, work};

#[cfg(test)]
mod tests;

/// A profile with the source of each value.
#[derive(Clone, PartialEq, Debug)]
pub struct Profile {
    /// JSON Resume.
    pub resume: Value,
    pub sources: Vec<ValueSource>,
    /// The missing fields, in words.
    pub missing: Vec<String>,
    /// Lines that no part used.
    pub unmapped: Vec<ByteSpan>,
    pub warnings: Vec<String>,
}

/// The minimum number of signs of a resume: contacts, sections, dates.
const SIGNS_MIN: usize = 2;
/// The factor on confidence in a document that does not look like a resume.
const DOUBT: f32 = 0.3;

pub fn extract(parsed: &ParsedDocument) -> Profile {
    let mut sections = sections::find(parsed);
    let contacts = contact::find(parsed, &sections);
    let mut draft = ProfileDraft::default();
    let name = person::name(parsed, &sections, &contacts);
    let mut taken: Vec<ByteSpan> = Vec::new();
    if let Some(name) = name {
        let label = person::label(parsed, &sections, &contacts, &name);
        taken.extend([name.found.span].into_iter().chain(label.as_ref().map(|label| label.span)));
        draft.basics.set("name", name.found);
        label.into_iter().for_each(|label| draft.basics.set("label", label));
        leave_out(&mut sections, &taken);
    }
    for (field, found) in [("email", &contacts.email), ("phone", &contacts.phone), ("url", &contacts.url)] {
        found.iter().for_each(|found| draft.basics.set(field, (*found).clone()));
    }
    draft.location = contact::location(parsed, &sections, &contacts, &taken);
    draft.profiles = contacts.profiles.clone();
    if let Some(summary) = summary(parsed, &sections) {
        draft.basics.set("summary", summary);
    }
    read_sections(parsed, &sections, &mut draft);
    finish(parsed, &sections, draft)
}

/// A name in the middle of a section (beside a column that was read first) is not part of that section.
fn leave_out(sections: &mut [ResumeSection], taken: &[ByteSpan]) {
    for section in sections.iter_mut().filter(|section| section.kind != SectionKind::Top) {
        section.spans.retain(|(_, span)| !taken.iter().any(|taken| span.contains(*taken)));
    }
}

fn summary(parsed: &ParsedDocument, sections: &[ResumeSection]) -> Option<FoundValue> {
    let section =
        sections.iter().find(|section| section.kind == SectionKind::Summary && !section.spans.is_empty())?;
    let first = section.spans.first()?.1;
    let last = section.spans.last()?.1;
    Some(FoundValue::text(parsed, first.to(last), 0.85))
}

fn read_sections(parsed: &ParsedDocument, sections: &[ResumeSection], draft: &mut ProfileDraft) {
    // In the order of JSON Resume, regardless of the document's.
    for name in [
        "work",
        "volunteer",
        "education",
        "awards",
        "certificates",
        "publications",
        "skills",
        "languages",
        "interests",
        "projects",
    ] {
        draft.add(name, Vec::new());
    }
    for section in sections {
        match section.kind {
            SectionKind::Work => draft.add("work", work::read(parsed, section)),
            SectionKind::Education => draft.add("education", education::read(parsed, section)),
            SectionKind::Skills => draft.add("skills", skills::read(parsed, section)),
            SectionKind::Languages => draft.add("languages", spoken::read(parsed, section)),
            _ => {
                if let Some((name, records)) = others::read(parsed, section) {
                    draft.add(name, records);
                }
            }
        }
    }
}

fn finish(parsed: &ParsedDocument, sections: &[ResumeSection], draft: ProfileDraft) -> Profile {
    let (resume, mut sources) = draft.finish();
    let mut warnings = parsed.warnings.clone();
    let signs = signs(sections, &draft);
    if parsed.is_blank() {
        warnings.push("there is no text in it, so nothing could be found".to_owned());
    } else if signs < SIGNS_MIN {
        warnings.push(
            "this does not look like a resume: it has hardly any contacts, headings or dates".to_owned(),
        );
        sources.iter_mut().for_each(|source| source.confidence *= DOUBT);
    }
    let missing = missing(&draft);
    Profile { resume, sources, missing, unmapped: unmapped(parsed, sections, &draft), warnings }
}

fn signs(sections: &[ResumeSection], draft: &ProfileDraft) -> usize {
    let kinds = [SectionKind::Work, SectionKind::Education, SectionKind::Skills];
    let headed = kinds.iter().filter(|kind| sections.iter().any(|section| section.kind == **kind)).count();
    let reachable = [draft.basics.get("email"), draft.basics.get("phone")].iter().flatten().count();
    let timed = draft
        .section("work")
        .iter()
        .chain(draft.section("education"))
        .filter(|record| record.get("startDate").is_some())
        .count();
    headed + reachable + timed.min(2)
}

/// The usual fields that are missing.
fn missing(draft: &ProfileDraft) -> Vec<String> {
    let mut missing = Vec::new();
    for (field, words) in
        [("name", "a name"), ("email", "an e-mail address"), ("phone", "a telephone number")]
    {
        if draft.basics.get(field).is_none() {
            missing.push(format!("/basics/{field}: {words} was not found"));
        }
    }
    if draft.location.is_empty() {
        missing.push("/basics/location: a place was not found".to_owned());
    }
    for (section, words) in
        [("work", "jobs"), ("education", "education"), ("skills", "skills"), ("languages", "languages")]
    {
        if draft.section(section).is_empty() {
            missing.push(format!("/{section}: no {words} were found"));
        }
    }
    for (section, fields) in [
        ("work", [("name", "the employer"), ("position", "the title"), ("startDate", "the start date")]),
        (
            "education",
            [("institution", "the school"), ("studyType", "the degree"), ("startDate", "the start date")],
        ),
    ] {
        for (at, record) in draft.section(section).iter().enumerate() {
            let absent = fields.iter().filter(|(field, _)| record.get(field).is_none());
            missing.extend(
                absent.map(|(field, words)| format!("/{section}/{at}/{field}: {words} was not found")),
            );
        }
    }
    missing
}

/// Lines without any used part. Headings are not among them.
fn unmapped(parsed: &ParsedDocument, sections: &[ResumeSection], draft: &ProfileDraft) -> Vec<ByteSpan> {
    let used = draft.spans();
    let headings: Vec<usize> = sections.iter().filter_map(|section| section.heading).collect();
    let free = |span: ByteSpan| !used.iter().any(|other| other.start < span.end && span.start < other.end);
    let lines = parsed.lines.iter().enumerate().filter(|(index, _)| !headings.contains(index));
    lines.map(|(_, line)| line.span).filter(|span| free(*span)).collect()
}
