//! Resume fields: our results beside those of another parser, on the resumes that `others/resumes.py` makes
//! from the truths in `resume-profile-mcp/corpus`. Held-out ones were not used while the rules were written.
//!
//! The measure is F1 for each field over all documents. Values are compared without case, accents and
//! punctuation, and may differ by one letter in ten; entries of work and education are paired first, so a
//! date in the wrong job is wrong.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use capability_ocr::OcrSettings;
use resume_profile_mcp::profile;
use resume_profile_mcp::reading::{self, ResumeSource, ScanEngine};
use serde::Deserialize;
use serde_json::Value;

const OURS: &str = "this project";
/// Values that are this much alike are the same.
const ALIKE: f64 = 0.9;

#[derive(Deserialize)]
struct Planned {
    id: String,
    held_out: bool,
}

/// The numbers of right, found and expected values.
#[derive(Clone, Copy, Default)]
struct ValueTally {
    right: usize,
    found: usize,
    wanted: usize,
}

impl ValueTally {
    fn f1(self) -> f64 {
        if self.found + self.wanted == 0 {
            1.0
        } else {
            2.0 * self.right as f64 / (self.found + self.wanted) as f64
        }
    }

    fn add(&mut self, other: ValueTally) {
        self.right += other.right;
        self.found += other.found;
        self.wanted += other.wanted;
    }
}

type ResumeScore = BTreeMap<&'static str, ValueTally>;

/// Fields in the order in which they are printed.
const FIELDS: [&str; 17] = [
    "name",
    "label",
    "email",
    "phone",
    "url",
    "city",
    "title",
    "company",
    "work start",
    "work end",
    "institution",
    "area",
    "degree",
    "study start",
    "study end",
    "skills",
    "languages",
];

/// Prints the scores of all tools under `data`, which `others/resumes.py` filled.
pub(crate) fn run(data: &Path, models: Option<PathBuf>) -> anyhow::Result<()> {
    let plan: Vec<Planned> = serde_json::from_slice(
        &fs::read(data.join("plan.json")).context("is data the folder that others/resumes.py filled?")?,
    )?;
    let eyes = ScanEngine::find(&OcrSettings { models, ..OcrSettings::default() });
    let mut found: BTreeMap<String, BTreeMap<String, Value>> = BTreeMap::new();
    for planned in &plan {
        found.entry(OURS.to_owned()).or_default().insert(planned.id.clone(), ours(data, &planned.id, &eyes)?);
    }
    for tool in folders(&data.join("found"))? {
        let name = tool.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for planned in &plan {
            let path = tool.join(format!("{}.json", planned.id));
            let value =
                fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
            found.entry(name.clone()).or_default().insert(planned.id.clone(), value);
        }
    }
    for (title, held_out) in [("resumes that the rules were written with", false), ("resumes held out", true)]
    {
        let ids: Vec<&str> = plan
            .iter()
            .filter(|planned| planned.held_out == held_out)
            .map(|planned| planned.id.as_str())
            .collect();
        print(data, &format!("{title} ({})", ids.len()), &ids, &found)?;
    }
    Ok(())
}

fn ours(data: &Path, id: &str, eyes: &ScanEngine) -> anyhow::Result<Value> {
    let path = folders_files(&data.join("files"))?
        .into_iter()
        .find(|path| path.file_stem().is_some_and(|stem| stem == id))
        .with_context(|| format!("there is no file of {id}"))?;
    let bytes = fs::read(&path)?;
    let extension = path.extension().map(|extension| extension.to_string_lossy().into_owned());
    let source = ResumeSource { bytes: &bytes, said: extension.as_deref(), password: None };
    Ok(reading::file(&source, eyes).map(|parsed| profile::extract(&parsed).resume).unwrap_or_default())
}

fn print(
    data: &Path,
    title: &str,
    ids: &[&str],
    found: &BTreeMap<String, BTreeMap<String, Value>>,
) -> anyhow::Result<()> {
    let mut columns: Vec<(&str, ResumeScore)> = Vec::new();
    for (tool, documents) in found {
        let mut score = ResumeScore::new();
        for id in ids {
            let truth: Value =
                serde_json::from_slice(&fs::read(data.join("truth").join(format!("{id}.json")))?)?;
            for (field, tally) in compare(&truth, &documents[*id]) {
                score.entry(field).or_default().add(tally);
            }
        }
        columns.push((tool, score));
    }
    println!("\n{title}");
    println!("{:<14}{}", "F1", columns.iter().map(|(tool, _)| format!("{tool:>22}")).collect::<String>());
    for field in FIELDS {
        let cells: String = columns.iter().map(|(_, score)| format!("{:>22.3}", score[field].f1())).collect();
        println!("{field:<14}{cells}");
    }
    let means = columns
        .iter()
        .map(|(_, score)| score.values().map(|tally| tally.f1()).sum::<f64>() / score.len() as f64);
    println!("{:<14}{}", "mean", means.map(|mean| format!("{mean:>22.3}")).collect::<String>());
    let pooled = columns.iter().map(|(_, score)| {
        let mut all = ValueTally::default();
        score.values().for_each(|tally| all.add(*tally));
        all.f1()
    });
    println!("{:<14}{}", "all values", pooled.map(|all| format!("{all:>22.3}")).collect::<String>());
    Ok(())
}

/// The tally of each field for one document.
fn compare(truth: &Value, found: &Value) -> Vec<(&'static str, ValueTally)> {
    let mut tallies = Vec::new();
    for (field, path) in [
        ("name", "/basics/name"),
        ("label", "/basics/label"),
        ("email", "/basics/email"),
        ("phone", "/basics/phone"),
        ("url", "/basics/url"),
        ("city", "/basics/location/city"),
    ] {
        tallies.push((field, one(truth.pointer(path), found.pointer(path))));
    }
    let work =
        [("title", "position"), ("company", "name"), ("work start", "startDate"), ("work end", "endDate")];
    tallies.extend(entries(&truth["work"], &found["work"], &work));
    let studies = [
        ("institution", "institution"),
        ("area", "area"),
        ("degree", "studyType"),
        ("study start", "startDate"),
        ("study end", "endDate"),
    ];
    tallies.extend(entries(&truth["education"], &found["education"], &studies));
    tallies.push(("skills", bag(&skills(truth), &skills(found))));
    let languages = |value: &Value| {
        list(&value["languages"])
            .iter()
            .filter_map(|entry| entry["language"].as_str().map(str::to_owned))
            .collect::<Vec<_>>()
    };
    tallies.push(("languages", bag(&languages(truth), &languages(found))));
    tallies
}

fn one(wanted: Option<&Value>, found: Option<&Value>) -> ValueTally {
    let (wanted, found) = (wanted.and_then(Value::as_str), found.and_then(Value::as_str));
    let right = wanted.zip(found).is_some_and(|(wanted, found)| same(wanted, found));
    ValueTally {
        right: usize::from(right),
        found: usize::from(found.is_some()),
        wanted: usize::from(wanted.is_some()),
    }
}

/// Pairs each expected entry with the most similar one.
fn entries(
    wanted: &Value,
    found: &Value,
    fields: &[(&'static str, &str)],
) -> Vec<(&'static str, ValueTally)> {
    let mut left: Vec<&Value> = list(found).iter().collect();
    let mut tallies: Vec<(&'static str, ValueTally)> =
        fields.iter().map(|(name, _)| (*name, ValueTally::default())).collect();
    let shared = |one: &Value, other: &Value| {
        fields.iter().filter(|(_, key)| one_of(&one[*key], &other[*key]).right > 0).count()
    };
    for entry in list(wanted) {
        let best = (0..left.len()).max_by_key(|at| (shared(entry, left[*at]), std::cmp::Reverse(*at)));
        let partner = best.filter(|at| shared(entry, left[*at]) > 0).map(|at| left.remove(at));
        for ((_, tally), (_, key)) in tallies.iter_mut().zip(fields) {
            tally.add(one_of(&entry[*key], partner.map_or(&Value::Null, |partner| &partner[*key])));
        }
    }
    for entry in left {
        for ((_, tally), (_, key)) in tallies.iter_mut().zip(fields) {
            tally.add(one_of(&Value::Null, &entry[*key]));
        }
    }
    tallies
}

fn one_of(wanted: &Value, found: &Value) -> ValueTally {
    one(Some(wanted).filter(|value| value.is_string()), Some(found).filter(|value| value.is_string()))
}

fn bag(wanted: &[String], found: &[String]) -> ValueTally {
    let mut left: Vec<&String> = found.iter().collect();
    let mut right = 0;
    for value in wanted {
        if let Some(at) = left.iter().position(|other| same(value, other)) {
            left.remove(at);
            right += 1;
        }
    }
    ValueTally { right, found: found.len(), wanted: wanted.len() }
}

/// Skills without their groups.
fn skills(resume: &Value) -> Vec<String> {
    let named = |skill: &Value| match list(&skill["keywords"]) {
        [] => skill["name"].as_str().map(str::to_owned).into_iter().collect::<Vec<_>>(),
        keywords => keywords.iter().filter_map(|keyword| keyword.as_str().map(str::to_owned)).collect(),
    };
    list(&resume["skills"]).iter().flat_map(named).collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn same(one: &str, other: &str) -> bool {
    let (one, other) = (bare(one), bare(other));
    one == other
        || (one.chars().count() > 6
            && !one.chars().all(|letter| letter.is_ascii_digit())
            && strsim::normalized_levenshtein(&one, &other) >= ALIKE)
}

/// Letters and digits only, in lower case; an address on the web without its scheme.
fn bare(text: &str) -> String {
    let text = text.trim_start_matches("https://").trim_start_matches("http://").trim_start_matches("www.");
    text.chars()
        .filter(|character| character.is_alphanumeric() || "+#".contains(*character))
        .flat_map(char::to_lowercase)
        .collect()
}

fn folders(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    Ok(folders_files(path).unwrap_or_default().into_iter().filter(|path| path.is_dir()).collect())
}

fn folders_files(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    paths.sort();
    Ok(paths)
}
