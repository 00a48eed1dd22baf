//! ONNX Runtime and the models, loaded from one folder.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ort::environment::Environment;
use ort::session::Session;
use ort::session::builder::GraphOptimizationLevel;

use crate::activity::SpeechDetector;
use crate::error::SpeechError;
use crate::moonshine::Moonshine;

/// The names of the runtime's library, here and on a Mac.
const LIBRARIES: [&str; 2] = ["libonnxruntime.so.1.22.1", "libonnxruntime.1.22.1.dylib"];
const FILES: [&str; 4] =
    ["encoder_model.ort", "decoder_model_merged.ort", "tokenizer.bin", "silero_vad.onnx"];
/// More threads than this make small models slower.
const THREADS_MAX: usize = 4;

/// Models that are ready for work.
pub struct SpeechModels {
    pub(crate) moonshine: Moonshine,
    pub(crate) detector: SpeechDetector,
}

impl SpeechModels {
    /// The first file that is missing for speech in this folder. Quick: nothing is loaded.
    pub fn missing(folder: &Path) -> Option<PathBuf> {
        let library = LIBRARIES.iter().map(|name| folder.join(name)).find(|path| path.is_file());
        match library {
            None => Some(folder.join(LIBRARIES[0])),
            Some(_) => FILES.iter().map(|name| folder.join(name)).find(|path| !path.is_file()),
        }
    }

    pub fn load(folder: &Path) -> Result<Self, SpeechError> {
        if let Some(missing) = Self::missing(folder) {
            return Err(SpeechError::ModelMissing(missing));
        }
        start(folder)?;
        let moonshine = Moonshine::load(
            session(&folder.join(FILES[0]))?,
            session(&folder.join(FILES[1]))?,
            &std::fs::read(folder.join(FILES[2])).map_err(|error| SpeechError::Model(error.to_string()))?,
        )?;
        Ok(Self { moonshine, detector: SpeechDetector::new(session(&folder.join(FILES[3]))?) })
    }
}

/// What is kept of the runtime until the process is gone.
type KeptEnvironment = Option<Arc<Environment>>;

/// The library can be loaded once in a process; the first folder counts.
fn start(folder: &Path) -> Result<(), SpeechError> {
    static STARTED: OnceLock<Result<KeptEnvironment, String>> = OnceLock::new();
    let started = STARTED.get_or_init(|| started(folder));
    started.as_ref().map(|_| ()).map_err(|error| SpeechError::Model(error.clone()))
}

/// `ort` releases the environment among the destructors of the program. A library that was loaded later than these were
/// registered is torn down before them, and the release reads what is gone: the process ends with a segmentation fault. A
/// share that is never given back leaves the release to the library itself. On a Mac `ort` registers the release after the
/// library is loaded, where it comes in time, and there it must not be left out.
fn started(folder: &Path) -> Result<KeptEnvironment, String> {
    let library = LIBRARIES.iter().map(|name| folder.join(name)).find(|path| path.is_file());
    let library = library.ok_or("the library is missing")?;
    let library = library.canonicalize().map_err(|error| error.to_string())?;
    let options = ort::init_from(library).map_err(|error| error.to_string())?;
    options.with_telemetry(false).commit();
    let environment = Environment::current().map_err(|error| error.to_string())?;
    Ok(if cfg!(target_vendor = "apple") { None } else { Some(environment) })
}

fn session(path: &Path) -> Result<Session, SpeechError> {
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get().min(THREADS_MAX));
    let builder = Session::builder()?;
    // The level before the last is not known to the library that comes with the model, and left to choose a device it looks
    // for some that are not there.
    let builder = builder.with_optimization_level(GraphOptimizationLevel::All)?;
    let builder = builder.with_execution_providers([ort::ep::CPU::default().build()])?;
    let builder = builder.with_intra_threads(threads)?;
    // Threads that wait by spinning take the processor from everybody else.
    let mut builder = builder.with_intra_op_spinning(false)?;
    Ok(builder.commit_from_file(path)?)
}
