//! The child process of these tests.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use tempfile::TempDir;
use toolgate_core::server::{Sandbox, ServerSpec, TransportSpec};

use crate::kit::spec;

const SCRIPT: &str = include_str!("neighbour.py");

fn folder() -> &'static TempDir {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join("neighbour.py"), SCRIPT).unwrap();
        folder
    })
}

/// A server of the given kind, as the script names it.
pub(crate) fn child(kind: &str) -> ServerSpec {
    child_with(kind, &[])
}

pub(crate) fn child_with(kind: &str, env: &[(&str, &str)]) -> ServerSpec {
    let script = folder().path().join("neighbour.py");
    spec(TransportSpec::Stdio {
        command: "python3".into(),
        args: vec!["-u".into(), script.to_str().unwrap().into(), kind.into()],
        env: env
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect::<BTreeMap<_, _>>(),
        cwd: None,
        sandbox: Sandbox::default(),
    })
}
