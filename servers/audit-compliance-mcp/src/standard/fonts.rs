//! Fonts that text was shown with: embedded, complete, with right widths and encodings.

use std::collections::BTreeSet;

use crate::cos::{Dict, PdfValue, Stream, decoded, operations};

use super::checker::Checker;
use super::cid_fonts::composite;
use super::cmap;
use super::font_names::{BaseEncoding, is_listed};
use super::font_program::{FontProgram, GlyphFound};
use super::font_use::FontUse;
use super::kinds::Standard;
use super::syntax;

/// Codes of one font that are looked at.
const CODES_MAX: usize = 20_000;
/// Differences of widths that rounding explains, in thousandths.
const WIDTH_TOLERANCE: f64 = 1.0;
const SYMBOLIC: i64 = 4;

/// The entry of a font, made at its first use.
pub(super) fn register<'a>(c: &mut Checker<'a>, dict: &'a Dict, number: Option<u32>) -> usize {
    if let Some(index) = c.fonts.iter().position(|it| std::ptr::eq(it.dict, dict)) {
        return index;
    }
    let composite = c.at(dict, "Subtype").is_name("Type0");
    let map = composite.then(|| cmap::of_value(c.file, c.at(dict, "Encoding"))).flatten();
    let page = c.page;
    c.fonts.push(FontUse {
        dict,
        number,
        page,
        codes: BTreeSet::new(),
        drawn: BTreeSet::new(),
        map,
        composite,
    });
    c.fonts.len() - 1
}

/// Text in a font.
pub(super) fn note(c: &mut Checker<'_>, font: usize, text: &[u8], mode: i64) {
    let font = &mut c.fonts[font];
    let codes = match (&font.map, font.composite) {
        (Some(map), _) => map.codes(text),
        (None, true) => {
            text.chunks(2).map(|it| it.iter().fold(0, |sum, byte| (sum << 8) | u32::from(*byte))).collect()
        }
        (None, false) => text.iter().map(|byte| u32::from(*byte)).collect(),
    };
    for code in codes {
        if font.codes.len() < CODES_MAX {
            font.codes.insert(code);
            if mode != 3 && mode != 7 {
                font.drawn.insert(code);
            }
        }
    }
}

pub(super) fn is_type3(c: &Checker<'_>, font: usize) -> bool {
    c.at(c.fonts[font].dict, "Subtype").is_name("Type3")
}

/// The content of the glyphs of a Type 3 font, with their resources.
pub(super) fn glyph_streams<'a>(
    c: &Checker<'a>,
    font: usize,
) -> Vec<(Option<u32>, &'a Stream, Option<&'a Dict>)> {
    let dict = c.fonts[font].dict;
    let Some(glyphs) = c.at(dict, "CharProcs").dict().filter(|_| is_type3(c, font)) else {
        return Vec::new();
    };
    let resources = c.at(dict, "Resources").dict();
    let shown: BTreeSet<String> =
        c.fonts[font].codes.iter().filter_map(|code| simple_name(c, dict, *code as u8, None)).collect();
    let streams =
        glyphs.iter().filter(|(name, _)| shown.contains(&String::from_utf8_lossy(name).into_owned()));
    streams.filter_map(|(_, it)| Some((it.reference(), c.get(it).stream()?, resources))).collect()
}

pub(super) fn check(c: &mut Checker<'_>) {
    for font in std::mem::take(&mut c.fonts) {
        c.page = font.page;
        one(c, &font);
    }
    c.page = None;
}

pub(super) fn label(c: &Checker<'_>, font: &FontUse<'_>) -> String {
    match c.file.at(font.dict, "BaseFont") {
        PdfValue::Name(name) => String::from_utf8_lossy(name).into_owned(),
        _ => font.number.map_or("a font".to_owned(), |it| format!("object {it}")),
    }
}

fn one<'a>(c: &mut Checker<'a>, font: &FontUse<'a>) {
    let kind = c.at(font.dict, "Subtype").name().unwrap_or_default();
    syntax::utf8_name(c, font.dict.get("BaseFont"));
    match kind {
        "Type3" => type3(c, font),
        "Type0" => composite(c, font),
        _ => simple(c, font, kind),
    }
    if c.standard == Standard::Ua1 {
        unicode(c, font, kind);
    }
}

pub(super) fn program_of<'a>(c: &Checker<'a>, descriptor: Option<&'a Dict>) -> Option<Vec<u8>> {
    let descriptor = descriptor?;
    let keys = ["FontFile", "FontFile2", "FontFile3"];
    let stream = keys.iter().find_map(|key| c.at(descriptor, key).stream())?;
    Some(decoded(c.file, stream))
}

/// The name of a code's glyph, by the font dictionary and then the program.
fn simple_name<'a>(
    c: &Checker<'a>,
    dict: &'a Dict,
    code: u8,
    program: Option<&FontProgram<'_>>,
) -> Option<String> {
    let encoding = c.at(dict, "Encoding");
    if let Some(base) = encoding.name() {
        return BaseEncoding::of(base).and_then(|it| it.name(code));
    }
    let own = encoding.dict();
    if let Some(own) = own {
        let mut at = 0;
        let mut found = None;
        for value in c.at(own, "Differences").list() {
            match c.get(value) {
                PdfValue::Name(name) => {
                    if at == i64::from(code) {
                        found = Some(String::from_utf8_lossy(name).into_owned());
                    }
                    at += 1;
                }
                number => at = number.int().unwrap_or(at),
            }
        }
        if found.is_some() {
            return found;
        }
    }
    let base = own.and_then(|it| c.at(it, "BaseEncoding").name()).and_then(BaseEncoding::of);
    match (base, program) {
        (Some(base), _) => base.name(code),
        (None, Some(program)) => program.built_in(code),
        (None, None) => own.and_then(|_| BaseEncoding::Standard.name(code)),
    }
}

fn simple<'a>(c: &mut Checker<'a>, font: &FontUse<'a>, kind: &str) {
    let name = label(c, font);
    let descriptor = c.at(font.dict, "FontDescriptor").dict();
    let bytes = program_of(c, descriptor);
    if !font.drawn.is_empty() && bytes.is_none() {
        c.both("6.2.11.4.1-1", "7.21.4.1-1", name.clone());
    }
    widths_entry(c, font, &name);
    let flags = descriptor.and_then(|it| c.at(it, "Flags").int()).unwrap_or(0);
    let symbolic = flags & SYMBOLIC != 0;
    let Some(bytes) = bytes else {
        if kind == "TrueType" {
            true_type_encoding(c, font, &[], symbolic, &name);
        }
        return;
    };
    let program = FontProgram::read(&bytes);
    if kind == "TrueType" {
        let cmaps = program.as_ref().map(FontProgram::cmaps).unwrap_or_default();
        true_type_encoding(c, font, &cmaps, symbolic, &name);
    }
    let Some(program) = program else { return };
    if let Some(descriptor) = descriptor.filter(|_| kind != "TrueType") {
        character_set(c, descriptor, &program, &name);
    }
    let first = c.at(font.dict, "FirstChar").int().unwrap_or(0);
    let widths = c.at(font.dict, "Widths").list();
    let missing = descriptor.and_then(|it| c.at(it, "MissingWidth").number()).unwrap_or(0.0);
    for code in &font.codes {
        let byte = *code as u8;
        let glyph_name = simple_name(c, font.dict, byte, Some(&program));
        let glyph = match kind {
            "TrueType" => program.by_code(byte, glyph_name.as_deref(), symbolic || glyph_name.is_none()),
            _ => program.by_name(glyph_name.as_deref(), byte),
        };
        let index = usize::try_from(i64::from(*code) - first).ok();
        let told = index.and_then(|it| widths.get(it)).and_then(|it| c.get(it).number()).unwrap_or(missing);
        let told = (!widths.is_empty()).then_some(told);
        glyph_rules(c, &name, *code, glyph, told, font.drawn.contains(code));
    }
}

/// Coverage, width and .notdef of one code.
pub(super) fn glyph_rules(
    c: &mut Checker<'_>,
    name: &str,
    code: u32,
    glyph: GlyphFound,
    told: Option<f64>,
    drawn: bool,
) {
    let evidence = || format!("{name}, code {code}");
    match glyph {
        GlyphFound::NotDefined => c.both("6.2.11.8-1", "7.21.8-1", evidence()),
        GlyphFound::Missing if drawn => {
            c.both("6.2.11.4.1-2", "7.21.4.1-2", evidence());
        }
        GlyphFound::At(Some(width)) if drawn => {
            if let Some(told) = told.filter(|told| (told - width).abs() > WIDTH_TOLERANCE) {
                c.both("6.2.11.5-1", "7.21.5-1", format!("{}: {told:.0} against {width:.0}", evidence()));
            }
        }
        _ => {}
    }
}

/// Widths are as many as codes, unless the font is one of the fourteen that every reader has.
fn widths_entry<'a>(c: &mut Checker<'a>, font: &FontUse<'a>, name: &str) {
    let standard =
        ["Times-", "Helvetica", "Courier", "Symbol", "ZapfDingbats"].iter().any(|it| name.starts_with(it));
    let (first, last) = (c.at(font.dict, "FirstChar").int(), c.at(font.dict, "LastChar").int());
    let count = c.at(font.dict, "Widths").list().len() as i64;
    let complete = first.zip(last).is_some_and(|(first, last)| last - first + 1 == count);
    if !complete && (!standard || font.dict.has("Widths")) {
        c.a("6.2.11.2-1", format!("the widths of {name}"));
    }
}

fn true_type_encoding<'a>(
    c: &mut Checker<'a>,
    font: &FontUse<'a>,
    cmaps: &[(u16, u16)],
    symbolic: bool,
    name: &str,
) {
    let encoding = c.at(font.dict, "Encoding");
    if symbolic {
        if font.dict.has("Encoding") {
            c.both("6.2.11.6-3", "7.21.6-3", name);
        }
        if cmaps.len() != 1 && !cmaps.contains(&(3, 0)) && !cmaps.is_empty() {
            c.both("6.2.11.6-4", "7.21.6-4", name);
        }
        return;
    }
    if !cmaps.is_empty() && !cmaps.iter().any(|it| matches!(it, (3, 1) | (1, 0) | (0, _) | (3, 10))) {
        c.both("6.2.11.6-1", "7.21.6-1", name);
    }
    let is_base = |value: &PdfValue| value.is_name("WinAnsiEncoding") || value.is_name("MacRomanEncoding");
    let good = match encoding {
        PdfValue::Name(_) => is_base(encoding),
        PdfValue::Dict(dict) => {
            let differences = c.at(dict, "Differences").list();
            let names = differences.iter().filter_map(|it| c.get(it).name());
            let listed = names.into_iter().all(is_listed);
            let has_unicode = differences.is_empty() || cmaps.is_empty() || cmaps.contains(&(3, 1));
            is_base(c.at(dict, "BaseEncoding")) && listed && has_unicode
        }
        _ => false,
    };
    if !good {
        c.both("6.2.11.6-2", "7.21.6-2", name);
    }
}

/// CharSet of a subset names all its glyphs.
fn character_set<'a>(c: &mut Checker<'a>, descriptor: &'a Dict, program: &FontProgram<'_>, name: &str) {
    let Some(set) = c.at(descriptor, "CharSet").text() else { return };
    let is_subset = name.as_bytes().get(6) == Some(&b'+');
    let listed: BTreeSet<&str> = set.split('/').map(str::trim).filter(|it| !it.is_empty()).collect();
    let names = program.names();
    let missing = names.iter().find(|it| *it != ".notdef" && !listed.contains(it.as_str()));
    if let Some(glyph) = missing.filter(|_| is_subset) {
        c.both("6.2.11.4.2-1", "7.21.4.2-1", format!("{name} lacks {glyph}"));
    }
}

/// Glyphs of a Type 3 font set their width themselves.
fn type3<'a>(c: &mut Checker<'a>, font: &FontUse<'a>) {
    let name = label(c, font);
    let Some(glyphs) = c.at(font.dict, "CharProcs").dict() else { return };
    let first = c.at(font.dict, "FirstChar").int().unwrap_or(0);
    let widths = c.at(font.dict, "Widths").list();
    for code in &font.codes {
        let Some(glyph) = simple_name(c, font.dict, *code as u8, None) else { continue };
        if glyph == ".notdef" {
            c.both("6.2.11.8-1", "7.21.8-1", format!("{name}, code {code}"));
        }
        let Some(stream) = c.at(glyphs, &glyph).stream() else { continue };
        let (content, _) = operations(&decoded(c.file, stream));
        let own = content.iter().find(|it| it.is("d0") || it.is("d1")).and_then(|it| it.operand(0).number());
        let index = usize::try_from(i64::from(*code) - first).ok();
        let told = index.and_then(|it| widths.get(it)).and_then(|it| c.get(it).number()).unwrap_or(0.0);
        if let Some(own) = own.filter(|own| (own - told).abs() > WIDTH_TOLERANCE) {
            c.both("6.2.11.5-1", "7.21.5-1", format!("{name}, code {code}: {told:.0} against {own:.0}"));
        }
    }
}

/// Every code has a character.
fn unicode<'a>(c: &mut Checker<'a>, font: &FontUse<'a>, kind: &str) {
    let name = label(c, font);
    let map = cmap::of_value(c.file, c.at(font.dict, "ToUnicode"));
    let bytes = program_of(c, c.at(font.dict, "FontDescriptor").dict());
    let program = bytes.as_deref().and_then(FontProgram::read);
    let encoding = c.at(font.dict, "Encoding").name().unwrap_or_default();
    let predefined =
        kind == "Type0" && !encoding.starts_with("Identity") && cmap::predefined(encoding).is_some();
    for code in &font.codes {
        let mapped = map.as_ref().and_then(|it| it.unicode(*code)).filter(|it| !it.is_empty());
        if let Some(text) = &mapped
            && text.iter().any(|unit| matches!(unit, 0 | 0xfeff | 0xfffe))
        {
            c.u("7.21.7-2", format!("{name}, code {code}"));
        }
        let by_name = || {
            let glyph = simple_name(c, font.dict, *code as u8, program.as_ref());
            kind != "Type0" && glyph.is_some_and(|it| is_listed(&it) && it != ".notdef")
        };
        if mapped.is_none() && !predefined && !by_name() {
            c.u("7.21.7-1", format!("{name}, code {code}"));
        }
    }
}
