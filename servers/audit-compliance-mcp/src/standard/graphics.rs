//! The content of pages, forms, patterns and glyphs, operator by operator.

use std::collections::BTreeSet;

use crate::cos::{Dict, Operation, PdfValue, Stream, decoded, operations};

use super::checker::Checker;
use super::color::{self, ColorSpace};
use super::fonts;
use super::images;
use super::kinds::Standard;
use super::language;
use super::marks::MarkedContent;
use super::output::DeviceColors;

/// Forms inside forms.
const DEPTH_MAX: usize = 24;
/// Operators of one page with all its forms.
const OPERATORS_MAX: usize = 5_000_000;

const OPERATORS: &[&str] = &[
    "b", "B", "b*", "B*", "BDC", "BI", "BMC", "BT", "BX", "c", "cm", "CS", "cs", "d", "d0", "d1", "Do", "DP",
    "EI", "EMC", "ET", "EX", "f", "F", "f*", "G", "g", "gs", "h", "i", "ID", "j", "J", "K", "k", "l", "m",
    "M", "MP", "n", "q", "Q", "re", "RG", "rg", "ri", "s", "S", "SC", "sc", "SCN", "scn", "sh", "T*", "Tc",
    "Td", "TD", "Tf", "Tj", "TJ", "TL", "Tm", "Tr", "Ts", "Tw", "Tz", "v", "w", "W", "W*", "y", "'", "\"",
];

/// Colours and text state, as `q` saves them.
#[derive(Clone, Copy)]
pub(super) struct GraphicsState<'a> {
    pub(super) fill: ColorSpace<'a>,
    pub(super) stroke: ColorSpace<'a>,
    pub(super) font: Option<usize>,
    pub(super) mode: i64,
    pub(super) overprint_fill: bool,
    pub(super) overprint_stroke: bool,
    pub(super) overprint_mode: i64,
}

/// One page on its way through its content.
pub(super) struct Walk<'c, 'a> {
    pub(super) c: &'c mut Checker<'a>,
    pub(super) state: GraphicsState<'a>,
    pub(super) saved: Vec<GraphicsState<'a>>,
    pub(super) marked: Vec<MarkedContent>,
    /// The number by which the structure tree knows this content.
    pub(super) owner: Option<i64>,
    pub(super) depth: usize,
    pub(super) operators: usize,
    pub(super) transparent: bool,
    /// Streams that are open or done, by number, with the marks around them.
    pub(super) visited: BTreeSet<(u32, bool)>,
    /// Content whose tags do not matter: appearances, patterns and glyphs.
    pub(super) untagged: bool,
}

const START: GraphicsState<'static> = GraphicsState {
    fill: ColorSpace::Device(DeviceColors::Gray),
    stroke: ColorSpace::Device(DeviceColors::Gray),
    font: None,
    mode: 0,
    overprint_fill: false,
    overprint_stroke: false,
    overprint_mode: 0,
};

impl<'c, 'a> Walk<'c, 'a> {
    /// The content and the appearances of annotations of a page.
    pub(super) fn page(c: &'c mut Checker<'a>, page: &'a Dict) {
        let file = c.file;
        let contents = file.at(page, "Contents");
        let parts = match contents {
            PdfValue::List(list) => list.iter().map(|it| file.get(it)).collect(),
            one => vec![one],
        };
        let mut bytes = Vec::new();
        for stream in parts.into_iter().filter_map(PdfValue::stream) {
            bytes.extend(decoded(file, stream));
            bytes.push(b'\n');
        }
        let resources = file.inherited(page, "Resources").dict();
        let owner = file.at(page, "StructParents").int();
        let mut walk = Self::new(c, owner);
        if walk.names_resources(&bytes) && !page.has("Resources") {
            walk.c.a("6.2.2-2", "the page inherits its resources");
        }
        walk.content(&bytes, resources);
        for annotation in file.at(page, "Annots").list() {
            walk.appearance(file.get(annotation), resources);
        }
        let group = file.at(page, "Group").dict();
        let has_space = group.is_some_and(|it| it.has("CS"));
        if walk.transparent && !has_space && !walk.c.output.has_intent {
            walk.c.a("6.2.10-2", "the page has no Group with CS");
        }
    }

    fn new(c: &'c mut Checker<'a>, owner: Option<i64>) -> Self {
        Self {
            c,
            state: START,
            saved: Vec::new(),
            marked: Vec::new(),
            owner,
            depth: 0,
            operators: 0,
            transparent: false,
            visited: BTreeSet::new(),
            untagged: false,
        }
    }

    fn names_resources(&self, bytes: &[u8]) -> bool {
        let (operations, _) = operations(bytes);
        operations.iter().any(|it| it.is("Do") || it.is("Tf") || it.is("gs") || it.is("sh"))
    }

    fn appearance(&mut self, annotation: &'a PdfValue, resources: Option<&'a Dict>) {
        let file = self.c.file;
        let Some(dict) = annotation.dict() else { return };
        let Some(appearances) = file.at(dict, "AP").dict() else { return };
        let normal = file.at(appearances, "N");
        let states: Vec<&'a PdfValue> = match normal {
            PdfValue::Dict(states) => states.iter().map(|(_, it)| it).collect(),
            _ => vec![appearances.get("N")],
        };
        let untagged = std::mem::replace(&mut self.untagged, true);
        for value in states {
            if let Some(stream) = file.get(value).stream() {
                self.form(value.reference(), stream, resources);
            }
        }
        self.untagged = untagged;
    }

    fn content(&mut self, bytes: &[u8], resources: Option<&'a Dict>) {
        let (operations, hex) = operations(bytes);
        if hex.odd {
            self.c.a("6.1.6-1", "a string in the content");
        }
        if hex.bad {
            self.c.a("6.1.6-2", "a string in the content");
        }
        let (saved, marked) = (self.saved.len(), self.marked.len());
        for operation in &operations {
            self.operators += 1;
            if self.operators > OPERATORS_MAX {
                return;
            }
            operation.operands.iter().for_each(|it| limits(self.c, it));
            self.one(operation, resources);
        }
        self.saved.truncate(saved);
        self.marked.truncate(marked);
    }

    fn one(&mut self, operation: &Operation, resources: Option<&'a Dict>) {
        let name = std::str::from_utf8(&operation.name).unwrap_or("?");
        match name {
            "q" => {
                self.saved.push(self.state);
                if self.saved.len() > 28 {
                    self.c.a("6.1.13-8", format!("q is nested {} deep", self.saved.len()));
                }
            }
            "Q" => {
                if let Some(state) = self.saved.pop() {
                    self.state = state;
                }
            }
            "g" | "rg" | "k" | "cs" | "sc" | "scn" => self.set_fill(name, operation, resources),
            "G" | "RG" | "K" | "CS" | "SC" | "SCN" => self.set_stroke(name, operation, resources),
            "f" | "F" | "f*" => self.paint(true, false, resources),
            "S" | "s" => self.paint(false, true, resources),
            "B" | "B*" | "b" | "b*" => self.paint(true, true, resources),
            "Tf" => self.set_font(operation.operand(0), resources),
            "Tr" => self.state.mode = operation.operand(0).int().unwrap_or(0),
            "Tj" | "'" | "\"" | "TJ" => self.show(operation, resources),
            "gs" => self.graphics_state(operation.operand(0), resources),
            "ri" => self.intent("6.2.6-1", operation.operand(0)),
            "sh" => self.shading(operation.operand(0), resources),
            "Do" => self.object(operation.operand(0), resources),
            "BI" => self.inline_image(operation.operand(0), resources),
            "BMC" | "BDC" => self.mark(operation, resources),
            "EMC" => drop(self.marked.pop()),
            _ if !OPERATORS.contains(&name) => self.c.a("6.2.2-1", format!("the operator {name}")),
            _ => {}
        }
    }

    fn set_fill(&mut self, name: &str, operation: &Operation, resources: Option<&'a Dict>) {
        if let Some(space) = self.space(name, operation, resources) {
            self.state.fill = space;
        }
        self.pattern(operation, resources);
    }

    fn set_stroke(&mut self, name: &str, operation: &Operation, resources: Option<&'a Dict>) {
        if let Some(space) = self.space(&name.to_ascii_lowercase(), operation, resources) {
            self.state.stroke = space;
        }
        self.pattern(operation, resources);
    }

    fn space(
        &self,
        name: &str,
        operation: &Operation,
        resources: Option<&'a Dict>,
    ) -> Option<ColorSpace<'a>> {
        match name {
            "g" => Some(ColorSpace::Device(DeviceColors::Gray)),
            "rg" => Some(ColorSpace::Device(DeviceColors::Rgb)),
            "k" => Some(ColorSpace::Device(DeviceColors::Cmyk)),
            "cs" => color::resolve(self.c, operation.operand(0), resources)
                .or(operation.operand(0).is_name("Pattern").then_some(ColorSpace::Other(&PdfValue::Null))),
            _ => None,
        }
    }

    /// A tiling pattern is content of its own, a shading pattern a shading.
    fn pattern(&mut self, operation: &Operation, resources: Option<&'a Dict>) {
        let Some(name) = operation.operands.last().and_then(PdfValue::name) else { return };
        if !operation.is("scn") && !operation.is("SCN") {
            return;
        }
        let Some(patterns) = resources.and_then(|it| self.c.at(it, "Pattern").dict()) else { return };
        let (reference, value) = (patterns.get(name).reference(), self.c.at(patterns, name));
        match value {
            PdfValue::Stream(stream) => {
                let untagged = std::mem::replace(&mut self.untagged, true);
                self.nested(reference, stream, None);
                self.untagged = untagged;
            }
            PdfValue::Dict(dict) => {
                if let Some(shading) = self.c.at(dict, "Shading").dict() {
                    let space = self.c.at(shading, "ColorSpace");
                    color::used_value(self.c, space, resources);
                }
            }
            _ => {}
        }
    }

    fn paint(&mut self, fill: bool, stroke: bool, resources: Option<&'a Dict>) {
        if fill {
            color::used(self.c, self.state.fill, resources);
            let icc = color::is_icc_cmyk(self.c, self.state.fill);
            if icc && self.state.overprint_fill && self.state.overprint_mode == 1 {
                self.c.a("6.2.4.2-2", "a fill");
            }
        }
        if stroke {
            color::used(self.c, self.state.stroke, resources);
            let icc = color::is_icc_cmyk(self.c, self.state.stroke);
            if icc && self.state.overprint_stroke && self.state.overprint_mode == 1 {
                self.c.a("6.2.4.2-2", "a stroke");
            }
        }
        self.item("a path");
    }

    fn set_font(&mut self, name: &PdfValue, resources: Option<&'a Dict>) {
        let found = resources.and_then(|it| self.c.at(it, "Font").dict()).zip(name.name());
        let found = found.map(|(fonts, name)| (fonts.get(name).reference(), self.c.at(fonts, name)));
        self.state.font = match found {
            Some((number, PdfValue::Dict(dict))) => Some(fonts::register(self.c, dict, number)),
            _ => None,
        };
    }

    fn show(&mut self, operation: &Operation, resources: Option<&'a Dict>) {
        let texts: Vec<&[u8]> = match operation.operands.last() {
            Some(PdfValue::List(list)) => list.iter().filter_map(PdfValue::bytes).collect(),
            Some(value) => value.bytes().into_iter().collect(),
            None => Vec::new(),
        };
        if texts.iter().all(|text| text.is_empty()) {
            return;
        }
        if let Some(font) = self.state.font {
            for text in &texts {
                fonts::note(self.c, font, text, self.state.mode);
            }
            self.glyph_content(font);
        }
        let (fill, stroke) =
            (matches!(self.state.mode, 0 | 2 | 4 | 6), matches!(self.state.mode, 1 | 2 | 5 | 6));
        let is_type3 = self.state.font.is_some_and(|font| fonts::is_type3(self.c, font));
        if fill && !is_type3 {
            color::used(self.c, self.state.fill, resources);
        }
        if stroke && !is_type3 {
            color::used(self.c, self.state.stroke, resources);
        }
        self.item("text");
        if self.c.standard == Standard::Ua1 && !self.untagged {
            language::of_text(self.c, &self.marked);
        }
    }

    /// Glyphs of a Type 3 font are content.
    fn glyph_content(&mut self, font: usize) {
        for (number, stream, resources) in fonts::glyph_streams(self.c, font) {
            let untagged = std::mem::replace(&mut self.untagged, true);
            self.nested(number, stream, resources);
            self.untagged = untagged;
        }
    }

    fn shading(&mut self, name: &PdfValue, resources: Option<&'a Dict>) {
        let shadings = resources.and_then(|it| self.c.at(it, "Shading").dict());
        if let Some(shading) = shadings.zip(name.name()).and_then(|(it, name)| self.c.at(it, name).dict()) {
            let space = self.c.at(shading, "ColorSpace");
            color::used_value(self.c, space, resources);
        }
        self.item("a shading");
    }

    fn object(&mut self, name: &PdfValue, resources: Option<&'a Dict>) {
        let objects = resources.and_then(|it| self.c.at(it, "XObject").dict());
        let Some((objects, name)) = objects.zip(name.name()) else { return };
        let (number, value) = (objects.get(name).reference(), self.c.at(objects, name));
        let Some(stream) = value.stream() else { return };
        match self.c.at(&stream.dict, "Subtype").name().unwrap_or_default() {
            "Image" => {
                self.transparent |= images::check(self.c, stream, resources);
                self.item("an image");
            }
            "Form" => self.form(number, stream, resources),
            "PS" => self.c.a("6.2.9.3-1", "a PostScript XObject"),
            _ => {}
        }
    }

    fn form(&mut self, number: Option<u32>, stream: &'a Stream, outer: Option<&'a Dict>) {
        let dict = &stream.dict;
        if dict.has("OPI") || dict.has("PS") || self.c.at(dict, "Subtype2").is_name("PS") {
            self.c.a("6.2.9.1-1", "OPI, PS or Subtype2");
        }
        if dict.has("Ref") {
            self.c.both("6.2.9.2-1", "7.20-1", "a form with Ref");
        }
        if let Some(group) = self.c.at(dict, "Group").dict()
            && self.c.at(group, "S").is_name("Transparency")
        {
            self.transparent = true;
            color::group(self.c, group);
        }
        if let Some(number) = number.filter(|_| !self.untagged)
            && self.visited.contains(&(number, self.is_marked()))
            && dict.has("StructParents")
        {
            self.c.u("7.20-2", format!("object {number}"));
        }
        self.nested(number, stream, outer);
    }

    /// Content with its own resources, or those of the content around it.
    fn nested(&mut self, number: Option<u32>, stream: &'a Stream, outer: Option<&'a Dict>) {
        let marked = self.is_marked() || self.untagged;
        let fresh = number.is_none_or(|number| self.visited.insert((number, marked)));
        if self.depth >= DEPTH_MAX || !fresh {
            return;
        }
        let bytes = decoded(self.c.file, stream);
        let own = self.c.at(&stream.dict, "Resources").dict();
        let (state, owner) = (self.state, self.owner);
        if let Some(parents) = self.c.at(&stream.dict, "StructParents").int() {
            self.owner = Some(parents);
        }
        self.depth += 1;
        self.content(&bytes, own.or(outer));
        self.depth -= 1;
        (self.state, self.owner) = (state, owner);
    }

    fn inline_image(&mut self, value: &PdfValue, resources: Option<&'a Dict>) {
        if let PdfValue::Dict(dict) = value {
            images::inline(self.c, dict, resources);
        }
        self.item("an inline image");
    }
}

fn limits(c: &mut Checker<'_>, value: &PdfValue) {
    super::syntax::limits(c, value);
    value.list().iter().for_each(|it| super::syntax::limits(c, it));
}
