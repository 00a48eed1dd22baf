//! Fonts by number, as the typesetter asks for them: first those inside this program, then those of the machine, which are
//! read from their files when a document is set with them. Which ones that is, is decided in `fonts`.
//!
//! By hand, because typst's own kit looks for packages and for the folders of a person, too.

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use fontdb::{Database, FaceInfo, Source};
use typst::foundations::Bytes;
use typst::text::{Font, FontBook, FontInfo};
use typst::utils::LazyHash;

pub(super) struct FontShelf {
    book: LazyHash<FontBook>,
    fonts: Vec<FontPlace>,
}

/// The place of a font.
enum FontPlace {
    Here(Font),
    /// Read once; a file that has changed or disappeared since is not read again.
    File {
        path: PathBuf,
        index: u32,
        font: OnceLock<Option<Font>>,
    },
}

impl FontShelf {
    pub(super) fn embedded() -> Self {
        Self::of(embedded())
    }

    pub(super) fn machine() -> Self {
        let mut found = Database::new();
        found.load_system_fonts();
        Self::of(embedded().chain(found.faces().filter_map(|face| on_disk(&found, face))))
    }

    fn of(fonts: impl Iterator<Item = (FontInfo, FontPlace)>) -> Self {
        let (infos, fonts): (Vec<_>, _) = fonts.unzip();
        Self { book: LazyHash::new(FontBook::from_infos(infos)), fonts }
    }

    pub(super) fn book(&self) -> &LazyHash<FontBook> {
        &self.book
    }

    pub(super) fn font(&self, number: usize) -> Option<Font> {
        match self.fonts.get(number)? {
            FontPlace::Here(font) => Some(font.clone()),
            FontPlace::File { path, index, font } => {
                let read = || Font::new(Bytes::new(fs::read(path).ok()?), *index);
                font.get_or_init(read).clone()
            }
        }
    }
}

fn embedded() -> impl Iterator<Item = (FontInfo, FontPlace)> {
    let fonts = typst_assets::fonts().flat_map(|file| Font::iter(Bytes::new(file)));
    fonts.map(|font| (font.info().clone(), FontPlace::Here(font)))
}

/// `None` for fonts that the typesetter cannot read.
fn on_disk(found: &Database, face: &FaceInfo) -> Option<(FontInfo, FontPlace)> {
    let (Source::File(path) | Source::SharedFile(path, _)) = &face.source else { return None };
    let info = found.with_face_data(face.id, FontInfo::new)??;
    Some((info, FontPlace::File { path: path.clone(), index: face.index, font: OnceLock::new() }))
}
