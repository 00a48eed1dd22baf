//! Which tools there are, and what agents are told about them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use capability_kit::{Capability, FileStrategy, Tool, Trouble};
use capability_ocr::{Engine, OcrError, Settings};

use crate::trouble::trouble_of;
use crate::{describe, extract};

/// A dense page takes some seconds, twice if it has to be turned, and machines may be slow or busy.
const TIME_LIMIT: Duration = Duration::from_secs(120);

const INSTRUCTIONS: &str = "Reads pictures: extract gives the text of a photo, scan or screenshot line by line, with places and \
    confidence; describe_image says what kind of picture it is, its size, colours and how much of it is text.";

/// What can be set on this server's command line.
#[derive(Clone, Default, Debug, clap::Args)]
pub struct Options {
    /// Folder with the weights for reading text (script/ocr-model fetches them); looked for in the usual places if left out
    #[arg(long, env = "CAPABILITY_OCR_MODELS", value_name = "FOLDER")]
    pub ocr_models: Option<PathBuf>,
    /// The Tesseract program, if it is not on the path
    #[arg(long, env = "CAPABILITY_TESSERACT", value_name = "FILE")]
    pub tesseract: Option<PathBuf>,
    /// Languages of pictures, where a call does not say, such as `en,de`
    #[arg(long, env = "CAPABILITY_OCR_LANGUAGES", value_name = "CODES", value_delimiter = ',')]
    pub ocr_languages: Vec<String>,
}

/// The server.
pub fn capability(options: &Options) -> Capability {
    let settings = Settings {
        models: options.ocr_models.clone(),
        tesseract: options.tesseract.clone(),
        languages: options.ocr_languages.clone(),
    };
    let engine = Engine::find(&settings).map(Arc::new).map_err(|error| off(&error));
    Capability::new("image-ocr-mcp", env!("CARGO_PKG_VERSION"), INSTRUCTIONS)
        .tool(extract_tool(engine.clone()))
        .tool(describe_tool(engine.ok()))
}

fn extract_tool(engine: Result<Arc<Engine>, Trouble>) -> Tool {
    let (engine, off) = match engine {
        Ok(engine) => (Some(engine), None),
        Err(why) => (None, Some(why)),
    };
    let tool = Tool::new(
        "extract",
        "Extract text from a picture",
        "Read the text in a picture (PNG, JPEG, WebP, TIFF, GIF, BMP): all of it in reading order, and each line with its \
         place and confidence. Turned pictures are set upright first. A picture without text gives an empty text.",
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

fn describe_tool(engine: Option<Arc<Engine>>) -> Tool {
    Tool::new(
        "describe_image",
        "Describe a picture",
        "Say what a picture is: size, type, colour model, dominant colours, brightness, animation, and how much of its area \
         is text.",
        move |arguments, work| describe::describe_image(arguments, work, engine.as_deref()),
    )
    .capabilities(&["images"])
    .file(FileStrategy::ImageBase64)
    .time_limit(TIME_LIMIT)
}

/// The hint belongs to the sentence here: it is all that a list of tools shows.
fn off(error: &OcrError) -> Trouble {
    let trouble = trouble_of(error);
    let message = match &trouble.hint {
        Some(hint) => format!("{}; {hint}", trouble.message),
        None => trouble.message.clone(),
    };
    Trouble { message, ..trouble }
}
