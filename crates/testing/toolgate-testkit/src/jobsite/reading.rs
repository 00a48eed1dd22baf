//! Forms as they arrive: urlencoded, or in parts with a file.

use std::collections::BTreeMap;

/// The fields of a form, and a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct SentForm {
    fields: BTreeMap<String, String>,
    /// Its name and its size.
    pub(super) file: Option<(String, usize)>,
}

impl SentForm {
    pub(super) fn read(content_type: &str, body: &[u8]) -> Self {
        match content_type.split_once("boundary=") {
            Some((_, boundary)) => Self::of_parts(boundary.trim_matches('"'), body),
            None => Self { fields: url::form_urlencoded::parse(body).into_owned().collect(), file: None },
        }
    }

    /// A field without blanks at its ends; empty if it is missing.
    pub(super) fn get(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", |value| value.trim())
    }

    fn of_parts(boundary: &str, body: &[u8]) -> Self {
        let mark = format!("--{boundary}");
        let mut form = Self::default();
        for part in split(body, mark.as_bytes()) {
            let Some(at) = find(part, b"\r\n\r\n") else { continue };
            let head = String::from_utf8_lossy(&part[..at]);
            let content = part[at + 4..].strip_suffix(b"\r\n").unwrap_or(&part[at + 4..]);
            match (quoted(&head, "name"), quoted(&head, "filename")) {
                (_, Some(name)) if !name.is_empty() => form.file = Some((name, content.len())),
                (Some(name), None) => {
                    drop(form.fields.insert(name, String::from_utf8_lossy(content).into_owned()));
                }
                _ => {}
            }
        }
        form
    }
}

/// The value of `name="…"` in the head of a part.
fn quoted(head: &str, name: &str) -> Option<String> {
    let (_, rest) = head.split_once(&format!("; {name}=\""))?;
    Some(rest.split_once('"')?.0.to_owned())
}

fn split<'a>(bytes: &'a [u8], mark: &[u8]) -> Vec<&'a [u8]> {
    let (mut parts, mut rest) = (Vec::new(), bytes);
    while let Some(at) = find(rest, mark) {
        parts.push(&rest[..at]);
        rest = &rest[at + mark.len()..];
    }
    parts.push(rest);
    parts
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_in_parts_has_its_fields_and_the_size_of_its_file() {
        let body = "--b\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\n hello \r\n--b\r\nContent-Disposition: form-data; \
            name=\"cv\"; filename=\"cv.pdf\"\r\nContent-Type: application/pdf\r\n\r\n1234\r\n--b--\r\n";
        let form = SentForm::read("multipart/form-data; boundary=b", body.as_bytes());
        assert_eq!((form.get("note"), form.file.clone()), ("hello", Some(("cv.pdf".to_owned(), 4))));
        let none = body.replace("cv.pdf", "");
        assert_eq!(SentForm::read("multipart/form-data; boundary=b", none.as_bytes()).file, None);
        let plain = SentForm::read("application/x-www-form-urlencoded", b"a=1+2&b=%26");
        assert_eq!((plain.get("a"), plain.get("b"), plain.get("c")), ("1 2", "&", ""));
    }
}
