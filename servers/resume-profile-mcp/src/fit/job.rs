//! The requirements of a job description: skills, years, a degree, languages, and their importance.

use std::sync::LazyLock;

use regex::Regex;

use super::Importance;
use crate::spoken;
use crate::vocabulary;
use crate::words::{TITLES, fold, plain, words_of};

/// A job as far as it can be compared.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct JobDescription {
    pub(crate) role: Option<String>,
    pub(crate) wanted: Vec<JobRequirement>,
    pub(crate) years: Option<f64>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct JobRequirement {
    pub(crate) wanted: RequirementKind,
    /// The job's wording, or the name of the skill.
    pub(crate) text: String,
    pub(crate) importance: Importance,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum RequirementKind {
    Skill,
    /// Language code, and proficiency from 0 to 1.
    Language(&'static str, Option<f32>),
    /// 1 vocational, 2 bachelor, 3 master, 4 doctor.
    Degree(u8),
    /// A line without known terms: compared word by word.
    Phrase,
}

/// Job descriptions are read to here.
const LINES_MAX: usize = 400;
/// The length of a line without known terms that is compared word by word.
const PHRASE_WORDS: std::ops::RangeInclusive<usize> = 2..=25;
const PHRASES_MAX: usize = 12;

static NICE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)nice.to.have|preferred|preferably|bonus|\bplus\b|desirable|advantage|ideally|optional|would be great|good to have|von vorteil|wünschenswert|idealerweise|pluspunkt|souhaité|un atout|apprécié|idéalement|deseable|valorable|se valora|gradit|preferibil|costituisce titolo|desejável|diferencial|valorizad|pré\b|een pré|wenselijk").expect("the pattern is fixed")
});

static MUST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)requirements?|required|must.have|qualifications?|what you bring|what we expect|you have|you bring|your profile|who you are|about you|skills? (?:and|&) |anforderungen|profil|voraussetzungen|das bringen sie mit|das bringst du mit|qualifikation|compétences|requisitos|perfil|requisiti|competenze|vereisten|functie-eisen|wat vragen wij|jouw profiel").expect("the pattern is fixed")
});

static ASIDE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)what we offer|we offer|benefits|perks|about us|about the company|who we are|our company|wir bieten|über uns|das bieten wir|nous offrons|avantages|qui sommes|ofrecemos|beneficios|sobre nosotros|offriamo|chi siamo|oferecemos|benefícios|wij bieden|wat bieden|how to apply|equal opportunity").expect("the pattern is fixed")
});

static YEARS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|zwei|drei|vier|fünf|deux|trois|quatre|cinq|dos|tres|cuatro|cinco|due|tre|cinque|dois|três|twee|drie|vijf)\s*(?:\+|plus|or more|bis \d+|[-–]\s?\d+)?\s*(?:years?|yrs|jahren?|années?|ans|años|anni|anos|jaar)\b").expect("the pattern is fixed")
});

static DEGREES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?P<doctor>\bph\.?d|doctorate|doctoral|abgeschlossene promotion|promotion (?:in|im)\b|doctorat|doctorado|dottorato|doutorado)|(?P<master>\bmaster'?s?\b|\bm\.?sc\b|\bmba\b|diplôme d'ingénieur|laurea magistrale|mestrado|máster|maestría|diplom\b)|(?P<bachelor>bachelor'?s?|\bb\.?sc\b|\bdegree\b|university education|studium|hochschulabschluss|licence (?:en|de|ou|professionnelle)\b|licenciatura|grado\b|laurea\b|bacharel|hbo\b|universitair)|(?P<trade>apprenticeship|vocational|diploma\b|ausbildung|berufsausbildung|\bbts\b|formación profesional|\bmbo\b)").expect("the pattern is fixed")
});

/// Masters that are no degrees.
static NO_DEGREE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)scrum master|master data|master plan|master schedule|\bmaster (?:electrician|plumber|carpenter|craftsman)")
        .expect("the pattern is fixed")
});

/// Ages are given in years as well, so they must be told apart from years of experience.
static AGE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\s*(?:of age|old\b|d'âge|alt\b|de edad|di età|de idade|oud\b)")
        .expect("the pattern is fixed")
});

static HIRING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:looking for|hiring|seeking|suchen|recherchons|buscamos|cerchiamo|procuramos|zoeken)\s+(?:an?|eine?n?|une?|una?|um|uma|een|the)?\s*([^.,;:!\n(]{3,60})").expect("the pattern is fixed")
});

/// The part of the description that a line is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum JobSection {
    Start,
    Must,
    Nice,
    Aside,
    Tasks,
}

impl JobDescription {
    pub(crate) fn read(text: &str) -> Self {
        let mut job = JobDescription { role: role(text), ..JobDescription::default() };
        let mut phrases = 0;
        for asked in asked(text) {
            job.read_line(asked.line, asked.importance, asked.part, &mut phrases);
        }
        job
    }

    /// Only the words of a role, for tailoring without a description.
    pub(crate) fn of_role(role: &str) -> Self {
        let mut job = JobDescription { role: Some(role.to_owned()), ..JobDescription::default() };
        // Up to the limit: the words of the role are compared as the role.
        let mut phrases = PHRASES_MAX;
        job.read_line(role, Importance::Must, JobSection::Start, &mut phrases);
        job
    }

    fn read_line(&mut self, line: &str, importance: Importance, part: JobSection, phrases: &mut usize) {
        let before = self.wanted.len();
        for mention in vocabulary::mentions(line) {
            self.want(RequirementKind::Skill, mention.name, importance);
        }
        for (code, level, text) in languages(line) {
            self.want(RequirementKind::Language(code, level), text, importance);
        }
        let degree =
            DEGREES.captures(line).filter(|_| part != JobSection::Tasks && !NO_DEGREE.is_match(line));
        if let Some(captures) = degree {
            let level = ["trade", "bachelor", "master", "doctor"]
                .iter()
                .position(|name| captures.name(name).is_some());
            let level = u8::try_from(level.unwrap_or_default() + 1).unwrap_or(1);
            self.want(
                RequirementKind::Degree(level),
                captures.get(0).map_or("degree", |found| found.as_str()),
                importance,
            );
        }
        let years = years(line);
        let insists = importance == Importance::Must || part == JobSection::Start;
        self.years = self.years.into_iter().chain(years.filter(|_| insists)).reduce(f64::max);
        let alone = self.wanted.len() == before
            && !YEARS.is_match(line)
            && matches!(part, JobSection::Must | JobSection::Nice);
        if alone && PHRASE_WORDS.contains(&words_of(line).count()) && *phrases < PHRASES_MAX {
            *phrases += 1;
            let text = line.trim_start_matches(|mark: char| !mark.is_alphanumeric());
            self.want(RequirementKind::Phrase, text, importance);
        }
    }

    /// A repeated requirement counts once, with the higher importance.
    fn want(&mut self, wanted: RequirementKind, text: &str, importance: Importance) {
        let same = |other: &&mut JobRequirement| match (wanted, other.wanted) {
            (RequirementKind::Language(one, _), RequirementKind::Language(two, _)) => one == two,
            (RequirementKind::Degree(_), RequirementKind::Degree(_)) => true,
            _ => {
                std::mem::discriminant(&wanted) == std::mem::discriminant(&other.wanted) && other.text == text
            }
        };
        match self.wanted.iter_mut().find(same) {
            Some(present) if importance == Importance::Must => present.importance = Importance::Must,
            Some(_) => {}
            None => self.wanted.push(JobRequirement { wanted, text: text.to_owned(), importance }),
        }
    }

    /// Skills that only the profile knows: their own words are in the description.
    pub(crate) fn want_known(&mut self, text: &str, skills: &[String]) {
        let unknown = |skill: &&String| {
            vocabulary::canonical(skill).is_none() && vocabulary::mentions(skill).is_empty()
        };
        let unknown: Vec<(&String, String)> =
            skills.iter().filter(unknown).map(|skill| (skill, plain(skill))).collect();
        for asked in asked(text) {
            let line = format!(" {} ", plain(asked.line));
            for (skill, words) in &unknown {
                if words.chars().count() > 3 && line.contains(&format!(" {words} ")) {
                    self.want(RequirementKind::Skill, skill, asked.importance);
                }
            }
        }
    }
}

/// A line that states a requirement.
struct RequirementLine<'a> {
    line: &'a str,
    part: JobSection,
    importance: Importance,
}

/// The lines of a description with requirements: without the benefits and the company's self-description.
fn asked(text: &str) -> Vec<RequirementLine<'_>> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines: Vec<&str> = lines.flat_map(headed).take(LINES_MAX).collect();
    let insists = lines.iter().any(|line| part_of(line) == Some(JobSection::Must));
    let mut part = JobSection::Start;
    let mut found = Vec::new();
    for (at, line) in lines.into_iter().enumerate() {
        let mut said = line;
        if let Some(next) = part_of(line) {
            part = next;
            // A heading alone states no requirement; one with a colon may.
            let Some((_, rest)) = line.split_once(": ") else { continue };
            said = rest;
        }
        let talk = part == JobSection::Start && insists && at > 0 && !HIRING.is_match(line);
        if part != JobSection::Aside && !talk {
            let each = ranked(said).into_iter();
            found.extend(each.map(|line| RequirementLine {
                line,
                part,
                importance: importance(part, line, insists),
            }));
        }
    }
    found
}

/// A paragraph with headings in it, such as `Requirements: … Nice to have: …`, in parts that begin with one.
fn headed(line: &str) -> Vec<&str> {
    // A point of a list has no heading: what it says is about itself.
    if is_bullet(line) {
        return vec![line];
    }
    let mut parts = Vec::new();
    let (mut begin, mut last) = (0, 0);
    for (colon, _) in line.match_indices(": ") {
        let before = &line[last..colon];
        // A heading begins with its sentence, or behind a list that does not end in a full stop.
        let start = match before.rfind(['.', ';', '!', '?', '|', '•']) {
            Some(end) => before[end..].chars().next().map_or(end, |mark| end + mark.len_utf8()),
            None if last == 0 => 0,
            None => [&ASIDE, &NICE, &MUST]
                .iter()
                .filter_map(|words| words.find_iter(before).last())
                .map(|found| found.start())
                .min()
                .unwrap_or(0),
        };
        if last + start > begin && section_of(before[start..].trim()).is_some() {
            parts.push(line[begin..last + start].trim());
            begin = last + start;
        }
        last = colon + 2;
    }
    parts.push(line[begin..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// The sentences of a line of which some are optional; other lines stay whole.
fn ranked(line: &str) -> Vec<&str> {
    if !NICE.is_match(line) {
        return vec![line];
    }
    let mut sentences = Vec::new();
    let mut begin = 0;
    for (at, mark) in line.match_indices(['.', ';', '!']) {
        let (before, after) = (&line[begin..at], &line[at + mark.len()..]);
        // No sentence ends with the abbreviations `e.g.` and `B.Sc.`, but one may end with `Node.js`.
        let word = before.rsplit(' ').next().unwrap_or_default();
        let is_word = !word.contains('.') || word.split('.').any(|part| part.chars().count() > 2);
        let begins = after.trim_start().starts_with(char::is_uppercase);
        if after.starts_with(' ') && (mark == ";" || (is_word && begins)) {
            sentences.push(before.trim());
            begin = at + mark.len();
        }
    }
    sentences.push(line[begin..].trim());
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

/// Code, level and wording of each language in a line. In `fluent English, German at B1` each has its own level; in `fluent
/// English and German` the first speaks for both.
fn languages(line: &str) -> Vec<(&'static str, Option<f32>, &str)> {
    let mut found = Vec::new();
    let mut before = None;
    let named = spoken::named(line);
    for (at, (code, start, end)) in named.iter().enumerate() {
        let from = at.checked_sub(1).map_or(0, |at| named[at].2);
        let from = line[from..*start].rfind([',', ';']).map_or(from, |comma| from + comma);
        let next = named.get(at + 1).map_or(line.len(), |next| next.1);
        let to = line[*end..next].find([',', ';']).map_or(next, |comma| end + comma);
        let level = spoken::level(&line[from..to]).or(before);
        let level = level.or_else(|| spoken::level(line).filter(|_| named.len() == 1));
        found.push((*code, level, &line[*start..*end]));
        before = level;
    }
    found
}

fn years(line: &str) -> Option<f64> {
    let captures = YEARS.captures(line)?;
    let end = captures.get(0)?.end();
    (!AGE.is_match(&line[end..])).then(|| number(&captures[1]))
}

fn part_of(line: &str) -> Option<JobSection> {
    if is_bullet(line) { None } else { section_of(line.split(':').next().unwrap_or(line)) }
}

fn is_bullet(line: &str) -> bool {
    line.trim_start().starts_with(['-', '*', '•', '·'])
}

/// The part that a short text is the heading of.
fn section_of(heading: &str) -> Option<JobSection> {
    const HEADING_WORDS_MAX: usize = 7;
    if words_of(heading).count() > HEADING_WORDS_MAX || heading.trim().ends_with(['.', ',']) {
        return None;
    }
    match () {
        () if ASIDE.is_match(heading) => Some(JobSection::Aside),
        () if NICE.is_match(heading) => Some(JobSection::Nice),
        () if MUST.is_match(heading) => Some(JobSection::Must),
        () if is_tasks(heading) => Some(JobSection::Tasks),
        () => None,
    }
}

fn is_tasks(heading: &str) -> bool {
    let folded = fold(heading);
    [
        "responsibilities",
        "what you will do",
        "what youll do",
        "your tasks",
        "the role",
        "aufgaben",
        "missions",
        "funciones",
        "responsabilidades",
        "mansioni",
        "taken",
        "duties",
    ]
    .iter()
    .any(|word| folded.replace(['\'', '’'], "").contains(word))
}

fn importance(part: JobSection, line: &str, insists: bool) -> Importance {
    match part {
        _ if NICE.is_match(line) => Importance::Nice,
        JobSection::Must => Importance::Must,
        JobSection::Nice => Importance::Nice,
        _ if insists => Importance::Nice,
        _ => Importance::Must,
    }
}

/// The first line if it sounds like an occupation, or the role that is searched for.
fn role(text: &str) -> Option<String> {
    let first =
        text.lines().map(|line| line.trim().trim_start_matches('#').trim()).find(|line| !line.is_empty())?;
    let short = first.chars().count() <= 80 && !first.ends_with('.');
    if short && TITLES.count(first) > 0 {
        return Some(first.to_owned());
    }
    let captures = HIRING.captures(text)?;
    let said = captures.get(1)?.as_str().trim();
    (TITLES.count(said) > 0).then(|| said.to_owned())
}

fn number(text: &str) -> f64 {
    let folded = fold(text);
    if let Ok(number) = folded.parse() {
        return number;
    }
    const WORDS: [(&str, f64); 29] = [
        ("one", 1.0),
        ("two", 2.0),
        ("three", 3.0),
        ("four", 4.0),
        ("five", 5.0),
        ("six", 6.0),
        ("seven", 7.0),
        ("eight", 8.0),
        ("nine", 9.0),
        ("ten", 10.0),
        ("zwei", 2.0),
        ("drei", 3.0),
        ("vier", 4.0),
        ("funf", 5.0),
        ("deux", 2.0),
        ("trois", 3.0),
        ("quatre", 4.0),
        ("cinq", 5.0),
        ("dos", 2.0),
        ("tres", 3.0),
        ("cuatro", 4.0),
        ("cinco", 5.0),
        ("due", 2.0),
        ("tre", 3.0),
        ("cinque", 5.0),
        ("dois", 2.0),
        ("twee", 2.0),
        ("drie", 3.0),
        ("vijf", 5.0),
    ];
    WORDS.iter().find(|(word, _)| *word == folded).map_or(1.0, |(_, number)| *number)
}
