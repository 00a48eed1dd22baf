//! The rules of platforms: a dated data file, and checks against it.

mod check;
mod counting;

use std::sync::LazyLock;

use serde::Deserialize;

pub use check::{GivenMedia, SpecCheck, SpecVerdict, check_media};
pub use counting::{CharCounting, counted_chars};

/// All platforms of the data file.
#[derive(Deserialize, Debug)]
pub struct PlatformRules {
    /// Year and month in which the file was compared.
    pub dated: String,
    pub note: String,
    pub platforms: Vec<Platform>,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Platform {
    pub name: String,
    aliases: Vec<String>,
    /// The usual one first.
    pub placements: Vec<Placement>,
}

/// A kind of post or advertisement.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Placement {
    pub name: String,
    pub source: String,
    pub as_of: String,
    /// Characters that are accepted.
    pub text_max: Option<usize>,
    /// Characters that are seen before the reader has to ask for more.
    pub text_shown: Option<usize>,
    pub title_max: Option<usize>,
    pub title_shown: Option<usize>,
    pub hashtags_max: Option<usize>,
    /// Every address counts as this many characters.
    pub url_chars: Option<usize>,
    #[serde(default)]
    pub counting: CharCounting,
    pub image: Option<ImageRules>,
    pub video: Option<VideoRules>,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct ImageRules {
    /// Recommended.
    pub width: u32,
    pub height: u32,
    pub width_min: u32,
    pub height_min: u32,
    /// Width divided by height.
    pub ratio_min: f64,
    pub ratio_max: f64,
    pub bytes_max: u64,
    pub types: Vec<String>,
    /// Shares of the height that the platform covers with its own buttons.
    pub keep_clear_top: Option<f64>,
    pub keep_clear_bottom: Option<f64>,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct VideoRules {
    pub seconds_min: f64,
    pub seconds_max: f64,
    pub ratio_min: f64,
    pub ratio_max: f64,
    pub bytes_max: u64,
}

static SHIPPED: LazyLock<PlatformRules> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../data/platforms.json")).expect("a test reads the same file")
});

impl PlatformRules {
    pub fn shipped() -> &'static Self {
        &SHIPPED
    }

    /// By its name or one of its other names.
    pub fn find(&self, said: &str) -> Option<&Platform> {
        let said = said.trim().to_lowercase().replace([' ', '-'], "_");
        let is_called = |platform: &&Platform| platform.name == said || platform.aliases.contains(&said);
        self.platforms.iter().find(is_called)
    }

    pub fn names(&self) -> Vec<&str> {
        self.platforms.iter().map(|platform| platform.name.as_str()).collect()
    }
}

impl Platform {
    /// The named placement; the usual one without a name.
    pub fn placement(&self, said: Option<&str>) -> Option<&Placement> {
        let Some(said) = said else { return self.placements.first() };
        let said = said.trim().to_lowercase().replace([' ', '-'], "_");
        self.placements.iter().find(|placement| placement.name == said)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_whole() {
        let rules = PlatformRules::shipped();
        assert!(rules.platforms.len() >= 10 && rules.dated.starts_with("20"));
        for platform in &rules.platforms {
            assert!(!platform.placements.is_empty(), "{}", platform.name);
            for placement in &platform.placements {
                assert!(!placement.source.is_empty() && placement.as_of.len() == 4, "{placement:?}");
                if let Some(image) = &placement.image {
                    let ratio = f64::from(image.width) / f64::from(image.height);
                    assert!(
                        image.ratio_min <= ratio + 0.01 && ratio <= image.ratio_max + 0.01,
                        "{placement:?}"
                    );
                    assert!(image.width >= image.width_min && image.height >= image.height_min);
                }
            }
        }
    }

    #[test]
    fn platforms_are_found_by_all_of_their_names() {
        let rules = PlatformRules::shipped();
        assert_eq!(rules.find("Twitter").expect("known").name, "x");
        assert_eq!(rules.find("google ads").expect("known").name, "google_ads");
        assert!(rules.find("myspace").is_none());
        let instagram = rules.find("IG").expect("known");
        assert_eq!(instagram.placement(None).expect("the usual one").name, "feed");
        assert!(instagram.placement(Some("billboard")).is_none());
    }
}
