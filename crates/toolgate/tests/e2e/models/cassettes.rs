//! Cassettes: a model is recorded once and played strictly afterwards, without its key.

use toolgate_testkit::model::{WireFormat, obliging};

use super::{KEY, keyed, tested_with_key};
use crate::kit::Remote;
use crate::live::secrets::set_secret;
use crate::live::site::Site;

/// A gateway with one model at this address.
fn site_at(url: &str, name: &str) -> Site {
    let toml = format!(
        "[[models]]\nname = \"claude\"\nprovider = \"anthropic\"\nmodel = \"{name}\"\nurl = \"{url}/v1\"\nkey = \"MODEL_KEY\"\n"
    );
    let site = Site::open_with(&toml);
    set_secret(&site, &["toolgate", "MODEL_KEY"], KEY);
    site
}

#[tokio::test]
async fn what_is_recorded_is_played_to_exactly_the_same_requests() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cassette = folder.path().join("claude.jsonl");
    let cassette = cassette.to_str().expect("paths of tests are text");
    let real = keyed(obliging());
    let address = format!("http://{}", real.address());
    {
        let recorder = Remote::start("scripted-model", &["--record", cassette, "--address", &address]);
        assert!(tested_with_key(&site_at(&recorder.url, "scripted"), "claude").0);
    }
    assert_eq!(real.requests_of("").len(), 2, "both questions went through");
    real.assert_no_problems();
    assert_eq!(real.requests()[0].format, WireFormat::Anthropic);
    let recorded = std::fs::read_to_string(cassette).expect("the cassette is there");
    assert!(recorded.lines().count() == 2 && !recorded.contains(KEY), "{recorded}");
    let player = Remote::start("scripted-model", &["--replay", cassette]);
    assert!(tested_with_key(&site_at(&player.url, "scripted"), "claude").0, "it plays");
    let player = Remote::start("scripted-model", &["--replay", cassette]);
    let (succeeded, said) = tested_with_key(&site_at(&player.url, "another"), "claude");
    assert!(!succeeded, "{said}");
    let message = said["fault"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("/model") && message.contains("another"), "a miss says what differs: {said}");
    assert_eq!(real.requests().len(), 2, "nothing is asked of the real one");
}
