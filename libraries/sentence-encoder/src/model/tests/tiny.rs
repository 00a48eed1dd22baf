//! A model folder small enough to be generated for each test.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::Model;

pub(super) const SIZE: usize = 8;
pub(super) const POSITIONS: usize = 32;
const WIDE: usize = 12;
const LAYERS: usize = 2;
const WORDS: [&str; 9] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "read", "a", "file", "send", "##s"];

pub(super) struct Folder(TempDir);

/// By name, the shape and the numbers.
type Tensors = BTreeMap<String, (Vec<usize>, Vec<f32>)>;

impl Folder {
    pub(super) fn new() -> Self {
        Self::with_seed(1)
    }

    pub(super) fn with_seed(seed: u32) -> Self {
        let folder = Self(TempDir::new().unwrap());
        folder.write("config.json", &config());
        folder.write("tokenizer.json", &tokenizer());
        folder.save(&tensors(seed));
        folder
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(super) fn load(&self) -> Model {
        Model::load(self.path()).unwrap()
    }

    pub(super) fn configure(&self, key: &str, value: Value) {
        let mut config = config();
        config[key] = value;
        self.write("config.json", &config);
    }

    pub(super) fn rename_tensors(&self, name: impl Fn(&str) -> String) {
        self.save(&tensors(1).into_iter().map(|(old, tensor)| (name(&old), tensor)).collect());
    }

    fn write(&self, file: &str, value: &Value) {
        fs::write(self.path().join(file), value.to_string()).unwrap();
    }

    fn save(&self, tensors: &Tensors) {
        let (mut header, mut data) = (serde_json::Map::new(), Vec::new());
        for (name, (shape, numbers)) in tensors {
            let start = data.len();
            data.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            let entry = json!({ "dtype": "F32", "shape": shape, "data_offsets": [start, data.len()] });
            header.insert(name.clone(), entry);
        }
        let header = Value::from(header).to_string();
        let file = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &data].concat();
        fs::write(self.path().join("model.safetensors"), file).unwrap();
    }
}

fn config() -> Value {
    json!({
        "model_type": "bert", "hidden_act": "gelu", "hidden_size": SIZE, "intermediate_size": WIDE,
        "num_attention_heads": 2, "num_hidden_layers": LAYERS, "max_position_embeddings": POSITIONS,
        "type_vocab_size": 2, "vocab_size": WORDS.len(), "layer_norm_eps": 1e-12,
    })
}

fn tokenizer() -> Value {
    let vocabulary: serde_json::Map<String, Value> =
        WORDS.iter().enumerate().map(|(number, word)| ((*word).to_owned(), number.into())).collect();
    let special = |id: &str| json!({ "SpecialToken": { "id": id, "type_id": 0 } });
    let named = |id: &str, number: u32| json!({ "id": id, "ids": [number], "tokens": [id] });
    json!({
        "version": "1.0",
        "truncation": null,
        "padding": { "strategy": { "Fixed": 16 }, "direction": "Right", "pad_to_multiple_of": null,
                     "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]" },
        "added_tokens": [],
        "normalizer": { "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                        "strip_accents": null, "lowercase": true },
        "pre_tokenizer": { "type": "BertPreTokenizer" },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [special("[CLS]"), { "Sequence": { "id": "A", "type_id": 0 } }, special("[SEP]")],
            "pair": [special("[CLS]"), { "Sequence": { "id": "A", "type_id": 0 } }, special("[SEP]")],
            "special_tokens": { "[CLS]": named("[CLS]", 2), "[SEP]": named("[SEP]", 3) },
        },
        "decoder": null,
        "model": { "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                   "max_input_chars_per_word": 100, "vocab": vocabulary },
    })
}

fn tensors(seed: u32) -> Tensors {
    let mut tensors = Tensors::new();
    let mut state = seed;
    let mut add = |name: String, shape: &[usize]| {
        let values: Vec<f32> = (0..shape.iter().product()).map(|_| number(&mut state)).collect();
        tensors.insert(name, (shape.to_vec(), values));
    };
    for (name, rows) in [("word", WORDS.len()), ("position", POSITIONS), ("token_type", 2)] {
        add(format!("embeddings.{name}_embeddings.weight"), &[rows, SIZE]);
    }
    let mut norms = vec!["embeddings.LayerNorm".to_owned()];
    for layer in (0..LAYERS).map(|layer| format!("encoder.layer.{layer}")) {
        for part in ["self.query", "self.key", "self.value", "output.dense"] {
            add(format!("{layer}.attention.{part}.weight"), &[SIZE, SIZE]);
            add(format!("{layer}.attention.{part}.bias"), &[SIZE]);
        }
        for (part, outputs, inputs) in [("intermediate", WIDE, SIZE), ("output", SIZE, WIDE)] {
            add(format!("{layer}.{part}.dense.weight"), &[outputs, inputs]);
            add(format!("{layer}.{part}.dense.bias"), &[outputs]);
        }
        norms.extend([format!("{layer}.attention.output.LayerNorm"), format!("{layer}.output.LayerNorm")]);
    }
    for norm in norms {
        add(format!("{norm}.weight"), &[SIZE]);
        add(format!("{norm}.bias"), &[SIZE]);
    }
    tensors
}

/// Always the same numbers between -1 and 1.
fn number(state: &mut u32) -> f32 {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    (*state >> 8) as f32 / (1 << 23) as f32 - 1.0
}
