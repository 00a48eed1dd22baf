//! Media and texts against the rules of a placement.

use schemars::JsonSchema;
use serde::Serialize;

use super::{ImageRules, Placement, VideoRules, counted_chars};

/// The facts to check; those that are missing are not checked.
#[derive(Clone, Default, Debug)]
pub struct GivenMedia {
    pub width: Option<u32>,
    pub height: Option<u32>,
    pub bytes: Option<u64>,
    pub media_type: Option<String>,
    /// Only videos have one.
    pub seconds: Option<f64>,
    pub text: Option<String>,
    pub title: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SpecVerdict {
    Ok,
    /// Accepted, but cut, scaled or hidden in part.
    Warn,
    /// Refused by the platform.
    Fail,
}

/// One rule and what was found.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct SpecCheck {
    pub rule: &'static str,
    pub verdict: SpecVerdict,
    /// Found, and allowed.
    pub detail: String,
}

/// Ratios are written with two places.
const RATIO_TOLERANCE: f64 = 0.012;

/// Every rule that the facts are enough for.
pub fn check_media(given: &GivenMedia, placement: &Placement) -> Vec<SpecCheck> {
    let mut checks = texts(given, placement);
    match (given.seconds, &placement.image, &placement.video) {
        (Some(seconds), _, Some(video)) => checks.extend(video_checks(given, seconds, video)),
        (Some(_), _, None) => checks.push(fail("media", "videos are not taken here".to_owned())),
        (None, Some(image), _) => checks.extend(image_checks(given, image)),
        (None, None, _) if given.width.is_some() => {
            checks.push(fail("media", "pictures are not taken here".to_owned()));
        }
        (None, None, _) => {}
    }
    checks
}

fn texts(given: &GivenMedia, placement: &Placement) -> Vec<SpecCheck> {
    let mut checks = Vec::new();
    let length = |text: &str| counted_chars(text, placement.counting, placement.url_chars);
    if let Some(text) = &given.text {
        checks.extend(text_check("text_length", length(text), placement.text_max, placement.text_shown));
        let tags = text.split_whitespace().filter(|word| is_tag(word)).count();
        if let Some(most) = placement.hashtags_max.filter(|_| tags > 0) {
            let verdict = if tags > most { SpecVerdict::Fail } else { SpecVerdict::Ok };
            checks.push(SpecCheck { rule: "hashtags", verdict, detail: format!("{tags}, at most {most}") });
        }
    }
    if let Some(title) = &given.title {
        checks.extend(text_check("title_length", length(title), placement.title_max, placement.title_shown));
    }
    checks
}

fn is_tag(word: &str) -> bool {
    word.strip_prefix('#').is_some_and(|tag| tag.starts_with(char::is_alphabetic))
}

fn text_check(
    rule: &'static str,
    chars: usize,
    most: Option<usize>,
    shown: Option<usize>,
) -> Option<SpecCheck> {
    let check = |verdict, detail| Some(SpecCheck { rule, verdict, detail });
    match (most, shown) {
        (Some(most), _) if chars > most => {
            check(SpecVerdict::Fail, format!("{chars} characters, at most {most}"))
        }
        (_, Some(shown)) if chars > shown => {
            check(SpecVerdict::Warn, format!("{chars} characters, about the first {shown} are seen at once"))
        }
        (Some(most), _) => check(SpecVerdict::Ok, format!("{chars} characters, at most {most}")),
        (None, _) => None,
    }
}

fn image_checks(given: &GivenMedia, rules: &ImageRules) -> Vec<SpecCheck> {
    let mut checks = Vec::new();
    if let (Some(width), Some(height)) = (given.width, given.height) {
        checks.push(size_check(width, height, rules));
        checks.push(ratio_check(width, height, rules.ratio_min, rules.ratio_max));
    }
    checks.extend(given.bytes.map(|bytes| bytes_check(bytes, rules.bytes_max)));
    if let Some(found) = &given.media_type {
        let verdict = if rules.types.contains(found) { SpecVerdict::Ok } else { SpecVerdict::Fail };
        let detail = format!("{found}, allowed {}", rules.types.join(", "));
        checks.push(SpecCheck { rule: "media_type", verdict, detail });
    }
    checks
}

fn size_check(width: u32, height: u32, rules: &ImageRules) -> SpecCheck {
    let verdict = if width < rules.width_min || height < rules.height_min {
        SpecVerdict::Fail
    } else if width < rules.width || height < rules.height {
        SpecVerdict::Warn
    } else {
        SpecVerdict::Ok
    };
    let ImageRules { width_min, height_min, width: best_width, height: best_height, .. } = rules;
    let detail =
        format!("{width}×{height}, at least {width_min}×{height_min}, best {best_width}×{best_height}");
    SpecCheck { rule: "size", verdict, detail }
}

fn ratio_check(width: u32, height: u32, least: f64, most: f64) -> SpecCheck {
    let ratio = f64::from(width) / f64::from(height.max(1));
    let inside = (least - RATIO_TOLERANCE..=most + RATIO_TOLERANCE).contains(&ratio);
    let verdict = if inside { SpecVerdict::Ok } else { SpecVerdict::Fail };
    SpecCheck { rule: "ratio", verdict, detail: format!("{ratio:.2}, from {least} to {most}") }
}

fn bytes_check(bytes: u64, most: u64) -> SpecCheck {
    let verdict = if bytes > most { SpecVerdict::Fail } else { SpecVerdict::Ok };
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    SpecCheck { rule: "bytes", verdict, detail: format!("{:.1} MiB, at most {:.1}", mib(bytes), mib(most)) }
}

fn video_checks(given: &GivenMedia, seconds: f64, rules: &VideoRules) -> Vec<SpecCheck> {
    let VideoRules { seconds_min, seconds_max, .. } = rules;
    let inside = (*seconds_min..=*seconds_max).contains(&seconds);
    let verdict = if inside { SpecVerdict::Ok } else { SpecVerdict::Fail };
    let detail = format!("{seconds} s, from {seconds_min} to {seconds_max}");
    let mut checks = vec![SpecCheck { rule: "duration", verdict, detail }];
    if let (Some(width), Some(height)) = (given.width, given.height) {
        checks.push(ratio_check(width, height, rules.ratio_min, rules.ratio_max));
    }
    checks.extend(given.bytes.map(|bytes| bytes_check(bytes, rules.bytes_max)));
    checks
}

fn fail(rule: &'static str, detail: String) -> SpecCheck {
    SpecCheck { rule, verdict: SpecVerdict::Fail, detail }
}

#[cfg(test)]
mod tests {
    use super::super::PlatformRules;
    use super::*;

    fn verdicts(platform: &str, given: &GivenMedia) -> Vec<(&'static str, SpecVerdict)> {
        let platform = PlatformRules::shipped().find(platform).expect("known");
        let checks = check_media(given, platform.placement(None).expect("one"));
        checks.into_iter().map(|check| (check.rule, check.verdict)).collect()
    }

    #[test]
    fn a_long_post_fails_and_addresses_count_as_the_platform_counts_them() {
        let text = format!("Look https://example.com/{}", "a".repeat(300));
        let given = GivenMedia { text: Some(text), ..GivenMedia::default() };
        assert_eq!(verdicts("x", &given), [("text_length", SpecVerdict::Ok)]);
        assert_eq!(verdicts("bluesky", &given), [("text_length", SpecVerdict::Fail)]);
        assert_eq!(verdicts("linkedin", &given), [("text_length", SpecVerdict::Warn)]);
    }

    #[test]
    fn the_same_post_has_another_length_on_each_platform() {
        let post = |text: String| GivenMedia { text: Some(text), ..GivenMedia::default() };
        let length = |platform: &str, given: &GivenMedia| {
            let platform = PlatformRules::shipped().find(platform).expect("known");
            check_media(given, platform.placement(None).expect("one"))[0].clone()
        };
        let chinese = post("天".repeat(141));
        assert_eq!(length("x", &chinese).detail, "282 characters, at most 280");
        assert_eq!(length("x", &chinese).verdict, SpecVerdict::Fail);
        assert_eq!(length("bluesky", &chinese).detail, "141 characters, at most 300");
        let families = post("👨‍👩‍👧‍👦".repeat(100));
        assert_eq!(length("bluesky", &families).detail, "100 characters, at most 300");
        assert_eq!(length("x", &families).detail, "200 characters, at most 280");
        assert_eq!(length("threads", &families).detail, "700 characters, at most 500");
    }

    #[test]
    fn a_picture_is_judged_by_size_ratio_bytes_and_type() {
        let given = GivenMedia {
            width: Some(640),
            height: Some(640),
            bytes: Some(6 << 20),
            media_type: Some("image/tiff".to_owned()),
            ..GivenMedia::default()
        };
        let expected = [
            ("size", SpecVerdict::Warn),
            ("ratio", SpecVerdict::Ok),
            ("bytes", SpecVerdict::Fail),
            ("media_type", SpecVerdict::Fail),
        ];
        assert_eq!(verdicts("linkedin", &given), expected);
    }

    #[test]
    fn videos_have_lengths_and_some_placements_take_none() {
        let given = GivenMedia { seconds: Some(200.0), ..GivenMedia::default() };
        assert_eq!(verdicts("x", &given), [("duration", SpecVerdict::Fail)]);
        assert_eq!(verdicts("google_ads", &given), [("media", SpecVerdict::Fail)]);
    }

    #[test]
    fn too_many_hashtags_are_counted() {
        let given = GivenMedia { text: Some("a #one #two #3 #".to_owned()), ..GivenMedia::default() };
        let expected = [("text_length", SpecVerdict::Ok), ("hashtags", SpecVerdict::Fail)];
        assert_eq!(verdicts("threads", &given), expected);
    }
}
