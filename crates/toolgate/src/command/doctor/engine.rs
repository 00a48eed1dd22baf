//! The doctor's finding about the engine, which is started for it in a folder of its own.

use std::sync::Arc;

use engine_protocol::EngineGreeting;
use toolgate_core::{Refusal, codes};
use toolgate_files::Blobs;
use toolgate_store::Store;

use super::finding::{DoctorFinding, fine, wrong};
use crate::config::Config;
use crate::governance::SystemClock;
use crate::{engine, failure};

/// Within the folder of the engine: a running gateway works in that itself.
const FOLDER: &str = "doctor";

pub(super) async fn check(config: &Config, store: &Store) -> DoctorFinding {
    let clock = Arc::new(SystemClock::default());
    let blobs = match Blobs::new(&config.files, store.clone(), clock.clone()) {
        Ok(blobs) => blobs,
        Err(refusal) => return wrong("engine", refusal.message, Some(refusal.hint)),
    };
    let is_new = !config.engine.folder.exists();
    let folder = config.engine.folder.join(FOLDER);
    let link = match engine::link_in(config, folder.clone(), &blobs, clock) {
        Ok(link) => link,
        Err(error) => return wrong("engine", failure::render(&error), None),
    };
    let greeting = link.greeting().await;
    link.stop().await;
    // It may not be there: an engine that is missing made none. A running gateway hides the folder around it from servers, and one
    // that is made again would not be hidden.
    drop(std::fs::remove_dir_all(if is_new { &config.engine.folder } else { &folder }));
    match greeting {
        Ok(greeting) => told(&greeting),
        Err(refusal) => refused(refusal),
    }
}

/// Without an engine everything else works.
fn refused(refusal: Refusal) -> DoctorFinding {
    let finding = match *refusal.code == codes::ENGINE_MISSING {
        true => fine("engine", refusal.message),
        false => wrong("engine", refusal.message, None),
    };
    DoctorFinding { hint: Some(refusal.hint), ..finding }
}

fn told(greeting: &EngineGreeting) -> DoctorFinding {
    let meaning = greeting.model.as_ref().map_or("by words alone".to_owned(), |model| {
        format!("by words and by meaning ({}, {} dimensions)", model.name, model.dimensions)
    });
    let pictures = if greeting.reads_pictures { "reads pictures" } else { "does not read pictures" };
    let mut says = format!("version {}, searches {meaning}, {pictures}", greeting.version);
    let mut hint = None;
    if let Some(postgres) = &greeting.postgres {
        says.push_str(&format!(", Postgres {}", postgres.version));
        hint = Some(postgres.lacking.join("; ")).filter(|lacking| !lacking.is_empty());
    }
    DoctorFinding { hint, ..fine("engine", says) }
}

#[cfg(test)]
mod tests {
    use engine_protocol::{ModelFacts, PROTOCOL, PostgresFacts};

    use super::*;

    #[test]
    fn the_abilities_of_the_engine_are_told_in_one_line() {
        let plain = EngineGreeting {
            protocol: PROTOCOL,
            version: "0.1.0".to_owned(),
            parser: "docir-1".to_owned(),
            format: 1,
            model: None,
            reads_pictures: false,
            postgres: None,
        };
        assert_eq!(told(&plain).says, "version 0.1.0, searches by words alone, does not read pictures");
        let model = ModelFacts { name: "m".to_owned(), digest: "d".to_owned(), dimensions: 384 };
        let postgres = PostgresFacts {
            version: "17.2".to_owned(),
            vector: None,
            bm25: None,
            lacking: vec!["pgvector is missing: no search by meaning".to_owned()],
        };
        let (model, postgres) = (Some(model), Some(postgres));
        let rich = told(&EngineGreeting { model, postgres, reads_pictures: true, ..plain });
        let expected = "version 0.1.0, searches by words and by meaning (m, 384 dimensions), reads pictures, Postgres 17.2";
        assert_eq!(rich.says, expected);
        assert_eq!(rich.hint.as_deref(), Some("pgvector is missing: no search by meaning"));
    }

    #[test]
    fn a_missing_engine_is_no_fault_of_the_gateway() {
        let missing = refused(Refusal::new(&codes::ENGINE_MISSING, "it is not there"));
        assert!(missing.ok && missing.hint.is_some_and(|hint| hint.contains("script/up")));
        assert!(!refused(Refusal::new(&codes::ENGINE_FAILED, "it ended")).ok);
    }
}
