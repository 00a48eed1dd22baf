//! Pictures of a page.

use capability_kit::{Trouble, TroubleCode};
use serde_json::{Value, json};

use super::Tab;
use crate::shot::{Rect, Shot, ShotFormat};

/// The sides of a picture, in pixels: Chromium draws no larger ones.
const SIDE_MAX: f64 = 16_000.0;
const SCALE_MIN: f64 = 0.05;
const SCALE_MAX: f64 = 4.0;

impl Tab {
    pub async fn screenshot(&self, shot: &Shot) -> Result<Vec<u8>, Trouble> {
        let scale = shot.scale.clamp(SCALE_MIN, SCALE_MAX);
        let metrics = self.call("Page.getLayoutMetrics", json!({})).await?;
        let area = area(shot, &metrics, scale)?;
        let mut params = json!({
            "clip": { "x": area.x, "y": area.y, "width": area.width, "height": area.height, "scale": scale },
            "captureBeyondViewport": shot.full,
            "optimizeForSpeed": true,
        });
        match shot.format {
            ShotFormat::Png => params["format"] = json!("png"),
            ShotFormat::Jpeg(quality) => {
                (params["format"], params["quality"]) = (json!("jpeg"), json!(quality.clamp(1, 100)));
            }
        }
        let answer = self.call("Page.captureScreenshot", params).await?;
        let encoded = answer["data"].as_str().unwrap_or_default();
        base64_simd::STANDARD
            .decode_to_vec(encoded)
            .map_err(|error| Trouble::internal(format!("the browser's picture cannot be read: {error}")))
    }
}

/// In the document's coordinates.
fn area(shot: &Shot, metrics: &Value, scale: f64) -> Result<Rect, Trouble> {
    let number = |value: &Value| value.as_f64().unwrap_or_default();
    let (view, content) = (&metrics["cssVisualViewport"], &metrics["cssContentSize"]);
    let (left, top) = (number(&view["pageX"]), number(&view["pageY"]));
    let wanted = match shot.clip {
        Some(clip) => Rect { x: clip.x + left, y: clip.y + top, ..clip },
        None if shot.full => {
            Rect { x: 0.0, y: 0.0, width: number(&content["width"]), height: number(&content["height"]) }
        }
        None => Rect {
            x: left,
            y: top,
            width: number(&view["clientWidth"]),
            height: number(&view["clientHeight"]),
        },
    };
    if !(wanted.width >= 1.0 && wanted.height >= 1.0) {
        let message = "there is nothing to take a picture of: the area is empty";
        return Err(Trouble::new(TroubleCode::BadArguments, message).hint("choose something that is visible"));
    }
    let side = |length: f64| length.min(SIDE_MAX / scale);
    Ok(Rect { width: side(wanted.width), height: side(wanted.height), ..wanted })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metrics() -> Value {
        json!({
            "cssVisualViewport": { "pageX": 0, "pageY": 500, "clientWidth": 1280, "clientHeight": 800 },
            "cssContentSize": { "x": 0, "y": 0, "width": 1280, "height": 900_000 },
        })
    }

    #[test]
    fn a_part_is_taken_where_it_is_in_the_document() {
        let clip = Some(Rect { x: 10.0, y: 20.0, width: 30.0, height: 40.0 });
        let taken = area(&Shot { clip, ..Shot::default() }, &metrics(), 1.0).unwrap();
        assert_eq!((taken.x, taken.y, taken.width), (10.0, 520.0, 30.0));
    }

    #[test]
    fn an_endless_page_gives_a_picture_of_a_bounded_size_and_an_empty_area_none() {
        let full = Shot { full: true, ..Shot::default() };
        assert_eq!(area(&full, &metrics(), 2.0).unwrap().height, SIDE_MAX / 2.0);
        let nothing = Shot { clip: Some(Rect::default()), ..Shot::default() };
        assert!(area(&nothing, &metrics(), 1.0).is_err());
        let not_a_number = Rect { width: f64::NAN, ..Rect::default() };
        assert!(area(&Shot { clip: Some(not_a_number), ..Shot::default() }, &metrics(), 1.0).is_err());
    }
}
