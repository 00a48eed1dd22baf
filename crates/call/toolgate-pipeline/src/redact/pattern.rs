//! Paths with wildcards: `/users/*/token`, `/**/secret`.

/// Steps one path may have.
const STEPS_MAX: usize = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadPattern {
    #[error("a path starts with `/`")]
    NoSlash,
    #[error("a path may not have an empty step")]
    EmptyStep,
    #[error("`*` and `**` stand alone as a step")]
    MixedStar,
    #[error("`~` is written `~0`, and `/` inside a key `~1`")]
    BadEscape,
    #[error("a path has at most {STEPS_MAX} steps")]
    TooLong,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PathPattern {
    steps: Vec<PatternStep>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PatternStep {
    /// In lower case.
    Key(String),
    Any,
    AnyDepth,
}

/// One step of the walked value.
#[derive(Clone, Copy)]
pub(super) enum WalkStep<'a> {
    Key(&'a str),
    Index(usize),
}

impl PathPattern {
    pub(super) fn new(path: &str) -> Result<PathPattern, BadPattern> {
        let steps = path.strip_prefix('/').ok_or(BadPattern::NoSlash)?;
        let steps = steps.split('/').map(PatternStep::new).collect::<Result<Vec<_>, _>>()?;
        if steps.len() > STEPS_MAX {
            return Err(BadPattern::TooLong);
        }
        Ok(PathPattern { steps })
    }

    /// A key that must occur for the path to match anything, if there is one.
    pub(super) fn needed_key(&self) -> Option<&str> {
        self.steps.iter().rev().find_map(|step| match step {
            PatternStep::Key(key) => Some(key.as_str()),
            PatternStep::Any | PatternStep::AnyDepth => None,
        })
    }

    /// The positions in the path after one more step from `at`; all of those that `**` allows.
    pub(super) fn advance(&self, at: usize, place: WalkStep<'_>, mut reach: impl FnMut(usize)) {
        let mut from = at;
        while let Some(PatternStep::AnyDepth) = self.steps.get(from) {
            reach(from);
            from += 1;
        }
        if self.steps.get(from).is_some_and(|step| step.fits(place)) {
            reach(from + 1);
        }
    }

    /// True if the path ends here: nothing of it is left, or only optional steps.
    pub(super) fn is_end(&self, at: usize) -> bool {
        self.steps[at..].iter().all(|step| *step == PatternStep::AnyDepth)
    }
}

impl PatternStep {
    fn new(text: &str) -> Result<PatternStep, BadPattern> {
        match text {
            "" => Err(BadPattern::EmptyStep),
            "*" => Ok(PatternStep::Any),
            "**" => Ok(PatternStep::AnyDepth),
            key if key.contains('*') => Err(BadPattern::MixedStar),
            key => {
                unescaped(key).map(|key| PatternStep::Key(key.to_lowercase())).ok_or(BadPattern::BadEscape)
            }
        }
    }

    fn fits(&self, place: WalkStep<'_>) -> bool {
        match (self, place) {
            (PatternStep::AnyDepth, _) => false,
            (PatternStep::Any, _) => true,
            (PatternStep::Key(key), WalkStep::Index(index)) => *key == index.to_string(),
            (PatternStep::Key(key), WalkStep::Key(given)) if given.is_ascii() => {
                key.eq_ignore_ascii_case(given)
            }
            (PatternStep::Key(key), WalkStep::Key(given)) => *key == given.to_lowercase(),
        }
    }
}

fn unescaped(key: &str) -> Option<String> {
    let mut parts = key.split('~');
    let mut text = parts.next()?.to_owned();
    for part in parts {
        text.push(match part.as_bytes().first()? {
            b'0' => '~',
            b'1' => '/',
            _ => return None,
        });
        text.push_str(&part[1..]);
    }
    Some(text)
}
