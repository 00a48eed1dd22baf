//! The kinds of content that an id names.

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StoredKind {
    File,
    Ref,
    Artifact,
}

impl StoredKind {
    pub const ALL: [StoredKind; 3] = [StoredKind::File, StoredKind::Ref, StoredKind::Artifact];

    /// As written in addresses.
    pub fn as_str(self) -> &'static str {
        match self {
            StoredKind::File => "files",
            StoredKind::Ref => "refs",
            StoredKind::Artifact => "artifacts",
        }
    }

    pub fn parse(text: &str) -> Option<StoredKind> {
        Self::ALL.into_iter().find(|what| what.as_str() == text)
    }
}
