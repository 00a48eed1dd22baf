//! Files into pages, by id alone, and files out of them.

use std::sync::Arc;
use std::time::Duration;

use capability_browser::{Download, Tab};
use capability_kit::{
    Attachment, Effect, FileInput, FileStrategy, ResidentAnswer, ResidentCall, Tool, Trouble,
};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::Instant;

use crate::definition::define;
use crate::elements::{called, element};
use crate::room::BrowserRoom;
use crate::telling::{quoted, size};
use crate::visit::Visit;

const NAME_CHARS_MAX: usize = 120;
/// Bytes of files within one answer; a gateway takes 16 MiB with everything, in Base64. Larger ones are kept as refs of this server.
const ANSWER_BYTES_MAX: u64 = 8 << 20;
/// The time that downloads under way are waited for.
const UNDER_WAY_MAX: Duration = Duration::from_secs(5);
const LOOK_EVERY: Duration = Duration::from_millis(100);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UploadArguments {
    /// Ref or CSS selector of the file input.
    #[serde(alias = "selector", alias = "ref", alias = "element")]
    target: String,
    /// The file, in Base64.
    #[serde(default)]
    file_data: Option<String>,
    /// Its media type.
    #[serde(default)]
    file_type: Option<String>,
    /// The file name that the page sees.
    #[serde(default)]
    name: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DownloadsArguments {}

pub(super) fn upload_tool(room: &Arc<BrowserRoom>) -> Tool {
    define(room, "upload", "Upload a file", "Put a file into a file input.", upload)
        .effect(Effect::External)
        .not_repeatable()
        .file(FileStrategy::BinaryBase64)
        .aliases(&["UPLOAD_FILE", "browser_file_upload"])
}

pub(super) fn downloads_tool(room: &Arc<BrowserRoom>) -> Tool {
    define(room, "downloads", "Take downloads", "Return finished downloads, each once.", downloads)
        .not_repeatable()
        .aliases(&["GET_DOWNLOADS"])
}

async fn upload(
    room: Arc<BrowserRoom>,
    arguments: UploadArguments,
    call: ResidentCall,
) -> Result<ResidentAnswer, Trouble> {
    let UploadArguments { target, file_data, file_type, name } = arguments;
    let name = file_name(name.as_deref(), file_type.as_deref());
    let file = FileInput { file_data, file_type, source_ref_id: None }.load(&call.work)?;
    let visit = room.enter(&call).await?;
    let tab = visit.tab().await?;
    let done = upload_in(&visit, &tab, &target, &name, &file.bytes).await;
    visit.acted(&tab, done).await
}

async fn upload_in(
    visit: &Visit,
    tab: &Tab,
    target: &str,
    name: &str,
    bytes: &[u8],
) -> Result<String, Trouble> {
    let input = element(tab, target).await?;
    if (input.tag.as_str(), input.kind.as_str()) != ("input", "file") {
        return Err(Trouble::bad_arguments(format!("{} takes no file", called(&input)))
            .hint("name the file input itself, such as input[type=file]"));
    }
    let failed = |error: std::io::Error| Trouble::internal(format!("the file could not be stored: {error}"));
    let path = visit.with_notes(|notes| notes.upload(name)).map_err(failed)?;
    tokio::fs::write(&path, bytes).await.map_err(failed)?;
    tab.set_files(&input.frame, &input.reference, &[path]).await?;
    Ok(format!("Put {} ({}) into {}.", quoted(name), size(bytes.len() as u64), called(&input)))
}

/// A name without folders. Pages often judge a file by its ending.
fn file_name(said: Option<&str>, media_type: Option<&str>) -> String {
    let last = said.unwrap_or_default().rsplit(['/', '\\']).next().unwrap_or_default();
    let plain: String = last.chars().filter(|c| !c.is_control()).take(NAME_CHARS_MAX).collect();
    match plain.trim_matches(['.', ' ']) {
        "" => format!("file{}", ending(media_type.unwrap_or_default())),
        _ => plain,
    }
}

fn ending(media_type: &str) -> &'static str {
    match media_type.split(';').next().unwrap_or_default().trim() {
        "application/pdf" => ".pdf",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => ".docx",
        "application/msword" => ".doc",
        "application/json" => ".json",
        "application/zip" => ".zip",
        "image/png" => ".png",
        "image/jpeg" => ".jpg",
        "text/plain" => ".txt",
        "text/csv" => ".csv",
        "text/html" => ".html",
        "text/markdown" => ".md",
        _ => "",
    }
}

async fn downloads(
    room: Arc<BrowserRoom>,
    _: DownloadsArguments,
    call: ResidentCall,
) -> Result<ResidentAnswer, Trouble> {
    let visit = room.enter(&call).await?;
    let began = Instant::now();
    while !visit.context.downloading().is_empty() && began.elapsed() < UNDER_WAY_MAX {
        tokio::time::sleep(LOOK_EVERY).await;
    }
    let mut ended = visit.with_notes(|notes| std::mem::take(&mut notes.waiting));
    ended.extend(visit.context.take_downloads());
    let mut parcel = DownloadParcel::default();
    for download in ended {
        parcel.add(&visit, &call, download).await?;
    }
    for name in visit.context.downloading() {
        parcel.lines.push(format!("{}: still under way", quoted(&name)));
    }
    if parcel.lines.is_empty() {
        parcel.lines.push("There are no downloads.".to_owned());
    }
    let text = parcel.lines.join("\n");
    let answer = visit.said(&text);
    Ok(parcel.attachments.into_iter().fold(answer, ResidentAnswer::with))
}

/// The downloads of one answer.
#[derive(Default)]
struct DownloadParcel {
    lines: Vec<String>,
    attachments: Vec<Attachment>,
    bytes: u64,
}

impl DownloadParcel {
    async fn add(&mut self, visit: &Visit, call: &ResidentCall, download: Download) -> Result<(), Trouble> {
        let (name, media_type, path, bytes) = match download {
            Download::Refused { name, why } => {
                self.lines.push(format!("{}: refused, {why}", quoted(&name)));
                return Ok(());
            }
            Download::Done { bytes, .. } if self.bytes > 0 && self.bytes + bytes > ANSWER_BYTES_MAX => {
                self.lines.push("More do not fit; call downloads again.".to_owned());
                self.lines.dedup();
                visit.with_notes(|notes| notes.waiting.push(download));
                return Ok(());
            }
            Download::Done { name, media_type, path, bytes } => (name, media_type, path, bytes),
        };
        let content = tokio::fs::read(&path).await;
        let content =
            content.map_err(|error| Trouble::internal(format!("a download could not be read: {error}")))?;
        let about = format!("{} ({media_type}, {})", quoted(&name), size(bytes));
        if bytes > ANSWER_BYTES_MAX {
            let id = call.work.keep(&content, &media_type, &name)?.into_string();
            self.lines.push(format!("{about}: kept as ref_id {id}"));
        } else {
            self.bytes += bytes;
            self.lines.push(format!("{about}: attached"));
            self.attachments.push(Attachment { bytes: content, media_type, name });
        }
        // What is left goes with the context.
        drop(tokio::fs::remove_file(&path).await);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_a_name_without_folders_and_with_an_ending() {
        assert_eq!(file_name(Some("../../etc/cv.pdf"), None), "cv.pdf");
        assert_eq!(file_name(Some("C:\\docs\\cv.pdf"), None), "cv.pdf");
        assert_eq!(file_name(Some(".."), Some("application/pdf")), "file.pdf");
        assert_eq!(file_name(None, Some("text/plain; charset=utf-8")), "file.txt");
        assert_eq!(file_name(Some("a\nb"), None), "ab");
        assert_eq!(file_name(None, None), "file");
    }
}
