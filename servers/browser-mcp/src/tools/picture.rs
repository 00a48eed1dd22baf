//! Pictures of pages, with secrets blurred.

use std::io::Cursor;
use std::sync::Arc;

use capability_browser::{Frame, Rect, Shot, ShotFormat, Tab, page};
use capability_kit::{Attachment, ResidentAnswer, ResidentCall, Tool, Trouble};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::definition::define;
use crate::elements::{called, element};
use crate::room::BrowserRoom;
use crate::telling::size;
use crate::visit::Visit;

const JPEG_QUALITY: u8 = 60;
/// A larger picture is taken again, coarser.
const JPEG_BYTES_MAX: usize = 200 << 10;
const COARSE_QUALITY: u8 = 40;
const COARSE_SCALE: f64 = 0.6;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ScreenshotArguments {
    /// Only this element.
    #[serde(default, alias = "selector", alias = "ref", alias = "element")]
    target: Option<String>,
    /// The whole page, not only the visible part.
    #[serde(default, alias = "full_page")]
    full: bool,
    #[serde(default)]
    format: PictureFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum PictureFormat {
    #[default]
    Jpeg,
    Png,
}

pub(super) fn screenshot_tool(room: &Arc<BrowserRoom>) -> Tool {
    let description = "Take a picture, for what a snapshot cannot show. Snapshots are cheaper and have refs.";
    define(room, "screenshot", "Take a screenshot", description, screenshot).aliases(&[
        "GET_SCREENSHOT",
        "TAKE_SCREENSHOT",
        "browser_take_screenshot",
    ])
}

async fn screenshot(
    room: Arc<BrowserRoom>,
    arguments: ScreenshotArguments,
    call: ResidentCall,
) -> Result<ResidentAnswer, Trouble> {
    let visit = room.enter(&call).await?;
    let tab = visit.context.tab().await?;
    match take(&visit, &tab, &arguments).await {
        Ok((picture, what)) => {
            let (media_type, ending) = match arguments.format {
                PictureFormat::Jpeg => ("image/jpeg", "jpg"),
                PictureFormat::Png => ("image/png", "png"),
            };
            let text = format!("A picture of {what}: {}, {media_type}.", dimensions(&picture));
            let name = format!("screenshot.{ending}");
            let attachment = Attachment { bytes: picture, media_type: media_type.to_owned(), name };
            Ok(visit.said(&text).with(attachment))
        }
        Err(trouble) => Err(visit.trouble(trouble)),
    }
}

async fn take(
    visit: &Visit,
    tab: &Tab,
    arguments: &ScreenshotArguments,
) -> Result<(Vec<u8>, String), Trouble> {
    let (clip, what) = match &arguments.target {
        Some(target) => {
            let shown = element(tab, target).await?;
            let (left, top) = tab.offset_of(&shown.frame).await?;
            let rect = shown.rect;
            (Some(Rect { x: left + rect.x, y: top + rect.y, ..rect }), called(&shown))
        }
        None if arguments.full => (None, "the whole page".to_owned()),
        None => (None, "the visible part of the page".to_owned()),
    };
    let format = match arguments.format {
        PictureFormat::Jpeg => ShotFormat::Jpeg(JPEG_QUALITY),
        PictureFormat::Png => ShotFormat::Png,
    };
    let shot = Shot { format, full: arguments.full && clip.is_none(), clip, scale: 1.0 };
    let frames = tab.frames().await;
    let blurred = blur(visit, tab, &frames).await;
    let taken = match blurred {
        Ok(()) => small_enough(tab, shot).await,
        Err(trouble) => Err(trouble),
    };
    unblur(tab, &frames).await;
    Ok((taken?, what))
}

async fn small_enough(tab: &Tab, shot: Shot) -> Result<Vec<u8>, Trouble> {
    let picture = tab.screenshot(&shot).await?;
    if picture.len() <= JPEG_BYTES_MAX || shot.format == ShotFormat::Png {
        return Ok(picture);
    }
    tab.screenshot(&Shot { format: ShotFormat::Jpeg(COARSE_QUALITY), scale: COARSE_SCALE, ..shot }).await
}

/// A frame that cannot hide a secret is not shown: there is no picture then.
async fn blur(visit: &Visit, tab: &Tab, frames: &[Frame]) -> Result<(), Trouble> {
    let secrets = visit.context.secrets();
    for frame in frames {
        let blurred = page::ask(tab, &frame.id, "blur_secrets", &json!({ "hide": secrets })).await;
        if let Err(trouble) = blurred
            && !secrets.is_empty()
        {
            return Err(Trouble {
                message: format!("secrets on the page could not be blurred: {}", trouble.message),
                ..trouble
            });
        }
    }
    Ok(())
}

async fn unblur(tab: &Tab, frames: &[Frame]) {
    for frame in frames {
        // A frame that is gone shows nothing.
        drop(tab.ask(&frame.id, "unblur_secrets", &json!({})).await);
    }
}

/// Width, height and bytes, in words.
fn dimensions(picture: &[u8]) -> String {
    let read = image::ImageReader::new(Cursor::new(picture)).with_guessed_format().ok();
    let sides = read.and_then(|reader| reader.into_dimensions().ok());
    let bytes = size(picture.len() as u64);
    sides.map_or(bytes.clone(), |(width, height)| format!("{width} × {height} pixels, {bytes}"))
}
