//! Many small files, ten of them damaged: the run of the ingest ends partial and names the ten, and the index has the rest.
//! `INGEST_FILES=1000` takes a thousand, which takes minutes.

use serde_json::json;

use super::hostile::unreadable;
use crate::files::archive::text;
use crate::governed::database::Backing;
use crate::index::library::{IndexLibrary, STILL, hits};

const FILES: usize = 200;
const DAMAGED: usize = 10;

fn files_wanted() -> usize {
    std::env::var("INGEST_FILES").ok().and_then(|count| count.parse().ok()).unwrap_or(FILES)
}

#[tokio::test]
async fn of_many_files_ten_damaged_ones_are_named_and_the_rest_is_found() {
    let count = files_wanted();
    let library = IndexLibrary::open(Backing::Sqlite, STILL);
    let bad: Vec<Vec<u8>> = unreadable().into_iter().map(|(_, bytes)| bytes).collect();
    let every = count / DAMAGED;
    let files: Vec<(String, Vec<u8>)> = (0..count)
        .map(|number| match number % every {
            // Of a format whose reader notices.
            0 => (format!("{number:03}.pdf"), [&bad[0][..], &number.to_le_bytes()].concat()),
            _ => (
                format!("{number:03}.md"),
                format!("# Number {number}\n\nOnly here stands the word w{number}x.\n").into_bytes(),
            ),
        })
        .collect();
    let documents: Vec<(&str, &[u8])> =
        files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect();
    let manifest = library.manifest(&documents).await;
    library.pointer("legal", "contracts", &manifest).await;

    let begun = library.ingest_as(json!({ "wait_seconds": 0 })).await;
    let state = library.state_is(|state| state["documents"] == json!(count - DAMAGED)).await;
    assert_eq!((&state["problem_count"], &state["behind"]), (&json!(DAMAGED), &json!(false)), "{state:#}");
    let run = format!("/runs/{}", text(&begun["run"]));
    let run = library.site.becomes(&run, |run| run["state"] != "running").await;
    assert_eq!(run["state"], "partial", "{run:#}");
    let ended = library.ingest().await;
    let problems = ended["problems"].as_array().expect("a list");
    let named: Vec<&str> =
        problems.iter().filter_map(|problem| text(problem).split_once(": ")).map(|(path, _)| path).collect();
    let expected: Vec<String> = (0..DAMAGED).map(|number| format!("{:03}.pdf", number * every)).collect();
    assert_eq!(named, expected, "{ended:#}");
    for number in [1, count / 2 + 1, count - 1] {
        let found = library.search(&format!("w{number}x")).await;
        assert_eq!(hits(&found)[0]["path"], json!(format!("{number:03}.md")), "{found:#}");
    }
}
