//! Speech, where the models are: TOOLGATE_TEST_SPEECH names their folder.

use capability_testkit::{Client, file};
use serde_json::json;

use crate::drive::start_with;
use crate::made::silence;

/// `None` where there are no models.
async fn hearing(jobs: &std::path::Path) -> Option<Client> {
    let Ok(models) = std::env::var("TOOLGATE_TEST_SPEECH") else {
        eprintln!(
            "skipped: TOOLGATE_TEST_SPEECH names no folder with models; script/speech-model fetches them"
        );
        return None;
    };
    Some(start_with(jobs, &["--speech-models", &models]).await)
}

#[tokio::test]
async fn silence_is_no_speech() {
    let folder = tempfile::tempdir().unwrap();
    let Some(client) = hearing(&folder.path().join("jobs")).await else { return };
    let heard = client.answer("generate_transcript", file(&silence(3), json!({}))).await;
    assert_eq!(
        (&heard["transcript"]["text"], &heard["warnings"]),
        (&json!(""), &json!(["no speech was found"])),
        "{heard}"
    );
    let (code, _) = client.trouble("generate_transcript", file(b"no sound at all", json!({}))).await;
    assert_eq!(code, "unsupported");
    let french = file(&silence(1), json!({ "language": "fr" }));
    assert_eq!(client.trouble("generate_transcript", french).await.0, "unsupported");
}
