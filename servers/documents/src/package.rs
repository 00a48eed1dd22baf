//! Office packages: parts, their relations, and the document's own metadata.

use std::collections::HashMap;

use crate::archive::Archive;
use crate::document::DocumentFacts;
use crate::error::DocumentError;
use crate::limits::DocumentLimits;
use crate::xml::XmlTree;

/// An archive of parts that point at each other.
pub(crate) struct Package<'b> {
    archive: Archive<'b>,
    format: &'static str,
    limits: DocumentLimits,
}

/// The relations of a part. A document may have a hundred thousand links, so ids are looked up.
#[derive(Clone, Default, Debug)]
pub(crate) struct Relations {
    all: Vec<Relation>,
    by_id: HashMap<String, usize>,
}

impl Relations {
    pub(crate) fn of_kind<'r>(&'r self, kind: &'r str) -> impl Iterator<Item = &'r Relation> {
        self.all.iter().filter(move |relation| relation.kind == kind)
    }

    pub(crate) fn has(&self, kind: &str) -> bool {
        self.of_kind(kind).next().is_some()
    }

    /// Another part.
    pub(crate) fn part(&self, id: &str) -> Option<&str> {
        self.get(id).filter(|relation| !relation.is_outside).map(|relation| relation.target.as_str())
    }

    /// An address outside the package.
    pub(crate) fn address(&self, id: &str) -> Option<&str> {
        self.get(id).filter(|relation| relation.is_outside).map(|relation| relation.target.as_str())
    }

    fn get(&self, id: &str) -> Option<&Relation> {
        self.all.get(*self.by_id.get(id)?)
    }

    fn push(&mut self, id: &str, relation: Relation) {
        self.by_id.insert(id.to_owned(), self.all.len());
        self.all.push(relation);
    }
}

/// One part's use of another, or of something outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Relation {
    /// The last word of its type, such as `footnotes`.
    kind: String,
    /// A part by its full name, or an address outside.
    pub(crate) target: String,
    is_outside: bool,
}

impl<'b> Package<'b> {
    pub(crate) fn open(
        bytes: &'b [u8],
        format: &'static str,
        limits: &DocumentLimits,
    ) -> Result<Self, DocumentError> {
        Ok(Self { archive: Archive::open(bytes, format, limits)?, format, limits: *limits })
    }

    /// The package's main part.
    pub(crate) fn main_part(&mut self, usual: &str) -> Result<String, DocumentError> {
        let relations = self.relations("")?;
        let main = relations.of_kind("officeDocument").map(|relation| relation.target.as_str()).next();
        Ok(main.filter(|target| self.archive.has(target)).unwrap_or(usual).to_owned())
    }

    /// A part that is required.
    pub(crate) fn tree(&mut self, part: &str) -> Result<XmlTree, DocumentError> {
        let bytes = self.archive.get(part)?;
        XmlTree::read(&bytes, self.format, &self.limits)
    }

    /// A part that may be missing or unreadable without the document being worthless.
    pub(crate) fn tree_if_any(&mut self, part: &str) -> Result<Option<XmlTree>, DocumentError> {
        match self.archive.find(part) {
            Ok(Some(bytes)) => match XmlTree::read(&bytes, self.format, &self.limits) {
                Ok(tree) => Ok(Some(tree)),
                Err(error @ DocumentError::TooLarge { .. }) => Err(error),
                Err(_) => Ok(None),
            },
            Ok(None) => Ok(None),
            Err(DocumentError::Damaged { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The relations of a part; the empty name is the package itself.
    pub(crate) fn relations(&mut self, part: &str) -> Result<Relations, DocumentError> {
        let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
        let path = match folder {
            "" => format!("_rels/{name}.rels"),
            folder => format!("{folder}/_rels/{name}.rels"),
        };
        let Some(tree) = self.tree_if_any(&path)? else { return Ok(Relations::default()) };
        let mut relations = Relations::default();
        for element in tree.root().children_named("Relationship") {
            let Some(target) = element.attribute("Target") else { continue };
            let is_outside = element.attribute("TargetMode") == Some("External");
            let kind = element.attribute("Type").unwrap_or_default();
            let relation = Relation {
                kind: kind.rsplit('/').next().unwrap_or_default().to_owned(),
                target: if is_outside { target.to_owned() } else { resolve(folder, target) },
                is_outside,
            };
            relations.push(element.attribute("Id").unwrap_or_default(), relation);
        }
        Ok(relations)
    }

    pub(crate) fn facts(&mut self) -> Result<DocumentFacts, DocumentError> {
        let mut facts = DocumentFacts::default();
        if let Some(core) = self.tree_if_any("docProps/core.xml")? {
            let told = |name: &str| core.root().child(name).map(|element| element.text());
            facts.title = told("title").and_then(filled);
            facts.author = told("creator").and_then(filled);
            facts.created = told("created").and_then(filled);
        }
        if let Some(app) = self.tree_if_any("docProps/app.xml")? {
            facts.producer = app.root().child("Application").map(|element| element.text()).and_then(filled);
        }
        Ok(facts)
    }
}

/// Non-empty text.
pub(crate) fn filled(text: String) -> Option<String> {
    let trimmed = text.trim();
    match trimmed.len() {
        0 => None,
        len if len == text.len() => Some(text),
        _ => Some(trimmed.to_owned()),
    }
}

/// `../media/a.png` as seen from a folder of the package.
pub(crate) fn resolve(folder: &str, target: &str) -> String {
    let mut path: Vec<&str> = match target.starts_with('/') {
        true => Vec::new(),
        false => folder.split('/').filter(|part| !part.is_empty()).collect(),
    };
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(path.pop()),
            part => path.push(part),
        }
    }
    path.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_found_from_the_folder_of_their_part() {
        assert_eq!(resolve("ppt/slides", "../notesSlides/n1.xml"), "ppt/notesSlides/n1.xml");
        assert_eq!(resolve("word", "styles.xml"), "word/styles.xml");
        assert_eq!(resolve("word", "/word/styles.xml"), "word/styles.xml");
        assert_eq!(resolve("", "../../etc/passwd"), "etc/passwd");
    }
}
