//! Secrets: into their own origin only, and out of nothing.

use image::GenericImageView as _;
use serde_json::{Value, json};

use crate::drive::Stage;

const VALUE: &str = "hunter2-battery-staple";

#[tokio::test]
async fn a_secret_reaches_its_field_and_no_answer() {
    let stage = Stage::with(&["--allow-private", "--evaluate"]).await;
    stage.go("/show").await;
    let secret = stage.secret(VALUE);
    let mut answers = vec![
        stage.call("type", json!({ "target": "#user", "secret": secret })).await,
        stage.call("fill_form", json!({ "fields": [{ "target": "#pass", "secret": secret }] })).await,
    ];
    assert!(answers[0].starts_with("Entered cred_1.password into textbox \"User\"."), "{}", answers[0]);
    // The page has it, and even shows it.
    let length = stage
        .call(
            "evaluate",
            json!({ "expression": "[user.value.length, pass.value.length, out.textContent.length]" }),
        )
        .await;
    assert!(
        length.starts_with(&format!("The script returned [{0},{0},{1}]", VALUE.len(), VALUE.len() + 6)),
        "{length}"
    );
    for (tool, arguments) in [
        ("snapshot", json!({})),
        ("snapshot", json!({ "target": "#user" })),
        ("find", json!({ "text": "Hello" })),
        ("find", json!({ "text": VALUE })),
        ("read_page", json!({})),
        ("tabs", json!({})),
        ("evaluate", json!({ "expression": "document.title = user.value" })),
        ("tabs", json!({})),
        ("wait_for", json!({ "text": "Hello" })),
        ("press", json!({ "key": "End", "target": "#user" })),
        ("evaluate", json!({ "expression": "alert(user.value)" })),
        ("evaluate", json!({ "expression": "console.error(user.value); location.hash = user.value" })),
    ] {
        answers.push(stage.call(tool, arguments).await);
    }
    answers.push(stage.client.trouble("click", json!({ "target": format!("#{VALUE}") })).await.1);
    for answer in &answers {
        assert!(!answer.contains(VALUE), "{answer}");
    }
    assert!(answers.iter().any(|answer| answer.contains("cred_1.password")));
}

#[tokio::test]
async fn a_secret_for_another_origin_stays_where_it_is() {
    let stage = Stage::open().await;
    stage.call("navigate", json!({ "url": stage.site.other_url("/show") })).await;
    let refused = stage
        .refused("type", json!({ "target": "#pass", "secret": stage.secret(VALUE) }), "bad_arguments")
        .await;
    assert!(
        refused.contains("cred_1.password belongs to http://127.0.0.1") && !refused.contains(VALUE),
        "{refused}"
    );
    // The page has the right origin, the frame with the field has another one.
    stage.go("/framed").await;
    let snapshot = stage.call("snapshot", json!({})).await;
    let pin = crate::drive::ref_of(&snapshot, "\"Pin\"");
    let refused =
        stage.refused("type", json!({ "target": pin, "secret": stage.secret(VALUE) }), "bad_arguments").await;
    assert!(refused.contains("not to http://localhost"), "{refused}");
    for (arguments, words) in [
        (json!({ "target": "#deep", "secret": "cred_1.password" }), "behind a Toolgate gateway"),
        (json!({ "target": "#deep", "text": "x", "secret": stage.secret(VALUE) }), "both text and secret"),
        (json!({ "secret": stage.secret(VALUE) }), "without a target"),
    ] {
        let refused = stage.refused("type", arguments, "bad_arguments").await;
        assert!(refused.contains(words), "{words}: {refused}");
    }
}

async fn picture(stage: &Stage) -> image::DynamicImage {
    let result = stage.client.call("screenshot", json!({ "format": "png" })).await;
    let result: Value = serde_json::to_value(&result).unwrap();
    let data = result["content"][1]["data"].as_str().unwrap_or_else(|| panic!("{result}"));
    image::load_from_memory(&base64_simd::STANDARD.decode_to_vec(data).unwrap()).unwrap()
}

/// How many pixels of a part differ between two pictures.
fn differing(one: &image::DynamicImage, other: &image::DynamicImage, top: u32) -> usize {
    let (left, width, height) = (24, 280, 32);
    let (one, other) = (one.view(left, top, width, height), other.view(left, top, width, height));
    one.pixels().zip(other.pixels()).filter(|(one, other)| one.2 != other.2).count()
}

/// The same page with the same words, once typed as text and once as a secret: only where the secret stands do the pictures differ.
#[tokio::test]
async fn a_secret_is_blurred_in_pictures() {
    let stage = Stage::open().await;
    stage.go("/show").await;
    stage.call("type", json!({ "target": "#user", "text": VALUE })).await;
    stage.call("press", json!({ "key": "Tab", "target": "#plain" })).await;
    let clear = picture(&stage).await;
    stage.go("/show").await;
    stage.call("type", json!({ "target": "#user", "secret": stage.secret(VALUE) })).await;
    stage.call("press", json!({ "key": "Tab", "target": "#plain" })).await;
    let blurred = picture(&stage).await;
    let [user, plain, echo] = [24, 184, 244].map(|top| differing(&clear, &blurred, top));
    assert!(user > 300, "the field is unreadable: {user} pixels differ");
    assert!(echo > 300, "so is the place where the page repeats it: {echo} pixels differ");
    assert_eq!(plain, 0, "nothing else is touched");
    let again = stage.call("snapshot", json!({})).await;
    assert!(again.contains("Plain"), "{again}");
}
