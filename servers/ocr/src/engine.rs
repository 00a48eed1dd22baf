//! The OCR engines of this machine: PP-OCR if its weights are available, Tesseract if it is installed and for
//! languages that PP-OCR lacks.

use std::path::{Path, PathBuf};

use crate::error::OcrError;
use crate::geometry::Polygon;
use crate::languages::OcrLanguage;
use crate::options::{EngineKind, OcrSettings, ReadOptions};
use crate::picture::Picture;
use crate::ppocr::PpOcr;
use crate::reading::OcrReading;
use crate::tesseract::Tesseract;

#[cfg(test)]
mod tests;

/// Reads pictures. Cheap to make: weights are loaded with the first picture.
#[derive(Debug)]
pub struct OcrEngine {
    ppocr: Option<PpOcr>,
    tesseract: Option<Tesseract>,
    languages: Vec<String>,
}

impl OcrEngine {
    /// Finds the available engines. An explicitly given folder must have the weights; others are searched.
    pub fn find(settings: &OcrSettings) -> Result<Self, OcrError> {
        let ppocr = match &settings.models {
            Some(folder) => Some(PpOcr::in_folder(folder)?),
            None => usual_folders().iter().find_map(|folder| PpOcr::in_folder(folder).ok()),
        };
        let tesseract = Tesseract::find(settings.tesseract.as_deref());
        Self::of(ppocr, tesseract, settings.languages.clone())
    }

    fn of(
        ppocr: Option<PpOcr>,
        tesseract: Option<Tesseract>,
        languages: Vec<String>,
    ) -> Result<Self, OcrError> {
        if ppocr.is_none() && tesseract.is_none() {
            return Err(OcrError::Unavailable);
        }
        Ok(Self { ppocr, tesseract, languages })
    }

    /// The engine for a picture without a given language.
    pub fn kind(&self) -> EngineKind {
        if self.ppocr.is_some() { EngineKind::PpOcr } else { EngineKind::Tesseract }
    }

    pub fn read(&self, picture: &Picture) -> Result<OcrReading, OcrError> {
        self.read_with(picture, &ReadOptions::default())
    }

    pub fn read_with(&self, picture: &Picture, options: &ReadOptions) -> Result<OcrReading, OcrError> {
        let languages = if options.languages.is_empty() { &self.languages } else { &options.languages };
        match self.reader_of(languages)? {
            EngineReader::PpOcr(ppocr) => ppocr.read(picture, options.deskew),
            EngineReader::Tesseract(tesseract, languages) => {
                tesseract.read(picture, &languages, options.deskew)
            }
        }
    }

    /// The positions of text, without reading it: for measuring how much of a picture is text.
    pub fn detect(&self, picture: &Picture) -> Result<Vec<Polygon>, OcrError> {
        match &self.ppocr {
            Some(ppocr) => ppocr.detect(picture),
            None => Ok(self.read(picture)?.lines.into_iter().map(|line| line.polygon).collect()),
        }
    }

    /// Codes of the languages that can be asked for.
    pub fn languages(&self) -> Vec<String> {
        let mut codes: Vec<String> = match &self.ppocr {
            Some(_) => OcrLanguage::of_ppocr().map(|language| language.code.to_owned()).collect(),
            None => Vec::new(),
        };
        let installed = self.tesseract.as_ref().map(Tesseract::languages).unwrap_or_default();
        for name in installed {
            let code = OcrLanguage::find(name).map_or(name.as_str(), |language| language.code);
            if !codes.iter().any(|known| known == code) {
                codes.push(code.to_owned());
            }
        }
        codes
    }

    /// PP-OCR reads all of its languages at once; a given language only matters if it is not among them.
    fn reader_of(&self, languages: &[String]) -> Result<EngineReader<'_>, OcrError> {
        let not_by_ppocr =
            |said: &String| !OcrLanguage::find(said).is_some_and(OcrLanguage::is_read_by_ppocr);
        let missing = languages.iter().find(|said| not_by_ppocr(said));
        match (&self.ppocr, missing, &self.tesseract) {
            (Some(ppocr), None, _) => Ok(EngineReader::PpOcr(ppocr)),
            (_, _, Some(tesseract)) => {
                Ok(EngineReader::Tesseract(tesseract, self.for_tesseract(languages, tesseract)?))
            }
            (_, Some(said), None) => Err(self.unknown(said)),
            (None, None, None) => Err(OcrError::Unavailable),
        }
    }

    fn for_tesseract(&self, languages: &[String], tesseract: &Tesseract) -> Result<Vec<String>, OcrError> {
        let installed = tesseract.languages();
        let named = languages.iter().map(|said| {
            let name = OcrLanguage::find(said).map_or(said.as_str(), |language| language.tesseract);
            installed.iter().find(|known| *known == name).cloned().ok_or_else(|| self.unknown(said))
        });
        let named = named.collect::<Result<Vec<_>, _>>()?;
        if !named.is_empty() {
            return Ok(named);
        }
        let usual = installed.iter().find(|name| *name == "eng").or_else(|| installed.first());
        usual.cloned().map(|name| vec![name]).ok_or(OcrError::Unavailable)
    }

    fn unknown(&self, said: &str) -> OcrError {
        OcrError::UnknownLanguage { language: said.to_owned(), known: self.languages() }
    }
}

enum EngineReader<'a> {
    PpOcr(&'a PpOcr),
    Tesseract(&'a Tesseract, Vec<String>),
}

/// The folder where `script/ocr-model` puts the weights: in the project folder, which is the current one or
/// above the program.
fn usual_folders() -> Vec<PathBuf> {
    const INSIDE: &str = ".cache/ocr";
    const LEVELS_MAX: usize = 5;
    let here = std::env::current_dir().ok();
    let program = std::env::current_exe().ok();
    let above = program.iter().flat_map(|program| program.ancestors().skip(1).take(LEVELS_MAX));
    here.as_deref().into_iter().chain(above).map(|folder: &Path| folder.join(INSIDE)).collect()
}
