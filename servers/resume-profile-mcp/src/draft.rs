//! A profile under construction: every value with its position and confidence. It finally becomes JSON Resume
//! plus a list of the source of each value.

use serde_json::{Map, Value, json};

use crate::dates;
use crate::parsed::{ByteSpan, ParsedDocument};

/// A value that was found in the text.
#[derive(Clone, PartialEq, Debug)]
pub struct FoundValue {
    pub value: String,
    pub span: ByteSpan,
    /// 0 to 1.
    pub confidence: f32,
}

impl FoundValue {
    /// The text itself, tidied.
    pub fn text(parsed: &ParsedDocument, span: ByteSpan, confidence: f32) -> Self {
        Self { value: tidy(span.of(&parsed.text)), span, confidence }
    }

    pub(crate) fn date(date: &dates::Date, confidence: f32) -> Self {
        Self { value: date.value.clone(), span: date.span, confidence }
    }
}

/// An object of the resume, such as one job.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Record {
    pub fields: Vec<(&'static str, FoundValue)>,
    pub lists: Vec<(&'static str, Vec<FoundValue>)>,
}

impl Record {
    pub fn set(&mut self, name: &'static str, found: FoundValue) {
        if !found.value.is_empty() && self.get(name).is_none() {
            self.fields.push((name, found));
        }
    }

    pub fn get(&self, name: &str) -> Option<&FoundValue> {
        self.fields.iter().find(|(field, _)| *field == name).map(|(_, found)| found)
    }

    pub fn push(&mut self, name: &'static str, found: FoundValue) {
        match self.lists.iter_mut().find(|(list, _)| *list == name) {
            Some((_, values)) => values.push(found),
            None => self.lists.push((name, vec![found])),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.lists.is_empty()
    }

    fn spans(&self) -> impl Iterator<Item = ByteSpan> {
        let listed = self.lists.iter().flat_map(|(_, values)| values);
        self.fields.iter().map(|(_, found)| found).chain(listed).map(|found| found.span)
    }
}

/// The source of one value of the resume.
#[derive(Clone, PartialEq, Debug)]
pub struct ValueSource {
    /// JSON pointer into the resume.
    pub path: String,
    pub span: ByteSpan,
    pub confidence: f32,
}

/// All that was found.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ProfileDraft {
    pub basics: Record,
    pub location: Record,
    pub profiles: Vec<Record>,
    /// `work`, `education` and so on, in the order of JSON Resume.
    pub sections: Vec<(&'static str, Vec<Record>)>,
}

impl ProfileDraft {
    pub fn section(&self, name: &str) -> &[Record] {
        self.sections.iter().find(|(section, _)| *section == name).map_or(&[], |(_, records)| records)
    }

    pub fn add(&mut self, name: &'static str, records: Vec<Record>) {
        match self.sections.iter_mut().find(|(section, _)| *section == name) {
            Some((_, present)) => present.extend(records),
            None => self.sections.push((name, records)),
        }
    }

    /// The used parts of the text.
    pub fn spans(&self) -> Vec<ByteSpan> {
        let listed = self.sections.iter().flat_map(|(_, records)| records);
        [&self.basics, &self.location]
            .into_iter()
            .chain(&self.profiles)
            .chain(listed)
            .flat_map(Record::spans)
            .collect()
    }

    pub fn finish(&self) -> (Value, Vec<ValueSource>) {
        let mut sources = Vec::new();
        let mut resume = Map::new();
        let mut basics = object(&self.basics, "/basics", &mut sources);
        if !self.location.is_empty() {
            basics.insert("location".into(), object(&self.location, "/basics/location", &mut sources).into());
        }
        if !self.profiles.is_empty() {
            basics.insert("profiles".into(), array(&self.profiles, "/basics/profiles", &mut sources));
        }
        resume.insert("basics".into(), basics.into());
        for (name, records) in self.sections.iter().filter(|(_, records)| !records.is_empty()) {
            resume.insert((*name).into(), array(records, &format!("/{name}"), &mut sources));
        }
        (resume.into(), sources)
    }
}

fn array(records: &[Record], path: &str, sources: &mut Vec<ValueSource>) -> Value {
    records.iter().enumerate().map(|(at, record)| object(record, &format!("{path}/{at}"), sources)).collect()
}

fn object(record: &Record, path: &str, sources: &mut Vec<ValueSource>) -> Map<String, Value> {
    let mut object = Map::new();
    for (name, found) in &record.fields {
        object.insert((*name).into(), found.value.clone().into());
        sources.push(source(format!("{path}/{name}"), found));
    }
    for (name, values) in &record.lists {
        let texts: Vec<&str> = values.iter().map(|found| found.value.as_str()).collect();
        object.insert((*name).into(), json!(texts));
        sources.extend(
            values.iter().enumerate().map(|(at, found)| source(format!("{path}/{name}/{at}"), found)),
        );
    }
    object
}

fn source(path: String, found: &FoundValue) -> ValueSource {
    ValueSource { path, span: found.span, confidence: found.confidence }
}

/// White space as single spaces; a word that was broken at the end of a line is joined again.
pub fn tidy(text: &str) -> String {
    let mut tidied = String::with_capacity(text.len());
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    while let Some(line) = lines.next() {
        let next_is_small = lines.peek().and_then(|next| next.chars().next()).is_some_and(char::is_lowercase);
        match line
            .strip_suffix(['-', '\u{ad}'])
            .filter(|rest| next_is_small && rest.ends_with(char::is_alphabetic))
        {
            Some(whole) => tidied.push_str(whole),
            None => {
                tidied.push_str(line);
                tidied.push(' ');
            }
        }
    }
    tidied.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// True if a value matches the text at its position: the promise that nothing is invented.
pub fn is_supported(path: &str, value: &str, written: &str) -> bool {
    let name = path.rsplit('/').find(|part| part.parse::<usize>().is_err()).unwrap_or_default();
    match name {
        "startDate" | "endDate" | "date" | "releaseDate" => {
            dates::normalise(written).as_deref() == Some(value)
        }
        "url" => {
            let written: String = written.split_whitespace().collect();
            value.strip_prefix("https://").unwrap_or(value)
                == written.strip_prefix("https://").unwrap_or(&written)
        }
        "network" => written.to_lowercase().contains(&value.to_lowercase().replace(' ', "")),
        _ => tidy(written) == value,
    }
}
