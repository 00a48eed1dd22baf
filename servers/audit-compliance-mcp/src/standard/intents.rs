//! Output intents and ICC profiles.

use crate::cos::{PdfValue, Stream, decoded};

use super::checker::Checker;
use super::output::DeviceColors;

/// The head of a profile.
pub(super) struct ProfileHeader {
    pub(super) major: u8,
    pub(super) class: [u8; 4],
    pub(super) space: [u8; 4],
}

impl ProfileHeader {
    pub(super) fn of(c: &Checker<'_>, stream: &Stream) -> Option<Self> {
        let bytes = decoded(c.file, stream);
        let four = |at: usize| <[u8; 4]>::try_from(bytes.get(at..at + 4)?).ok();
        (four(36)? == *b"acsp").then_some(())?;
        Some(Self { major: *bytes.get(8)?, class: four(12)?, space: four(16)? })
    }

    pub(super) fn colors(&self) -> Option<DeviceColors> {
        match &self.space {
            b"GRAY" => Some(DeviceColors::Gray),
            b"RGB " => Some(DeviceColors::Rgb),
            b"CMYK" => Some(DeviceColors::Cmyk),
            _ => None,
        }
    }

    pub(super) fn components(&self) -> i64 {
        match &self.space {
            b"GRAY" => 1,
            b"CMYK" => 4,
            _ => 3,
        }
    }
}

pub(super) fn check<'a>(c: &mut Checker<'a>) {
    let mut profiles: Vec<(Option<u32>, &'a PdfValue)> = Vec::new();
    for intent in c.at(c.catalogue, "OutputIntents").list() {
        let Some(intent) = c.get(intent).dict() else { continue };
        if intent.has("DestOutputProfileRef") {
            c.a("6.2.3-3", "DestOutputProfileRef");
        }
        let kind = c.at(intent, "S").name().unwrap_or_default();
        if !intent.has("DestOutputProfile") {
            continue;
        }
        profiles.push((intent.get("DestOutputProfile").reference(), c.at(intent, "DestOutputProfile")));
        if kind == "GTS_PDFA1" {
            let value = c.at(intent, "DestOutputProfile");
            profile(c, value);
        } else if !["GTS_PDFX", "ISO_PDFE1"].contains(&kind) {
            c.a("6.2.3-1", format!("an output intent of the unknown kind {kind}"));
        }
    }
    let Some((first, value)) = profiles.first().copied() else { return };
    if profiles.iter().any(|(other, own)| *other != first || (first.is_none() && *own != value)) {
        c.a("6.2.3-2", format!("{} profiles", profiles.len()));
    }
}

fn profile<'a>(c: &mut Checker<'a>, value: &'a PdfValue) {
    c.output.has_intent = true;
    let header = value.stream().and_then(|stream| ProfileHeader::of(c, stream));
    let Some(header) = header else {
        c.a("6.2.3-1", "the profile cannot be read");
        return;
    };
    c.output.colors = header.colors();
    let class = matches!(&header.class, b"prtr" | b"mntr");
    if !class || header.colors().is_none() || header.major > 4 {
        c.a(
            "6.2.3-1",
            format!(
                "a profile of class {}, colours {}, version {}",
                String::from_utf8_lossy(&header.class),
                String::from_utf8_lossy(&header.space),
                header.major
            ),
        );
    }
}
