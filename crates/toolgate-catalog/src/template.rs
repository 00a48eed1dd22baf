//! Whether a URI could come from a URI template (RFC 6570), which is all that routing needs: no expansion, no
//! variables. Expressions with an operator may span slashes, simple ones may not.

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Literal(String),
    Segment,
    Anything,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template(Vec<Part>);

impl Template {
    pub(crate) fn parse(template: &str) -> Self {
        let mut parts = Vec::new();
        let mut rest = template;
        while let Some((literal, after)) = rest.split_once('{') {
            if !literal.is_empty() {
                parts.push(Part::Literal(literal.to_owned()));
            }
            let (expression, after) = after.split_once('}').unwrap_or((after, ""));
            let operator = expression.starts_with(['+', '#', '.', '/', ';', '?', '&']);
            parts.push(if operator || expression.ends_with('*') { Part::Anything } else { Part::Segment });
            rest = after;
        }
        if !rest.is_empty() {
            parts.push(Part::Literal(rest.to_owned()));
        }
        Self(parts)
    }

    pub(crate) fn matches(&self, uri: &str) -> bool {
        matches(&self.0, uri)
    }
}

fn matches(parts: &[Part], uri: &str) -> bool {
    let Some((first, rest)) = parts.split_first() else {
        return uri.is_empty();
    };
    match first {
        Part::Literal(literal) => {
            uri.strip_prefix(literal.as_str()).is_some_and(|after| matches(rest, after))
        }
        Part::Segment | Part::Anything if rest.is_empty() => {
            *first == Part::Anything || (!uri.is_empty() && !uri.contains('/'))
        }
        Part::Segment => cuts(uri)
            .skip(1)
            .take_while(|cut| !uri[..*cut].contains('/'))
            .any(|cut| matches(rest, &uri[cut..])),
        Part::Anything => cuts(uri).any(|cut| matches(rest, &uri[cut..])),
    }
}

fn cuts(uri: &str) -> impl Iterator<Item = usize> + '_ {
    uri.char_indices().map(|(at, _)| at).chain([uri.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(template: &str, uri: &str, expected: bool) {
        assert_eq!(Template::parse(template).matches(uri), expected, "{template} against {uri}");
    }

    #[test]
    fn templates_match_what_they_could_expand_to() {
        check("test://template/{id}/data", "test://template/7/data", true);
        check("test://template/{id}/data", "test://template/7/8/data", false);
        check("test://template/{id}/data", "test://template//data", false);
        check("file:///{+path}", "file:///a/b/c", true);
        check("search://x{?q,limit}", "search://x?q=1&limit=2", true);
        check("plain://uri", "plain://uri", true);
        check("plain://uri", "plain://uri2", false);
        check("a://{x}-{y}", "a://1-2", true);
    }
}
