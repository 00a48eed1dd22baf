//! A text that matches a pattern, for the patterns that the importer keeps.

/// A text that should match; the schema decides.
pub(crate) fn matching(pattern: &str) -> Option<String> {
    let mut reader = PatternReader { rest: pattern };
    let text = reader.alternatives()?;
    reader.rest.is_empty().then_some(text)
}

struct PatternReader<'p> {
    rest: &'p str,
}

impl PatternReader<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.rest = &self.rest[next.len_utf8()..];
        Some(next)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.rest.strip_prefix(text);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    /// The first alternative that has a text.
    fn alternatives(&mut self) -> Option<String> {
        let mut first = self.sequence()?;
        while self.eat("|") {
            let other = self.sequence()?;
            if first.is_empty() {
                first = other;
            }
        }
        Some(first)
    }

    fn sequence(&mut self) -> Option<String> {
        let mut text = String::new();
        while let Some(c) = self.peek().filter(|c| !matches!(c, '|' | ')')) {
            if self.eat("^") || self.eat("$") || self.eat("\\b") {
                continue;
            }
            if self.rest.starts_with("(?!") || self.rest.starts_with("(?=") {
                self.next();
                self.eat("?!");
                self.eat("?=");
                self.alternatives()?;
                self.eat(")");
                continue;
            }
            let atom = self.atom(c)?;
            let times = self.times()?;
            text.push_str(&atom.repeat(times));
        }
        Some(text)
    }

    fn atom(&mut self, c: char) -> Option<String> {
        self.next();
        Some(match c {
            '(' => {
                self.eat("?:");
                let inside = self.alternatives()?;
                self.eat(")");
                inside
            }
            '[' => self.class()?.to_string(),
            '\\' => self.escape()?.to_string(),
            '.' => "a".to_owned(),
            other => other.to_string(),
        })
    }

    /// The least number of times, and once where it may be none.
    fn times(&mut self) -> Option<usize> {
        let times = if self.eat("*") || self.eat("+") || self.eat("?") {
            1
        } else if self.eat("{") {
            let (inside, rest) = self.rest.split_once('}')?;
            self.rest = rest;
            let (least, most) = inside.split_once(',').unwrap_or((inside, inside));
            let least: usize = least.parse().ok()?;
            if most == "0" { 0 } else { least.max(1) }
        } else {
            1
        };
        self.eat("?");
        Some(times)
    }

    fn escape(&mut self) -> Option<char> {
        Some(match self.next()? {
            'd' => '1',
            'w' | 'D' | 'S' => 'a',
            'W' => '-',
            's' => ' ',
            't' => '\t',
            'n' => '\n',
            'r' => '\r',
            'u' => self.hex(4)?,
            'x' => self.hex(2)?,
            other => other,
        })
    }

    fn hex(&mut self, count: usize) -> Option<char> {
        let code = u32::from_str_radix(self.rest.get(..count)?, 16).ok();
        self.rest = &self.rest[count..];
        code.and_then(char::from_u32)
    }

    fn class(&mut self) -> Option<char> {
        let is_negated = self.eat("^");
        let mut ranges: Vec<(char, char)> = Vec::new();
        while !self.eat("]") {
            let is_escape = self.rest.starts_with('\\');
            let from = self.next()?;
            let from = if is_escape { self.escape()? } else { from };
            if self.rest.starts_with('-') && !self.rest.starts_with("-]") {
                self.next();
                let to = self.next()?;
                let to = if to == '\\' { self.escape()? } else { to };
                ranges.push((from, to));
            } else {
                ranges.push((from, from));
            }
        }
        if !is_negated {
            // Letters and digits say the least.
            let plain = ranges.iter().find(|(from, _)| from.is_ascii_alphanumeric());
            return plain.or(ranges.first()).map(|(from, _)| *from);
        }
        "aA1-_~".chars().find(|c| !ranges.iter().any(|(from, to)| (*from..=*to).contains(c)))
    }
}
