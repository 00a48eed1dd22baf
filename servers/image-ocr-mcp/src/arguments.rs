//! The picture of a call, decoded, and its warnings.

use capability_kit::{FileInput, Trouble, Work};
use capability_ocr::{Animation, Picture};

use crate::trouble::trouble_of;

/// A picture and facts that its sender may not know.
pub(crate) struct GivenPicture {
    pub(crate) picture: Picture,
    pub(crate) warnings: Vec<String>,
}

pub(crate) fn load(
    image_data: Option<String>,
    image_type: Option<String>,
    source_ref_id: Option<String>,
    work: &Work,
) -> Result<GivenPicture, Trouble> {
    let input = FileInput { file_data: image_data, file_type: image_type, source_ref_id };
    let loaded = input.load(work).map_err(in_our_words)?;
    let picture = Picture::decode(&loaded.bytes).map_err(|error| trouble_of(&error))?;
    let warnings = warnings_of(&picture, loaded.media_type.as_deref());
    Ok(GivenPicture { picture, warnings })
}

/// The kit speaks of files; the arguments here are called otherwise.
fn in_our_words(trouble: Trouble) -> Trouble {
    let ours =
        |text: String| text.replace("file_data", "image_data").replace("file is given", "picture is given");
    Trouble { message: ours(trouble.message), hint: trouble.hint.map(ours), code: trouble.code }
}

fn warnings_of(picture: &Picture, said: Option<&str>) -> Vec<String> {
    let facts = picture.facts();
    let mut warnings = Vec::new();
    if let Some(said) = said.filter(|said| !is_same_type(said, facts.media_type)) {
        warnings.push(format!("it was declared as {said} but is {}", facts.media_type));
    }
    match facts.animation {
        Animation::Still { pages } if pages > 1 => {
            warnings.push(format!("it has {pages} pages; only the first is used"));
        }
        Animation::Moving { frames } => {
            warnings.push(format!("it has {frames} frames; only the first is used"));
        }
        Animation::Still { .. } => {}
    }
    if facts.cut_off {
        warnings.push("the end of the file is missing, and perhaps the lower part of the picture".into());
    }
    warnings
}

/// Media types and file extensions are both allowed, and some kinds have two names.
fn is_same_type(said: &str, found: &str) -> bool {
    let said = said.split(';').next().unwrap_or(said).trim().trim_start_matches('.').to_ascii_lowercase();
    let kind = said.strip_prefix("image/").unwrap_or(&said);
    let kind = match kind {
        "jpg" | "pjpeg" | "jfif" => "jpeg",
        "tif" => "tiff",
        "x-ms-bmp" | "x-bmp" => "bmp",
        "*" | "octet-stream" | "application/octet-stream" | "" => return true,
        other => other,
    };
    found.strip_prefix("image/") == Some(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_known_by_all_of_their_names() {
        for said in [
            "image/jpeg",
            "jpg",
            ".JPG",
            "image/jpeg; charset=binary",
            "image/pjpeg",
            "application/octet-stream",
        ] {
            assert!(is_same_type(said, "image/jpeg"), "{said}");
        }
        for said in ["image/png", "pdf", "text/plain"] {
            assert!(!is_same_type(said, "image/jpeg"), "{said}");
        }
    }
}
