//! `check_platform_specs`.

use capability_kit::{FileInput, Tool, Trouble, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::eyes::decoded;
use crate::given;
use crate::platform::{GivenMedia, PlatformRules, SpecCheck, SpecVerdict, check_media};

const DESCRIPTION: &str = "Checks a picture, a video's facts or a text against a platform's limits (sizes, \
    ratios, durations, bytes, characters, hashtags) from a dated list. Without anything to check it returns the limits.";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CheckSpecsArguments {
    /// instagram, facebook, x, linkedin, tiktok, youtube, pinterest, threads, bluesky, google_ads.
    platform: String,
    /// Such as `feed`, `story`, `reel`, `short`, `search`; the usual one if omitted.
    #[serde(default)]
    placement: Option<String>,
    /// The picture, in Base64; its size, type and bytes are taken from it.
    #[serde(default)]
    image_data: Option<String>,
    #[serde(default)]
    image_type: Option<String>,
    /// Instead of `image_data`: the `ref_id` that a tool of this server returned.
    #[serde(default)]
    source_ref_id: Option<String>,
    /// In pixels.
    #[serde(default)]
    width: Option<u32>,
    #[serde(default)]
    height: Option<u32>,
    /// Of a video.
    #[serde(default)]
    duration_seconds: Option<f64>,
    /// Of the file.
    #[serde(default)]
    bytes: Option<u64>,
    #[serde(default)]
    media_type: Option<String>,
    /// The post or the ad's text.
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    title: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct CheckSpecsOutput {
    placement: String,
    /// False if one check fails.
    accepted: bool,
    checks: Vec<SpecCheck>,
    /// The limits themselves, if nothing was given to check.
    #[serde(skip_serializing_if = "Option::is_none")]
    limits: Option<String>,
    source: &'static str,
    as_of: &'static str,
    /// The month in which the list was last compared. Platforms change their limits without notice.
    list_dated: &'static str,
}

pub(super) fn tool() -> Tool {
    Tool::new("check_platform_specs", "Check platform limits", DESCRIPTION, check)
}

fn check(arguments: CheckSpecsArguments, work: &Work) -> Result<CheckSpecsOutput, Trouble> {
    let (platform, placement) = given::placement(&arguments.platform, arguments.placement.as_deref())?;
    let media = media(arguments, work)?;
    let checks = check_media(&media, placement);
    let limits = checks.is_empty().then(|| limits(placement));
    Ok(CheckSpecsOutput {
        placement: format!("{} {}", platform.name, placement.name),
        accepted: checks.iter().all(|check| check.verdict != SpecVerdict::Fail),
        checks,
        limits,
        source: &placement.source,
        as_of: &placement.as_of,
        list_dated: &PlatformRules::shipped().dated,
    })
}

fn media(arguments: CheckSpecsArguments, work: &Work) -> Result<GivenMedia, Trouble> {
    if arguments.duration_seconds.is_some_and(|seconds| !seconds.is_finite() || seconds < 0.0) {
        return Err(Trouble::bad_arguments("duration_seconds is not a length of time"));
    }
    if arguments.width == Some(0) || arguments.height == Some(0) {
        return Err(Trouble::bad_arguments("width and height are at least 1"));
    }
    let mut media = GivenMedia {
        width: arguments.width,
        height: arguments.height,
        bytes: arguments.bytes,
        media_type: arguments.media_type,
        seconds: arguments.duration_seconds,
        text: arguments.text,
        title: arguments.title,
    };
    if arguments.image_data.is_some() || arguments.source_ref_id.is_some() {
        let (file_data, file_type) = (arguments.image_data, arguments.image_type);
        let file = FileInput { file_data, file_type, source_ref_id: arguments.source_ref_id };
        let (picture, bytes) = decoded(file, work)?;
        media.width = Some(picture.width());
        media.height = Some(picture.height());
        media.media_type = Some(picture.facts().media_type.to_owned());
        media.bytes = Some(bytes);
    }
    Ok(media)
}

fn limits(placement: &crate::platform::Placement) -> String {
    let mut parts = Vec::new();
    let chars = [
        ("text", placement.text_max),
        ("text seen at once", placement.text_shown),
        ("title", placement.title_max),
        ("title seen at once", placement.title_shown),
        ("hashtags", placement.hashtags_max),
    ];
    parts.extend(chars.iter().filter_map(|(name, most)| most.map(|most| format!("{name} {most}"))));
    if let Some(image) = &placement.image {
        parts.push(format!(
            "picture {}×{} (least {}×{}), ratio {} to {}, {:.1} MiB, {}",
            image.width,
            image.height,
            image.width_min,
            image.height_min,
            image.ratio_min,
            image.ratio_max,
            mib(image.bytes_max),
            image.types.join(" ")
        ));
    }
    if let Some(video) = &placement.video {
        parts.push(format!(
            "video {} to {} s, ratio {} to {}, {:.0} MiB",
            video.seconds_min,
            video.seconds_max,
            video.ratio_min,
            video.ratio_max,
            mib(video.bytes_max)
        ));
    }
    parts.join("; ")
}

fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
