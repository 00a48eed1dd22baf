//! A resume for one job: the same facts, the relevant ones first, and only as many as fit. Every string comes
//! from the profile.

use capability_typeset::{Resume, ResumeOptions, Style, TypesetError, resume_docx, resume_pdf};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fit::{JobDescription, Relevance};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Format {
    #[default]
    Pdf,
    Docx,
}

impl Format {
    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Format::Pdf => "application/pdf",
            Format::Docx => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        }
    }

    pub(crate) fn file_name(self) -> &'static str {
        match self {
            Format::Pdf => "resume.pdf",
            Format::Docx => "resume.docx",
        }
    }
}

/// The layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ResumeTemplate {
    #[default]
    Classic,
    /// Smaller letters and margins, for much text on one page.
    Compact,
}

/// The request.
pub(crate) struct TailorRequest {
    pub(crate) format: Format,
    pub(crate) template: ResumeTemplate,
    pub(crate) pages_max: Option<usize>,
    pub(crate) language: Option<String>,
}

/// The result.
pub(crate) struct TailoredResume {
    pub(crate) bytes: Vec<u8>,
    pub(crate) pages: Option<usize>,
    pub(crate) resume: Resume,
    pub(crate) changes: Vec<String>,
    pub(crate) left_out: Vec<String>,
    pub(crate) warnings: Vec<String>,
}

/// The minimum number of points of a job while there is other text to leave out.
const POINTS_MIN: usize = 1;
const POINTS_AT_ONCE: usize = 8;
/// The maximum number of attempts.
const TRIES_MAX: usize = 60;

pub(crate) fn tailor(
    resume: Resume,
    job: &JobDescription,
    wish: &TailorRequest,
) -> Result<TailoredResume, TypesetError> {
    let relevance = Relevance::of(job);
    let mut resume = resume;
    let mut changes = Vec::new();
    sort(&mut resume, &relevance, &mut changes);
    let options = options(&resume, &relevance, wish, &mut changes);
    let mut left_out = Vec::new();
    let mut made = set(&resume, wish.format, &options)?;
    for _ in 0..TRIES_MAX {
        let over = wish.pages_max.zip(made.pages).map_or(0, |(most, pages)| pages.saturating_sub(most));
        // More than a page too long: this many points never fill a page, so nothing is left out in vain.
        let count = if over > 1 { POINTS_AT_ONCE } else { over };
        let less = (0..count).filter(|_| leave_out(&mut resume, &relevance, &mut left_out)).count();
        if less == 0 {
            break;
        }
        made = set(&resume, wish.format, &options)?;
    }
    let mut warnings = made.warnings;
    match (wish.pages_max, made.pages) {
        (Some(most), Some(pages)) if pages > most => {
            warnings.push(format!("it has {pages} pages: nothing more could be omitted to reach {most}"))
        }
        (Some(_), None) => warnings
            .push("the pages of a DOCX are not counted, so nothing was left out for max_pages".to_owned()),
        _ => {}
    }
    Ok(TailoredResume { bytes: made.bytes, pages: made.pages, resume, changes, left_out, warnings })
}

fn set(
    resume: &Resume,
    format: Format,
    options: &ResumeOptions,
) -> Result<capability_typeset::FinishedFile, TypesetError> {
    match format {
        Format::Pdf => resume_pdf(resume, options),
        Format::Docx => resume_docx(resume, options),
    }
}

fn options(
    resume: &Resume,
    relevance: &Relevance,
    wish: &TailorRequest,
    changes: &mut Vec<String>,
) -> ResumeOptions {
    let mut options = ResumeOptions { language: wish.language.clone(), ..ResumeOptions::default() };
    if wish.template == ResumeTemplate::Compact {
        options.style = Style { font_size_pt: Some(9.0), margin_mm: Some(13.0), ..options.style };
    }
    // Work comes first, unless it is unrelated to the job and the skills are related.
    let work: usize = resume.work.iter().map(|work| relevance.of_json(work)).sum();
    let skills: usize = resume.skills.iter().map(|skill| relevance.of_json(skill)).sum();
    if !resume.skills.is_empty() && skills > 0 && work == 0 {
        options.order = vec!["skills".to_owned(), "work".to_owned()];
        changes.push("skills come before work, since they fit the job and the work does not".to_owned());
    }
    options
}

/// The most relevant parts come first; equally relevant ones keep their order.
fn sort(resume: &mut Resume, relevance: &Relevance, changes: &mut Vec<String>) {
    let before = resume.clone();
    for skill in &mut resume.skills {
        skill.keywords.sort_by_key(|keyword| std::cmp::Reverse(relevance.of_text(keyword)));
    }
    resume.skills.sort_by_key(|skill| std::cmp::Reverse(relevance.of_json(skill)));
    resume.projects.sort_by_key(|project| std::cmp::Reverse(relevance.of_json(project)));
    resume.certificates.sort_by_key(|certificate| std::cmp::Reverse(relevance.of_json(certificate)));
    for work in &mut resume.work {
        work.highlights.sort_by_key(|highlight| std::cmp::Reverse(relevance.of_text(highlight)));
    }
    for (at, (work, earlier)) in resume.work.iter().zip(&before.work).enumerate() {
        if work.highlights != earlier.highlights {
            changes.push(format!("the points of /work/{at} are in another order"));
        }
    }
    if resume.skills != before.skills {
        changes.push("the skills that the job asks for come first".to_owned());
    }
    if resume.projects != before.projects {
        changes.push("the projects that fit come first".to_owned());
    }
    if resume.certificates != before.certificates {
        changes.push("the certificates that fit come first".to_owned());
    }
}

/// Removes the least relevant part; returns true if there was one.
fn leave_out(resume: &mut Resume, relevance: &Relevance, left_out: &mut Vec<String>) -> bool {
    if let Some(interest) = resume.interests.pop() {
        left_out.extend(interest.name);
        return true;
    }
    let points = resume.work.iter().enumerate().filter(|(_, work)| work.highlights.len() > POINTS_MIN);
    // Of equally irrelevant points, that of the oldest job goes first.
    let least = points
        .filter_map(|(at, work)| Some((relevance.of_text(work.highlights.last()?), std::cmp::Reverse(at))))
        .min();
    if let Some((_, std::cmp::Reverse(at))) = least {
        left_out.extend(resume.work[at].highlights.pop());
        return true;
    }
    if resume.projects.len() > 1 {
        left_out.extend(resume.projects.pop().and_then(|project| project.name));
        return true;
    }
    if let Some(work) = resume.work.iter_mut().rev().find(|work| !work.highlights.is_empty()) {
        left_out.append(&mut work.highlights);
        return true;
    }
    if resume.publications.pop().map(|publication| left_out.extend(publication.name)).is_some() {
        return true;
    }
    if resume.volunteer.pop().map(|volunteer| left_out.extend(volunteer.position)).is_some() {
        return true;
    }
    resume.basics.summary.take().map(|summary| left_out.push(summary)).is_some()
}
