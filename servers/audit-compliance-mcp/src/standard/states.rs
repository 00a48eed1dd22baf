//! Graphics states and marks of content.

use crate::cos::{Dict, Operation, PdfValue};

use super::color;
use super::graphics::Walk;
use super::language;
use super::marks::MarkedContent;

impl<'a> Walk<'_, 'a> {
    pub(super) fn intent(&mut self, rule: &str, value: &PdfValue) {
        let name = value.name().unwrap_or_default();
        if !["RelativeColorimetric", "AbsoluteColorimetric", "Perceptual", "Saturation"].contains(&name) {
            self.c.a(rule, name);
            if rule != "6.2.6-1" {
                self.c.a("6.2.6-1", name);
            }
        }
    }

    pub(super) fn graphics_state(&mut self, name: &PdfValue, resources: Option<&'a Dict>) {
        let states = resources.and_then(|it| self.c.at(it, "ExtGState").dict());
        let Some(state) = states.zip(name.name()).and_then(|(it, name)| self.c.at(it, name).dict()) else {
            return;
        };
        if state.has("TR") {
            self.c.a("6.2.5-1", "TR");
        }
        if state.has("TR2") && !self.c.at(state, "TR2").is_name("Default") {
            self.c.a("6.2.5-2", "TR2");
        }
        if state.has("HTP") {
            self.c.a("6.2.5-3", "HTP");
        }
        if let Some(halftone) = self.c.at(state, "HT").dict() {
            color::halftone(self.c, halftone);
        }
        if state.has("RI") {
            self.intent("6.2.5-7", self.c.at(state, "RI"));
        }
        self.overprint(state);
        self.blending(state);
    }

    fn overprint(&mut self, state: &'a Dict) {
        let flag = |value: &PdfValue| matches!(value, PdfValue::Bool(true));
        if state.has("OP") {
            self.state.overprint_stroke = flag(self.c.at(state, "OP"));
            if !state.has("op") {
                self.state.overprint_fill = self.state.overprint_stroke;
            }
        }
        if state.has("op") {
            self.state.overprint_fill = flag(self.c.at(state, "op"));
        }
        if let Some(mode) = self.c.at(state, "OPM").int() {
            self.state.overprint_mode = mode;
        }
    }

    fn blending(&mut self, state: &'a Dict) {
        const MODES: [&str; 17] = [
            "Normal",
            "Compatible",
            "Multiply",
            "Screen",
            "Overlay",
            "Darken",
            "Lighten",
            "ColorDodge",
            "ColorBurn",
            "HardLight",
            "SoftLight",
            "Difference",
            "Exclusion",
            "Hue",
            "Saturation",
            "Color",
            "Luminosity",
        ];
        let below_one = |value: &PdfValue| value.number().is_some_and(|it| it < 1.0);
        if below_one(self.c.at(state, "ca")) || below_one(self.c.at(state, "CA")) {
            self.transparent = true;
        }
        if state.has("SMask") && !self.c.at(state, "SMask").is_name("None") {
            self.transparent = true;
        }
        let mode = self.c.at(state, "BM");
        let modes: Vec<&PdfValue> = match mode {
            PdfValue::List(list) => list.iter().map(|it| self.c.get(it)).collect(),
            PdfValue::Null => Vec::new(),
            one => vec![one],
        };
        for name in modes.into_iter().map(|it| it.name().unwrap_or_default()) {
            if !MODES.contains(&name) {
                self.c.a("6.2.10-1", format!("the blend mode {name}"));
            }
            self.transparent |= name != "Normal" && name != "Compatible";
        }
    }

    pub(super) fn mark(&mut self, operation: &Operation, resources: Option<&'a Dict>) {
        let tag = operation.operand(0).name().unwrap_or_default().to_owned();
        let own;
        let properties: Option<&Dict> = match operation.operand(1) {
            PdfValue::Dict(dict) => {
                own = dict.clone();
                Some(&own)
            }
            PdfValue::Name(name) => {
                let lists = resources.and_then(|it| self.c.at(it, "Properties").dict());
                lists.zip(std::str::from_utf8(name).ok()).and_then(|(it, name)| self.c.at(it, name).dict())
            }
            _ => None,
        };
        let number = properties.and_then(|it| self.c.file.get(it.get("MCID")).int());
        let element = number.and_then(|number| self.c.tree.element_of(self.owner, number));
        let language = properties.and_then(|it| self.c.file.get(it.get("Lang")).text());
        let mark = MarkedContent {
            artifact: tag == "Artifact",
            element,
            tagged: number.is_some() && (element.is_some() || !self.c.tree.has_parents()),
            language,
        };
        if !self.untagged {
            self.nesting(&mark);
        }
        if let Some(properties) = properties {
            language::of_marks(self.c, properties, &mark, &self.marked);
        }
        self.marked.push(mark);
    }

    fn nesting(&mut self, mark: &MarkedContent) {
        if mark.artifact && self.marked.iter().any(|it| it.tagged) {
            self.c.u("7.1-1", "an artifact inside tagged content");
        }
        if mark.tagged && self.marked.iter().any(|it| it.artifact) {
            self.c.u("7.1-2", "tagged content inside an artifact");
        }
    }

    pub(super) fn is_marked(&self) -> bool {
        self.marked.iter().any(|it| it.artifact || it.tagged)
    }

    /// Something is painted here.
    pub(super) fn item(&mut self, what: &str) {
        if !self.untagged && !self.is_marked() {
            self.c.u("7.1-3", what);
        }
    }
}
