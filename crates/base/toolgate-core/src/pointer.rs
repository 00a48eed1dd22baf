//! Pointers: names that lead to a manifest, and how they may move. The rules are pure; the store applies them in the
//! transaction of the move.

use std::fmt;

use crate::PrincipalId;
use crate::id::{ApprovalId, CallId, PointerId};
use crate::substrate::ManifestDigest;

macro_rules! kinds {
    ($(#[$doc:meta])* $name:ident { $($(#[$meaning:meta])+ $kind:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name { $($(#[$meaning])+ $kind,)+ }

        impl $name {
            pub const ALL: &'static [$name] = &[$($name::$kind,)+];

            pub const fn as_str(self) -> &'static str {
                match self { $($name::$kind => $text,)+ }
            }

            pub fn parse(text: &str) -> Option<$name> {
                Self::ALL.iter().copied().find(|one| one.as_str() == text)
            }
        }
    };
}

kinds!(
    /// The freedom that a pointer has. It never changes.
    PointerKind {
        /// A working set: it moves freely.
        Bundle = "bundle",
        /// Others rely on it: a move names the manifest that it replaces, and people agree to it.
        Corpus = "corpus",
        /// It never moves.
        Snapshot = "snapshot",
    }
);

kinds!(
    /// The tool that moved a pointer.
    MoveOperation {
        /// The pointer began.
        Create = "create",
        /// It moved to a new manifest.
        Advance = "advance",
        /// People agreed to the move of a corpus.
        Promote = "promote",
        /// It moved back to a manifest of its own history.
        Revert = "revert",
        /// The pointer ended.
        Delete = "delete",
    }
);

/// Namespaces that begin so are the gateway's own: its parts keep pointers there, and no tool moves one.
const OWN_NAMESPACES: &str = "toolgate.";

/// True for a namespace of the gateway's own.
pub fn is_own_namespace(namespace: &str) -> bool {
    namespace.starts_with(OWN_NAMESPACES)
}

/// The name of a pointer, in its namespace: `project/a:draft`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PointerPath {
    namespace: String,
    name: String,
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "{text:?} is no {what} of a pointer: it has 1 to {max} characters, which are letters, digits, `-`, `_`, `.` and single \
     `/` between parts that begin with a letter or a digit",
    max = PointerPath::BYTES_MAX
)]
pub struct BadPointerPath {
    /// `namespace` or `name`.
    pub what: &'static str,
    text: String,
}

impl PointerPath {
    /// The length of a namespace, and of a name.
    pub const BYTES_MAX: usize = 200;
    /// The length of a name in a namespace of the gateway's own, which is made of another pointer's namespace and name.
    pub const OWN_NAME_BYTES_MAX: usize = 512;

    pub fn new(namespace: &str, name: &str) -> Result<Self, BadPointerPath> {
        let is_name = if is_own_namespace(namespace) { is_own_name(name) } else { is_path(name) };
        for (what, text, fits) in [("namespace", namespace, is_path(namespace)), ("name", name, is_name)] {
            if !fits {
                return Err(BadPointerPath { what, text: text.chars().take(Self::BYTES_MAX).collect() });
            }
        }
        Ok(Self { namespace: namespace.to_owned(), name: name.to_owned() })
    }

    /// True for a pointer of the gateway's own, which no tool moves.
    pub fn is_own(&self) -> bool {
        is_own_namespace(&self.namespace)
    }

    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for PointerPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.namespace, self.name)
    }
}

fn is_path(text: &str) -> bool {
    text.len() <= PointerPath::BYTES_MAX && text.split('/').all(is_part)
}

/// The gateway tells its own names apart by an `@`, which no other pointer has: `project/a/handbook@docs.default`.
fn is_own_name(text: &str) -> bool {
    text.len() <= PointerPath::OWN_NAME_BYTES_MAX && text.split(['/', '@']).all(is_part)
}

/// Patterns over pointers use `*`, `?` and `:`, so no part has them.
fn is_part(part: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    part.starts_with(|first: char| first.is_ascii_alphanumeric()) && part.bytes().all(is_plain)
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pointer {
    pub id: PointerId,
    pub path: PointerPath,
    pub kind: PointerKind,
    /// The head. An empty pointer has none yet.
    pub manifest: Option<ManifestDigest>,
    pub description: String,
    /// The number of its last move: 1 when it is created.
    pub version: u64,
    pub created_by: PrincipalId,
    pub created_at_ms: i64,
    pub moved_at_ms: i64,
    pub deleted_at_ms: Option<i64>,
}

/// One move of a pointer, for good.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PointerMove {
    pub version: u64,
    pub operation: MoveOperation,
    pub old: Option<ManifestDigest>,
    pub new: Option<ManifestDigest>,
    pub principal: PrincipalId,
    pub call: Option<CallId>,
    pub approval: Option<ApprovalId>,
    pub reason: String,
    pub at_ms: i64,
}

/// The head that a move replaces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExpectedHead {
    Any,
    /// This one, or none.
    Exactly(Option<ManifestDigest>),
}

impl ExpectedHead {
    pub fn fits(self, head: Option<ManifestDigest>) -> bool {
        match self {
            ExpectedHead::Any => true,
            ExpectedHead::Exactly(expected) => expected == head,
        }
    }
}

/// The reason why a pointer of this kind is not moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveRefusal {
    /// A snapshot never moves.
    Fixed,
    /// The move of a corpus names the head that it replaces.
    HeadNotNamed,
    /// People agree to a move of a corpus.
    NotApproved,
}

impl PointerKind {
    /// Decides on a move.
    pub fn may_move(self, expected: ExpectedHead, is_approved: bool) -> Result<(), MoveRefusal> {
        match self {
            PointerKind::Bundle => Ok(()),
            PointerKind::Snapshot => Err(MoveRefusal::Fixed),
            PointerKind::Corpus if expected == ExpectedHead::Any => Err(MoveRefusal::HeadNotNamed),
            PointerKind::Corpus if !is_approved => Err(MoveRefusal::NotApproved),
            PointerKind::Corpus => Ok(()),
        }
    }

    /// Decides on the end of a pointer: its name may lead elsewhere afterwards, so that of a corpus is a move.
    pub fn may_end(self, is_approved: bool) -> Result<(), MoveRefusal> {
        match self {
            PointerKind::Corpus if !is_approved => Err(MoveRefusal::NotApproved),
            PointerKind::Bundle | PointerKind::Corpus | PointerKind::Snapshot => Ok(()),
        }
    }

    /// Decides on a beginning: a corpus begins empty, since people agree to its first manifest too.
    pub fn may_begin(self, is_empty: bool) -> Result<(), MoveRefusal> {
        match self {
            PointerKind::Snapshot if is_empty => Err(MoveRefusal::Fixed),
            PointerKind::Corpus if !is_empty => Err(MoveRefusal::NotApproved),
            PointerKind::Bundle | PointerKind::Corpus | PointerKind::Snapshot => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(byte: u8) -> ManifestDigest {
        ManifestDigest::from_bytes([byte; 32])
    }

    #[test]
    fn a_name_has_plain_parts_that_no_pattern_reads_otherwise() {
        let long = "x".repeat(PointerPath::BYTES_MAX);
        for good in ["a", "project/a", "connector/slack/T-01", "v1.2_b", &long] {
            assert!(PointerPath::new(good, good).is_ok(), "{good}");
        }
        let longer = format!("{long}x");
        for bad in [
            "", "/a", "a/", "a//b", "..", "a/../b", ".a", "a b", "a:b", "a*", "a?", "ä", "a\n", "a\0",
            &longer,
        ] {
            assert!(PointerPath::new(bad, "a").is_err_and(|error| error.what == "namespace"), "{bad:?}");
            assert!(PointerPath::new("a", bad).is_err_and(|error| error.what == "name"), "{bad:?}");
        }
    }

    #[test]
    fn names_of_the_gateways_own_are_longer_and_have_another_sign() {
        let own = PointerPath::new("toolgate.index", "project/a/handbook@docs.default").expect("a name");
        assert!(own.is_own());
        let long = format!("{0}/{0}@docs.default", "x".repeat(PointerPath::BYTES_MAX));
        assert!(PointerPath::new("toolgate.index", &long).is_ok());
        for bad in ["", "@", "a@", "a@@b", "a:b", &"x".repeat(PointerPath::OWN_NAME_BYTES_MAX + 1)] {
            assert!(PointerPath::new("toolgate.index", bad).is_err(), "{bad:?}");
        }
        assert!(PointerPath::new("project/a", "handbook@docs.default").is_err(), "others have no such sign");
        assert!(!PointerPath::new("toolgate", "a").expect("a name").is_own());
    }

    #[test]
    fn each_kind_has_its_own_freedom() {
        let (any, exactly) = (ExpectedHead::Any, ExpectedHead::Exactly(Some(digest(1))));
        for (kind, expected, is_approved, may) in [
            (PointerKind::Bundle, any, false, Ok(())),
            (PointerKind::Corpus, any, true, Err(MoveRefusal::HeadNotNamed)),
            (PointerKind::Corpus, exactly, false, Err(MoveRefusal::NotApproved)),
            (PointerKind::Corpus, exactly, true, Ok(())),
            (PointerKind::Snapshot, exactly, true, Err(MoveRefusal::Fixed)),
        ] {
            assert_eq!(kind.may_move(expected, is_approved), may, "{kind:?} {expected:?} {is_approved}");
        }
    }

    #[test]
    fn neither_an_end_nor_a_beginning_is_a_way_around_the_gate_of_a_corpus() {
        let (bundle, corpus, snapshot) = (PointerKind::Bundle, PointerKind::Corpus, PointerKind::Snapshot);
        assert_eq!(corpus.may_end(false), Err(MoveRefusal::NotApproved));
        assert_eq!(
            (corpus.may_end(true), bundle.may_end(false), snapshot.may_end(false)),
            (Ok(()), Ok(()), Ok(()))
        );
        assert_eq!(
            (corpus.may_begin(true), corpus.may_begin(false)),
            (Ok(()), Err(MoveRefusal::NotApproved))
        );
        assert_eq!((snapshot.may_begin(false), snapshot.may_begin(true)), (Ok(()), Err(MoveRefusal::Fixed)));
    }

    #[test]
    fn an_expected_head_may_be_none() {
        assert!(ExpectedHead::Exactly(None).fits(None) && !ExpectedHead::Exactly(None).fits(Some(digest(1))));
        assert!(
            ExpectedHead::Any.fits(None) && !ExpectedHead::Exactly(Some(digest(1))).fits(Some(digest(2)))
        );
    }
}
