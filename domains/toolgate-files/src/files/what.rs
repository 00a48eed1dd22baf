//! The kinds of content that an id names.

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum What {
    File,
    Ref,
    Artifact,
}

impl What {
    pub const ALL: [What; 3] = [What::File, What::Ref, What::Artifact];

    /// As written in addresses.
    pub fn as_str(self) -> &'static str {
        match self {
            What::File => "files",
            What::Ref => "refs",
            What::Artifact => "artifacts",
        }
    }

    pub fn parse(text: &str) -> Option<What> {
        Self::ALL.into_iter().find(|what| what.as_str() == text)
    }
}
