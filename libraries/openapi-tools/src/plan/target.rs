//! The path and the query of a request.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use crate::bad::BadArguments;

/// Characters of a path that the document writes and that cannot stand in a request.
const UNSAFE_IN_PATH: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'`')
    .add(b'{')
    .add(b'}')
    .add(b'\\')
    .add(b'^')
    .add(b'|')
    .add(b'?')
    .add(b'#');

/// A path with templates. Some documents write a query or a fragment after it, to tell operations on one path apart.
#[derive(Clone, Debug)]
pub(crate) struct PathTemplate {
    pieces: Vec<PathPiece>,
    /// The query that every request has.
    query: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum PathPiece {
    Fixed(String),
    Template(String),
}

impl PathTemplate {
    pub(crate) fn parse(path: &str) -> Self {
        let path = path.split('#').next().unwrap_or_default();
        let (path, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)));
        let mut pieces = Vec::new();
        let mut rest = path;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((name, after)) = after.split_once('}') else { break };
            pieces.push(PathPiece::Fixed(before.to_owned()));
            pieces.push(PathPiece::Template(name.to_owned()));
            rest = after;
        }
        pieces.push(PathPiece::Fixed(rest.to_owned()));
        let query = query.filter(|query| !query.is_empty());
        PathTemplate { pieces, query: query.map(|query| encoded(query).replace("%3F", "?")) }
    }

    /// The names between braces, each once.
    pub(crate) fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for piece in &self.pieces {
            if let PathPiece::Template(name) = piece
                && !names.contains(&name.as_str())
            {
                names.push(name.as_str());
            }
        }
        names
    }

    /// The path with these values, which are encoded, and the query.
    pub(super) fn fill(
        &self,
        values: &[(&str, String)],
        query: &[(String, String)],
    ) -> Result<String, BadArguments> {
        let mut path = String::new();
        for piece in &self.pieces {
            match piece {
                PathPiece::Fixed(text) => path.push_str(&encoded(text)),
                PathPiece::Template(name) => {
                    let value = values.iter().find(|(known, _)| known == name);
                    let (_, value) = value.ok_or_else(|| BadArguments::Missing { name: name.clone() })?;
                    path.push_str(value);
                }
            }
        }
        refuse_dots(&path)?;
        let own = self.query.iter().cloned();
        let pairs = query.iter().map(|(name, value)| format!("{name}={value}"));
        let query: Vec<String> = own.chain(pairs).collect();
        if !query.is_empty() {
            path.push('?');
            path.push_str(&query.join("&"));
        }
        Ok(path)
    }
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, UNSAFE_IN_PATH).to_string()
}

/// Steps that go up, also where they are encoded, would lead to another operation than the one that was judged.
fn refuse_dots(path: &str) -> Result<(), BadArguments> {
    let is_dots = |step: &str| matches!(&*percent_decode_str(step).decode_utf8_lossy(), "." | "..");
    if path.split('/').any(is_dots) {
        return Err(BadArguments::Address {
            url: path.to_owned(),
            says: "has a step that leads to another path",
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(template: &str, value: &str) -> Result<String, BadArguments> {
        PathTemplate::parse(template).fill(&[("a", value.to_owned())], &[("q".to_owned(), "1".to_owned())])
    }

    #[test]
    fn templates_are_filled_in_and_fragments_are_not_sent() {
        for (template, expected) in [
            ("/x/{a}/y", "/x/1/y?q=1"),
            ("/x/{a}.{a}", "/x/1.1?q=1"),
            ("/x#Action=List", "/x?q=1"),
            ("/{a}?acl", "/1?acl&q=1"),
            ("/a b/{", "/a%20b/%7B?q=1"),
        ] {
            assert_eq!(fill(template, "1").as_deref(), Ok(expected), "{template}");
        }
        assert_eq!(PathTemplate::parse("/{b}/{a}/{b}").names(), ["b", "a"]);
    }

    #[test]
    fn no_value_leads_to_another_path() {
        for value in [".", "..", "%2E%2E", "%2e."] {
            assert!(fill("/x/{a}/y", value).is_err(), "{value}");
        }
        assert!(fill("/x/{a}.", ".").is_err());
        assert!(fill("/x/{a}", "..%2F..").is_ok(), "one step, as long as nobody decodes it");
        assert_eq!(fill("/{b}", "1"), Err(BadArguments::Missing { name: "b".to_owned() }));
    }
}
