//! Jobs: fetched, worked on, asked about, cancelled, taken up again.

use serde_json::{Value, json};

use crate::drive::{over, start, start_with};
use crate::made::{Served, mkv, serve};

#[tokio::test]
async fn a_job_takes_the_text_track_of_a_video() {
    let folder = tempfile::tempdir().unwrap();
    let client = start(&folder.path().join("jobs")).await;
    let url = serve(Served::Whole(mkv(&[(1000, 500, "Größe")])));
    let job = client.answer("create_job", json!({ "input_url": url, "formats": ["vtt", "srt"] })).await;
    let done = over(&client, &job["job_id"]).await;
    assert_eq!(
        (&done["state"], &done["result"]["source"], &done["result"]["cues"]),
        (&json!("done"), &json!("track"), &json!(1)),
        "{done}"
    );
    let files = done["result"]["files"].as_array().unwrap();
    let formats: Vec<&str> = files.iter().map(|file| file["format"].as_str().unwrap()).collect();
    assert_eq!(formats, ["srt", "vtt"]);
    let text = String::from_utf8(client.bytes(files[0]["ref_id"].as_str().unwrap()).await).unwrap();
    assert_eq!(text, "1\n00:00:01,000 --> 00:00:01,500\nGröße\n\n");
    let again = over(&client, &job["job_id"]).await;
    assert_eq!(again["result"]["files"], done["result"]["files"], "the same refs are given again");
    let kept = walk(folder.path());
    assert!(!kept.iter().any(|text| text.contains("signature=secret")), "the address is forgotten");
}

/// The texts of all files below a folder.
fn walk(folder: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    entries
        .flat_map(|entry| match entry.path().is_dir() {
            true => walk(&entry.path()),
            false => vec![String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap()).into_owned()],
        })
        .collect()
}

#[tokio::test]
async fn a_finished_job_is_there_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let jobs = folder.path().join("jobs");
    let client = start(&jobs).await;
    let url = serve(Served::Whole(mkv(&[(0, 500, "one")])));
    let job = client.answer("create_job", json!({ "input_url": url })).await;
    over(&client, &job["job_id"]).await;
    drop(client);
    let client = start(&jobs).await;
    let done = over(&client, &job["job_id"]).await;
    let id = done["result"]["files"][0]["ref_id"].as_str().unwrap();
    assert!(!client.bytes(id).await.is_empty());
}

#[tokio::test]
async fn a_job_that_lost_its_server_is_taken_up_again_and_can_be_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    let jobs = folder.path().join("jobs");
    let client = start(&jobs).await;
    let job = client.answer("create_job", json!({ "input_url": serve(Served::Endless) })).await;
    let job = &job["job_id"];
    assert_eq!(client.answer("get_job", json!({ "job_id": job })).await["stage"], "download");
    drop(client.service.cancel().await);
    let client = start(&jobs).await;
    let state = client.answer("get_job", json!({ "job_id": job })).await;
    assert!(matches!(state["state"].as_str(), Some("queued" | "running")), "{state}");
    client.answer("cancel_job", json!({ "job_id": job })).await;
    assert_eq!(over(&client, job).await["state"], "cancelled");
}

#[tokio::test]
async fn addresses_that_expired_redirect_or_are_private_fail_with_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    let client = start(&folder.path().join("jobs")).await;
    for (served, words) in [
        (Served::Status("403 Forbidden"), "expired"),
        (Served::Status("302 Found"), "redirects"),
        (Served::Status("500 Oops"), "500"),
        (Served::Whole(Vec::new()), "empty"),
        (Served::Whole(b"no video at all".to_vec()), "hint"),
    ] {
        let job = client.answer("create_job", json!({ "input_url": serve(served), "mode": "extract" })).await;
        let failed = over(&client, &job["job_id"]).await;
        let error = failed["error"].as_str().unwrap_or_default();
        assert!(failed["state"] == "failed" && error.contains(words) && error.contains("hint: "), "{failed}");
        assert!(!error.contains("secret"), "{error}");
    }
    let strict = start_with(&folder.path().join("strict"), &[]).await;
    let job = strict.answer("create_job", json!({ "input_url": serve(Served::Endless) })).await;
    let failed = over(&strict, &job["job_id"]).await;
    assert!(failed["error"].as_str().unwrap().contains("private network"), "{failed}");
}

/// Waits until the file of a job has something in it.
async fn fetched(jobs: &std::path::Path, job: &Value) -> u64 {
    let file = jobs.join(job.as_str().unwrap()).join("input");
    let begin = std::time::Instant::now();
    loop {
        let have = file.metadata().map_or(0, |it| it.len());
        if have > 0 {
            return have;
        }
        assert!(begin.elapsed() < std::time::Duration::from_secs(30), "nothing is fetched");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_download_goes_on_behind_its_last_byte_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let jobs = folder.path().join("jobs");
    let client = start(&jobs).await;
    let texts: Vec<String> = (0..400).map(|at| format!("cue {at}")).collect();
    let cues: Vec<(i16, u16, &str)> =
        texts.iter().enumerate().map(|(at, text)| (at as i16 * 50, 40, text.as_str())).collect();
    let video = mkv(&cues);
    // Whoever asks from the beginning gets half of it and then nothing.
    let url = serve(Served::InTwo(video));
    let job = client.answer("create_job", json!({ "input_url": url })).await;
    let job = &job["job_id"];
    fetched(&jobs, job).await;
    drop(client.service.cancel().await);
    let client = start(&jobs).await;
    let done = over(&client, job).await;
    assert_eq!((&done["state"], &done["result"]["cues"]), (&json!("done"), &json!(400)), "{done}");
}

#[tokio::test]
async fn a_result_can_be_had_as_json() {
    let folder = tempfile::tempdir().unwrap();
    let client = start(&folder.path().join("jobs")).await;
    let url = serve(Served::Whole(mkv(&[(1000, 500, "Größe")])));
    let job = client.answer("create_job", json!({ "input_url": url, "formats": ["json"] })).await;
    let done = over(&client, &job["job_id"]).await;
    let files = done["result"]["files"].as_array().unwrap();
    assert_eq!((files.len(), &files[0]["format"]), (1, &json!("json")), "{done}");
    let bytes = client.bytes(files[0]["ref_id"].as_str().unwrap()).await;
    let read: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(
        read,
        json!({ "source": "track", "language": "ger", "segments": [{ "start_ms": 1000, "end_ms": 1500, "text": "Größe" }] })
    );
    let (code, text) = client
        .trouble("create_job", json!({ "input_url": "https://example.org/v", "formats": ["docx"] }))
        .await;
    assert!(code == "bad_arguments" && text.contains("sbv or json"), "{text}");
}
