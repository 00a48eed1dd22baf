//! `analyze_creative`.

use std::sync::Arc;

use capability_kit::{FileInput, Tool, Trouble, Work};
use capability_ocr::{Bounds, OcrReading, Picture, TextLine};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::basis::{FindingBasis, FindingSeverity, SocialFinding, language_warning};
use super::content::{ContentClaim, text_findings};
use super::eyes::{CreativeEyes, decoded};
use crate::copy::{appeals, claims};
use crate::creative::{
    FoundFace, PicturePlace, colourfulness, covered_share, line_contrast, palette, place_of,
};
use crate::given;
use crate::platform::{GivenMedia, Placement, SpecCheck, check_media};
use crate::rounded::{one, two};

const DESCRIPTION: &str = "Looks at an ad picture, its text, or both: a platform's size rules, share of text \
    (OCR), contrast of each line (WCAG), colours, faces, calls to action, the brand's place, claims that need proof. Each \
    finding says what it rests on; what was not looked at is in `not_checked`.";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AnalyzeCreativeArguments {
    /// The picture, in Base64.
    #[serde(default)]
    image_data: Option<String>,
    /// Its media type, such as `image/png`. Detected from the content if omitted.
    #[serde(default)]
    image_type: Option<String>,
    /// Instead of `image_data`: the `ref_id` that a tool of this server returned.
    #[serde(default)]
    source_ref_id: Option<String>,
    /// The text that goes with the picture, or alone.
    #[serde(default)]
    text: Option<String>,
    /// Such as `instagram`: its limits are checked.
    #[serde(default)]
    platform: Option<String>,
    /// Such as `feed` or `story`; the usual one if omitted.
    #[serde(default)]
    placement: Option<String>,
    /// The name in the logo: its place is looked for in the picture's text.
    #[serde(default)]
    brand: Option<String>,
    /// Give the lines of text with contrast and place.
    #[serde(default)]
    lines: bool,
}

#[derive(Serialize, JsonSchema)]
struct AnalyzeCreativeOutput {
    #[serde(skip_serializing_if = "Option::is_none")]
    picture: Option<PictureReport>,
    /// In the picture and the text.
    calls_to_action: Vec<&'static str>,
    /// Statements that the advertiser must be able to prove.
    claims: Vec<ContentClaim>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    platform_checks: Vec<SpecCheck>,
    /// The gravest first.
    findings: Vec<SocialFinding>,
    /// With the reason.
    not_checked: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct PictureReport {
    width: u32,
    height: u32,
    /// Hex colours, the largest first.
    colours: Vec<String>,
    /// Hasler and Süsstrunk: 0 is grey, 33 moderate, over 80 strong.
    colourfulness: f64,
    /// Of the area, from 0 to 1; absent where text cannot be read here.
    #[serde(skip_serializing_if = "Option::is_none")]
    text_share: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The lowest contrast of a line, from 1 to 21.
    #[serde(skip_serializing_if = "Option::is_none")]
    contrast_min: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    brand_place: Option<PicturePlace>,
    /// Faces that look towards the camera; absent where they were not looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    faces: Option<usize>,
    /// The largest faces first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    face_places: Vec<CreativeFace>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<CreativeLine>,
}

#[derive(Serialize, JsonSchema)]
struct CreativeFace {
    place: PicturePlace,
    /// Of the picture's height.
    height: f64,
}

#[derive(Serialize, JsonSchema)]
struct CreativeLine {
    text: String,
    place: PicturePlace,
    /// Of the picture's height.
    height: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    contrast: Option<f64>,
}

pub(super) fn tool(eyes: Arc<CreativeEyes>) -> Tool {
    Tool::new("analyze_creative", "Analyse an ad", DESCRIPTION, move |arguments, work: &Work| {
        analyze(arguments, work, &eyes)
    })
}

/// A picture that was read, as far as possible.
struct ReadPicture {
    picture: Picture,
    bytes: u64,
    reading: Result<OcrReading, String>,
    faces: Result<Vec<FoundFace>, String>,
}

fn analyze(
    arguments: AnalyzeCreativeArguments,
    work: &Work,
    eyes: &CreativeEyes,
) -> Result<AnalyzeCreativeOutput, Trouble> {
    let AnalyzeCreativeArguments {
        image_data,
        image_type,
        source_ref_id,
        text,
        platform,
        placement,
        brand,
        lines,
    } = arguments;
    let rules = match &platform {
        Some(platform) => Some(given::placement(platform, placement.as_deref())?.1),
        None => None,
    };
    let text = text.map(|text| given::text("text", Some(text), None)).transpose()?;
    let seen = if image_data.is_some() || source_ref_id.is_some() {
        let file = FileInput { file_data: image_data, file_type: image_type, source_ref_id };
        let (picture, bytes) = decoded(file, work)?;
        let (reading, faces) = (eyes.read(&picture), eyes.faces(&picture));
        Some(ReadPicture { picture, bytes, reading, faces })
    } else if text.is_none() {
        return Err(Trouble::bad_arguments("neither a picture nor a text was passed")
            .hint("pass image_data (Base64) or text; behind a gateway, pass file_id"));
    } else {
        None
    };
    Ok(report(seen.as_ref(), text.as_deref(), rules, brand.as_deref(), lines))
}

fn report(
    seen: Option<&ReadPicture>,
    text: Option<&str>,
    rules: Option<&Placement>,
    brand: Option<&str>,
    lines: bool,
) -> AnalyzeCreativeOutput {
    let shown = seen.and_then(|seen| seen.reading.as_ref().ok()).map(OcrReading::text);
    let all = [shown.as_deref(), text].into_iter().flatten().collect::<Vec<_>>().join("\n");
    let calls: Vec<&'static str> = appeals(&all).into_iter().map(|appeal| appeal.phrase).collect();
    let claims = claims(&all);
    // A picture whose text is unknown may call to action in it.
    let known = seen.is_none_or(|seen| seen.reading.is_ok());
    let mut findings = if known { text_findings(&all, calls.len(), claims.len()) } else { Vec::new() };
    findings.extend(seen.map(|seen| picture_findings(seen, rules)).unwrap_or_default());
    findings.sort_by_key(|finding| finding.severity);
    AnalyzeCreativeOutput {
        picture: seen.map(|seen| picture_report(seen, brand, lines)),
        calls_to_action: calls,
        claims: claims.into_iter().map(|claim| ContentClaim::of(claim, false)).collect(),
        platform_checks: rules.map(|rules| check_media(&facts(seen, text), rules)).unwrap_or_default(),
        findings,
        not_checked: not_checked(seen, brand),
        warnings: language_warning(&all).into_iter().collect(),
    }
}

fn facts(seen: Option<&ReadPicture>, text: Option<&str>) -> GivenMedia {
    GivenMedia {
        width: seen.map(|seen| seen.picture.width()),
        height: seen.map(|seen| seen.picture.height()),
        bytes: seen.map(|seen| seen.bytes),
        media_type: seen.map(|seen| seen.picture.facts().media_type.to_owned()),
        text: text.map(str::to_owned),
        ..GivenMedia::default()
    }
}

/// Longer texts in a picture are cut in the answer.
const TEXT_CHARS_MAX: usize = 600;
const LINES_MAX: usize = 40;
const FACES_MAX: usize = 5;

fn picture_report(seen: &ReadPicture, brand: Option<&str>, lines: bool) -> PictureReport {
    let picture = &seen.picture;
    let reading = seen.reading.as_ref().ok();
    let hex = |[red, green, blue]: [u8; 3]| format!("#{red:02x}{green:02x}{blue:02x}");
    let text = reading.map(|reading| reading.text().chars().take(TEXT_CHARS_MAX).collect::<String>());
    let listed = reading.filter(|_| lines).map_or(&[][..], |reading| reading.lines.as_slice());
    let faces = seen.faces.as_ref().map_or(&[][..], Vec::as_slice);
    PictureReport {
        width: picture.width(),
        height: picture.height(),
        colours: palette(picture).into_iter().map(|colour| hex(colour.colour)).collect(),
        colourfulness: one(colourfulness(picture)),
        text_share: reading.map(|reading| two(text_share(reading, picture))),
        text: text.filter(|text| !text.is_empty()),
        contrast_min: reading.and_then(|reading| contrast_min(reading, picture)).map(one),
        brand_place: brand.and_then(|brand| brand_place(reading?, picture, brand)),
        faces: seen.faces.as_ref().ok().map(Vec::len),
        face_places: faces.iter().take(FACES_MAX).map(|face| creative_face(face, picture)).collect(),
        lines: listed.iter().take(LINES_MAX).map(|line| creative_line(line, picture)).collect(),
    }
}

fn creative_face(face: &FoundFace, picture: &Picture) -> CreativeFace {
    CreativeFace {
        place: place_of(&face.bounds, picture.width(), picture.height()),
        height: two(f64::from(face.bounds.height()) / f64::from(picture.height().max(1))),
    }
}

fn creative_line(line: &TextLine, picture: &Picture) -> CreativeLine {
    CreativeLine {
        text: line.text.clone(),
        place: place_of(&line.bounds, picture.width(), picture.height()),
        height: two(f64::from(line.bounds.height()) / f64::from(picture.height().max(1))),
        contrast: line_contrast(picture, line.bounds).map(|found| one(found.ratio)),
    }
}

fn text_share(reading: &OcrReading, picture: &Picture) -> f64 {
    let boxes: Vec<Bounds> = reading.lines.iter().map(|line| line.bounds).collect();
    covered_share(&boxes, picture.width(), picture.height())
}

fn contrast_min(reading: &OcrReading, picture: &Picture) -> Option<f64> {
    let ratios = reading.lines.iter().filter_map(|line| line_contrast(picture, line.bounds));
    ratios.map(|found| found.ratio).min_by(f64::total_cmp)
}

fn brand_place(reading: &OcrReading, picture: &Picture, brand: &str) -> Option<PicturePlace> {
    let brand = brand.trim().to_lowercase();
    let line =
        reading.lines.iter().find(|line| !brand.is_empty() && line.text.to_lowercase().contains(&brand))?;
    Some(place_of(&line.bounds, picture.width(), picture.height()))
}

/// WCAG 2 asks for 4.5, and for 3 where text is large.
const CONTRAST_MIN: f64 = 4.5;
const CONTRAST_LARGE_MIN: f64 = 3.0;
/// A line of this share of the height is large on a phone.
const LARGE: f32 = 0.04;
const TEXT_SHARE_MAX: f64 = 0.2;
/// Lower lines cannot be read on a phone.
const SMALL: f32 = 0.02;

fn picture_findings(seen: &ReadPicture, rules: Option<&Placement>) -> Vec<SocialFinding> {
    let Ok(reading) = &seen.reading else { return Vec::new() };
    let picture = &seen.picture;
    let height = picture.height().max(1) as f32;
    let mut findings = Vec::new();
    let weak = reading.lines.iter().filter(|line| is_weak(line, picture)).count();
    if weak > 0 {
        findings.push(SocialFinding {
            rule: "contrast",
            severity: FindingSeverity::Warning,
            message: format!("{weak} lines have less than 4.5 (3 where large): darken or lighten the ground"),
            basis: FindingBasis::Standard,
            source: "WCAG 2.2, 1.4.3; measured on pixels, so gradients blur it",
        });
    }
    let share = text_share(reading, picture);
    if share > TEXT_SHARE_MAX {
        findings.push(SocialFinding {
            rule: "text_share",
            severity: FindingSeverity::Note,
            message: format!("text covers {:.0} % of the picture; less than 20 % is advised", share * 100.0),
            basis: FindingBasis::RuleOfThumb,
            source: "Meta's rule until 2020, advice since",
        });
    }
    let small = reading.lines.iter().filter(|line| line.bounds.height() / height < SMALL).count();
    if small > 0 {
        findings.push(SocialFinding {
            rule: "small_text",
            severity: FindingSeverity::Note,
            message: format!("{small} lines are lower than 2 % of the picture: hard to read on a phone"),
            basis: FindingBasis::RuleOfThumb,
            source: "design practice",
        });
    }
    findings.extend(text_on_faces(seen, reading));
    findings.extend(rules.and_then(|rules| covered_text(reading, picture, rules)));
    findings
}

fn is_weak(line: &TextLine, picture: &Picture) -> bool {
    let large = line.bounds.height() / picture.height().max(1) as f32 >= LARGE;
    let least = if large { CONTRAST_LARGE_MIN } else { CONTRAST_MIN };
    line_contrast(picture, line.bounds).is_some_and(|found| found.ratio < least)
}

/// Lines that stand on a face.
fn text_on_faces(seen: &ReadPicture, reading: &OcrReading) -> Option<SocialFinding> {
    let faces = seen.faces.as_ref().ok()?;
    let is_on = |line: &&TextLine| faces.iter().any(|face| meet(&line.bounds, &face.bounds));
    let lines = reading.lines.iter().filter(is_on).count();
    (lines > 0).then(|| SocialFinding {
        rule: "text_on_face",
        severity: FindingSeverity::Note,
        message: format!("{lines} lines stand on a face: both are hard to see, move the text"),
        basis: FindingBasis::RuleOfThumb,
        source: "design practice",
    })
}

fn meet(one: &Bounds, other: &Bounds) -> bool {
    one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom
}

/// Text where the platform puts its own buttons.
fn covered_text(reading: &OcrReading, picture: &Picture, rules: &Placement) -> Option<SocialFinding> {
    let image = rules.image.as_ref()?;
    let height = f64::from(picture.height().max(1));
    let top = image.keep_clear_top.unwrap_or(0.0) * height;
    let bottom = (1.0 - image.keep_clear_bottom.unwrap_or(0.0)) * height;
    let is_covered = |line: &&TextLine| {
        f64::from(line.bounds.top) < top || f64::from(line.bounds.bottom) > bottom.max(1.0)
    };
    let has_zones = image.keep_clear_top.is_some() || image.keep_clear_bottom.is_some();
    let covered = reading.lines.iter().filter(is_covered).count();
    (has_zones && covered > 0).then(|| SocialFinding {
        rule: "safe_zone",
        severity: FindingSeverity::Warning,
        message: format!(
            "{covered} lines stand where the platform puts its buttons: move them to the middle"
        ),
        basis: FindingBasis::PlatformRule,
        source: "see platform_checks for its date",
    })
}

fn not_checked(seen: Option<&ReadPicture>, brand: Option<&str>) -> Vec<String> {
    let mut list = Vec::new();
    if let Some(seen) = seen {
        if let Err(why) = &seen.reading {
            list.push(format!("text in the picture, contrast, claims there: {why}"));
        }
        if let Err(why) = &seen.faces {
            list.push(format!("faces: {why}"));
        }
        if brand.is_none() {
            list.push(
                "logo: pass brand to look for its name; drawings without letters are not found".to_owned(),
            );
        }
    }
    list.push("reach and clicks: no experiment behind this tool measures them".to_owned());
    list
}

#[cfg(test)]
mod tests;
