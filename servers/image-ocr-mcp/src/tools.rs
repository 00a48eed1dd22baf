//! The tools, and their descriptions for agents.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use capability_kit::{Capability, FileStrategy, Tool, Trouble};
use capability_ocr::{OcrEngine, OcrError, OcrSettings};

use crate::trouble::trouble_of;
use crate::{describe, extract};

/// A dense page takes some seconds, twice if it has to be rotated, and machines may be slow or busy.
const TIME_LIMIT: Duration = Duration::from_secs(120);

const INSTRUCTIONS: &str = "Reads pictures: extract returns the text of a photo, scan or screenshot line by \
    line, with positions and confidence; describe_image returns the kind of picture, its size, its colours \
    and how much of it is text.";

/// The options of this server's command line.
#[derive(Clone, Default, Debug, clap::Args)]
pub struct ImageOcrOptions {
    /// Folder with the weights for reading text (script/ocr-model fetches them); searched in the usual places
    /// by default
    #[arg(long, env = "CAPABILITY_OCR_MODELS", value_name = "FOLDER")]
    pub ocr_models: Option<PathBuf>,
    /// The Tesseract program, if it is not on the PATH
    #[arg(long, env = "CAPABILITY_TESSERACT", value_name = "FILE")]
    pub tesseract: Option<PathBuf>,
    /// Default languages of pictures, such as `en,de`
    #[arg(long, env = "CAPABILITY_OCR_LANGUAGES", value_name = "CODES", value_delimiter = ',')]
    pub ocr_languages: Vec<String>,
}

/// The server.
pub fn capability(options: &ImageOcrOptions) -> Capability {
    let settings = OcrSettings {
        models: options.ocr_models.clone(),
        tesseract: options.tesseract.clone(),
        languages: options.ocr_languages.clone(),
    };
    let engine = OcrEngine::find(&settings).map(Arc::new).map_err(|error| off(&error));
    Capability::new("image-ocr-mcp", env!("CARGO_PKG_VERSION"), INSTRUCTIONS)
        .tool(extract_tool(engine.clone()))
        .tool(describe_tool(engine.ok()))
}

fn extract_tool(engine: Result<Arc<OcrEngine>, Trouble>) -> Tool {
    let (engine, off) = match engine {
        Ok(engine) => (Some(engine), None),
        Err(why) => (None, Some(why)),
    };
    let tool = Tool::new(
        "extract",
        "Extract text from a picture",
        "Read the text in a picture (PNG, JPEG, WebP, TIFF, GIF, BMP): the whole text in reading order, and \
         each line with its position and confidence. Rotated pictures are turned upright first. A picture \
         without text returns an empty text.",
        move |arguments, work| extract::extract(arguments, work, engine.as_deref()),
    )
    .capabilities(&["images"])
    .file(FileStrategy::ImageBase64)
    .time_limit(TIME_LIMIT);
    match off {
        Some(why) => tool.off(why),
        None => tool,
    }
}

fn describe_tool(engine: Option<Arc<OcrEngine>>) -> Tool {
    Tool::new(
        "describe_image",
        "Describe a picture",
        "Describe a picture: size, type, colour model, dominant colours, brightness, animation, and how much \
         of its area is text.",
        move |arguments, work| describe::describe_image(arguments, work, engine.as_deref()),
    )
    .capabilities(&["images"])
    .file(FileStrategy::ImageBase64)
    .time_limit(TIME_LIMIT)
}

/// Puts the hint into the message, because a list of tools shows only the message.
fn off(error: &OcrError) -> Trouble {
    let trouble = trouble_of(error);
    let message = match &trouble.hint {
        Some(hint) => format!("{}; {hint}", trouble.message),
        None => trouble.message.clone(),
    };
    Trouble { message, ..trouble }
}
