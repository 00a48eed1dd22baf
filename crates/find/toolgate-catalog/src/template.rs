//! A check whether a URI could come from a URI template (RFC 6570), which is all that routing needs: no
//! expansion, no variables. Expressions with an operator may span slashes, simple ones may not.

/// Longer URIs match no template.
const URI_BYTES_MAX: usize = 8 << 10;
/// Templates with more parts match nothing.
const PARTS_MAX: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
enum UriTemplatePart {
    Literal(String),
    Segment,
    Anything,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UriTemplate(Vec<UriTemplatePart>);

impl UriTemplate {
    pub(crate) fn parse(template: &str) -> Self {
        let mut parts = Vec::new();
        let mut rest = template;
        while let Some((literal, after)) = rest.split_once('{') {
            if !literal.is_empty() {
                parts.push(UriTemplatePart::Literal(literal.to_owned()));
            }
            let (expression, after) = after.split_once('}').unwrap_or((after, ""));
            let operator = expression.starts_with(['+', '#', '.', '/', ';', '?', '&']);
            parts.push(if operator || expression.ends_with('*') {
                UriTemplatePart::Anything
            } else {
                UriTemplatePart::Segment
            });
            rest = after;
        }
        if !rest.is_empty() {
            parts.push(UriTemplatePart::Literal(rest.to_owned()));
        }
        Self(parts)
    }

    /// Linear in the length of both: a server's template must not be able to cause much work.
    pub(crate) fn matches(&self, uri: &str) -> bool {
        if uri.len() > URI_BYTES_MAX || self.0.len() > PARTS_MAX {
            return false;
        }
        let uri = uri.as_bytes();
        // reached[i]: the parts so far can have made the first i bytes.
        let mut reached = vec![false; uri.len() + 1];
        reached[0] = true;
        for part in &self.0 {
            reached = part.step(uri, &reached);
        }
        reached[uri.len()]
    }
}

impl UriTemplatePart {
    fn step(&self, uri: &[u8], before: &[bool]) -> Vec<bool> {
        let mut after = vec![false; before.len()];
        match self {
            UriTemplatePart::Literal(literal) => {
                for start in (0..uri.len()).filter(|start| before[*start]) {
                    if uri[start..].starts_with(literal.as_bytes()) {
                        after[start + literal.len()] = true;
                    }
                }
            }
            UriTemplatePart::Segment => {
                let mut open = false;
                for end in 1..before.len() {
                    open = (open || before[end - 1]) && uri[end - 1] != b'/';
                    after[end] = open;
                }
            }
            UriTemplatePart::Anything => {
                let mut open = false;
                for (end, reached) in before.iter().enumerate() {
                    open |= reached;
                    after[end] = open;
                }
            }
        }
        after
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(template: &str, uri: &str, expected: bool) {
        assert_eq!(UriTemplate::parse(template).matches(uri), expected, "{template} against {uri}");
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
        check("{x}{y}", "ab", true);
        check("{x}{y}", "a", false);
    }

    #[test]
    fn a_template_made_to_be_slow_is_not() {
        let template = "{+a}".repeat(60) + "!";
        check(&template, &"x".repeat(8_000), false);
    }
}
