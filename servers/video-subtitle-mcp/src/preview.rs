//! `burn_in_preview`: a still with the caption of a time, as a viewer would see it.

use std::io::{Cursor, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;

use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};
use capability_kit::{FileInput, Trouble, TroubleCode, Work};
use image::{DynamicImage, ImageFormat, ImageReader, Limits, Rgb, RgbImage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::input::SubtitleInput;
use crate::speech::SpeechEngine;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PreviewArguments {
    /// The subtitles, in any format.
    #[serde(default)]
    text: Option<String>,
    /// Or the ref_id of subtitles that a tool of this server returned.
    #[serde(default)]
    source_ref_id: Option<String>,
    /// The time in milliseconds.
    #[serde(default)]
    at_ms: i64,
    /// A picture of the video, or the video itself (which needs ffmpeg), in Base64. A grey frame if omitted.
    #[serde(default)]
    file_data: Option<String>,
    /// Its media type.
    #[serde(default)]
    file_type: Option<String>,
    /// Of the grey frame; 1280 if omitted.
    #[serde(default)]
    width: Option<u32>,
    /// Of the grey frame; 720 if omitted.
    #[serde(default)]
    height: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct PreviewOutput {
    /// A PNG.
    ref_id: String,
    width: u32,
    height: u32,
    /// The lines that are shown; empty if no cue is active then.
    lines: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

const SIDE_MAX: u32 = 4096;
const GREY: Rgb<u8> = Rgb([70, 74, 80]);
/// Of the height of the picture.
const LETTER_SHARE: f32 = 0.052;
const MARGIN_SHARE: f32 = 0.06;
const LINES_MAX: usize = 12;
const PICTURE_BYTES_MAX: u64 = 256 << 20;

pub(crate) fn preview(
    arguments: PreviewArguments,
    work: &Work,
    engine: &Arc<SpeechEngine>,
) -> Result<PreviewOutput, Trouble> {
    let PreviewArguments { text, source_ref_id, at_ms, file_data, file_type, width, height } = arguments;
    let (_, subtitles) =
        SubtitleInput { text, file_data: None, file_type: None, source_ref_id }.load(work)?;
    let mut picture = match file_data {
        Some(data) => {
            still(FileInput { file_data: Some(data), file_type, source_ref_id: None }, at_ms, work, engine)?
        }
        None => {
            let (width, height) = (width.unwrap_or(1280), height.unwrap_or(720));
            if !(64..=SIDE_MAX).contains(&width) || !(64..=SIDE_MAX).contains(&height) {
                return Err(Trouble::bad_arguments("the size is out of range")
                    .hint("width and height from 64 to 4096"));
            }
            RgbImage::from_pixel(width, height, GREY)
        }
    };
    let active = subtitles.cues.iter().filter(|cue| cue.start <= at_ms && cue.end > at_ms);
    let (mut lines, mut warnings, mut missing) = (Vec::new(), Vec::new(), 0);
    let (mut below, mut above): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for cue in active {
        let own: Vec<String> = cue.text().lines().map(str::to_owned).collect();
        lines.extend(own.iter().cloned());
        if cue.place.is_some_and(|place| place >= 7) { above.extend(own) } else { below.extend(own) }
    }
    for (text, is_above) in [(below, false), (above, true)] {
        missing += write_lines(&mut picture, &text[..text.len().min(LINES_MAX)], is_above);
    }
    if missing > 0 {
        warnings.push(format!(
            "{missing} letters have no glyph in the built-in font and are left out of the picture"
        ));
    }
    if lines.iter().any(|line| line.chars().any(is_right_to_left)) {
        warnings.push(
            "the picture shows letters from left to right and not joined, which is wrong for Arabic and Hebrew; \
             the subtitles are as they were"
                .to_owned(),
        );
    }
    lines.truncate(LINES_MAX);
    let (width, height) = picture.dimensions();
    let mut bytes = Cursor::new(Vec::new());
    let written = DynamicImage::ImageRgb8(picture).write_to(&mut bytes, ImageFormat::Png);
    written.map_err(|error| Trouble::internal(format!("the picture cannot be written: {error}")))?;
    let ref_id = work.keep(&bytes.into_inner(), "image/png", "preview.png")?.into_string();
    Ok(PreviewOutput { ref_id, width, height, lines, warnings })
}

/// The picture that was passed, or a frame of the video.
fn still(input: FileInput, at_ms: i64, work: &Work, engine: &SpeechEngine) -> Result<RgbImage, Trouble> {
    let file = input.load(work)?;
    match capability_subtitles::media_kind(&file.bytes) {
        Some(_) => decoded(&frame(&file.bytes, at_ms, engine)?),
        None => decoded(&file.bytes),
    }
}

fn decoded(bytes: &[u8]) -> Result<RgbImage, Trouble> {
    let unreadable = |error: String| {
        Trouble::unreadable(format!("the picture cannot be read: {error}")).hint("pass a PNG or JPEG")
    };
    let mut reader = ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .map_err(|error| unreadable(error.to_string()))?;
    let mut limits = Limits::default();
    (limits.max_image_width, limits.max_image_height) = (Some(2 * SIDE_MAX), Some(2 * SIDE_MAX));
    limits.max_alloc = Some(PICTURE_BYTES_MAX);
    reader.limits(limits);
    let picture = reader.decode().map_err(|error| unreadable(error.to_string()))?;
    let picture = if picture.width().max(picture.height()) > SIDE_MAX {
        picture.thumbnail(SIDE_MAX, SIDE_MAX)
    } else {
        picture
    };
    Ok(picture.into_rgb8())
}

fn frame(video: &[u8], at_ms: i64, engine: &SpeechEngine) -> Result<Vec<u8>, Trouble> {
    let Some(ffmpeg) = &engine.ffmpeg else {
        return Err(Trouble::new(
            TroubleCode::Unavailable,
            "frames of videos need ffmpeg, which is not installed here",
        )
        .hint("pass a picture of the video instead, or omit it"));
    };
    let broken = |error: std::io::Error| Trouble::internal(format!("ffmpeg cannot be used: {error}"));
    let mut copy = tempfile::NamedTempFile::new().map_err(broken)?;
    copy.write_all(video).map_err(broken)?;
    let seconds = format!("{}.{:03}", at_ms.max(0) / 1000, at_ms.max(0) % 1000);
    let mut command = Command::new(ffmpeg);
    command
        .args(["-nostdin", "-v", "error", "-protocol_whitelist", "file,pipe", "-ss", &seconds, "-i"])
        .arg(copy.path());
    command.args(["-frames:v", "1", "-f", "image2pipe", "-c:v", "png", "pipe:1"]);
    let output = command.stdin(Stdio::null()).output().map_err(broken)?;
    match output.status.success() && !output.stdout.is_empty() {
        true => Ok(output.stdout),
        false => Err(Trouble::unreadable("the video has no frame at that time")
            .hint("pass an earlier at_ms, or a picture")),
    }
}

/// Lines in the middle, white with a dark edge. Letters without a glyph are counted.
fn write_lines(picture: &mut RgbImage, lines: &[String], is_above: bool) -> usize {
    let fonts: Vec<FontRef<'_>> =
        typst_assets::fonts().filter_map(|bytes| FontRef::try_from_slice(bytes).ok()).collect();
    let (width, height) = (picture.width() as f32, picture.height() as f32);
    let size = height * LETTER_SHARE;
    let mut missing = 0;
    let line_height = size * 1.25;
    let top = if is_above {
        height * MARGIN_SHARE
    } else {
        height * (1.0 - MARGIN_SHARE) - line_height * lines.len() as f32
    };
    for (index, line) in lines.iter().enumerate() {
        let glyphs = laid(line, &fonts, size, &mut missing);
        let length = glyphs.last().map_or(0.0, |(_, _, end)| *end);
        let left = ((width - length) / 2.0).max(0.0);
        let base = top + line_height * index as f32 + size;
        let edge = (size / 14.0).max(1.0);
        let around = [
            (-edge, 0.0),
            (edge, 0.0),
            (0.0, -edge),
            (0.0, edge),
            (-edge, -edge),
            (edge, edge),
            (-edge, edge),
            (edge, -edge),
        ];
        for (dx, dy) in around {
            draw(picture, &glyphs, size, (left + dx, base + dy), [0; 3]);
        }
        draw(picture, &glyphs, size, (left, base), [255; 3]);
    }
    missing
}

/// Letters of the blocks from Hebrew to Arabic Extended-A, and their presentation forms.
fn is_right_to_left(letter: char) -> bool {
    matches!(letter, '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}')
}

/// Letters with the font that has them, where each begins, and where it ends.
type LaidGlyph<'a> = (char, &'a FontRef<'static>, f32);

fn laid<'a>(line: &str, fonts: &'a [FontRef<'static>], size: f32, missing: &mut usize) -> Vec<LaidGlyph<'a>> {
    let mut at = 0.0;
    let mut glyphs = Vec::new();
    for letter in line.chars() {
        let font = fonts.iter().find(|font| font.glyph_id(letter).0 != 0);
        let Some(font) = font else {
            *missing += usize::from(!letter.is_whitespace() && !letter.is_control());
            continue;
        };
        at += font.as_scaled(PxScale::from(size)).h_advance(font.glyph_id(letter));
        glyphs.push((letter, font, at));
    }
    glyphs
}

fn draw(
    picture: &mut RgbImage,
    glyphs: &[LaidGlyph<'_>],
    size: f32,
    (left, base): (f32, f32),
    colour: [u8; 3],
) {
    let mut at = 0.0;
    for (letter, font, end) in glyphs {
        let glyph =
            font.glyph_id(*letter).with_scale_and_position(PxScale::from(size), point(left + at, base));
        at = *end;
        let Some(outline) = font.outline_glyph(glyph) else { continue };
        let corner = outline.px_bounds().min;
        outline.draw(|dx, dy, cover| {
            let (x, y) = (corner.x as i64 + i64::from(dx), corner.y as i64 + i64::from(dy));
            let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else { return };
            let Some(pixel) = picture.get_pixel_mut_checked(x, y) else { return };
            let cover = cover.clamp(0.0, 1.0);
            for (channel, wanted) in pixel.0.iter_mut().zip(colour) {
                *channel = (f32::from(*channel) * (1.0 - cover) + f32::from(wanted) * cover) as u8;
            }
        });
    }
}
