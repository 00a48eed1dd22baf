//! Points for each part, and their sum.

use serde_json::Value;

use super::evidence::{ProfileFacts, ResumeStatement};
use super::job::{JobDescription, JobRequirement, RequirementKind};
use super::spell;
use super::tally::{RequirementTally, weight};
use super::{Component, FitReport, Importance, MetRequirement, UnmetRequirement, YearsOfWork};
use crate::vocabulary;

/// The weight of each part if the job requires all of them.
const WEIGHTS: [(&str, f64); 5] =
    [("skills", 50.0), ("experience", 20.0), ("role", 10.0), ("education", 10.0), ("languages", 10.0)];
/// The minimum share of a phrase's words in one place of the profile.
const PHRASE_SHARE: f64 = 0.6;
/// Weight of a language that is spoken less well than required.
const HALF: f64 = 0.5;

/// The result of a part: its degree of fulfilment, with the reason.
struct ScorePart {
    name: &'static str,
    share: f64,
    why: String,
}

/// `today` is a year and a month.
pub(crate) fn score(facts: &ProfileFacts<'_>, job: &JobDescription, today: (i32, u8)) -> FitReport {
    let mut fit = FitReport {
        score: 0.0,
        components: Vec::new(),
        matched: Vec::new(),
        missing: Vec::new(),
        years: YearsOfWork { asked: job.years, found: years(facts.resume, today) },
        warnings: Vec::new(),
    };
    let parts: Vec<ScorePart> = [
        skills(facts, job, &mut fit),
        experience(job, &fit.years, &mut fit.warnings),
        role(facts, job, &mut fit),
        education(facts, job, &mut fit),
        languages(facts, job, &mut fit),
    ]
    .into_iter()
    .flatten()
    .collect();
    if parts.is_empty() {
        fit.warnings
            .push("no requirement was found in the job description, so there is nothing to score".to_owned());
    }
    fit.components = components(&parts);
    fit.score = rounded(fit.components.iter().map(|component| component.points).sum());
    fit
}

/// The weights of the required parts sum to 100; the rounding error goes to the first.
fn components(parts: &[ScorePart]) -> Vec<Component> {
    let weight_of = |part: &ScorePart| {
        WEIGHTS.iter().find(|(name, _)| *name == part.name).map_or(0.0, |(_, weight)| *weight)
    };
    let total: f64 = parts.iter().map(weight_of).sum();
    let mut weights: Vec<f64> = parts.iter().map(|part| rounded(weight_of(part) * 100.0 / total)).collect();
    let rest = 100.0 - weights.iter().sum::<f64>();
    if let Some(first) = weights.first_mut() {
        *first = rounded(*first + rest);
    }
    let made = parts.iter().zip(weights);
    made.map(|(part, weight)| Component {
        name: part.name,
        weight,
        points: rounded(weight * part.share),
        why: part.why.clone(),
    })
    .collect()
}

/// To one decimal, so that the shown numbers add up.
fn rounded(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

fn skills(facts: &ProfileFacts<'_>, job: &JobDescription, fit: &mut FitReport) -> Option<ScorePart> {
    let wanted: Vec<&JobRequirement> = job
        .wanted
        .iter()
        .filter(|it| matches!(it.wanted, RequirementKind::Skill | RequirementKind::Phrase))
        .collect();
    let mut tally = RequirementTally::default();
    for requirement in &wanted {
        let found = if requirement.wanted == RequirementKind::Skill {
            skill(facts, requirement)
        } else {
            phrase(facts, requirement)
        };
        tally.add(requirement.importance, found.is_ok());
        match found {
            Ok(matched) => fit.matched.push(matched),
            Err(missing) => fit.missing.push(missing),
        }
    }
    (!wanted.is_empty()).then(|| ScorePart { name: "skills", share: tally.share(), why: tally.why() })
}

fn skill(facts: &ProfileFacts<'_>, requirement: &JobRequirement) -> Result<MetRequirement, UnmetRequirement> {
    let evidence = facts.of_skill(&requirement.text);
    if let Some(first) = evidence.first() {
        let how = if first.path.starts_with("/skills/") {
            "listed among the skills"
        } else {
            "named in the profile"
        };
        return Ok(MetRequirement {
            requirement: requirement.text.clone(),
            importance: requirement.importance,
            how: how.to_owned(),
            evidence,
        });
    }
    let others = vocabulary::other_names(&requirement.text);
    let alike = facts
        .nearest(&format!("{} {}", requirement.text, others.join(" ")))
        .filter(|(share, _)| *share >= HALF);
    Err(UnmetRequirement {
        requirement: requirement.text.clone(),
        importance: requirement.importance,
        nearest: alike.map(|(_, it)| it.text.clone()),
    })
}

fn phrase(
    facts: &ProfileFacts<'_>,
    requirement: &JobRequirement,
) -> Result<MetRequirement, UnmetRequirement> {
    let nearest = facts.nearest(&requirement.text);
    // One word in a long sentence says too little.
    let telling = spell::stems(&requirement.text).len();
    let says = |statement: &ResumeStatement| telling > 1 || statement.stems.len() == telling;
    match nearest {
        Some((share, statement)) if share >= PHRASE_SHARE && says(statement) => Ok(MetRequirement {
            requirement: requirement.text.clone(),
            importance: requirement.importance,
            how: format!("{:.0}% of its words occur there together", share * 100.0),
            evidence: vec![facts.quote(statement)],
        }),
        _ => Err(UnmetRequirement {
            requirement: requirement.text.clone(),
            importance: requirement.importance,
            nearest: nearest.filter(|(share, _)| *share >= PHRASE_SHARE / 2.0).map(|(_, it)| it.text.clone()),
        }),
    }
}

fn experience(job: &JobDescription, years: &YearsOfWork, warnings: &mut Vec<String>) -> Option<ScorePart> {
    let asked = job.years.filter(|asked| *asked > 0.0)?;
    let Some(found) = years.found else {
        warnings.push("the profile has no dates for its work, so the years cannot be counted".to_owned());
        return Some(ScorePart {
            name: "experience",
            share: 0.0,
            why: format!("{asked} years are required; the profile has no dates for its work"),
        });
    };
    let share = (found / asked).min(1.0);
    Some(ScorePart {
        name: "experience",
        share,
        why: format!("{asked} years are required, {found} were found"),
    })
}

fn role(facts: &ProfileFacts<'_>, job: &JobDescription, fit: &mut FitReport) -> Option<ScorePart> {
    let role = job.role.as_deref()?;
    let wanted = spell::stems(role);
    let titles =
        facts.statements().iter().filter(|it| it.path == "/basics/label" || it.path.ends_with("/position"));
    let shares = titles.map(|title| (spell::share(&wanted, &title.stems), title));
    let best = shares.max_by(|(one, _), (other, _)| one.total_cmp(other)).filter(|(share, _)| *share > 0.0);
    let Some((share, title)) = best else {
        return Some(ScorePart {
            name: "role",
            share: 0.0,
            why: format!("no title in the profile is similar to {role:?}"),
        });
    };
    fit.matched.push(MetRequirement {
        requirement: role.to_owned(),
        importance: Importance::Must,
        evidence: vec![facts.quote(title)],
        how: format!("a title with {:.0}% of its words", share * 100.0),
    });
    Some(ScorePart {
        name: "role",
        share,
        why: format!("{:?} has {:.0}% of the words of {role:?}", title.text, share * 100.0),
    })
}

fn education(facts: &ProfileFacts<'_>, job: &JobDescription, fit: &mut FitReport) -> Option<ScorePart> {
    let (requirement, asked) = job.wanted.iter().find_map(|it| match it.wanted {
        RequirementKind::Degree(level) => Some((it, level)),
        _ => None,
    })?;
    let types = facts
        .statements()
        .iter()
        .filter(|it| it.path.starts_with("/education/") && it.path.ends_with("/studyType"));
    let best = types
        .map(|it| (degree_level(&it.text), it))
        .max_by_key(|(level, _)| *level)
        .filter(|(level, _)| *level > 0);
    let Some((level, statement)) = best else {
        fit.missing.push(UnmetRequirement {
            requirement: requirement.text.clone(),
            importance: requirement.importance,
            nearest: None,
        });
        return Some(ScorePart { name: "education", share: 0.0, why: "no degree was found".to_owned() });
    };
    let enough = level >= asked;
    if enough {
        let how = "a degree of this level or higher".to_owned();
        let evidence = vec![facts.quote(statement)];
        fit.matched.push(MetRequirement {
            requirement: requirement.text.clone(),
            importance: requirement.importance,
            evidence,
            how,
        });
    } else {
        let nearest = Some(statement.text.clone());
        fit.missing.push(UnmetRequirement {
            requirement: requirement.text.clone(),
            importance: requirement.importance,
            nearest,
        });
    }
    let share = if enough { 1.0 } else { f64::from(level) / f64::from(asked) };
    Some(ScorePart {
        name: "education",
        share,
        why: format!(
            "{:?} was found where {:?} is required: {:.0}% of the points",
            statement.text,
            requirement.text,
            share * 100.0
        ),
    })
}

fn degree_level(text: &str) -> u8 {
    let folded = crate::words::fold(text);
    let has = |words: &[&str]| {
        words.iter().any(|word| {
            folded
                .split(|letter: char| !letter.is_alphanumeric() && letter != '.')
                .any(|part| part.starts_with(word))
        })
    };
    match () {
        () if has(&[
            "phd",
            "ph.d",
            "doctor",
            "doktor",
            "doutor",
            "dottor",
            "promotion",
            "dphil",
            "דוקטור",
            "博士",
        ]) =>
        {
            4
        }
        () if has(&[
            "master",
            "msc",
            "m.sc",
            "mba",
            "meng",
            "maestria",
            "mestrado",
            "magist",
            "diplom",
            "staatsexamen",
            "maitrise",
            "mphil",
            "硕士",
        ]) && !has(&["diploma"])
            || folded.contains("d'ingenieur") =>
        {
            3
        }
        () if has(&[
            "bachelor", "bsc", "b.sc", "ba", "bs", "beng", "licen", "grado", "laurea", "bachar", "llb",
            "hbo", "תואר", "学士", "本科",
        ]) =>
        {
            2
        }
        () if folded.is_empty() => 0,
        () => 1,
    }
}

fn languages(facts: &ProfileFacts<'_>, job: &JobDescription, fit: &mut FitReport) -> Option<ScorePart> {
    let spoken = facts.languages();
    let (mut met, mut total, mut why) = (0.0, 0.0, Vec::new());
    for requirement in &job.wanted {
        let RequirementKind::Language(code, asked) = requirement.wanted else { continue };
        total += weight(requirement.importance);
        let Some((_, level, quote, path)) = spoken.iter().find(|(other, ..)| *other == code) else {
            why.push(format!("{} was not found", requirement.text));
            fit.missing.push(UnmetRequirement {
                requirement: requirement.text.clone(),
                importance: requirement.importance,
                nearest: None,
            });
            continue;
        };
        let enough = asked.is_none_or(|asked| level.is_none_or(|level| level + 0.05 >= asked));
        met += weight(requirement.importance) * if enough { 1.0 } else { HALF };
        why.push(format!("{quote} was found"));
        let how = if enough {
            "listed among the languages"
        } else {
            "listed, but at a lower level than required: half the points"
        };
        let evidence = vec![facts.evidence(path, quote)];
        fit.matched.push(MetRequirement {
            requirement: requirement.text.clone(),
            importance: requirement.importance,
            evidence,
            how: how.to_owned(),
        });
    }
    (total > 0.0).then(|| ScorePart { name: "languages", share: met / total, why: why.join("; ") })
}

/// Months with a job, as years. Overlaps count once; a job without an end continues.
fn years(resume: &Value, today: (i32, u8)) -> Option<f64> {
    let jobs = resume["work"].as_array()?;
    let mut spans: Vec<(i32, i32)> = jobs.iter().filter_map(|job| span(job, today)).collect();
    if spans.is_empty() {
        return None;
    }
    spans.sort_unstable();
    let (mut months, mut reached) = (0, i32::MIN);
    for (start, end) in spans {
        months += (end - start.max(reached)).max(0);
        reached = reached.max(end);
    }
    Some(rounded(f64::from(months) / 12.0))
}

fn span(job: &Value, today: (i32, u8)) -> Option<(i32, i32)> {
    let start = month(job["startDate"].as_str()?)?;
    let end = match job["endDate"].as_str() {
        Some(end) => month(end)?,
        None => today.0 * 12 + i32::from(today.1) - 1,
    };
    // The final month counts as well.
    let whole = if job["endDate"].as_str().is_some_and(|end| end.len() > 4) { 1 } else { 0 };
    Some((start, (end + whole).max(start)))
}

fn month(date: &str) -> Option<i32> {
    let (year, rest) = date.split_once('-').unwrap_or((date, "01"));
    let month: i32 = rest.get(..2)?.parse().ok()?;
    Some(year.parse::<i32>().ok()? * 12 + month - 1)
}
