//! Tensors by name, each with the shape it must have.

use std::collections::HashMap;

use candle_core::{DType, Device, Tensor};

use crate::LoadError;
use crate::folder::{Folder, WEIGHTS};

/// What some files put before every name.
const PREFIX: &str = "bert.";

pub(crate) struct Weights {
    tensors: HashMap<String, Tensor>,
}

impl Weights {
    pub(crate) fn parse(folder: &Folder, bytes: &[u8]) -> Result<Self, LoadError> {
        let failed = |source| LoadError::Weights { path: folder.path(WEIGHTS), source: Box::new(source) };
        let tensors = candle_core::safetensors::load_buffer(bytes, &Device::Cpu).map_err(failed)?;
        let named = |(name, tensor): (String, Tensor)| {
            (name.strip_prefix(PREFIX).map(str::to_owned).unwrap_or(name), tensor)
        };
        Ok(Self { tensors: tensors.into_iter().map(named).collect() })
    }

    /// Takes a tensor out, so that what is not needed is gone when all are taken.
    pub(crate) fn take(&mut self, name: &str, shape: &[usize]) -> Result<Tensor, LoadError> {
        let missing = || LoadError::NoTensor { name: name.to_owned() };
        let tensor = self.tensors.remove(name).ok_or_else(missing)?;
        if tensor.dims() != shape {
            let (found, wanted) = (tensor.dims().to_vec(), shape.to_vec());
            return Err(LoadError::Shape { name: name.to_owned(), found, wanted });
        }
        tensor.to_dtype(DType::F32).map_err(|_| missing())
    }
}
