//! Composite fonts: their CMaps, glyphs and widths.

use crate::cos::{Dict, PdfValue, decoded};

use super::checker::Checker;
use super::cmap;
use super::font_program::{FontProgram, GlyphFound};
use super::font_use::FontUse;
use super::fonts::{glyph_rules, label, program_of};

pub(super) fn composite<'a>(c: &mut Checker<'a>, font: &FontUse<'a>) {
    let name = label(c, font);
    let descendants = c.at(font.dict, "DescendantFonts").list();
    let Some(cid_font) = descendants.first().and_then(|it| c.get(it).dict()) else { return };
    let descriptor = c.at(cid_font, "FontDescriptor").dict();
    encoding_map(c, font, cid_font, &name);
    let bytes = program_of(c, descriptor);
    if !font.drawn.is_empty() && bytes.is_none() {
        c.both("6.2.11.4.1-1", "7.21.4.1-1", name.clone());
    }
    let is_type2 = c.at(cid_font, "Subtype").is_name("CIDFontType2");
    let to_glyph = c.at(cid_font, "CIDToGIDMap");
    if is_type2 && bytes.is_some() && !to_glyph.is_name("Identity") && to_glyph.stream().is_none() {
        c.both("6.2.11.3.2-1", "7.21.3.2-1", name.clone());
    }
    let Some(bytes) = bytes else { return };
    let Some(program) = FontProgram::read(&bytes) else { return };
    let table = to_glyph.stream().map(|it| decoded(c.file, it));
    if let Some(set) = descriptor.and_then(|it| c.at(it, "CIDSet").stream()) {
        cid_set(c, &decoded(c.file, set), &program, table.is_none(), &name);
    }
    let widths = CidWidths::read(c, cid_font);
    for code in &font.codes {
        let cid = match &font.map {
            // What another CMap says is not known here.
            Some(map) if map.uses.is_some() && map.cid(*code).is_none() => continue,
            Some(map) => map.cid(*code).unwrap_or(0),
            None => *code,
        };
        let predefined = c.at(font.dict, "Encoding").name().is_some_and(|it| !it.starts_with("Identity"));
        if predefined {
            break;
        }
        if cid > 65_535 {
            c.a("6.1.13-10", format!("{name}, CID {cid}"));
        }
        let glyph = cid_glyph(&program, cid, is_type2, table.as_deref());
        glyph_rules(c, &name, *code, glyph, Some(widths.of(cid)), font.drawn.contains(code));
    }
}

fn cid_glyph(program: &FontProgram<'_>, cid: u32, is_type2: bool, table: Option<&[u8]>) -> GlyphFound {
    if !is_type2 {
        return if cid == 0 { GlyphFound::NotDefined } else { program.by_cid(cid) };
    }
    let index = match table {
        Some(table) => {
            let at = cid as usize * 2;
            table.get(at..at + 2).map_or(0, |pair| u32::from(u16::from_be_bytes([pair[0], pair[1]])))
        }
        None => cid,
    };
    if index == 0 { GlyphFound::NotDefined } else { program.by_index(index) }
}

/// The CMap of a composite font.
fn encoding_map<'a>(c: &mut Checker<'a>, font: &FontUse<'a>, cid_font: &'a Dict, name: &str) {
    let encoding = c.at(font.dict, "Encoding");
    let info = c.at(cid_font, "CIDSystemInfo").dict();
    let entry = |c: &Checker<'a>, info: Option<&'a Dict>, key: &str| {
        info.and_then(|it| c.at(it, key).text()).unwrap_or_default()
    };
    let own = (entry(c, info, "Registry"), entry(c, info, "Ordering"));
    if let Some(cmap_name) = encoding.name() {
        match cmap::predefined(cmap_name) {
            None => c.both("6.2.11.3.3-1", "7.21.3.3-1", cmap_name),
            Some("Identity") => {}
            Some(ordering) => {
                if own != ("Adobe".to_owned(), ordering.to_owned()) {
                    c.both("6.2.11.3.1-1", "7.21.3.1-1", format!("{name}: {} and {ordering}", own.1));
                }
            }
        }
        return;
    }
    let Some(stream) = encoding.stream() else { return };
    let theirs = c.at(&stream.dict, "CIDSystemInfo").dict();
    let supplement = |c: &Checker<'a>, info: Option<&'a Dict>| {
        info.and_then(|it| c.at(it, "Supplement").int()).unwrap_or(0)
    };
    let is_identity = c.at(&stream.dict, "CMapName").name().is_some_and(|it| it.starts_with("Identity"));
    let other = (entry(c, theirs, "Registry"), entry(c, theirs, "Ordering"));
    if !is_identity && (own != other || supplement(c, info) > supplement(c, theirs)) {
        c.both("6.2.11.3.1-1", "7.21.3.1-1", format!("{name}: {} and {}", own.1, other.1));
    }
    let Some(map) = &font.map else { return };
    let told = c.at(&stream.dict, "WMode").int().unwrap_or(0);
    if told != map.mode.unwrap_or(0) {
        c.both("6.2.11.3.3-2", "7.21.3.3-2", format!("WMode {told}"));
    }
    let used = c.at(&stream.dict, "UseCMap").name().map(str::to_owned).or(map.uses.clone());
    let embedded = c.at(&stream.dict, "UseCMap").stream().is_some();
    if embedded || used.as_deref().is_some_and(|it| cmap::predefined(it).is_none()) {
        c.both("6.2.11.3.3-3", "7.21.3.3-3", used.unwrap_or_default());
    }
    if map.cid_max() > 65_535 {
        c.a("6.1.13-10", format!("CID {}", map.cid_max()));
    }
}

/// CIDSet has a bit for every glyph.
fn cid_set(c: &mut Checker<'_>, set: &[u8], program: &FontProgram<'_>, by_index: bool, name: &str) {
    let has = |cid: u32| set.get(cid as usize / 8).is_some_and(|byte| byte & (0x80 >> (cid % 8)) != 0);
    let cids = program.cids();
    // Glyphs of a TrueType program without outlines are places that a subset left empty.
    let missing = match program {
        FontProgram::TrueType(face) if by_index => cids.into_iter().find(|cid| {
            let drawn =
                u16::try_from(*cid).ok().and_then(|it| face.glyph_bounding_box(ttf_parser::GlyphId(it)));
            drawn.is_some() && !has(*cid)
        }),
        FontProgram::TrueType(_) => None,
        _ => cids.into_iter().find(|cid| !has(*cid)),
    };
    if let Some(cid) = missing {
        c.both("6.2.11.4.2-2", "7.21.4.2-2", format!("{name} lacks CID {cid}"));
    }
}

/// Widths of a CIDFont.
struct CidWidths {
    usual: f64,
    ranges: Vec<(u32, u32, f64)>,
}

impl CidWidths {
    fn read<'a>(c: &Checker<'a>, font: &'a Dict) -> Self {
        let usual = c.at(font, "DW").number().unwrap_or(1000.0);
        let mut ranges = Vec::new();
        let list = c.at(font, "W").list();
        let mut at = 0;
        while let Some(first) =
            list.get(at).and_then(|it| c.get(it).int()).and_then(|it| u32::try_from(it).ok())
        {
            match list.get(at + 1).map(|it| c.get(it)) {
                Some(PdfValue::List(widths)) => {
                    for (cid, width) in (first..).zip(widths) {
                        ranges.push((cid, cid, c.get(width).number().unwrap_or(usual)));
                    }
                    at += 2;
                }
                Some(last) => {
                    let width = list.get(at + 2).and_then(|it| c.get(it).number()).unwrap_or(usual);
                    let last = last.int().and_then(|it| u32::try_from(it).ok()).unwrap_or(first);
                    ranges.push((first, last, width));
                    at += 3;
                }
                None => break,
            }
        }
        Self { usual, ranges }
    }

    fn of(&self, cid: u32) -> f64 {
        let range = self.ranges.iter().find(|(first, last, _)| (*first..=*last).contains(&cid));
        range.map_or(self.usual, |it| it.2)
    }
}
