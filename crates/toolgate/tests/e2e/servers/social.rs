//! The server that judges headlines and ads, behind the gateway: pictures and texts come by their ids.

use serde_json::json;

use super::house::open;
use crate::files::archive::structure;
use crate::kit::call;
use crate::runs::work::Work;

/// A grey picture of 8 by 8 pixels.
pub(super) const PNG: &[u8] =
    b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x08\x00\x00\x00\x08\x08\x00\x00\
    \x00\x00\xe1d\xe1W\x00\x00\x00\x0eIDATx\xdach\x80\x02\x06\xca\x18\x00\x80\x84 \x01\x10\xe8\
    j\x17\x00\x00\x00\x00IEND\xaeB`\x82";

#[tokio::test]
async fn headlines_are_compared_through_the_gateway() {
    let archive = open("", &["social-intelligence-mcp"]).await;
    let work = Work::start(&archive, json!({})).await;
    let headlines =
        json!({ "headlines": ["Are You Ready For This?!", "She Said 3 Words. The Room Stood Up."] });
    let compared = call(&work.client, "social-intelligence-mcp__score_headlines", headlines).await;
    let compared = structure(&compared);
    assert_eq!(compared["ranking"][0]["index"], 1, "{compared}");
    assert!(compared["evidence"].as_str().is_some_and(|said| said.contains("not measured")), "{compared}");
}

#[tokio::test]
async fn a_picture_and_a_post_come_by_the_ids_of_files() {
    let archive = open("", &["social-intelligence-mcp"]).await;
    let work = Work::start(&archive, json!({})).await;
    let picture = archive.file("ad.png", PNG).await;
    let arguments = json!({ "file_id": picture, "platform": "instagram" });
    let seen = call(&work.client, "social-intelligence-mcp__analyze_creative", arguments).await;
    let seen = structure(&seen);
    assert_eq!(seen["picture"]["width"], 8, "{seen}");
    assert_eq!(seen["picture"]["colours"], json!(["#808080"]), "{seen}");
    let post = archive.file("post.txt", b"The best tea on earth. Shop now.").await;
    let judged =
        call(&work.client, "social-intelligence-mcp__score_content", json!({ "file_id": post })).await;
    let judged = structure(&judged);
    assert_eq!(judged["calls_to_action"], json!(["shop now"]), "{judged}");
    assert_eq!(judged["claims"][0]["text"], "The best", "{judged}");
}
