//! What reads text and finds faces, and pictures of calls.

use std::path::PathBuf;
use std::sync::OnceLock;

use capability_kit::{FileInput, Trouble, TroubleCode, Work};
use capability_ocr::{OcrEngine, OcrError, OcrReading, OcrSettings, Picture};

use super::options::SocialOptions;
use crate::creative::{FaceDetector, FoundFace};

/// The model in its folder.
const FACE_MODEL: &str = "seeta_fd_frontal_v1.0.bin";
const FACE_HINT: &str = "run script/face-model and name its folder in CAPABILITY_FACE_MODELS";

/// Engines that are searched with the first picture, so that the server starts at once.
pub(super) struct CreativeEyes {
    settings: OcrSettings,
    engine: OnceLock<Result<OcrEngine, String>>,
    face_models: Option<PathBuf>,
    detector: OnceLock<Result<FaceDetector, String>>,
}

impl CreativeEyes {
    pub(super) fn of(options: &SocialOptions) -> Self {
        let settings = OcrSettings {
            models: options.ocr_models.clone(),
            tesseract: options.tesseract.clone(),
            ..OcrSettings::default()
        };
        let face_models = options.face_models.clone().filter(|folder| !folder.as_os_str().is_empty());
        Self { settings, engine: OnceLock::new(), face_models, detector: OnceLock::new() }
    }

    /// The text of a picture, or why it could not be read.
    pub(super) fn read(&self, picture: &Picture) -> Result<OcrReading, String> {
        let find = || OcrEngine::find(&self.settings).map_err(|error| said(&error));
        let engine = self.engine.get_or_init(find).as_ref().map_err(Clone::clone)?;
        engine.read(picture).map_err(|error| said(&error))
    }

    /// The faces of a picture, or why they were not looked for.
    pub(super) fn faces(&self, picture: &Picture) -> Result<Vec<FoundFace>, String> {
        let detector = self.detector.get_or_init(|| self.detector()).as_ref().map_err(Clone::clone)?;
        Ok(detector.find(picture))
    }

    fn detector(&self) -> Result<FaceDetector, String> {
        let folder =
            self.face_models.as_ref().ok_or_else(|| format!("no model is configured; {FACE_HINT}"))?;
        FaceDetector::load(&folder.join(FACE_MODEL)).map_err(|error| format!("{error}; {FACE_HINT}"))
    }
}

fn said(error: &OcrError) -> String {
    match error.hint() {
        Some(hint) => format!("{error}; {hint}"),
        None => error.to_string(),
    }
}

/// A picture, and the bytes of its file.
pub(super) fn decoded(file: FileInput, work: &Work) -> Result<(Picture, u64), Trouble> {
    let loaded = file.load(work).map_err(in_our_words)?;
    let picture = Picture::decode(&loaded.bytes).map_err(|error| {
        let code = match error {
            OcrError::NotAPicture => TroubleCode::Unsupported,
            OcrError::TooLarge { .. } => TroubleCode::TooLarge,
            _ => TroubleCode::Unreadable,
        };
        let trouble = Trouble::new(code, error.to_string());
        match error.hint() {
            Some(hint) => trouble.hint(hint),
            None => trouble,
        }
    })?;
    Ok((picture, loaded.bytes.len() as u64))
}

/// The kit speaks of files; the arguments here are called otherwise.
fn in_our_words(trouble: Trouble) -> Trouble {
    let ours = |text: String| text.replace("file_data", "image_data");
    Trouble { message: ours(trouble.message), hint: trouble.hint.map(ours), code: trouble.code }
}
