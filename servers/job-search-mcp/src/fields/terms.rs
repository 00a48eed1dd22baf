//! The terms of employment: kind of contract, place rule, level.

use std::sync::LazyLock;

use regex::Regex;
use resume_profile_mcp::shared::folded;

use super::labels::{JobLabel, LabelledValues};
use super::places;
use crate::advert::{Advert, AdvertSection, AdvertSpan};
use crate::posting::{ParsedPosting, Workplace};

/// Kinds of contracts that a word alone names, wherever it stands.
const CLEAR: [(&str, &str); 6] = [
    (
        "FULL_TIME",
        r"full[\s-]?time|vollzeit|temps (?:plein|complet)|tiempo completo|jornada completa|tempo pieno|voltijds?|fulltime",
    ),
    (
        "PART_TIME",
        r"part[\s-]?time|teilzeit|temps partiel|tiempo parcial|media jornada|tempo parziale|deeltijd|parttime|minijob",
    ),
    (
        "CONTRACTOR",
        r"freelance|freiberuflich|independent contractor|contract (?:position|role|basis|work)|contract-to-hire|\bis contract\b|self-employed",
    ),
    (
        "TEMPORARY",
        r"\btemporary\b|fixed[\s-]term|befristete? (?:stelle|anstellung|vertrag)|\bcdd\b|intérim|temporal\b",
    ),
    ("INTERN", r"\binternship\b|praktikum|werkstudent|\bstage\b (?:de|à|en)|prácticas|tirocinio"),
    ("VOLUNTEER", r"\bvolunteer(?:ing)? (?:position|role)|ehrenamtlich|bénévolat"),
];

/// Words that name a kind only where a kind is expected.
const LABELLED: [(&str, &str); 4] = [
    ("CONTRACTOR", r"^contract$|\bcontract(?:or)?\b"),
    ("TEMPORARY", r"\btemp\b|befristet"),
    ("INTERN", r"\bintern\b|\bstage\b"),
    ("FULL_TIME", r"^full$"),
];

type KindPatterns = Vec<(&'static str, Regex)>;

fn compiled(kinds: &[(&'static str, &str)]) -> KindPatterns {
    let pattern = |words: &str| Regex::new(&format!("(?i){words}")).expect("the pattern is fixed");
    kinds.iter().map(|(kind, words)| (*kind, pattern(words))).collect()
}

static CLEAR_KINDS: LazyLock<KindPatterns> = LazyLock::new(|| compiled(&CLEAR));
static LABELLED_KINDS: LazyLock<KindPatterns> = LazyLock::new(|| compiled(&LABELLED));

static RULES: LazyLock<Vec<(Workplace, Regex)>> = LazyLock::new(|| {
    let rules = [
        (
            Workplace::Onsite,
            r"(?:not|cannot|can't|no) (?:be )?(?:done |a )?(?:remote|from home|work from home|home office)|not remote|no remote|kein homeoffice|pas de télétravail",
        ),
        (
            Workplace::Hybrid,
            r"\bhybrid|hybride|híbrido|partially remote|partly remote|remote[\s-]friendly|days? (?:a|per|each) week (?:in|at|from) (?:the|our) (?:office|home)|days? (?:in|at) the office|(?:homeoffice|home office|mobiles? arbeiten)[^.\n]{0,40}(?:tage|möglich|anteilig)|(?:tage|anteilig)[^.\n]{0,20}homeoffice|télétravail (?:partiel|possible|deux|trois|un jour|\d)|jours? de télétravail|teletrabajo parcial",
        ),
        (
            Workplace::Remote,
            r"(?:fully|100\s?%|completely|permanently|entirely) (?:remote|from home)|remote (?:position|role|job|work|within|first|only|across|in|from)|\bremote\b|work(?:ing)? from (?:home|anywhere)|home[\s-]based|work anywhere|100\s?% homeoffice|komplett (?:im homeoffice|remote)|télétravail (?:complet|total|à 100)|100\s?% télétravail|teletrabajo|en remoto",
        ),
        (
            Workplace::Onsite,
            r"\bon[\s-]?site\b|in[\s-](?:the |our )?office\b|in[\s-]person|vor ort|sur (?:site|place)|en présentiel|presencial|based in our office",
        ),
    ];
    rules
        .iter()
        .map(|(rule, words)| (*rule, Regex::new(&format!("(?i){words}")).expect("the pattern is fixed")))
        .collect()
});

/// Levels by the words of a title; the first that fits is taken.
const LEVELS: [(&str, &str); 9] = [
    ("executive", r"\b(?:chief|c[etfo]o|vice president|vp|executive director|geschaftsfuhrer\w*)\b"),
    ("director", r"\b(?:director|head of|directeur|directrice|leiter der|bereichsleiter\w*)\b"),
    ("principal", r"\bprincipal\b"),
    ("staff", r"\bstaff\b"),
    ("lead", r"\b(?:lead|leader|supervisor|foreman|teamleiter\w*|team lead|chef d'equipe)\b"),
    ("senior", r"\b(?:senior|sr|experienced|erfahrene?r?|confirme)\b"),
    ("mid", r"\b(?:mid|mid-level|intermediate|medior)\b"),
    (
        "junior",
        r"\b(?:junior|jr|entry[ -]level|graduate|trainee|berufseinsteiger|debutant|apprentice|auszubildende\w*)\b",
    ),
    ("intern", r"\b(?:intern|internship|praktikant\w*|stagiaire|werkstudent\w*|working student)\b"),
];

static LEVEL_PATTERNS: LazyLock<KindPatterns> = LazyLock::new(|| compiled(&LEVELS));

/// The level that a title names.
pub(crate) fn seniority(title: &str) -> Option<&'static str> {
    let folded = folded(title);
    LEVEL_PATTERNS.iter().find(|(_, words)| words.is_match(&folded)).map(|(level, _)| *level)
}

/// The kinds of contracts that a value names, and the place of the first in it.
pub(crate) fn employment_types(value: &str) -> Vec<(&'static str, usize, usize)> {
    let mut found: Vec<(&'static str, usize, usize)> = Vec::new();
    for (kind, words) in CLEAR_KINDS.iter().chain(LABELLED_KINDS.iter()) {
        if let Some(place) = words.find(value).filter(|_| !found.iter().any(|(other, ..)| other == kind)) {
            found.push((*kind, place.start(), place.end()));
        }
    }
    found
}

/// The place rule that a text states, and where.
fn workplace_of(text: &str) -> Option<(Workplace, usize, usize)> {
    RULES.iter().find_map(|(rule, words)| words.find(text).map(|found| (*rule, found.start(), found.end())))
}

/// True for a part of a heading line that is about the terms, and so is no name.
pub(super) fn is_about_terms(text: &str) -> bool {
    let kind = CLEAR_KINDS.iter().any(|(_, words)| words.is_match(text));
    kind || workplace_of(text).is_some()
        || LABELLED_KINDS
            .iter()
            .any(|(_, words)| words.find(text).is_some_and(|found| found.len() == text.len()))
}

pub(super) fn read(advert: &Advert, labelled: &LabelledValues, parsed: &mut ParsedPosting) {
    employment(advert, labelled, parsed);
    workplace(advert, parsed);
    level(advert, labelled, parsed);
}

fn employment(advert: &Advert, labelled: &LabelledValues, parsed: &mut ParsedPosting) {
    if !parsed.posting.employment_type.is_empty() {
        return;
    }
    let value = labelled.find(JobLabel::Employment);
    let mut found: Vec<(&'static str, AdvertSpan)> =
        value.map(|span| kinds_in(advert, span)).unwrap_or_default();
    if found.is_empty() {
        found = in_head(advert);
    }
    if found.is_empty() {
        found = in_lines(advert);
    }
    for (kind, span) in found {
        parsed.note(format!("/posting/employmentType/{}", parsed.posting.employment_type.len()), span);
        parsed.posting.employment_type.push(kind.to_owned());
    }
}

fn kinds_in(advert: &Advert, span: AdvertSpan) -> Vec<(&'static str, AdvertSpan)> {
    let kinds = employment_types(span.of(&advert.text)).into_iter();
    kinds.map(|(kind, start, end)| (kind, AdvertSpan::new(span.start + start, span.start + end))).collect()
}

/// A whole part of the first lines, as in `Acme · Berlin · Contract`.
fn in_head(advert: &Advert) -> Vec<(&'static str, AdvertSpan)> {
    let parts = advert.head().flat_map(|line| places::parts(&advert.text, line.span));
    let about = parts.filter(|part| is_about_terms(part.of(&advert.text)));
    about.map(|part| kinds_in(advert, part)).find(|kinds| !kinds.is_empty()).unwrap_or_default()
}

fn in_lines(advert: &Advert) -> Vec<(&'static str, AdvertSpan)> {
    let aside = [AdvertSection::Must, AdvertSection::Nice, AdvertSection::Tasks];
    let lines = advert.lines.iter().filter(|line| !line.is_heading && !aside.contains(&line.section));
    lines
        .map(|line| {
            let written = advert.line(line);
            let found = CLEAR_KINDS.iter().filter_map(|(kind, words)| Some((*kind, words.find(written)?)));
            found
                .map(|(kind, place)| {
                    (kind, AdvertSpan::new(line.span.start + place.start(), line.span.start + place.end()))
                })
                .collect::<Vec<_>>()
        })
        .find(|kinds| !kinds.is_empty())
        .unwrap_or_default()
}

fn workplace(advert: &Advert, parsed: &mut ParsedPosting) {
    if parsed.workplace.is_some() {
        return;
    }
    // What the applicant must know or has done says nothing about the place.
    let aside = [AdvertSection::Must, AdvertSection::Nice];
    let mut lines = advert.lines.iter().filter(|line| !aside.contains(&line.section));
    let found = lines.find_map(|line| {
        let (rule, start, end) = workplace_of(advert.line(line))?;
        Some((rule, AdvertSpan::new(line.span.start + start, line.span.start + end)))
    });
    let Some((rule, span)) = found else { return };
    parsed.workplace = Some(rule);
    parsed.note("/workplace", span);
    if rule == Workplace::Remote {
        parsed.posting.job_location_type = Some("TELECOMMUTE");
    }
}

fn level(advert: &Advert, labelled: &LabelledValues, parsed: &mut ParsedPosting) {
    let title = parsed.posting.title.clone().unwrap_or_default();
    parsed.seniority = seniority(&title);
    if parsed.seniority.is_some() {
        if let Some(source) = parsed.sources.get("/posting/title").cloned() {
            parsed.sources.insert("/seniority".to_owned(), source);
        }
        return;
    }
    let Some(span) = labelled.find(JobLabel::Level) else { return };
    parsed.seniority = seniority(span.of(&advert.text));
    if parsed.seniority.is_some() {
        parsed.note("/seniority", span);
    }
}
