//! The pieces that are taken out of one result: each content once, and a limited number of them.

use super::base64_run;

/// More of one result are not kept.
pub(in crate::contents) const PIECES_MAX: usize = 64;

/// A piece that was taken out of a result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::contents) struct TakenPiece {
    pub(in crate::contents) content: PieceContent,
    /// The server's declared type of a text.
    pub(in crate::contents) declared: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::contents) enum PieceContent {
    Bytes(Vec<u8>),
    Text(String),
}

impl PieceContent {
    pub(in crate::contents) fn as_bytes(&self) -> &[u8] {
        match self {
            PieceContent::Bytes(bytes) => bytes,
            PieceContent::Text(text) => text.as_bytes(),
        }
    }
}

impl TakenPiece {
    pub(super) fn text(text: String, declared: Option<&str>) -> Self {
        Self { content: PieceContent::Text(text), declared: declared.map(str::to_owned) }
    }
}

/// The piece at a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::contents) enum PiecePosition {
    Piece(usize),
    /// Beyond the limit, with this many bytes.
    Over(usize),
}

#[derive(Default)]
pub(super) struct TakenPieces {
    all: Vec<TakenPiece>,
    /// The number of pieces beyond the limit.
    over: usize,
}

/// The state before something was added.
#[derive(Clone, Copy)]
pub(super) struct PiecesMark {
    pieces: usize,
    over: usize,
}

impl TakenPieces {
    /// Content that occurs twice, in text and in `structuredContent`, is one piece.
    pub(super) fn add(&mut self, piece: TakenPiece) -> PiecePosition {
        if let Some(at) = self.all.iter().position(|other| other.content == piece.content) {
            return PiecePosition::Piece(at);
        }
        if self.all.len() == PIECES_MAX {
            self.over += 1;
            return PiecePosition::Over(piece.content.as_bytes().len());
        }
        self.all.push(piece);
        PiecePosition::Piece(self.all.len() - 1)
    }

    /// Adds decoded Base64. Undecodable content is kept as it is written.
    pub(super) fn add_encoded(&mut self, letters: &str) -> PiecePosition {
        self.add(match base64_run::decode(letters) {
            Some(bytes) => TakenPiece { content: PieceContent::Bytes(bytes), declared: None },
            None => TakenPiece::text(letters.to_owned(), None),
        })
    }

    pub(super) fn mark(&self) -> PiecesMark {
        PiecesMark { pieces: self.all.len(), over: self.over }
    }

    /// True if a piece exceeded the limit since.
    pub(super) fn is_over_since(&self, mark: PiecesMark) -> bool {
        self.over > mark.over
    }

    /// Removes the pieces added since.
    pub(super) fn back_to(&mut self, mark: PiecesMark) {
        self.all.truncate(mark.pieces);
        self.over = mark.over;
    }

    pub(super) fn into_all(self) -> Vec<TakenPiece> {
        self.all
    }
}
