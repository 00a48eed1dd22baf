//! Duplicates: advertisements as other boards would show them, and others that only look alike.

use std::collections::BTreeSet;
use std::path::Path;

use job_search_mcp::duplicates::{ListedJob, find};

use serde_json::Value;

use super::counts::AnswerCounts;
use super::fields::{CorpusAdvert, adverts};

/// Advertisements of one call.
const BATCH: usize = 20;
const LEGAL_FORMS: [&str; 8] = [" Ltd", " GmbH", " Inc.", " LLC", " AG", " plc", " Corp", " SAS"];

pub(super) fn run(corpus: &Path) -> anyhow::Result<()> {
    let adverts: Vec<CorpusAdvert> =
        adverts(corpus)?.into_iter().filter(|advert| !advert.text.starts_with('<')).collect();
    let (mut ours, mut exact) = (AnswerCounts::default(), AnswerCounts::default());
    let mut jobs_count = 0;
    for batch in adverts.chunks(BATCH) {
        let (mut jobs, mut truth) = (Vec::new(), Vec::new());
        for (number, advert) in batch.iter().enumerate() {
            // Two that share title, company and town are one that was posted again.
            let first = batch.iter().position(|other| key(other) == key(advert)).unwrap_or(number);
            for (job, is_same) in variants(advert, number) {
                truth.push(if is_same { first } else { BATCH + jobs.len() });
                jobs.push(job);
            }
        }
        jobs_count += jobs.len();
        let wanted = pairs_of(&truth);
        let found = find(&jobs).into_iter().flat_map(|group| pairs(&group.jobs)).collect();
        ours.add(counted(&found, &wanted));
        let keys: Vec<String> = jobs
            .iter()
            .map(|job| format!("{}|{}", job.title, job.company.clone().unwrap_or_default()).to_lowercase())
            .collect();
        exact.add(counted(&pairs_of(&keys), &wanted));
    }
    println!("\nduplicates: {jobs_count} advertisements made from {} (pairwise F1)", adverts.len());
    println!("{:<14}{:>14}{:>26}", "", "this project", "equal title and company");
    println!("{:<14}{:>14.3}{:>26.3}", "pairs", ours.f1(), exact.f1());
    Ok(())
}

fn key(advert: &CorpusAdvert) -> [&Value; 3] {
    [&advert.truth["title"], &advert.truth["company"], &advert.truth["places"]]
}

fn counted(found: &BTreeSet<(usize, usize)>, wanted: &BTreeSet<(usize, usize)>) -> AnswerCounts {
    AnswerCounts { right: found.intersection(wanted).count(), found: found.len(), wanted: wanted.len() }
}

fn pairs(members: &[usize]) -> Vec<(usize, usize)> {
    let later = |at: usize| members[at + 1..].iter().map(move |other| (members[at], *other));
    (0..members.len()).flat_map(later).collect()
}

fn pairs_of<T: PartialEq>(keys: &[T]) -> BTreeSet<(usize, usize)> {
    let members: Vec<usize> = (0..keys.len()).collect();
    pairs(&members).into_iter().filter(|(one, other)| keys[*one] == keys[*other]).collect()
}

/// The advertisement, the same elsewhere, and others: another town, another level, another company.
fn variants(advert: &CorpusAdvert, number: usize) -> Vec<(ListedJob, bool)> {
    let said = |name: &str| advert.truth[name].as_str().unwrap_or_default().to_owned();
    let town = advert.truth["places"][0].as_str().unwrap_or_default().to_owned();
    let text = advert.text.clone();
    let job = |title: String, company: String, location: String, text: String| ListedJob {
        title,
        company: Some(company).filter(|company| !company.is_empty()),
        location: Some(location).filter(|location| !location.is_empty()),
        text: Some(text).filter(|text| !text.is_empty()),
        url: None,
    };
    let (title, company) = (said("title"), said("company"));
    let with_country = [Some(town.clone()), advert.truth["country"].as_str().map(str::to_owned)];
    let with_country = with_country.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let bare = LEGAL_FORMS.iter().find_map(|form| company.strip_suffix(form)).unwrap_or(&company).to_owned();
    let cut = text[..text.floor_char_boundary(text.len() * 2 / 3)].to_owned();
    let other_town = if town == "Leeds" { "Cardiff" } else { "Leeds" };
    let html = format!(
        "<div>{}</div><p>Posted by a board. Sign in to save this job.</p>",
        text.replace('\n', "<br>")
    );
    let shuffled = shuffled(&text);
    let mut made = vec![
        (job(title.clone(), company.clone(), with_country, text.clone()), true),
        (
            job(
                format!("{} (m/f/d) - {town}", title.replace("Senior", "Sr.")),
                bare.clone(),
                town.clone(),
                html,
            ),
            true,
        ),
        (job(title.to_uppercase(), company.clone(), String::new(), cut), true),
        (job(title.clone(), bare, town.clone(), shuffled), true),
        (job(title.clone(), company.clone(), other_town.to_owned(), text.replace(&town, other_town)), false),
    ];
    if let Some(other) = other_level(&title) {
        made.push((job(other, company, town.clone(), text), false));
    }
    let stranger = format!("Company {number} Services");
    made.push((job(title, stranger, town, format!("We are another company. {}", advert.id)), false));
    made
}

fn other_level(title: &str) -> Option<String> {
    let levels = [
        ("Senior", "Junior"),
        ("Junior", "Senior"),
        ("Lead", "Junior"),
        ("Principal", "Junior"),
        ("Staff", "Junior"),
    ];
    levels.iter().find(|(level, _)| title.contains(level)).map(|(level, other)| title.replace(level, other))
}

/// Paragraphs in another order.
fn shuffled(text: &str) -> String {
    let mut paragraphs: Vec<&str> = text.split("\n\n").collect();
    paragraphs.reverse();
    paragraphs.join("\n\n")
}
