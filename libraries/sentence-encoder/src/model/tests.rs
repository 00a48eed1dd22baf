//! A tiny model with made-up weights replaces a real one; a real one is checked if available.
#![expect(clippy::disallowed_methods, reason = "a test starts tasks and reads settings as it likes")]

mod tiny;

use std::fs;
use std::path::PathBuf;

use crate::{Encoder as _, LoadError, Model};
use tiny::Folder;

/// The most that two vectors differ anywhere.
fn apart(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

fn refused(folder: &Folder) -> LoadError {
    Model::load(folder.path()).err().expect("the folder is refused")
}

#[test]
fn a_vector_has_the_length_one_and_the_dimensions_of_the_model() {
    let model = Folder::new().load();
    let vectors = model.embed(&["read a file", ""]).unwrap();
    assert_eq!(model.dimensions(), tiny::SIZE);
    for vector in vectors {
        assert_eq!(vector.len(), tiny::SIZE);
        assert!((vector.iter().map(|value| value * value).sum::<f32>() - 1.0).abs() < 1e-5);
    }
}

#[test]
fn a_text_has_the_same_vector_alone_and_among_others() {
    let model = Folder::new().load();
    let texts = ["read a file", "send", "a file a file send", "read read read read"];
    let together = model.embed(&texts).unwrap();
    for (text, vector) in texts.iter().zip(&together) {
        assert!(apart(&model.embed(&[text]).unwrap()[0], vector) < 1e-5, "{text}");
    }
    assert!(apart(&together[0], &together[1]) > 1e-3, "different texts differ");
}

#[test]
fn a_catalogue_that_needs_several_batches_keeps_its_order() {
    let model = Folder::new().load();
    let long = "read a file ".repeat(100);
    let texts: Vec<&str> = (0..20).map(|number| if number == 13 { "send" } else { long.as_str() }).collect();
    let vectors = model.embed(&texts).unwrap();
    assert_eq!(vectors.len(), 20);
    assert!(apart(&vectors[13], &model.embed(&["send"]).unwrap()[0]) < 1e-5);
    assert!(apart(&vectors[13], &vectors[12]) > 1e-3);
}

#[test]
fn no_text_is_no_vector() {
    assert!(Folder::new().load().embed(&[]).unwrap().is_empty());
}

#[test]
fn words_after_the_limit_are_not_read() {
    let model = Folder::new().load();
    let vector = |count: usize| model.embed(&[&"file ".repeat(count)]).unwrap().remove(0);
    assert_eq!(vector(tiny::POSITIONS), vector(100_000));
}

#[test]
fn case_and_word_order_reach_the_model() {
    let model = Folder::new().load();
    let vectors = model.embed(&["READ a file", "read a file", "file a read"]).unwrap();
    assert_eq!(vectors[0], vectors[1]);
    assert!(apart(&vectors[1], &vectors[2]) > 1e-3);
}

#[test]
fn names_with_the_prefix_of_a_larger_model_are_found() {
    let (plain, prefixed) = (Folder::new(), Folder::new());
    prefixed.rename_tensors(|name| format!("bert.{name}"));
    let vector = |model: Model| model.embed(&["read"]).unwrap();
    assert_eq!(vector(plain.load()), vector(prefixed.load()));
}

#[test]
fn other_weights_are_another_model() {
    let (folder, other) = (Folder::new(), Folder::with_seed(2));
    assert_eq!(folder.load().model(), folder.load().model());
    assert_ne!(folder.load().model(), other.load().model());
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let error = Model::load(&PathBuf::from("/nowhere/at/all")).err().expect("it is refused");
    assert!(matches!(error, LoadError::NoFolder { .. }));
    assert!(error.to_string().contains("/nowhere/at/all") && error.hint().contains("script/model"));
}

#[test]
fn each_file_that_is_missing_is_named() {
    for file in ["config.json", "tokenizer.json", "model.safetensors"] {
        let folder = Folder::new();
        fs::remove_file(folder.path().join(file)).unwrap();
        let error = refused(&folder);
        assert!(matches!(error, LoadError::NoFile { file: missing, .. } if missing == file), "{error}");
    }
}

#[test]
fn files_that_are_something_else_are_named() {
    for file in ["config.json", "tokenizer.json", "model.safetensors"] {
        let folder = Folder::new();
        fs::write(folder.path().join(file), "version https://git-lfs.github.com/spec/v1").unwrap();
        let error = refused(&folder);
        assert!(error.to_string().contains(file), "{error}");
    }
}

#[test]
fn models_that_would_give_wrong_vectors_are_refused() {
    let check = |key: &str, value: serde_json::Value, said: &str| {
        let folder = Folder::new();
        folder.configure(key, value);
        let error = refused(&folder);
        assert!(
            matches!(error, LoadError::Unsupported { .. }) && error.to_string().contains(said),
            "{error}"
        );
    };
    check("model_type", "roberta".into(), "`roberta`");
    check("hidden_act", "relu".into(), "`relu`");
    check("position_embedding_type", "relative_key".into(), "positions");
    check("num_hidden_layers", 0.into(), "num_hidden_layers");
    check("num_attention_heads", 3.into(), "multiple");
}

#[test]
fn a_model_that_takes_its_first_word_for_the_text_is_refused() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("1_Pooling")).unwrap();
    fs::write(folder.path().join("1_Pooling/config.json"), r#"{"pooling_mode_cls_token": true}"#).unwrap();
    assert!(matches!(refused(&folder), LoadError::Unsupported { .. }));
}

#[test]
fn tensors_of_the_wrong_shape_and_missing_ones_are_named() {
    let folder = Folder::new();
    folder.configure("intermediate_size", 20.into());
    let error = refused(&folder);
    assert!(matches!(error, LoadError::Shape { .. }), "{error}");
    assert!(error.to_string().contains("encoder.layer.0.intermediate.dense.weight"), "{error}");
    let folder = Folder::new();
    folder.rename_tensors(|name| name.replace("layer.1", "layer.9"));
    let error = refused(&folder);
    assert!(matches!(&error, LoadError::NoTensor { name } if name.contains("encoder.layer.1")), "{error}");
}

#[test]
fn a_tokenizer_with_more_words_than_the_model_is_refused() {
    let folder = Folder::new();
    folder.configure("vocab_size", 4.into());
    assert!(matches!(refused(&folder), LoadError::Tokenizer { .. }));
}

/// The beginnings of the vectors of all-MiniLM-L6-v2, computed with doubles by another program.
#[test]
fn a_real_model_gives_the_vectors_it_gives_elsewhere() {
    let Some(folder) = std::env::var_os("TOOLGATE_TEST_MODEL") else { return };
    let model = Model::load(&PathBuf::from(folder)).unwrap();
    let texts = ["send an email", "open a bug report on the acme/web repo", "naïve Größe 東京"];
    let vectors = model.embed(&texts).unwrap();
    for (vector, wanted) in vectors.iter().zip(REFERENCE) {
        for (found, wanted) in vector.iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-4, "{vector:?}");
        }
    }
}

const REFERENCE: [[f32; 6]; 3] = [
    [-0.01844, -0.01872, 0.05827, 0.01976, 0.05374, -0.05066],
    [-0.13537, -0.05622, -0.04795, 0.06540, 0.03137, -0.03564],
    [0.08581, 0.05651, 0.06050, -0.03500, -0.09031, -0.00848],
];
