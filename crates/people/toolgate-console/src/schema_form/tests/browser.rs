//! The data that a browser sends for a form, as far as our own markup needs it.

use maud::Markup;

use crate::fields::FormFields;

pub(super) fn sent(markup: &Markup) -> FormFields {
    let html = markup.clone().into_string();
    let mut pairs: Vec<(String, String)> = Vec::new();
    let mut select: Option<Select> = None;
    let mut rest = html.as_str();
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').expect("attributes hold no bare `>`");
        let (tag, after) = (&rest[start + 1..end], &rest[end + 1..]);
        let word = tag.split([' ', '/']).next().unwrap_or_default();
        let name = attribute(tag, "name").unwrap_or_default();
        match word {
            "textarea" => {
                let text = &after[..after.find("</textarea>").expect("it ends")];
                pairs.push((name, with_crlf(text.strip_prefix('\n').unwrap_or(text))));
            }
            "input" if is_box(tag) && !tag.ends_with(" checked") => {}
            "input" if is_box(tag) => pairs.push((name, attribute(tag, "value").unwrap_or_default())),
            "input" => pairs.push((name, attribute(tag, "value").unwrap_or_default().replace('\n', ""))),
            "select" => select = Some(Select { name, chosen: None, first: None }),
            "option" => {
                if let Some(select) = &mut select {
                    select.option(tag);
                }
            }
            _ => {}
        }
        if rest[start..].starts_with("</select") {
            let Select { name, chosen, first } = select.take().expect("it began");
            pairs.push((name, chosen.or(first).unwrap_or_default()));
        }
        rest = after;
    }
    let borrowed: Vec<(&str, &str)> =
        pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    FormFields::of(&borrowed)
}

struct Select {
    name: String,
    chosen: Option<String>,
    first: Option<String>,
}

impl Select {
    fn option(&mut self, tag: &str) {
        let value = attribute(tag, "value").unwrap_or_default();
        if tag.ends_with(" selected") {
            self.chosen = Some(value.clone());
        }
        self.first.get_or_insert(value);
    }
}

fn is_box(tag: &str) -> bool {
    attribute(tag, "type").as_deref() == Some("checkbox")
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let begin = format!(" {name}=\"");
    let start = tag.find(&begin)? + begin.len();
    let end = start + tag[start..].find('"')?;
    Some(unescaped(&tag[start..end]))
}

fn with_crlf(text: &str) -> String {
    unescaped(text).replace('\n', "\r\n")
}

/// Browsers know no NUL and turn single carriage returns into line feeds.
fn unescaped(text: &str) -> String {
    let plain = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
    plain.replace("\r\n", "\n").replace('\r', "\n").replace('\0', "\u{fffd}")
}
