//! Synthetic pages of words and lines, and the tables on them.

use proptest::prelude::*;

use super::super::content::{FilledBox, Glyph, GlyphDirection, GlyphStyle, Orientation, PageContent, Ruling};
use super::find;
use crate::{Bounds, CellSpan, Table};

const SIZE: f32 = 10.0;
/// Width of every letter of the pages made here.
const LETTER: f32 = 5.0;

#[derive(Default)]
struct Page {
    content: PageContent,
}

impl Page {
    fn new() -> Self {
        Self { content: PageContent { number: 3, width: 600.0, height: 800.0, ..PageContent::default() } }
    }

    /// A text whose first letter starts at `x`, on the line at `y`.
    fn text(mut self, x: f32, y: f32, text: &str) -> Self {
        for (index, letter) in text.chars().enumerate() {
            let left = x + LETTER * index as f32;
            let bounds = Bounds { left, top: y - 7.5, right: left + LETTER, bottom: y + 2.2 };
            self.content.glyphs.push(glyph(letter.to_string(), bounds, y));
        }
        self
    }

    /// Texts at the same places on each line, `pitch` apart.
    fn rows(mut self, places: &[f32], top: f32, pitch: f32, rows: &[&[&str]]) -> Self {
        for (index, row) in rows.iter().enumerate() {
            for (place, text) in places.iter().zip(row.iter()) {
                self = self.text(*place, top + pitch * index as f32, text);
            }
        }
        self
    }

    fn across(mut self, at: f32, start: f32, end: f32) -> Self {
        self.content.rulings.push(Ruling {
            orientation: Orientation::Horizontal,
            at,
            start,
            end,
            thickness: 0.5,
        });
        self
    }

    fn down(mut self, at: f32, start: f32, end: f32) -> Self {
        self.content.rulings.push(Ruling {
            orientation: Orientation::Vertical,
            at,
            start,
            end,
            thickness: 0.5,
        });
        self
    }

    fn find(&self) -> Vec<Table> {
        find(&self.content)
    }
}

fn glyph(text: String, bounds: Bounds, baseline: f32) -> Glyph {
    Glyph {
        text,
        bounds,
        frame: bounds,
        baseline,
        size: SIZE,
        style: GlyphStyle::default(),
        direction: GlyphDirection::Right,
        artifact: false,
    }
}

/// Rows as lines, cells parted by bars.
fn shown(table: &Table) -> String {
    table.rows.iter().map(|row| row.join("|")).collect::<Vec<_>>().join("\n")
}

fn check(page: &Page, wanted: &str) {
    let tables = page.find();
    assert_eq!(tables.iter().map(shown).collect::<Vec<_>>().join("\n\n"), wanted);
}

const HEIGHTS: [&[&str]; 4] = [
    &["Town", "Height", "People"],
    &["Bergen", "12", "285,900"],
    &["Siena", "322", "53,900"],
    &["Riga", "6", "605,800"],
];

#[test]
fn words_in_columns_are_a_table() {
    let page = Page::new().rows(&[50.0, 150.0, 250.0], 100.0, 14.0, &HEIGHTS);
    check(&page, "Town|Height|People\nBergen|12|285,900\nSiena|322|53,900\nRiga|6|605,800");
    let table = &page.find()[0];
    assert_eq!((table.page, table.header_rows), (3, 1));
    assert!(table.confidence < 0.95, "nothing is drawn: {}", table.confidence);
}

#[test]
fn lines_between_cells_are_believed() {
    let mut page = Page::new().rows(&[52.0, 92.0], 110.0, 20.0, &[&["a", "b"], &["c", "d"]]);
    for y in [96.0, 116.0, 136.0] {
        page = page.across(y, 50.0, 130.0);
    }
    for x in [50.0, 90.0, 130.0] {
        page = page.down(x, 96.0, 136.0);
    }
    check(&page, "a|b\nc|d");
    assert!(page.find()[0].confidence > 0.9);
}

#[test]
fn cell_without_line_spans_its_neighbours() {
    let mut page =
        Page::new().text(80.0, 110.0, "both").rows(&[52.0, 92.0], 130.0, 20.0, &[&["a", "b"], &["c", "d"]]);
    for y in [96.0, 116.0, 136.0, 156.0] {
        page = page.across(y, 50.0, 130.0);
    }
    let page = page.down(50.0, 96.0, 156.0).down(130.0, 96.0, 156.0).down(90.0, 116.0, 156.0);
    check(&page, "both|\na|b\nc|d");
    assert_eq!(page.find()[0].spans, [CellSpan { row: 0, column: 0, rows: 1, columns: 2 }]);
}

#[test]
fn rules_of_books_bound_a_table_and_its_heading() {
    let page = Page::new()
        .text(50.0, 60.0, "Heights of towns that lie along rivers, as told by their own people")
        .rows(&[50.0, 150.0, 250.0], 100.0, 14.0, &HEIGHTS)
        .across(89.0, 45.0, 320.0)
        .across(104.0, 45.0, 320.0)
        .across(146.0, 45.0, 320.0);
    check(&page, "Town|Height|People\nBergen|12|285,900\nSiena|322|53,900\nRiga|6|605,800");
    assert_eq!(page.find()[0].header_rows, 1);
}

#[test]
fn lines_of_one_cell_are_joined() {
    let page = Page::new()
        .rows(
            &[50.0, 120.0],
            100.0,
            30.0,
            &[&["Lock", "Opened"], &["One", "after two years of work by hand"], &["Two", "before the war"]],
        )
        .text(120.0, 142.0, "and much patience");
    check(&page, "Lock|Opened\nOne|after two years of work by hand and much patience\nTwo|before the war");
}

#[test]
fn heading_over_several_columns_starts_at_the_first_of_them() {
    let page = Page::new().text(195.0, 86.0, "Figures").rows(&[50.0, 150.0, 250.0], 100.0, 14.0, &HEIGHTS);
    check(&page, "|Figures|\nTown|Height|People\nBergen|12|285,900\nSiena|322|53,900\nRiga|6|605,800");
}

#[test]
fn running_text_in_two_columns_is_no_table() {
    let line = "the river carried barges past low meadows";
    let both = [line, line];
    let rows: Vec<&[&str]> = vec![&both; 20];
    check(&Page::new().rows(&[50.0, 300.0], 100.0, 12.0, &rows), "");
}

#[test]
fn lists_contents_and_forms_are_no_tables() {
    let list: Vec<&[&str]> = vec![&["•", "one more thing"]; 6];
    check(&Page::new().rows(&[50.0, 70.0], 100.0, 12.0, &list), "");
    let contents: Vec<&[&str]> = vec![&["Chapter", "..........", "12"]; 6];
    check(&Page::new().rows(&[50.0, 100.0, 300.0], 100.0, 12.0, &contents), "");
    let form: &[&[&str]] = &[&["Name:", "Ann"], &["Town:", "Riga"], &["Trade:", "Smith"], &["Born:", "May"]];
    check(&Page::new().rows(&[50.0, 120.0], 100.0, 12.0, form), "");
}

#[test]
fn table_in_a_column_of_text_does_not_take_in_the_text_beside_it() {
    let line = "the river carried barges past low meadows";
    let mut page = Page::new();
    for index in 0..30 {
        let y = 100.0 + 12.0 * index as f32;
        page = page.text(310.0, y, line);
        if !(10..16).contains(&index) {
            page = page.text(50.0, y, line);
        }
    }
    let page = page.rows(&[60.0, 120.0, 180.0], 232.0, 12.0, &HEIGHTS);
    check(&page, "Town|Height|People\nBergen|12|285,900\nSiena|322|53,900\nRiga|6|605,800");
}

#[test]
fn turned_table_is_found() {
    let mut page = Page::new().rows(&[50.0, 150.0, 250.0], 100.0, 14.0, &HEIGHTS);
    for glyph in &mut page.content.glyphs {
        glyph.direction = GlyphDirection::Up;
        glyph.bounds = GlyphDirection::Up.page(glyph.bounds);
    }
    check(&page, "Town|Height|People\nBergen|12|285,900\nSiena|322|53,900\nRiga|6|605,800");
}

#[test]
fn page_of_countless_lines_takes_no_time() {
    let mut page = Page::new().rows(&[50.0, 150.0, 250.0], 100.0, 14.0, &HEIGHTS);
    for index in 0..20_000 {
        let at = 10.0 + (index % 290) as f32 * 2.0;
        let start = (index / 290) as f32 * 10.0;
        page = if index % 2 == 0 {
            page.across(at, start, start + 6.0)
        } else {
            page.down(at, start, start + 6.0)
        };
    }
    assert_eq!(page.find().len(), 1);
}

fn places() -> impl Strategy<Value = f32> {
    prop_oneof![8 => (0..80_i16).prop_map(|step| f32::from(step) * 7.5), 2 => -50.0..900.0_f32, 1 => Just(f32::NAN), 1 => Just(f32::INFINITY), 1 => Just(-1e30_f32)]
}

fn glyphs() -> impl Strategy<Value = Vec<Glyph>> {
    let one = (places(), places(), 0.0..40.0_f32, prop_oneof![Just(10.0_f32), 0.0..30.0_f32], 0..5_usize);
    prop::collection::vec(one, 0..120).prop_map(|all| {
        let letter = |(index, (x, y, width, size, turn)): (usize, (f32, f32, f32, f32, usize))| Glyph {
            size,
            direction: if turn == 4 { GlyphDirection::Up } else { GlyphDirection::Right },
            ..glyph(format!("w{index}"), Bounds { left: x, top: y - size, right: x + width, bottom: y }, y)
        };
        all.into_iter().enumerate().map(letter).collect()
    })
}

fn rulings() -> impl Strategy<Value = Vec<Ruling>> {
    let one = (any::<bool>(), places(), places(), places());
    prop::collection::vec(one, 0..60).prop_map(|all| {
        let line = |(flat, at, start, end): (bool, f32, f32, f32)| {
            let orientation = if flat { Orientation::Horizontal } else { Orientation::Vertical };
            Ruling { orientation, at, start, end, thickness: 1.0 }
        };
        all.into_iter().map(line).collect()
    })
}

proptest! {
    #[test]
    fn any_page_gives_tables_of_its_own_words_each_once(glyphs in glyphs(), rulings in rulings()) {
        let fills: Vec<FilledBox> = Vec::new();
        let content = PageContent { number: 1, width: 600.0, height: 800.0, glyphs, rulings, fills, ..PageContent::default() };
        let page: Vec<String> = super::words::words(&content).into_iter().map(|word| word.text).collect();
        let mut left = page.clone();
        for table in find(&content) {
            let columns = table.rows[0].len();
            prop_assert!(table.rows.len() > 1 && columns > 1 && table.rows.iter().all(|row| row.len() == columns));
            prop_assert!(table.header_rows <= table.rows.len() && (0.0..=1.0).contains(&table.confidence));
            for word in table.rows.iter().flatten().flat_map(|cell| cell.split_whitespace()) {
                let place = left.iter().position(|known| known == word);
                prop_assert!(place.is_some(), "{word} is in two cells or on no page");
                left.swap_remove(place.unwrap_or_default());
            }
        }
    }
}
