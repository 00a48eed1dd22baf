//! Available and missing engines, and the choice between them.

use super::*;
use crate::drawing;

fn languages(said: &[&str]) -> ReadOptions {
    ReadOptions { languages: said.iter().map(|said| (*said).to_owned()).collect(), ..ReadOptions::default() }
}

/// Files with the right names are enough for an engine that never gets a picture.
fn with_ppocr_alone(folder: &Path) -> OcrEngine {
    for file in ["PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx"] {
        std::fs::write(folder.join(file), b"no weights").unwrap();
    }
    OcrEngine::of(Some(PpOcr::in_folder(folder).unwrap()), None, Vec::new()).unwrap()
}

#[test]
fn a_folder_that_was_said_must_have_the_weights() {
    let folder = tempfile::tempdir().unwrap();
    let settings = OcrSettings { models: Some(folder.path().to_owned()), ..OcrSettings::default() };
    let error = OcrEngine::find(&settings).unwrap_err();
    assert!(matches!(error, OcrError::ModelMissing { .. }), "{error:?}");
    assert!(error.hint().unwrap().contains("script/ocr-model"));
}

#[test]
fn a_machine_without_anything_says_what_to_install() {
    let error = OcrEngine::of(None, None, Vec::new()).unwrap_err();
    let hint = error.hint().unwrap();
    assert!(hint.contains("script/ocr-model") && hint.contains("tesseract-ocr"), "{hint}");
}

#[test]
fn weights_that_are_no_weights_are_an_error_and_no_panic() {
    let folder = tempfile::tempdir().unwrap();
    let engine = with_ppocr_alone(folder.path());
    assert_eq!(engine.kind(), EngineKind::PpOcr);
    let error = engine.read(&Picture::from_pixels(drawing::page(64, 64))).unwrap_err();
    assert!(matches!(error, OcrError::LoadModel { .. }), "{error:?}");
}

#[test]
fn a_language_that_nobody_reads_is_refused_with_those_that_are() {
    let folder = tempfile::tempdir().unwrap();
    let engine = with_ppocr_alone(folder.path());
    let picture = Picture::from_pixels(drawing::page(64, 64));
    for said in ["ru", "klingon"] {
        let error = engine.read_with(&picture, &languages(&["en", said])).unwrap_err();
        assert!(
            matches!(&error, OcrError::UnknownLanguage { language, .. } if language == said),
            "{error:?}"
        );
        let hint = error.hint().unwrap();
        assert!(hint.contains("en, de, fr") && hint.contains("ja"), "{hint}");
    }
}

#[test]
fn tesseract_reads_where_it_is_installed() {
    let Some(tesseract) = Tesseract::find(None) else {
        eprintln!("skipped: tesseract is not on the path");
        return;
    };
    let engine = OcrEngine::of(None, Some(tesseract), Vec::new()).unwrap();
    assert_eq!(engine.kind(), EngineKind::Tesseract);
    assert!(engine.languages().contains(&"en".to_owned()), "{:?}", engine.languages());
    let mut page = drawing::page(900, 240);
    drawing::write(&mut page, 40.0, 30.0, 32.0, "The quick brown fox jumps");
    drawing::write(&mut page, 40.0, 80.0, 32.0, "over the lazy dog");
    let (page, _) = crate::warp::turned(&page, 2.0);
    let reading = engine.read_with(&Picture::from_pixels(page), &languages(&["en"])).unwrap();
    assert_eq!(reading.text(), "The quick brown fox jumps\nover the lazy dog");
    assert!((reading.angle - 2.0).abs() <= 0.5, "{}", reading.angle);
    assert_eq!(reading.engine.as_str(), "tesseract");
    let error =
        engine.read_with(&Picture::from_pixels(drawing::page(64, 64)), &languages(&["xx"])).unwrap_err();
    assert!(matches!(error, OcrError::UnknownLanguage { .. }), "{error:?}");
}
