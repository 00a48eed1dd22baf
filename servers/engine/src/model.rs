//! The sentence encoder: loaded once, in the background, and asked for unit vectors.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use engine_protocol::{EngineErrorCode, EngineFault, ModelFacts};
use sentence_encoder::{Encoder, Model};

use crate::fault::{fault, internal};

/// The place of the model. Without a folder there is none, and words alone are searched.
pub(crate) struct ModelSlot {
    folder: Option<PathBuf>,
    loaded: OnceLock<Result<Arc<dyn Encoder>, EngineFault>>,
}

impl ModelSlot {
    pub(crate) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, loaded: OnceLock::new() }
    }

    #[cfg(test)]
    pub(crate) fn of(encoder: Arc<dyn Encoder>) -> Self {
        Self { folder: Some(PathBuf::from("tests")), loaded: OnceLock::from(Ok(encoder)) }
    }

    /// Waits for the model if it is being loaded. A folder that is no model is a fault of everything that needs one.
    pub(crate) fn get(&self) -> Result<Option<Arc<dyn Encoder>>, EngineFault> {
        let Some(folder) = &self.folder else { return Ok(None) };
        self.loaded.get_or_init(|| load(folder)).clone().map(Some)
    }

    /// Of its files; vectors of another one cannot be compared with its own.
    pub(crate) fn digest(&self) -> Result<Option<String>, EngineFault> {
        Ok(self.get()?.map(|model| model.model().to_owned()))
    }

    pub(crate) fn facts(&self) -> Result<Option<ModelFacts>, EngineFault> {
        let Some(model) = self.get()? else { return Ok(None) };
        let name = self.folder.as_deref().and_then(Path::file_name);
        Ok(Some(ModelFacts {
            name: name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            digest: model.model().to_owned(),
            dimensions: model.dimensions() as u32,
        }))
    }
}

fn load(folder: &Path) -> Result<Arc<dyn Encoder>, EngineFault> {
    let loaded = Model::load(folder).map(|model| Arc::new(model) as Arc<dyn Encoder>);
    loaded.map_err(|error| {
        tracing::error!("the model cannot be used: {error}");
        let message = format!("the model cannot be used: {error}");
        EngineFault { hint: Some(error.hint().to_owned()), ..fault(EngineErrorCode::Internal, message) }
    })
}

/// One vector of length 1 for each text, in order.
pub(crate) fn unit_vectors(model: &dyn Encoder, texts: &[&str]) -> Result<Vec<Vec<f32>>, EngineFault> {
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    let mut vectors = model.embed(texts).map_err(|error| internal("encoding", error))?;
    vectors.iter_mut().for_each(|vector| normalize(vector));
    Ok(vectors)
}

/// The cosine of unit vectors.
pub(crate) fn cosine(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

fn normalize(vector: &mut [f32]) {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|value| *value /= length);
    }
}
