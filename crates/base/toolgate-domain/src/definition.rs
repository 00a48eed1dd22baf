//! The description of a tool, as a constant: a definition with an impossible name does not compile.

use toolgate_core::Effects;
use toolgate_core::platform::{OldName, ToolPresence};
use toolgate_core::run::CallKind;
use toolgate_core::tool::ToolTrait;

/// A tool, described once. `reads`, `writes` and `destroys` begin one.
#[derive(Clone, Copy, Debug)]
pub struct ToolDefinition {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) effects: Effects,
    pub(crate) idempotent: bool,
    pub(crate) traits: &'static [ToolTrait],
    pub(crate) mount: Option<MountRule>,
    pub(crate) is_for_operators: bool,
    pub(crate) old_names: &'static [OldName],
    pub(crate) wire: Option<&'static str>,
    pub(crate) presence: ToolPresence,
    pub(crate) kind: CallKind,
}

/// The part that mounts have in a call. A session without any such mount does not see the tool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MountRule {
    /// These two arguments name a pointer. One outside the mounts does not exist: the frame refuses the call.
    NamedPointer { namespace: &'static str, name: &'static str },
    /// The tool shows several pointers, and leaves out those for which
    /// [`ToolContext::sees_pointer`](crate::ToolContext::sees_pointer) is false.
    ListedPointers,
}

impl ToolDefinition {
    /// A tool that changes nothing. `name` is `{domain}.{resource}.{action}` or `{domain}.{action}`; `title` is for people,
    /// `description` for models.
    pub const fn reads(name: &'static str, title: &'static str, description: &'static str) -> Self {
        Self::new(name, title, description, Effects::READ)
    }

    /// A tool that adds or changes something.
    pub const fn writes(name: &'static str, title: &'static str, description: &'static str) -> Self {
        Self::new(name, title, description, Effects::WRITE)
    }

    /// A tool that may remove something for good.
    pub const fn destroys(name: &'static str, title: &'static str, description: &'static str) -> Self {
        Self::new(name, title, description, Effects::WRITE.and(Effects::DESTRUCTIVE))
    }

    const fn new(
        name: &'static str,
        title: &'static str,
        description: &'static str,
        effects: Effects,
    ) -> Self {
        assert!(
            is_dotted(name.as_bytes()),
            "a tool's name is two or three parts of a-z, 0-9 and _ with dots between"
        );
        Self {
            name,
            title,
            description,
            effects,
            idempotent: false,
            traits: &[],
            mount: None,
            is_for_operators: false,
            old_names: &[],
            wire: None,
            presence: ToolPresence::InScope,
            kind: CallKind::Data,
        }
    }

    /// It also reaches something outside the platform.
    #[must_use]
    pub const fn external(mut self) -> Self {
        self.effects = self.effects.and(Effects::EXTERNAL);
        self
    }

    /// A call may be repeated without counting twice.
    #[must_use]
    pub const fn idempotent(mut self) -> Self {
        self.idempotent = true;
        self
    }

    /// The traits by which levels of care gate it.
    #[must_use]
    pub const fn traits(mut self, traits: &'static [ToolTrait]) -> Self {
        self.traits = traits;
        self
    }

    #[must_use]
    pub const fn mount(mut self, rule: MountRule) -> Self {
        self.mount = Some(rule);
        self
    }

    /// It exists for those who run the gateway alone.
    #[must_use]
    pub const fn for_operators(mut self) -> Self {
        self.is_for_operators = true;
        self
    }

    /// Former names, which work until their day.
    #[must_use]
    pub const fn old_names(mut self, names: &'static [OldName]) -> Self {
        self.old_names = names;
        self
    }

    /// A name for agents other than the dotted one with `__` for each dot.
    #[must_use]
    pub const fn wire(mut self, wire: &'static str) -> Self {
        self.wire = Some(wire);
        self
    }

    /// The sessions that have it, if that is not up to their scope.
    #[must_use]
    pub const fn presence(mut self, presence: ToolPresence) -> Self {
        self.presence = presence;
        self
    }

    /// The kind of its calls in a run, if they are not data.
    #[must_use]
    pub const fn kind(mut self, kind: CallKind) -> Self {
        self.kind = kind;
        self
    }
}

const PARTS_MIN: usize = 2;
const PARTS_MAX: usize = 3;
/// With two characters for each dot, it is a legal name for every model.
const NAME_BYTES_MAX: usize = 60;

const fn is_dotted(name: &[u8]) -> bool {
    let (mut parts, mut starts, mut at) = (1, true, 0);
    while at < name.len() {
        let byte = name[at];
        match byte {
            b'.' if starts => return false,
            b'.' => {
                parts += 1;
                starts = true;
            }
            b'a'..=b'z' => starts = false,
            b'0'..=b'9' | b'_' if !starts => {}
            _ => return false,
        }
        at += 1;
    }
    !starts && parts >= PARTS_MIN && parts <= PARTS_MAX && name.len() <= NAME_BYTES_MAX
}

/// The beginning of a day in UTC, in milliseconds since 1970: when a former name ends.
pub const fn midnight_ms(year: i64, month: i64, day: i64) -> i64 {
    const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
    // Years that begin in March have the leap day at their end.
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (month * 306 + 5) / 10 + day - 1;
    (days - 719_468) * DAY_MS
}

#[cfg(test)]
mod tests {
    use toolgate_core::moment::rfc3339;

    use super::*;

    #[test]
    fn names_have_two_or_three_plain_parts() {
        for good in ["run.get", "substrate.pointer.list", "knowledge.kb_query", "a1.b2"] {
            assert!(is_dotted(good.as_bytes()), "{good}");
        }
        for bad in ["run", "run.", ".get", "run..get", "a.b.c.d", "Run.get", "run.1", "run._x", "a b.c", ""] {
            assert!(!is_dotted(bad.as_bytes()), "{bad}");
        }
        assert!(!is_dotted(format!("run.{}", "x".repeat(NAME_BYTES_MAX)).as_bytes()));
    }

    #[test]
    fn a_day_begins_at_midnight() {
        for (date, text) in [
            ((1970, 1, 1), "1970-01-01T00:00:00.000Z"),
            ((2000, 2, 29), "2000-02-29T00:00:00.000Z"),
            ((2027, 6, 30), "2027-06-30T00:00:00.000Z"),
            ((2028, 3, 1), "2028-03-01T00:00:00.000Z"),
        ] {
            let (year, month, day) = date;
            assert_eq!(rfc3339(midnight_ms(year, month, day)), text);
        }
    }
}
