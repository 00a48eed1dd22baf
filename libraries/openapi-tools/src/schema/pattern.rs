//! Patterns, which authors write for the engines they know. One that not every engine reads the same is left out.

/// Characters of a pattern that is kept.
const PATTERN_CHARS_MAX: usize = 1_000;

/// True for a pattern that the engines of ECMAScript and of this platform read alike, as far as its form shows.
pub(super) fn is_portable(pattern: &str) -> bool {
    if pattern.chars().count() > PATTERN_CHARS_MAX {
        return false;
    }
    let mut check = PatternCheck { rest: pattern, groups: Vec::new(), repeatable: false };
    check.run().is_some() && check.groups.is_empty()
}

struct PatternCheck<'p> {
    rest: &'p str,
    /// The groups that are open; true for one that can be repeated, which what looks ahead cannot.
    groups: Vec<bool>,
    /// True after something that can be repeated.
    repeatable: bool,
}

impl PatternCheck<'_> {
    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next();
        self.rest = chars.as_str();
        next
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.rest.strip_prefix(text);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    /// Nothing, where the pattern is not portable.
    fn run(&mut self) -> Option<()> {
        while let Some(c) = self.next() {
            match c {
                '\\' => self.escape(false)?,
                '[' => self.class()?,
                '(' => self.group()?,
                ')' => self.repeatable = self.groups.pop()?,
                '*' | '+' | '?' => self.repeat()?,
                '{' => {
                    self.count()?;
                    self.repeat()?;
                }
                '|' | '^' | '$' => self.repeatable = false,
                '}' | ']' => return None,
                _ => self.repeatable = true,
            }
        }
        Some(())
    }

    fn repeat(&mut self) -> Option<()> {
        if !self.repeatable {
            return None;
        }
        // Lazy is common to all; possessive is not.
        self.eat("?");
        self.repeatable = false;
        Some(())
    }

    /// The rest of `{2}`, `{2,}` and `{2,5}`.
    fn count(&mut self) -> Option<()> {
        let (inside, rest) = self.rest.split_once('}')?;
        self.rest = rest;
        let (least, most) = inside.split_once(',').unwrap_or((inside, inside));
        let least: u32 = digits(least)?;
        let most: u32 = if most.is_empty() { least } else { digits(most)? };
        (least <= most && most <= 1_000).then_some(())
    }

    fn group(&mut self) -> Option<()> {
        let looks_ahead = self.eat("?=") || self.eat("?!");
        if !looks_ahead && self.rest.starts_with('?') && !self.eat("?:") {
            return None;
        }
        self.groups.push(!looks_ahead);
        self.repeatable = false;
        Some(())
    }

    fn class(&mut self) -> Option<()> {
        self.eat("^");
        let (mut first, mut last, mut after_range) = (true, None::<char>, false);
        loop {
            match self.next()? {
                ']' if !first => break,
                // An empty class, a class within a class and the operators of sets are read in different ways.
                ']' | '[' => return None,
                '&' if self.rest.starts_with('&') => return None,
                '~' if self.rest.starts_with('~') => return None,
                '-' if self.rest.starts_with('-') => return None,
                // After a range it is a character, since no range goes on.
                '-' if after_range => {}
                '-' if !first && !self.rest.starts_with(']') => {
                    self.range(last.take()?)?;
                    after_range = true;
                    continue;
                }
                '\\' => {
                    last = self.rest.chars().next().filter(|c| !c.is_ascii_alphanumeric());
                    self.escape(true)?;
                }
                c => last = Some(c),
            }
            (first, after_range) = (false, false);
        }
        self.repeatable = true;
        Some(())
    }

    /// The end of a range within a class, which is a plain character that does not come before its beginning.
    fn range(&mut self, from: char) -> Option<()> {
        let end = match self.next()? {
            '[' => return None,
            '\\' => self.next().filter(|c| !c.is_ascii_alphanumeric())?,
            c => c,
        };
        (from <= end).then_some(())
    }

    fn escape(&mut self, in_class: bool) -> Option<()> {
        self.repeatable = true;
        match self.next()? {
            'd' | 'D' | 'w' | 'W' | 's' | 'S' | 't' | 'n' | 'r' | 'f' | 'v' => Some(()),
            'b' | 'B' if !in_class => {
                self.repeatable = false;
                Some(())
            }
            'u' => self.hex(4),
            'x' => self.hex(2),
            // Backward references, properties and the rest of the letters differ.
            c if c.is_ascii_alphanumeric() => None,
            c if c.is_ascii() => Some(()),
            _ => None,
        }
    }

    fn hex(&mut self, count: usize) -> Option<()> {
        let found =
            self.rest.get(..count).filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        // Halves of a pair are no characters.
        let code = u32::from_str_radix(found, 16).ok().and_then(char::from_u32);
        self.rest = &self.rest[count..];
        code.map(|_| ())
    }
}

fn digits(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_every_engine_reads_are_kept() {
        for pattern in [
            "^[a-z0-9-]+$",
            r"^\d{4}-\d{2}$",
            "^(?:a|b)*?$",
            "a{2,}",
            r"[\w.-]+@[\w-]+",
            r"^\/v[0-9]$",
            "[^/]+",
            r"\u00e9",
            "^$",
            "",
            "(?=a)a",
            r"[A-Za-z0-9_\-\.]",
            "[]a]".replace("[]", "[").as_str(),
            "[-a]",
            r"[a-z0-9-\.]",
            "[a-]",
        ] {
            assert!(is_portable(pattern), "{pattern}");
        }
    }

    #[test]
    fn patterns_that_engines_read_differently_are_left_out() {
        for pattern in [
            "(",
            ")",
            "[",
            "[]",
            "*a",
            "a{",
            "a{2,1}",
            "a{1001}",
            "(?i)a",
            "(?<name>a)",
            r"\p{L}",
            r"\Aa\Z",
            "[[:alpha:]]",
            "[a&&b]",
            "[z-a]",
            r"(a)\1",
            "a++",
            r"\ud800",
            "]",
            "^*",
            r"\",
            "(?<=a)b",
            "(?!a)+b",
            r"[\w-x]",
        ] {
            assert!(!is_portable(pattern), "{pattern}");
        }
    }
}
