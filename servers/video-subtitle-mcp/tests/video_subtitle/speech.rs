//! Speech, where the models are: TOOLGATE_TEST_SPEECH names their folder.

use std::time::{Duration, Instant};

use capability_speech::{AudioInput, AudioReader};
use capability_testkit::{Client, file};
use serde_json::{Value, json};

use crate::drive::{over, start_with};
use crate::made::{SPOKEN, SPOKEN_MP4, Served, flac, mkv, music, serve, silence, wav};

/// `None` where there are no models.
async fn hearing(jobs: &std::path::Path) -> Option<Client> {
    let said = std::env::var("TOOLGATE_TEST_SPEECH").ok().filter(|models| !models.is_empty());
    let Some(models) = said else {
        eprintln!(
            "skipped: TOOLGATE_TEST_SPEECH names no folder with models; script/speech-model fetches them"
        );
        return None;
    };
    let options = ["--speech-models", &models, "--private-hosts", "127.0.0.1"];
    Some(start_with(jobs, &options).await)
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
    // Where ffmpeg is installed, it is asked as well, and cannot read it either.
    assert!(["unsupported", "unreadable"].contains(&code.as_str()), "{code}");
    let french = file(&silence(1), json!({ "language": "fr" }));
    assert_eq!(client.trouble("generate_transcript", french).await.0, "unsupported");
}

#[tokio::test]
async fn music_is_no_speech() {
    let folder = tempfile::tempdir().unwrap();
    let Some(client) = hearing(&folder.path().join("jobs")).await else { return };
    let heard = client.answer("generate_transcript", file(&music(6), json!({}))).await;
    assert_eq!(
        (&heard["transcript"]["text"], &heard["warnings"]),
        (&json!(""), &json!(["no speech was found"])),
        "{heard}"
    );
    let (code, text) = client.trouble("align_text", file(&music(2), json!({ "text": "la la la" }))).await;
    assert!(code == "unreadable" && text.contains("no speech was found"), "{code} {text}");
}

fn plain(text: &Value) -> String {
    let kept = |letter: &char| letter.is_alphanumeric() || *letter == ' ';
    text.as_str().unwrap().to_lowercase().chars().filter(kept).collect()
}

#[tokio::test]
async fn a_recording_is_written_down_and_its_text_gets_the_times() {
    let folder = tempfile::tempdir().unwrap();
    let Some(client) = hearing(&folder.path().join("jobs")).await else { return };
    let heard = client.answer("generate_transcript", file(SPOKEN_MP4, json!({ "words": true }))).await;
    assert_eq!(plain(&heard["transcript"]["text"]), plain(&json!(SPOKEN)), "{heard}");
    let words = heard["words"].as_array().unwrap();
    assert_eq!(words.len(), SPOKEN.split(' ').count(), "{heard}");
    let times: Vec<i64> =
        words.iter().flat_map(|word| [word[1].as_i64().unwrap(), word[2].as_i64().unwrap()]).collect();
    assert!(times.is_sorted() && times[0] >= 0 && *times.last().unwrap() <= 4_600, "{times:?}");

    let asked = json!({ "text": SPOKEN, "to": "vtt" });
    let aligned = client.answer("align_text", file(SPOKEN_MP4, asked)).await;
    assert_eq!((&aligned["heard"], aligned.get("warnings")), (&json!(1.0), None), "{aligned}");
    assert!(aligned["subtitles"]["text"].as_str().unwrap().contains("quarterly"), "{aligned}");
    let other = json!({ "text": "Something entirely different was written in this place" });
    let aligned = client.answer("align_text", file(SPOKEN_MP4, other)).await;
    assert!(aligned["warnings"][0].as_str().unwrap().contains("less than half"), "{aligned}");
}

#[tokio::test]
async fn files_that_have_less_sound_than_they_claim_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let Some(client) = hearing(&folder.path().join("jobs")).await else { return };
    let ten_hours = 36_000;
    let begin = Instant::now();
    let heard = client.answer("generate_transcript", file(&wav(&[0; 32_000], ten_hours), json!({}))).await;
    let said = heard["warnings"].to_string();
    assert!(said.contains("claims 36000.0 s of sound"), "{heard}");
    assert!(begin.elapsed() < Duration::from_secs(30), "what is not there takes no time");
    // Half of it: the index is whole. The beginning alone: not even that.
    for (length, expected) in [(SPOKEN_MP4.len() / 2, "unreadable"), (40, "unsupported")] {
        let (code, text) =
            client.trouble("generate_transcript", file(&SPOKEN_MP4[..length], json!({}))).await;
        assert!(code == expected && text.contains("hint: "), "{length}: {code} {text}");
    }
}

#[tokio::test]
async fn a_job_on_ten_hours_says_how_far_it_is_and_stops_when_it_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let Some(client) = hearing(&folder.path().join("jobs")).await else { return };
    let url = serve(Served::Whole(flac(10)));
    let job = client.answer("create_job", json!({ "input_url": url, "mode": "transcribe" })).await;
    let job = &job["job_id"];
    let begin = Instant::now();
    loop {
        let state = client.answer("get_job", json!({ "job_id": job })).await;
        assert!(matches!(state["state"].as_str(), Some("queued" | "running")), "{state}");
        if state["stage"] == "transcribe" {
            assert!(state["progress"].as_f64().unwrap() < 0.5, "{state}");
            break;
        }
        assert!(begin.elapsed() < Duration::from_secs(30), "it does not begin to listen: {state}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    client.answer("cancel_job", json!({ "job_id": job })).await;
    assert_eq!(over(&client, job).await["state"], "cancelled");
    let next = client.answer("generate_transcript", file(&silence(1), json!({}))).await;
    assert_eq!(next["transcript"]["text"], "", "the server goes on");
}

/// The samples of the recording.
fn spoken() -> Vec<i16> {
    let mut reader = AudioReader::open(AudioInput::Bytes(SPOKEN_MP4.to_vec()), None).unwrap();
    let mut samples = Vec::new();
    while let Some(block) = reader.next_block().unwrap() {
        samples.extend(block.iter().map(|it| (it * 32_000.0) as i16));
    }
    samples
}

#[tokio::test]
async fn a_transcript_goes_on_behind_its_last_stretch_after_a_restart_and_keeps_its_words() {
    let folder = tempfile::tempdir().unwrap();
    let jobs = folder.path().join("jobs");
    let Some(client) = hearing(&jobs).await else { return };
    // The sentence twice, a second apart.
    let once = spoken();
    let pause = vec![0; 16_000];
    let mut twice = [once.clone(), pause, once.clone()].concat();
    // A whole number of seconds, and silence behind the last word.
    let seconds = twice.len() / 16_000 + 2;
    twice.resize(seconds * 16_000, 0);
    let url = serve(Served::InTwo(wav(&twice, seconds as u32)));
    let order = json!({ "input_url": url, "mode": "transcribe", "formats": ["srt", "json"] });
    let job = client.answer("create_job", order).await;
    let own = jobs.join(job["job_id"].as_str().unwrap());
    let begin = Instant::now();
    while own.join("input").metadata().map_or(0, |it| it.len()) == 0 {
        assert!(begin.elapsed() < Duration::from_secs(30), "nothing is fetched");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    drop(client.service.cancel().await);
    // As if the first sentence had been heard before the end: one word stands for it.
    let heard_ms = once.len() as i64 / 16 + 500;
    let stretch = json!({ "start_ms": 0, "end_ms": heard_ms, "words": [["Formerly.", 0, heard_ms, 0.5]] });
    std::fs::write(own.join("segments"), format!("{stretch}\n{{\"start_ms\": 9")).unwrap();
    let Some(client) = hearing(&jobs).await else { return };
    let done = over(&client, &job["job_id"]).await;
    assert_eq!(done["state"], "done", "{done}");
    let files = done["result"]["files"].as_array().unwrap();
    let of = |format: &str| {
        let file = files.iter().find(|it| it["format"] == format).unwrap();
        client.bytes(file["ref_id"].as_str().unwrap())
    };
    let text = String::from_utf8(of("txt").await).unwrap();
    assert_eq!(
        plain(&json!(text.replace('\n', " "))),
        format!("formerly {}", plain(&json!(SPOKEN))),
        "{text}"
    );
    let words: Value = serde_json::from_slice(&of("json").await).unwrap();
    assert_eq!(words["source"], "speech", "{words}");
    let segments = words["segments"].as_array().unwrap();
    assert_eq!(segments[0]["words"], json!([["Formerly.", 0, heard_ms, 0.5]]), "{words}");
    let rest: Vec<&Value> = segments[1..].iter().flat_map(|it| it["words"].as_array().unwrap()).collect();
    assert_eq!(rest.len(), SPOKEN.split(' ').count(), "{words}");
    assert!(rest.iter().all(|it| it[1].as_i64() >= Some(heard_ms) && it[3].as_f64() <= Some(1.0)), "{words}");
}

#[tokio::test]
async fn a_video_without_sound_is_no_transcript() {
    let folder = tempfile::tempdir().unwrap();
    let Some(client) = hearing(&folder.path().join("jobs")).await else { return };
    let silent = mkv(&[(0, 500, "one")]);
    let (code, text) = client.trouble("generate_transcript", file(&silent, json!({}))).await;
    assert!(text.contains("hint: "), "{code} {text}");
    let order = json!({ "input_url": serve(Served::Whole(silent)), "mode": "transcribe" });
    let job = client.answer("create_job", order).await;
    let failed = over(&client, &job["job_id"]).await;
    assert_eq!(failed["state"], "failed", "{failed}");
    let video = client.answer("generate_transcript", file(&silence(1), json!({}))).await;
    assert_eq!(video["transcript"]["text"], "", "the server goes on");
}
