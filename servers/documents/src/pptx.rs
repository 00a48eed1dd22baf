//! Presentations: slides in order, titles as headings, tables, and speaker notes.

mod shapes;

use crate::document::{Block, Document, Page, PageSource};
use crate::error::DocumentError;
use crate::grid::{self, CellBudget};
use crate::kind::DocumentKind;
use crate::options::OpenOptions;
use crate::package::{Package, Relations};
use crate::text::too_many_pages;

use shapes::Shapes;

const FORMAT: &str = "presentation";
const MAIN_PART: &str = "ppt/presentation.xml";

pub(crate) fn read(bytes: &[u8], options: &OpenOptions) -> Result<Document, DocumentError> {
    let limits = &options.limits;
    let mut package = Package::open(bytes, FORMAT, limits)?;
    let slides = slides(&mut package)?;
    let page_count = slides.len();
    let mut cells = CellBudget::new(limits.cells_max);
    let mut warnings = Vec::new();
    let mut pages = Vec::new();
    for (part, number) in slides.iter().take(limits.pages_max).zip(1..) {
        if options.wants(number) {
            pages.push(slide(&mut package, part, number, &mut cells, &mut warnings)?);
        }
    }
    if page_count > limits.pages_max {
        warnings.push(too_many_pages(page_count, limits.pages_max));
    }
    warnings.extend(cells.warning());
    Ok(Document { kind: DocumentKind::Pptx, facts: package.facts()?, page_count, pages, warnings })
}

/// The parts of the slides, in presentation order.
fn slides(package: &mut Package<'_>) -> Result<Vec<String>, DocumentError> {
    let main = package.main_part(MAIN_PART)?;
    let tree = package.tree(&main)?;
    let relations = package.relations(&main)?;
    let list = tree.root().child("sldIdLst");
    let ids = list.into_iter().flat_map(|list| list.children_named("sldId"));
    let parts = ids.filter_map(|slide| relations.part(slide.prefixed("id")?));
    Ok(parts.map(str::to_owned).collect())
}

fn slide(
    package: &mut Package<'_>,
    part: &str,
    number: u32,
    cells: &mut CellBudget,
    warnings: &mut Vec<String>,
) -> Result<Page, DocumentError> {
    let relations = package.relations(part)?;
    let Some(tree) = package.tree_if_any(part)? else {
        warnings.push(format!("slide {number} is damaged and was left out"));
        return Ok(Page { number, source: PageSource::Empty, ..Page::default() });
    };
    let mut shapes = Shapes::new(number, &relations, cells);
    if let Some(shown) = tree.root().path(&["cSld", "spTree"]) {
        shapes.read(shown);
    }
    let mut blocks = shapes.finish();
    for relation in relations.of_kind("diagramData") {
        blocks.extend(diagram(package, &relation.target)?);
    }
    for relation in relations.of_kind("notesSlide").take(1) {
        blocks.extend(notes(package, &relation.target, number)?);
    }
    let has_picture = relations.has("image");
    let source = match blocks.is_empty() {
        false => PageSource::Text,
        true if has_picture => PageSource::Picture,
        true => PageSource::Empty,
    };
    Ok(Page { number, source, blocks, ..Page::default() })
}

/// The text of a diagram, which is stored outside the slide.
fn diagram(package: &mut Package<'_>, part: &str) -> Result<Vec<Block>, DocumentError> {
    let Some(tree) = package.tree_if_any(part)? else { return Ok(Vec::new()) };
    let texts = tree.root().descendants().filter(|element| element.name() == "p").map(shapes::plain);
    Ok(texts.filter(|text| !text.is_empty()).map(Block::Paragraph).collect())
}

fn notes(package: &mut Package<'_>, part: &str, number: u32) -> Result<Option<Block>, DocumentError> {
    let Some(tree) = package.tree_if_any(part)? else { return Ok(None) };
    let Some(shown) = tree.root().path(&["cSld", "spTree"]) else { return Ok(None) };
    let mut cells = CellBudget::new(0);
    let relations = Relations::default();
    let mut shapes = Shapes::new(number, &relations, &mut cells);
    shapes.read(shown);
    let text = grid::text_of(&shapes.finish());
    Ok((!text.is_empty()).then(|| Block::Paragraph(format!("Notes: {text}"))))
}

#[cfg(test)]
mod tests;
