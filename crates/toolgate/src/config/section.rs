//! One table of the file and typed access to its keys. An invalid value becomes a problem, never a panic or a
//! silent default.

use std::ops::{Range, RangeInclusive};
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toolgate_core::moment::parse_rfc3339;
use toolgate_core::tool::CallRate;

use super::problem::{ConfigProblems, did_you_mean, one_of};

/// A value and its position.
#[derive(Clone, Debug)]
pub(super) struct Located<T> {
    pub(super) value: T,
    pub(super) span: Range<usize>,
}

pub(super) struct ConfigSection<'t> {
    /// Its name in messages: `[limits]`, `server "git"`.
    title: String,
    table: &'t DeTable<'t>,
    pub(super) span: Range<usize>,
}

/// The allowed range of a number of seconds.
#[derive(Clone, Copy)]
pub(super) enum SecondsRange {
    Positive,
    ZeroOrMore,
}

const SECONDS_MAX: f64 = 365.0 * 24.0 * 3600.0;

impl<'t> ConfigSection<'t> {
    pub(super) fn new(title: impl Into<String>, table: &'t DeTable<'t>, span: Range<usize>) -> Self {
        Self { title: title.into(), table, span }
    }

    pub(super) fn title(&self) -> &str {
        &self.title
    }

    pub(super) fn rename(&mut self, title: String) {
        self.title = title;
    }

    /// Refuses every key that is not `known`; `elsewhere` names the tables that would have it.
    pub(super) fn refuse_unknown_keys(
        &self,
        known: &[&str],
        elsewhere: &[(&str, &[&str])],
        problems: &mut ConfigProblems,
    ) {
        for key in self.table.keys() {
            let name: &str = key.get_ref();
            if known.contains(&name) {
                continue;
            }
            let belongs: Vec<&str> =
                elsewhere.iter().filter(|(_, keys)| keys.contains(&name)).map(|(table, _)| *table).collect();
            let hint = match (&belongs[..], did_you_mean(name, known)) {
                ([_, ..], _) => format!("it belongs below a {} line", one_of(&belongs)),
                ([], Some(hint)) => hint,
                ([], None) => "remove the key; `toolgate.example.toml` shows every key there is".into(),
            };
            let what = format!("unknown key `{name}` in {}", self.title);
            problems.add(key.span(), what, one_of(known), hint);
        }
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &'t str> {
        self.table.keys().map(|key| key.get_ref().as_ref())
    }

    fn get(&self, key: &str) -> Option<&'t Spanned<DeValue<'t>>> {
        self.table.get(key)
    }

    /// The position of the key itself, for problems about its presence.
    pub(super) fn key_span(&self, key: &str) -> Option<Range<usize>> {
        self.table.keys().find(|found| found.get_ref() == key).map(Spanned::span)
    }

    /// True if the value is text, where other types are allowed too.
    pub(super) fn is_text(&self, key: &str) -> bool {
        self.get(key).is_some_and(|value| text(value).is_some())
    }

    pub(super) fn string(&self, key: &str, problems: &mut ConfigProblems) -> Option<Located<&'t str>> {
        let value = self.get(key)?;
        let found = text(value);
        if found.is_none() {
            self.wrong_type(key, value, "a string in quotes", problems);
        }
        found
    }

    pub(super) fn boolean(&self, key: &str, problems: &mut ConfigProblems) -> Option<Located<bool>> {
        let value = self.get(key)?;
        let found = value.get_ref().as_bool().map(|flag| Located { value: flag, span: value.span() });
        if found.is_none() {
            self.wrong_type(key, value, "`true` or `false`", problems);
        }
        found
    }

    /// One of a few words. `otherwise` is the hint if none of them is near.
    pub(super) fn word<T: Copy>(
        &self,
        key: &str,
        known: &[(&str, T)],
        otherwise: &str,
        problems: &mut ConfigProblems,
    ) -> Option<T> {
        let written = self.string(key, problems)?;
        self.known_word(key, &written, known, otherwise, problems)
    }

    /// A list of some of a few words.
    pub(super) fn words<T: Copy>(
        &self,
        key: &str,
        known: &[(&str, T)],
        otherwise: &str,
        problems: &mut ConfigProblems,
    ) -> Option<Vec<T>> {
        self.key_span(key)?;
        let written = self.strings(key, problems);
        let read = |word: &Located<&str>| self.known_word(key, word, known, otherwise, problems);
        Some(written.iter().filter_map(read).collect())
    }

    pub(super) fn known_word<T: Copy>(
        &self,
        key: &str,
        written: &Located<&str>,
        known: &[(&str, T)],
        otherwise: &str,
        problems: &mut ConfigProblems,
    ) -> Option<T> {
        let found = known.iter().find(|(word, _)| *word == written.value);
        if found.is_none() {
            let words: Vec<&str> = known.iter().map(|(word, _)| *word).collect();
            let what = format!("`{key}` in {} cannot be {:?}", self.title, written.value);
            let hint = did_you_mean(written.value, &words).unwrap_or_else(|| otherwise.to_owned());
            problems.add(written.span.clone(), what, one_of(&words), hint);
        }
        found.map(|(_, value)| *value)
    }

    /// A count within bounds.
    pub(super) fn count(
        &self,
        key: &str,
        within: RangeInclusive<usize>,
        problems: &mut ConfigProblems,
    ) -> Option<usize> {
        let value = self.get(key)?;
        let expected = format!("a whole number from {} to {}", within.start(), within.end());
        let DeValue::Integer(_) = value.get_ref() else {
            self.wrong_type(key, value, &expected, problems);
            return None;
        };
        let number = integer(value).and_then(|number| usize::try_from(number).ok());
        match number.filter(|number| within.contains(number)) {
            Some(number) => Some(number),
            None => {
                let what = format!("`{key}` in {} is out of range", self.title);
                problems.add(value.span(), what, expected, DROP_FOR_DEFAULT);
                None
            }
        }
    }

    pub(super) fn seconds(
        &self,
        key: &str,
        may_be: SecondsRange,
        problems: &mut ConfigProblems,
    ) -> Option<Duration> {
        let value = self.get(key)?;
        let expected = match may_be {
            SecondsRange::Positive => {
                "a number of seconds above 0 and at most one year, such as `30` or `0.5`"
            }
            SecondsRange::ZeroOrMore => "a number of seconds from 0 to one year, such as `10` or `0.5`",
        };
        let Some(number) = number(value) else {
            self.wrong_type(key, value, expected, problems);
            return None;
        };
        let low_enough = number <= SECONDS_MAX;
        let high_enough = number > 0.0 || (number == 0.0 && matches!(may_be, SecondsRange::ZeroOrMore));
        if low_enough && high_enough {
            return Some(Duration::from_secs_f64(number));
        }
        let what = format!("`{key}` in {} is out of range", self.title);
        problems.add(value.span(), what, expected, DROP_FOR_DEFAULT);
        None
    }

    /// A number that `read` makes something of.
    pub(super) fn converted<T>(
        &self,
        key: &str,
        expected: &str,
        read: fn(f64) -> Option<T>,
        problems: &mut ConfigProblems,
    ) -> Option<T> {
        let value = self.get(key)?;
        let Some(number) = number(value) else {
            self.wrong_type(key, value, expected, problems);
            return None;
        };
        let found = read(number);
        if found.is_none() {
            let what = format!("`{key}` in {} is out of range", self.title);
            problems.add(value.span(), what, expected, DROP_FOR_DEFAULT);
        }
        found
    }

    /// A number per unit of time.
    pub(super) fn rate(&self, key: &str, problems: &mut ConfigProblems) -> Option<CallRate> {
        let written = self.string(key, problems)?;
        let rate = written.value.parse();
        if rate.is_err() {
            let what = format!("`{key}` in {} cannot be {:?}", self.title, written.value);
            let expected = "a number and a unit of time, such as `10/s`, `600/m` or `1000/h`";
            problems.add(written.span, what, expected, "the number is a whole one above 0");
        }
        rate.ok()
    }

    /// An amount of money in currency units, as millionths of one.
    pub(super) fn money_micros(&self, key: &str, problems: &mut ConfigProblems) -> Option<u64> {
        const EXPECTED: &str = "an amount from 0 to 1000000000, such as `5` or `0.25`";
        const UNIT: f64 = 1e6;
        const MOST: f64 = 1e9;
        let value = self.get(key)?;
        let Some(amount) = number(value) else {
            self.wrong_type(key, value, EXPECTED, problems);
            return None;
        };
        if !(0.0..=MOST).contains(&amount) {
            let what = format!("`{key}` in {} is out of range", self.title);
            problems.add(value.span(), what, EXPECTED, DROP_FOR_DEFAULT);
            return None;
        }
        Some((amount * UNIT).round() as u64)
    }

    /// A moment, as a date or a date and time, in quotes or not. A date alone is its first moment in UTC.
    pub(super) fn moment_ms(&self, key: &str, problems: &mut ConfigProblems) -> Option<i64> {
        const EXPECTED: &str = "a date such as `2027-01-01`, or a time such as `2027-01-01T12:00:00Z`";
        let value = self.get(key)?;
        let text = match value.get_ref() {
            DeValue::String(text) => text.to_string(),
            DeValue::Datetime(datetime) => datetime.to_string(),
            _ => {
                self.wrong_type(key, value, EXPECTED, problems);
                return None;
            }
        };
        let moment = parse_rfc3339(&text).or_else(|| parse_rfc3339(&format!("{text}T00:00:00Z")));
        if moment.is_none() {
            let what = format!("`{key}` in {} is not a moment: {text:?}", self.title);
            problems.add(
                value.span(),
                what,
                EXPECTED,
                "year, month and day, in this order; a time needs its zone",
            );
        }
        moment
    }

    /// A number of bytes, as an integer or as text with a unit.
    pub(super) fn bytes(
        &self,
        key: &str,
        within: RangeInclusive<usize>,
        problems: &mut ConfigProblems,
    ) -> Option<usize> {
        let value = self.get(key)?;
        let expected = format!(
            "a number of bytes from {} to {}, or text such as \"16MiB\"",
            shown_bytes(*within.start()),
            shown_bytes(*within.end())
        );
        let size = match value.get_ref() {
            DeValue::Integer(_) => integer(value).and_then(|number| usize::try_from(number).ok()),
            DeValue::String(written) => match parse_bytes(written) {
                Some(size) => Some(size),
                None => {
                    let what = format!("`{key}` in {} is not a size", self.title);
                    problems.add(value.span(), what, expected, "units are B, KiB, MiB, GiB, KB, MB and GB");
                    return None;
                }
            },
            _ => {
                self.wrong_type(key, value, &expected, problems);
                return None;
            }
        };
        let size = size.filter(|size| within.contains(size));
        if size.is_none() {
            let what = format!("`{key}` in {} is out of range", self.title);
            problems.add(value.span(), what, expected, DROP_FOR_DEFAULT);
        }
        size
    }

    pub(super) fn strings(&self, key: &str, problems: &mut ConfigProblems) -> Vec<Located<&'t str>> {
        let Some(value) = self.get(key) else { return Vec::new() };
        let Some(items) = value.get_ref().as_array() else {
            self.wrong_type(key, value, "a list of strings, such as `[\"one\", \"two\"]`", problems);
            return Vec::new();
        };
        let mut found = Vec::with_capacity(items.len());
        for item in items.iter() {
            match text(item) {
                Some(item) => found.push(item),
                None => self.wrong_type(key, item, "a list of strings", problems),
            }
        }
        found
    }

    pub(super) fn section(
        &self,
        key: &str,
        title: &str,
        problems: &mut ConfigProblems,
    ) -> Option<ConfigSection<'t>> {
        let value = self.get(key)?;
        match value.get_ref().as_table() {
            Some(table) => Some(ConfigSection::new(title, table, value.span())),
            None => {
                self.wrong_type(key, value, "a table", problems);
                None
            }
        }
    }

    /// The tables of `[[key]]`.
    pub(super) fn sections(&self, key: &str, problems: &mut ConfigProblems) -> Vec<ConfigSection<'t>> {
        let Some(value) = self.get(key) else { return Vec::new() };
        let expected = format!("tables that start with `[[{key}]]`");
        let Some(items) = value.get_ref().as_array() else {
            self.wrong_type(key, value, &expected, problems);
            return Vec::new();
        };
        let mut found = Vec::with_capacity(items.len());
        for item in items.iter() {
            match item.get_ref().as_table() {
                Some(table) => found.push(ConfigSection::new(key, table, item.span())),
                None => self.wrong_type(key, item, &expected, problems),
            }
        }
        found
    }

    /// A table whose values are all strings.
    pub(super) fn string_map(
        &self,
        key: &str,
        problems: &mut ConfigProblems,
    ) -> Vec<(Located<&'t str>, Located<&'t str>)> {
        let Some(section) = self.section(key, key, problems) else { return Vec::new() };
        let mut found = Vec::with_capacity(section.table.len());
        for (name, value) in section.table.iter() {
            let name = Located { value: name.get_ref().as_ref(), span: name.span() };
            match text(value) {
                Some(value) => found.push((name, value)),
                None => {
                    self.wrong_type(&format!("{key}.{}", name.value), value, "a string in quotes", problems)
                }
            }
        }
        found
    }

    fn wrong_type(
        &self,
        key: &str,
        value: &Spanned<DeValue<'_>>,
        expected: &str,
        problems: &mut ConfigProblems,
    ) {
        let found = value.get_ref();
        let hint = match found {
            DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_)
                if expected.starts_with("a string") =>
            {
                "put the value in quotes".to_owned()
            }
            DeValue::String(text) if text.parse::<f64>().is_ok() => "remove the quotes".to_owned(),
            DeValue::String(text) if matches!(&**text, "true" | "false") => "remove the quotes".to_owned(),
            DeValue::String(_) if expected.starts_with("`true`") => "write it without quotes".to_owned(),
            DeValue::Array(_) if expected == "a table" => format!("write `{key} = {{ … }}`"),
            DeValue::String(_) if expected.starts_with("a list") => {
                "put the value in brackets: `[\"…\"]`".to_owned()
            }
            DeValue::Table(_) if expected.contains("[[") => "write the header with two brackets".to_owned(),
            _ => "`toolgate.example.toml` shows this key in use".to_owned(),
        };
        let what =
            format!("`{key}` in {} has the wrong type: {}", self.title, with_article(found.type_str()));
        problems.add(value.span(), what, expected, hint);
    }
}

const DROP_FOR_DEFAULT: &str = "leave the key out to have the default";

fn with_article(kind: &str) -> String {
    match kind.starts_with(['a', 'i']) {
        true => format!("an {kind}"),
        false => format!("a {kind}"),
    }
}

fn text<'t>(value: &'t Spanned<DeValue<'t>>) -> Option<Located<&'t str>> {
    value.get_ref().as_str().map(|text| Located { value: text, span: value.span() })
}

fn integer(value: &Spanned<DeValue<'_>>) -> Option<i64> {
    let integer = value.get_ref().as_integer()?;
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

fn number(value: &Spanned<DeValue<'_>>) -> Option<f64> {
    match value.get_ref() {
        DeValue::Integer(_) => Some(integer(value).map_or(f64::INFINITY, |number| number as f64)),
        DeValue::Float(float) => float.as_str().parse().ok(),
        _ => None,
    }
}

const UNITS: [(&str, usize); 7] = [
    ("b", 1),
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
];

fn parse_bytes(written: &str) -> Option<usize> {
    let written = written.trim().to_ascii_lowercase();
    let digits = written.find(|c: char| !c.is_ascii_digit()).unwrap_or(written.len());
    let (number, unit) = written.split_at(digits);
    let number: usize = number.parse().ok()?;
    let factor = match unit.trim() {
        "" => 1,
        unit => UNITS.iter().find(|(name, _)| *name == unit)?.1,
    };
    Some(number.saturating_mul(factor))
}

fn shown_bytes(bytes: usize) -> String {
    match bytes {
        0 => "0".to_owned(),
        _ if bytes.is_multiple_of(1 << 30) => format!("{} GiB", bytes >> 30),
        _ if bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        _ if bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        _ => format!("{bytes} B"),
    }
}

pub(super) fn require(section: &ConfigSection<'_>, key: &str, example: &str, problems: &mut ConfigProblems) {
    if section.key_span(key).is_none() {
        let what = format!("{} has no `{key}`", section.title());
        let hint = format!("add a line such as `{key} = {example}`");
        problems.add(section.span.clone(), what, format!("`{key}` in every such table"), hint);
    }
}
