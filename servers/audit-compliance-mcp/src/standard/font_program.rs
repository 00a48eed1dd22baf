//! Glyphs of embedded font programs, of whatever kind.

use ttf_parser::{Face, GlyphId, PlatformId, cff};

use super::font_names::{BaseEncoding, character};
use super::type1::Type1Program;

/// A program that was read.
pub(super) enum FontProgram<'p> {
    TrueType(Box<Face<'p>>),
    Cff(Box<cff::Table<'p>>),
    Type1(Type1Program),
}

/// A glyph of a program.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum GlyphFound {
    Missing,
    /// The glyph for characters that a font lacks.
    NotDefined,
    /// Its width in thousandths, if it can be told.
    At(Option<f64>),
}

impl<'p> FontProgram<'p> {
    pub(super) fn read(bytes: &'p [u8]) -> Option<Self> {
        if bytes.starts_with(b"%!") || bytes.first() == Some(&0x80) {
            return Type1Program::read(bytes).map(Self::Type1);
        }
        if bytes.first() == Some(&1) && bytes.get(1) == Some(&0) && !bytes.starts_with(&[0, 1, 0, 0]) {
            return cff::Table::parse(bytes).map(|it| Self::Cff(Box::new(it)));
        }
        if let Ok(face) = Face::parse(bytes, 0) {
            return match face.tables().cff {
                Some(table) if bytes.starts_with(b"OTTO") => Some(Self::Cff(Box::new(table))),
                _ => Some(Self::TrueType(Box::new(face))),
            };
        }
        Type1Program::read(bytes).map(Self::Type1)
    }

    /// A glyph by its name, or by its code in the encoding inside the program.
    pub(super) fn by_name(&self, name: Option<&str>, code: u8) -> GlyphFound {
        if name == Some(".notdef") {
            return GlyphFound::NotDefined;
        }
        match self {
            Self::Type1(program) => {
                let own = name.map(str::to_owned).or_else(|| program.encoding.get(&code).cloned());
                let own =
                    own.or_else(|| program.standard.then(|| BaseEncoding::Standard.name(code)).flatten());
                match own.and_then(|it| program.widths.get(&it)) {
                    Some(width) => GlyphFound::At(Some(*width)),
                    None => GlyphFound::Missing,
                }
            }
            Self::Cff(table) => {
                let glyph = match name {
                    Some(name) => table.glyph_index_by_name(name),
                    None => table.glyph_index(code),
                };
                let scale = f64::from(table.matrix().sx) * 1000.0;
                glyph.map_or(GlyphFound::Missing, |it| {
                    GlyphFound::At(table.glyph_width(it).map(|width| f64::from(width) * scale))
                })
            }
            Self::TrueType(face) => {
                let glyph = name.and_then(|it| face.glyph_index_by_name(it));
                glyph.map_or(GlyphFound::Missing, |it| self.by_index(u32::from(it.0)))
            }
        }
    }

    /// A glyph of a TrueType program by its code.
    pub(super) fn by_code(&self, code: u8, name: Option<&str>, symbolic: bool) -> GlyphFound {
        let Self::TrueType(face) = self else { return self.by_name(name, code) };
        let mut glyph = None;
        if let Some(name) = name.filter(|_| !symbolic) {
            if name == ".notdef" {
                return GlyphFound::NotDefined;
            }
            let wide = character(name).map(u32::from);
            glyph = wide.and_then(|it| {
                lookup(face, PlatformId::Windows, 1, it).or_else(|| lookup(face, PlatformId::Unicode, 3, it))
            });
            glyph =
                glyph.or_else(|| mac_code(name).and_then(|it| lookup(face, PlatformId::Macintosh, 0, it)));
            glyph = glyph.or_else(|| face.glyph_index_by_name(name));
        }
        let code = u32::from(code);
        for wide in [code, 0xf000 + code, 0xf100 + code, 0xf200 + code] {
            glyph = glyph.or_else(|| lookup(face, PlatformId::Windows, 0, wide));
        }
        glyph = glyph.or_else(|| lookup(face, PlatformId::Macintosh, 0, code));
        if symbolic && glyph.is_none() {
            glyph = lookup(face, PlatformId::Windows, 1, code);
        }
        match glyph {
            Some(glyph) if glyph.0 != 0 => self.by_index(u32::from(glyph.0)),
            Some(_) => GlyphFound::NotDefined,
            None => GlyphFound::Missing,
        }
    }

    /// A glyph by the number of its place.
    pub(super) fn by_index(&self, index: u32) -> GlyphFound {
        let Ok(small) = u16::try_from(index) else { return GlyphFound::Missing };
        match self {
            Self::TrueType(face) if small < face.number_of_glyphs() => {
                let units = f64::from(face.units_per_em().max(1));
                let width = face.glyph_hor_advance(GlyphId(small));
                GlyphFound::At(width.map(|it| f64::from(it) * 1000.0 / units))
            }
            Self::Cff(table) if small < table.number_of_glyphs() => {
                let scale = f64::from(table.matrix().sx) * 1000.0;
                GlyphFound::At(table.glyph_width(GlyphId(small)).map(|it| f64::from(it) * scale))
            }
            _ => GlyphFound::Missing,
        }
    }

    /// A glyph by its character identifier.
    pub(super) fn by_cid(&self, cid: u32) -> GlyphFound {
        match self {
            Self::Cff(table) if table.glyph_cid(GlyphId(0)).is_some() => {
                let all = 0..table.number_of_glyphs();
                let glyph =
                    all.map(GlyphId).find(|it| table.glyph_cid(*it).is_some_and(|own| u32::from(own) == cid));
                glyph.map_or(GlyphFound::Missing, |it| self.by_index(u32::from(it.0)))
            }
            _ => self.by_index(cid),
        }
    }

    /// All character identifiers or glyph numbers but the first.
    pub(super) fn cids(&self) -> Vec<u32> {
        match self {
            Self::Cff(table) => (1..table.number_of_glyphs())
                .map(|it| table.glyph_cid(GlyphId(it)).map_or(u32::from(it), u32::from))
                .collect(),
            Self::TrueType(face) => (1..u32::from(face.number_of_glyphs())).collect(),
            Self::Type1(_) => Vec::new(),
        }
    }

    /// Names of all glyphs, where the program has names.
    pub(super) fn names(&self) -> Vec<String> {
        match self {
            Self::Type1(program) => program.widths.keys().cloned().collect(),
            Self::Cff(table) => (0..table.number_of_glyphs())
                .filter_map(|it| table.glyph_name(GlyphId(it)))
                .map(str::to_owned)
                .collect(),
            Self::TrueType(_) => Vec::new(),
        }
    }

    /// The name of a code in the encoding inside the program.
    pub(super) fn built_in(&self, code: u8) -> Option<String> {
        match self {
            Self::Type1(program) if program.standard => BaseEncoding::Standard.name(code),
            Self::Type1(program) => program.encoding.get(&code).cloned(),
            Self::Cff(table) => {
                table.glyph_index(code).and_then(|it| table.glyph_name(it)).map(str::to_owned)
            }
            Self::TrueType(_) => None,
        }
    }

    /// Platform and encoding of each cmap.
    pub(super) fn cmaps(&self) -> Vec<(u16, u16)> {
        let Self::TrueType(face) = self else { return Vec::new() };
        let Some(table) = face.tables().cmap else { return Vec::new() };
        table.subtables.into_iter().map(|it| (platform(it.platform_id), it.encoding_id)).collect()
    }
}

fn platform(id: PlatformId) -> u16 {
    match id {
        PlatformId::Unicode => 0,
        PlatformId::Macintosh => 1,
        PlatformId::Iso => 2,
        PlatformId::Windows => 3,
        PlatformId::Custom => 4,
    }
}

fn lookup(face: &Face<'_>, platform: PlatformId, encoding: u16, code: u32) -> Option<GlyphId> {
    let mut tables = face.tables().cmap?.subtables.into_iter();
    tables.find(|it| it.platform_id == platform && it.encoding_id == encoding)?.glyph_index(code)
}

/// The code of a glyph in the encoding of the old Mac.
fn mac_code(name: &str) -> Option<u32> {
    (32..=255u8).find(|code| BaseEncoding::MacRoman.name(*code).as_deref() == Some(name)).map(u32::from)
}
