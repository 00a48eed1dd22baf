//! Reading a DocIR that may come from anywhere: every reference leads somewhere, the tree has no circle, and all spans are in their
//! texts.

use std::collections::HashSet;

use crate::bad::BadDocIr;
use crate::model::{
    CELLS_MAX, DocCell, DocIr, DocRef, DocTable, DocText, LinePlace, Provenance, SCHEMA_NAME, WordPlace,
};
use crate::pointer::DocNode;

/// The newest minor version that is understood.
const MINOR_MAX: u32 = 10;

impl DocIr {
    /// Reads a DocIR and checks it.
    pub fn read(bytes: &[u8]) -> Result<Self, BadDocIr> {
        let document: Self =
            serde_json::from_slice(bytes).map_err(|error| BadDocIr::Malformed(error.to_string()))?;
        document.check_version()?;
        document.check_names()?;
        document.check_tree()?;
        document.check_items()?;
        Ok(document)
    }

    fn check_version(&self) -> Result<(), BadDocIr> {
        let mut parts = self.version.split('.');
        let major = parts.next() == Some("1");
        let minor =
            parts.next().and_then(|minor| minor.parse().ok()).is_some_and(|minor: u32| minor <= MINOR_MAX);
        match self.schema_name == SCHEMA_NAME && major && minor {
            true => Ok(()),
            false => {
                let (schema, version) = (self.schema_name.clone(), self.version.clone());
                Err(BadDocIr::Version { schema, version })
            }
        }
    }

    fn check_names(&self) -> Result<(), BadDocIr> {
        let groups = self.groups.iter().map(|group| &group.self_ref);
        check_list("groups", groups)?;
        check_list("texts", self.texts.iter().map(|text| &text.self_ref))?;
        check_list("tables", self.tables.iter().map(|table| &table.self_ref))?;
        check_list("pictures", self.pictures.iter().map(|picture| &picture.self_ref))?;
        for (root, at) in [(&self.body, "#/body"), (&self.furniture, "#/furniture")] {
            check_name(at, &root.self_ref)?;
        }
        Ok(())
    }

    /// Every node is reached once at most, so there is no circle.
    fn check_tree(&self) -> Result<(), BadDocIr> {
        let mut reached: HashSet<&str> = HashSet::new();
        let roots = [&self.body, &self.furniture].into_iter();
        let mut waiting: Vec<(&str, &[DocRef])> =
            roots.map(|root| (root.self_ref.as_str(), root.children.as_slice())).collect();
        while let Some((parent, children)) = waiting.pop() {
            for child in children {
                let node = self.target(parent, child)?;
                let pointer = node.pointer();
                if !reached.insert(pointer) {
                    return Err(BadDocIr::Repeated { pointer: pointer.to_owned() });
                }
                if node.parent().is_none_or(|named| named.pointer != parent) {
                    return Err(BadDocIr::Orphan { pointer: pointer.to_owned(), parent: parent.to_owned() });
                }
                waiting.push((pointer, node.children()));
            }
        }
        Ok(())
    }

    fn check_items(&self) -> Result<(), BadDocIr> {
        for text in &self.texts {
            check_text(text)?;
        }
        for table in &self.tables {
            check_table(table)?;
            self.check_references(&table.self_ref, &table.captions)?;
        }
        for picture in &self.pictures {
            check_places(&picture.self_ref, &picture.prov, 0)?;
            self.check_references(&picture.self_ref, &picture.captions)?;
        }
        Ok(())
    }

    fn check_references(&self, from: &str, references: &[DocRef]) -> Result<(), BadDocIr> {
        references.iter().try_for_each(|reference| self.target(from, reference).map(|_| ()))
    }

    fn target(&self, from: &str, to: &DocRef) -> Result<DocNode<'_>, BadDocIr> {
        let dangling = || BadDocIr::Dangling { from: from.to_owned(), to: to.pointer.clone() };
        self.node(&to.pointer).ok_or_else(dangling)
    }
}

fn check_list<'n>(list: &str, names: impl Iterator<Item = &'n String>) -> Result<(), BadDocIr> {
    names.enumerate().try_for_each(|(number, name)| check_name(&format!("#/{list}/{number}"), name))
}

fn check_name(at: &str, claimed: &str) -> Result<(), BadDocIr> {
    match at == claimed {
        true => Ok(()),
        false => Err(BadDocIr::Misnamed { at: at.to_owned(), claimed: claimed.to_owned() }),
    }
}

fn check_text(text: &DocText) -> Result<(), BadDocIr> {
    let letters = text.text.chars().count();
    check_places(&text.self_ref, &text.prov, letters)?;
    let Some(meta) = &text.meta else { return Ok(()) };
    let has_each = meta.words.is_empty() || meta.words.len() == text.prov.len();
    if !has_each || !meta.words.iter().all(|words| are_within(words, letters)) {
        return Err(BadDocIr::Span { pointer: text.self_ref.clone() });
    }
    Ok(())
}

fn check_table(table: &DocTable) -> Result<(), BadDocIr> {
    let pointer = || table.self_ref.clone();
    let data = &table.data;
    let fits = data.num_rows.checked_mul(data.num_cols).is_some_and(|cells| cells <= CELLS_MAX);
    let cells_fit = data.table_cells.iter().all(|cell| {
        cell.start_row_offset_idx < cell.end_row_offset_idx
            && cell.start_col_offset_idx < cell.end_col_offset_idx
            && cell.end_row_offset_idx <= data.num_rows
            && cell.end_col_offset_idx <= data.num_cols
    });
    // Cells that lie on one another would cost more than the grid has places.
    let covered = |cell: &DocCell| {
        let rows = cell.end_row_offset_idx.saturating_sub(cell.start_row_offset_idx);
        rows.saturating_mul(cell.end_col_offset_idx.saturating_sub(cell.start_col_offset_idx))
    };
    let covered = data.table_cells.iter().map(covered).fold(0, usize::saturating_add);
    if !fits || !cells_fit || covered > CELLS_MAX {
        return Err(BadDocIr::TableShape { pointer: pointer(), max: CELLS_MAX });
    }
    check_places(&table.self_ref, &table.prov, table.text().chars().count())?;
    for place in table.cell_places() {
        let cell = data.table_cells.get(place.cell).ok_or_else(|| BadDocIr::Span { pointer: pointer() })?;
        let letters = cell.text.chars().count();
        let is_within = |line: &LinePlace| {
            line.charspan.0 <= line.charspan.1
                && line.charspan.1 <= letters
                && are_within(&line.words, letters)
        };
        if !place.lines.iter().all(is_within) {
            return Err(BadDocIr::Span { pointer: pointer() });
        }
    }
    Ok(())
}

fn check_places(pointer: &str, places: &[Provenance], letters: usize) -> Result<(), BadDocIr> {
    let is_within = |place: &Provenance| place.charspan.0 <= place.charspan.1 && place.charspan.1 <= letters;
    match places.iter().all(is_within) {
        true => Ok(()),
        false => Err(BadDocIr::Span { pointer: pointer.to_owned() }),
    }
}

fn are_within(words: &[WordPlace], letters: usize) -> bool {
    words.iter().all(|word| word.0 <= word.1 && word.1 <= letters)
}
