//! The bold, slanted and monospaced fonts. The interpreter reports this for some kinds of fonts only; for the
//! others the font dictionaries of a page are searched, and glyphs are recognised by the outlines they refer
//! to.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use hayro_font::{FontCache, FontGlyph};
use hayro_interpret::InterpreterSettings;
use hayro_interpret::font::{Glyph, OutlineGlyph};
use hayro_syntax::object::{Dict, Name, ObjectIdentifier, Stream};
use hayro_syntax::page::Resources;

use super::content::GlyphStyle;

/// The maximum depth of nested forms that are searched for fonts.
const FORM_DEPTH_MAX: usize = 4;
/// The maximum number of font dictionaries of one document.
const FONTS_MAX: usize = 2_000;
const FLAG_FIXED_PITCH: u32 = 1;
const FLAG_ITALIC: u32 = 1 << 6;
const FLAG_FORCE_BOLD: u32 = 1 << 18;
const WEIGHT_BOLD: u32 = 600;

/// The knowledge about a document's fonts so far.
pub(super) struct Fonts<'a> {
    cache: FontCache<'a>,
    settings: InterpreterSettings,
    seen: HashSet<ObjectIdentifier>,
    /// By outline, for fonts about which the interpreter reports nothing.
    outlines: HashMap<u128, GlyphStyle>,
    /// Names of fonts whose codes do not map to characters.
    composite: HashSet<String>,
    /// By outline, all that was asked so far.
    asked: RefCell<HashMap<u128, KnownFont>>,
}

/// The knowledge about a glyph's font.
#[derive(Clone, Copy, Default)]
pub(super) struct KnownFont {
    pub(super) style: GlyphStyle,
    /// Codes of this font are most likely those of a common encoding, if the font does not tell.
    pub(super) simple: bool,
}

impl<'a> Fonts<'a> {
    pub(super) fn new(settings: InterpreterSettings) -> Self {
        Self {
            cache: FontCache::new(),
            settings,
            seen: HashSet::new(),
            outlines: HashMap::new(),
            composite: HashSet::new(),
            asked: RefCell::new(HashMap::new()),
        }
    }

    /// Looks through the fonts that a page may use.
    pub(super) fn learn(&mut self, resources: &Resources<'a>) {
        self.learn_nested(resources, 0);
    }

    fn learn_nested(&mut self, resources: &Resources<'a>, depth: usize) {
        let names: Vec<Name<'a>> = resources.fonts.keys().collect();
        for name in names {
            if self.is_new(&resources.fonts, &name)
                && let Some(font) = resources.fonts.get::<Dict<'a>>(&name)
            {
                self.learn_font(&font);
            }
        }
        if depth < FORM_DEPTH_MAX {
            self.learn_forms(resources, depth);
        }
    }

    fn learn_forms(&mut self, resources: &Resources<'a>, depth: usize) {
        let names: Vec<Name<'a>> = resources.x_objects.keys().collect();
        for name in names {
            if !self.is_new(&resources.x_objects, &name) {
                continue;
            }
            let form = resources.x_objects.get::<Stream<'a>>(&name);
            if let Some(inner) = form.and_then(|form| form.dict().get::<Dict<'a>>(b"Resources")) {
                self.learn_nested(&Resources::new(inner), depth + 1);
            }
        }
    }

    fn is_new(&mut self, dict: &Dict<'a>, name: &Name<'a>) -> bool {
        let Some(reference) = dict.get_ref(name) else { return true };
        self.seen.len() < FONTS_MAX && self.seen.insert(reference.into())
    }

    fn learn_font(&mut self, font: &Dict<'a>) {
        let subtype = font.get::<Name<'_>>(b"Subtype");
        let name = font
            .get::<Name<'_>>(b"BaseFont")
            .map(|name| plain_name(name.as_str()).to_owned())
            .unwrap_or_default();
        let descriptor = font.get::<Dict<'_>>(b"FontDescriptor").unwrap_or_default();
        match subtype.as_ref().map(|subtype| subtype.as_str()) {
            Some("Type0") => {
                self.composite.insert(name);
            }
            Some("Type1" | "MMType1") => self.learn_outlines(font, described(&name, &descriptor)),
            Some("TrueType") if !descriptor.contains_key(b"FontFile2") => {
                self.learn_outlines(font, described(&name, &descriptor));
            }
            _ => {}
        }
    }

    fn learn_outlines(&mut self, dict: &Dict<'a>, style: GlyphStyle) {
        let Some(font) = self.cache.font(dict, &self.settings.font_resolver, &self.settings.cmap_resolver)
        else {
            return;
        };
        for code in 0..=u32::from(u8::MAX) {
            if let FontGlyph::Outline(outline) = font.glyph(font.map_code(code), code) {
                self.outlines.insert(outline.identifier().cache_key(), style);
            }
        }
    }

    pub(super) fn of(&self, glyph: &Glyph<'_>) -> KnownFont {
        match glyph {
            Glyph::Outline(outline) => self.of_outline(outline),
            Glyph::Type3(_) => KnownFont { simple: true, ..KnownFont::default() },
        }
    }

    fn of_outline(&self, outline: &OutlineGlyph) -> KnownFont {
        let key = outline.identifier().cache_key();
        if let Some(known) = self.asked.borrow().get(&key) {
            return *known;
        }
        let known = self.found(key, outline);
        self.asked.borrow_mut().insert(key, known);
        known
    }

    fn found(&self, key: u128, outline: &OutlineGlyph) -> KnownFont {
        if let Some(style) = self.outlines.get(&key) {
            return KnownFont { style: *style, simple: true };
        }
        let Some(data) = outline.font_data() else { return KnownFont::default() };
        let name = data.postscript_name.unwrap_or_default();
        let named = by_name(&name);
        let style = GlyphStyle {
            bold: named.bold || data.weight.is_some_and(|weight| weight >= WEIGHT_BOLD),
            italic: named.italic || data.is_italic,
            mono: named.mono || data.is_monospace,
        };
        KnownFont { style, simple: !self.composite.contains(&name) }
    }
}

fn plain_name(name: &str) -> &str {
    match name.split_once('+') {
        Some((prefix, rest)) if prefix.len() == 6 => rest,
        _ => name,
    }
}

fn described(name: &str, descriptor: &Dict<'_>) -> GlyphStyle {
    let named = by_name(name);
    let flags = descriptor.get::<u32>(b"Flags").unwrap_or(0);
    let weight = descriptor.get::<u32>(b"FontWeight").unwrap_or(0);
    GlyphStyle {
        bold: named.bold || flags & FLAG_FORCE_BOLD != 0 || weight >= WEIGHT_BOLD,
        italic: named.italic || flags & FLAG_ITALIC != 0,
        mono: named.mono || flags & FLAG_FIXED_PITCH != 0,
    }
}

/// The style in a font's name. The fonts of TeX have their own names: CMBX is bold, CMTI is italic, CMTT is
/// mono.
fn by_name(name: &str) -> GlyphStyle {
    let name = name.to_ascii_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    let tex = |parts: &[&str]| parts.iter().any(|part| name.starts_with(part));
    GlyphStyle {
        bold: has(&["bold", "black", "heavy", "-medi", "semib"])
            || tex(&["cmbx", "cmssbx", "cmb10", "sfbx", "ecbx", "lmbx"]),
        italic: has(&["italic", "oblique", "slanted"])
            || tex(&["cmti", "cmsl", "cmmi", "cmbxti", "sfti", "ecti"]),
        mono: has(&["courier", "mono", "consol", "typewriter", "menlo"])
            || tex(&["cmtt", "sftt", "ectt", "lmtt"]),
    }
}
