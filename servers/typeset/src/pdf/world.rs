//! All that the typesetter sees: the template, the article as data, its pictures, and fonts.

use std::sync::LazyLock;

use typst::diag::{FileError, FileResult};
use typst::foundations::{Bytes, Datetime, Duration};
use typst::syntax::{FileId, RootedPath, Source, VirtualPath, VirtualRoot};
use typst::text::{Font, FontBook};
use typst::utils::LazyHash;
use typst::{Library, LibraryExt, World};

use super::shelf::FontShelf;

static LIBRARY: LazyLock<LazyHash<Library>> =
    LazyLock::new(|| LazyHash::new(<Library as LibraryExt>::default()));
static TEMPLATE: LazyLock<Source> =
    LazyLock::new(|| Source::new(id_of("/article.typ"), include_str!("article.typ").to_owned()));

/// The world of one article. Nothing else can be read from here.
pub(super) struct TypstWorld {
    article: (FileId, Bytes),
    pictures: Vec<(FileId, Bytes)>,
    fonts: &'static FontShelf,
}

impl TypstWorld {
    pub(super) fn new(
        article: &serde_json::Value,
        pictures: Vec<Vec<u8>>,
        fonts: &'static FontShelf,
    ) -> Self {
        let numbered = pictures.into_iter().enumerate();
        Self {
            article: (id_of("/article.json"), Bytes::new(article.to_string().into_bytes())),
            pictures: numbered
                .map(|(at, bytes)| (id_of(&format!("/image/{at}")), Bytes::new(bytes)))
                .collect(),
            fonts,
        }
    }
}

fn id_of(path: &str) -> FileId {
    let path = VirtualPath::new(path).expect("paths of the desk are written here, without dots");
    RootedPath::new(VirtualRoot::Project, path).intern()
}

impl World for TypstWorld {
    fn library(&self) -> &LazyHash<Library> {
        &LIBRARY
    }

    fn book(&self) -> &LazyHash<FontBook> {
        self.fonts.book()
    }

    fn main(&self) -> FileId {
        TEMPLATE.id()
    }

    fn source(&self, id: FileId) -> FileResult<Source> {
        if id == TEMPLATE.id() { Ok(TEMPLATE.clone()) } else { Err(FileError::AccessDenied) }
    }

    fn file(&self, id: FileId) -> FileResult<Bytes> {
        let all = std::iter::once(&self.article).chain(&self.pictures);
        all.into_iter()
            .find(|(known, _)| *known == id)
            .map(|(_, bytes)| bytes.clone())
            .ok_or(FileError::AccessDenied)
    }

    fn font(&self, index: usize) -> Option<Font> {
        self.fonts.font(index)
    }

    /// The template asks for no date but the article's.
    fn today(&self, _: Option<Duration>) -> Option<Datetime> {
        None
    }
}
