//! The cues that a document shows: each paragraph, cut where what is visible of it changes.

use std::collections::{BTreeSet, HashMap};

use crate::cue::{Cue, CueRun, RunStyle, Subtitles, push_run, trim_runs};
use crate::error::SubtitleError;
use crate::limits::{CUES_MAX, OPEN_CUE_MS};

use super::styles::NamedStyles;
use super::timing::{ActiveInterval, TimeBasis, earlier, resolve};
use super::tree::{TtmlElement, TtmlNode, TtmlTree};

const MS: i64 = 1_000_000;

/// A piece of text and when it is shown.
struct ShownText {
    begin: i64,
    end: Option<i64>,
    text: String,
    style: RunStyle,
    is_preserved: bool,
}

/// What an element hands to its children.
#[derive(Clone, Copy)]
struct FlowState<'t> {
    begin: i64,
    end: Option<i64>,
    style: RunStyle,
    is_preserved: bool,
    region: Option<&'t str>,
}

struct CueReader<'t> {
    styles: NamedStyles<'t>,
    /// When each region is there, and its styles.
    regions: HashMap<&'t str, (&'t TtmlElement, ActiveInterval)>,
    cues: Vec<(i64, Option<i64>, Cue)>,
    animated: usize,
    pictures: usize,
}

pub(super) fn cues(tree: &TtmlTree) -> Result<Subtitles, SubtitleError> {
    let basis = TimeBasis::of(&tree.root);
    let layout = tree.root.child("head").and_then(|head| head.child("layout"));
    let regions =
        layout.into_iter().flat_map(TtmlElement::elements).filter(|region| region.local() == "region");
    let regions = regions
        .filter_map(|region| Some((region.attribute("id")?, (region, resolve(region, 0, None, &basis)))));
    let mut reader = CueReader {
        styles: NamedStyles::of(&tree.root),
        regions: regions.collect(),
        cues: Vec::new(),
        animated: 0,
        pictures: 0,
    };
    if let Some(body) = tree.root.child("body") {
        let interval = resolve(body, 0, None, &basis);
        let is_preserved = tree.root.attribute("space") == Some("preserve");
        let state = FlowState { begin: 0, end: None, style: RunStyle::default(), is_preserved, region: None };
        reader.walk(body, &interval, state)?;
    }
    Ok(reader.finish())
}

impl<'t> CueReader<'t> {
    fn walk(
        &mut self,
        element: &'t TtmlElement,
        interval: &ActiveInterval,
        state: FlowState<'t>,
    ) -> Result<(), SubtitleError> {
        let state = self.enter(element, interval, state);
        if element.local() == "p" {
            return self.paragraph(element, interval, state);
        }
        for (child, interval) in element.elements().zip(&interval.children) {
            match child.local() {
                "div" | "p" => self.walk(child, interval, state)?,
                "set" => self.animated += 1,
                "image" => self.pictures += 1,
                _ => {}
            }
        }
        Ok(())
    }

    fn enter(
        &self,
        element: &'t TtmlElement,
        interval: &ActiveInterval,
        state: FlowState<'t>,
    ) -> FlowState<'t> {
        let region = element.attribute("region").or(state.region);
        let mut style = state.style;
        let (mut begin, mut end) = (state.begin.max(interval.begin), earlier(state.end, interval.end));
        if state.region.is_none()
            && let Some((region, shown)) = region.and_then(|id| self.regions.get(id))
        {
            style = self.styles.apply(region, style);
            begin = begin.max(shown.begin);
            end = earlier(end, shown.end);
        }
        let is_preserved = match element.attribute("space") {
            Some(space) => space == "preserve",
            None => state.is_preserved,
        };
        FlowState { begin, end, style: self.styles.apply(element, style), is_preserved, region }
    }

    fn paragraph(
        &mut self,
        element: &'t TtmlElement,
        interval: &ActiveInterval,
        state: FlowState<'t>,
    ) -> Result<(), SubtitleError> {
        let mut shown = Vec::new();
        self.content(element, interval, state, &mut shown);
        let mut bounds: BTreeSet<i64> = BTreeSet::new();
        for piece in &shown {
            bounds.insert(piece.begin);
            bounds.extend(piece.end);
        }
        let bounds: Vec<i64> = bounds.into_iter().collect();
        for (index, from) in bounds.iter().enumerate() {
            let to = bounds.get(index + 1).copied();
            let visible =
                |piece: &&ShownText| piece.begin <= *from && piece.end.is_none_or(|end| end > *from);
            let runs = assembled(shown.iter().filter(visible));
            if runs.is_empty() {
                continue;
            }
            if self.cues.len() == CUES_MAX {
                return Err(SubtitleError::TooMany { what: "cues", limit: CUES_MAX });
            }
            let id = element.attribute("id").map(str::to_owned);
            let place = self.place(element, state.region);
            self.cues.push((*from, to, Cue { runs, id, place, ..Cue::default() }));
        }
        Ok(())
    }

    /// Above, in the middle or below, by the region's alignment.
    fn place(&self, element: &TtmlElement, region: Option<&str>) -> Option<u8> {
        let (region, _) = self.regions.get(region?)?;
        let row = match region.attribute("displayAlign")? {
            "before" => 6,
            "center" => 3,
            _ => 0,
        };
        let align = element.attribute("textAlign").or_else(|| region.attribute("textAlign"));
        let column = match align {
            Some("left" | "start") => 1,
            Some("right" | "end") => 3,
            _ => 2,
        };
        Some(row + column)
    }

    fn content(
        &mut self,
        element: &'t TtmlElement,
        interval: &ActiveInterval,
        state: FlowState<'t>,
        shown: &mut Vec<ShownText>,
    ) {
        let mut intervals = interval.children.iter();
        let piece = |text: &str, is_preserved: bool| ShownText {
            begin: state.begin,
            end: state.end,
            text: text.to_owned(),
            style: state.style,
            is_preserved,
        };
        for child in &element.children {
            match child {
                TtmlNode::Text(text)
                    if state.begin < i64::MAX && state.end.is_none_or(|end| end > state.begin) =>
                {
                    shown.push(piece(text, state.is_preserved));
                }
                TtmlNode::Element(child) => {
                    let Some(interval) = intervals.next() else { continue };
                    match child.local() {
                        "br" => shown.push(piece("\n", true)),
                        "span" => self.span(child, interval, state, shown),
                        "set" => self.animated += 1,
                        _ => {}
                    }
                }
                _ => {}
            }
        }
    }

    /// The reading above a word is written in brackets behind it.
    fn span(
        &mut self,
        span: &'t TtmlElement,
        interval: &ActiveInterval,
        state: FlowState<'t>,
        shown: &mut Vec<ShownText>,
    ) {
        let inner = self.enter(span, interval, state);
        let bracket = |text: &str| ShownText {
            begin: inner.begin,
            end: inner.end,
            text: text.to_owned(),
            style: inner.style,
            is_preserved: true,
        };
        match span.attribute("ruby") {
            Some("delimiter") => {}
            Some("text") => {
                shown.push(bracket("("));
                self.content(span, interval, inner, shown);
                shown.push(bracket(")"));
            }
            _ => self.content(span, interval, inner, shown),
        }
    }

    fn finish(mut self) -> Subtitles {
        let mut remarks = Vec::new();
        let last =
            self.cues.iter().flat_map(|(begin, end, _)| [Some(*begin), *end]).flatten().max().unwrap_or(0);
        let open = self.cues.iter().filter(|(_, end, _)| end.is_none()).count();
        if open > 0 {
            remarks.push(format!(
                "{open} cues have no end; they end with the last time of the document, or after {} s",
                OPEN_CUE_MS / 1000
            ));
        }
        if self.animated > 0 {
            remarks.push(format!("{} animations are kept in TTML, but are not in the cues", self.animated));
        }
        if self.pictures > 0 {
            remarks.push(format!("{} pictures are kept in TTML, but are not in the cues", self.pictures));
        }
        // Stable, so that what begins together stays in the order of the document.
        self.cues.sort_by_key(|(begin, ..)| *begin);
        let cues = self.cues.into_iter().map(|(begin, end, cue)| {
            let end = end.unwrap_or_else(|| last.max(begin.saturating_add(OPEN_CUE_MS * MS)));
            Cue { start: rounded(begin), end: rounded(end), ..cue }
        });
        Subtitles { cues: cues.collect(), remarks, ..Subtitles::default() }
    }
}

fn rounded(nanos: i64) -> i64 {
    nanos.saturating_add(MS / 2) / MS
}

/// Runs of what is visible, with white space as XML means it.
fn assembled<'a>(shown: impl Iterator<Item = &'a ShownText>) -> Vec<CueRun> {
    let mut runs: Vec<CueRun> = Vec::new();
    let mut ends_blank = true;
    for piece in shown {
        if piece.is_preserved {
            if piece.text == "\n"
                && let Some(last) = runs.last_mut()
            {
                last.text.truncate(last.text.trim_end_matches(' ').len());
            }
            push_run(&mut runs, &piece.text, piece.style);
            ends_blank = piece.text.ends_with('\n');
            continue;
        }
        let mut text = String::new();
        for letter in piece.text.chars() {
            let is_blank = matches!(letter, ' ' | '\n' | '\t' | '\r');
            if !is_blank {
                text.push(letter);
            } else if !ends_blank {
                text.push(' ');
            }
            ends_blank = is_blank;
        }
        push_run(&mut runs, &text, piece.style);
    }
    trim_runs(&mut runs);
    runs
}
