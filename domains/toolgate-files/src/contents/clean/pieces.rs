//! The pieces that are taken out of one result: each content once, and a limited number of them.

use super::base64_run;

/// More of one result are not kept.
pub(in crate::contents) const PIECES_MAX: usize = 64;

/// A piece that was taken out of a result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::contents) struct Piece {
    pub(in crate::contents) content: Content,
    /// The server's declared type of a text.
    pub(in crate::contents) declared: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::contents) enum Content {
    Bytes(Vec<u8>),
    Text(String),
}

impl Content {
    pub(in crate::contents) fn as_bytes(&self) -> &[u8] {
        match self {
            Content::Bytes(bytes) => bytes,
            Content::Text(text) => text.as_bytes(),
        }
    }
}

impl Piece {
    pub(super) fn text(text: String, declared: Option<&str>) -> Self {
        Self { content: Content::Text(text), declared: declared.map(str::to_owned) }
    }
}

/// The piece at a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::contents) enum Taken {
    Piece(usize),
    /// Beyond the limit, with this many bytes.
    Over(usize),
}

#[derive(Default)]
pub(super) struct Pieces {
    all: Vec<Piece>,
    /// The number of pieces beyond the limit.
    over: usize,
}

/// The state before something was added.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    pieces: usize,
    over: usize,
}

impl Pieces {
    /// Content that occurs twice, in text and in `structuredContent`, is one piece.
    pub(super) fn add(&mut self, piece: Piece) -> Taken {
        if let Some(at) = self.all.iter().position(|other| other.content == piece.content) {
            return Taken::Piece(at);
        }
        if self.all.len() == PIECES_MAX {
            self.over += 1;
            return Taken::Over(piece.content.as_bytes().len());
        }
        self.all.push(piece);
        Taken::Piece(self.all.len() - 1)
    }

    /// Adds decoded Base64. Undecodable content is kept as it is written.
    pub(super) fn add_encoded(&mut self, letters: &str) -> Taken {
        self.add(match base64_run::decode(letters) {
            Some(bytes) => Piece { content: Content::Bytes(bytes), declared: None },
            None => Piece::text(letters.to_owned(), None),
        })
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { pieces: self.all.len(), over: self.over }
    }

    /// True if a piece exceeded the limit since.
    pub(super) fn is_over_since(&self, mark: Mark) -> bool {
        self.over > mark.over
    }

    /// Removes the pieces added since.
    pub(super) fn back_to(&mut self, mark: Mark) {
        self.all.truncate(mark.pieces);
        self.over = mark.over;
    }

    pub(super) fn into_all(self) -> Vec<Piece> {
        self.all
    }
}
