//! Records of a text: the rows of CSV, and the objects of JSON and JSON lines.

use serde_json::{Map, Value};

/// JSON that has more members than this is no table.
const NAMES_MAX: usize = 200;

/// Rows under their names.
#[derive(PartialEq, Debug)]
pub(super) struct PreviewRecords {
    pub(super) names: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

impl PreviewRecords {
    /// `None` if the text is not of that kind. Of a text that was cut, the last record is left out.
    pub(super) fn read(essence: &str, words: &str, is_whole: bool) -> Option<Self> {
        match essence {
            "text/csv" => Self::of_lines(separated(words, separator(words)), is_whole),
            "text/tab-separated-values" => Self::of_lines(separated(words, '\t'), is_whole),
            "application/x-ndjson" | "application/jsonl" => Self::of_objects(json_lines(words, is_whole)?),
            json if is_json(json) && is_whole => match serde_json::from_str(words).ok()? {
                Value::Array(entries) => Self::of_objects(entries),
                _ => None,
            },
            _ => None,
        }
    }

    fn of_lines(mut lines: Vec<Vec<String>>, is_whole: bool) -> Option<Self> {
        if !is_whole {
            lines.pop();
        }
        if lines.is_empty() {
            return None;
        }
        let names = lines.remove(0);
        Some(Self { names, rows: lines })
    }

    fn of_objects(entries: Vec<Value>) -> Option<Self> {
        let objects: Option<Vec<Map<String, Value>>> = entries
            .into_iter()
            .map(|entry| match entry {
                Value::Object(members) => Some(members),
                _ => None,
            })
            .collect();
        let objects = objects.filter(|objects| !objects.is_empty())?;
        let mut names: Vec<String> = Vec::new();
        for name in objects.iter().flat_map(Map::keys) {
            if !names.contains(name) {
                names.push(name.clone());
            }
            if names.len() > NAMES_MAX {
                return None;
            }
        }
        let row = |object: &Map<String, Value>| names.iter().map(|name| cell(object.get(name))).collect();
        let rows = objects.iter().map(row).collect();
        Some(Self { names, rows })
    }
}

pub(super) fn is_json(essence: &str) -> bool {
    essence == "application/json" || essence.ends_with("+json")
}

fn cell(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(words)) => words.clone(),
        Some(other) => other.to_string(),
    }
}

fn json_lines(words: &str, is_whole: bool) -> Option<Vec<Value>> {
    let mut lines: Vec<&str> = words.lines().filter(|line| !line.trim().is_empty()).collect();
    if !is_whole {
        lines.pop();
    }
    lines.into_iter().map(|line| serde_json::from_str(line).ok()).collect()
}

/// The most frequent separator of the first line.
fn separator(words: &str) -> char {
    let line = words.lines().next().unwrap_or_default();
    let count = |one: char| line.matches(one).count();
    [';', '\t'].into_iter().find(|one| count(*one) > count(',')).unwrap_or(',')
}

/// The fields of each line. Quoted fields may have separators, line breaks and doubled quotes.
fn separated(words: &str, separator: char) -> Vec<Vec<String>> {
    let (mut lines, mut line, mut field) = (Vec::new(), Vec::new(), String::new());
    let mut is_quoted = false;
    let mut chars = words.trim_start_matches('\u{feff}').chars().peekable();
    while let Some(one) = chars.next() {
        match one {
            '"' if is_quoted && chars.peek() == Some(&'"') => field.extend(chars.next()),
            '"' if is_quoted => is_quoted = false,
            '"' if field.is_empty() => is_quoted = true,
            '\r' if !is_quoted && chars.peek() == Some(&'\n') => {}
            '\n' if !is_quoted => {
                line.push(std::mem::take(&mut field));
                lines.push(std::mem::take(&mut line));
            }
            one if one == separator && !is_quoted => line.push(std::mem::take(&mut field)),
            one => field.push(one),
        }
    }
    if !field.is_empty() || !line.is_empty() {
        line.push(field);
        lines.push(line);
    }
    lines.retain(|line| line.iter().any(|field| !field.is_empty()));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(essence: &str, words: &str) -> Vec<Vec<String>> {
        let records = PreviewRecords::read(essence, words, true).expect("it is a table");
        std::iter::once(records.names).chain(records.rows).collect()
    }

    #[test]
    fn fields_may_have_quotes_separators_and_line_breaks() {
        let words = "\u{feff}name,note\r\n\"Ann, A.\",\"said \"\"no\"\"\nand left\"\r\nben,\r\n";
        let expected = [["name", "note"], ["Ann, A.", "said \"no\"\nand left"], ["ben", ""]];
        assert_eq!(read("text/csv", words), expected);
        assert_eq!(read("text/csv", "a;b\n1,5;2\n"), [["a", "b"], ["1,5", "2"]]);
        assert_eq!(read("text/tab-separated-values", "a\tb\n1\t2"), [["a", "b"], ["1", "2"]]);
    }

    #[test]
    fn objects_are_rows_under_all_their_names() {
        let expected = [["a", "b"], ["1", ""], ["", "[true]"]];
        assert_eq!(read("application/json", r#"[{"a":1},{"b":[true]}]"#), expected);
        assert_eq!(read("application/x-ndjson", "{\"a\":1}\n\n{\"b\":[true]}\n"), expected);
        for other in ["[1,2]", "{}", "[]", "nonsense"] {
            assert_eq!(PreviewRecords::read("application/json", other, true), None, "{other}");
        }
    }

    #[test]
    fn the_last_record_of_a_text_that_was_cut_is_left_out() {
        let cut = PreviewRecords::read("text/csv", "a,b\n1,2\n3,4\n5,", false).expect("a table");
        assert_eq!(cut.rows, [["1", "2"], ["3", "4"]]);
        assert_eq!(PreviewRecords::read("application/json", "[{\"a\":1}", false), None);
    }
}
