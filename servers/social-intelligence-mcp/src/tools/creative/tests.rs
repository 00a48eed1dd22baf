//! Findings about the places of lines and faces in a picture.

use capability_ocr::{Bounds, EngineKind, OcrReading, Picture, Point, Polygon, TextLine};

use super::*;
use crate::platform::PlatformRules;

const WIDTH: u32 = 540;
const HEIGHT: u32 = 960;

fn bounds(left: f32, top: f32, right: f32, bottom: f32) -> Bounds {
    Bounds { left, top, right, bottom }
}

/// A white picture with lines and faces at these places.
fn seen(lines: &[Bounds], faces: &[Bounds]) -> ReadPicture {
    let line = |bounds: &Bounds| TextLine {
        text: "Shop now".to_owned(),
        confidence: 0.9,
        polygon: Polygon([Point::new(bounds.left, bounds.top); 4]),
        bounds: *bounds,
        before: capability_ocr::Break::Line,
    };
    let lines = lines.iter().map(line).collect();
    let reading = OcrReading { lines, angle: 0.0, engine: EngineKind::PpOcr, mean_confidence: Some(0.9) };
    let pixels = vec![255; (WIDTH * HEIGHT * 3) as usize];
    ReadPicture {
        picture: Picture::from_rgb(WIDTH, HEIGHT, pixels).unwrap(),
        bytes: 1,
        reading: Ok(reading),
        faces: Ok(faces.iter().map(|it| FoundFace { bounds: *it }).collect()),
    }
}

fn story() -> &'static Placement {
    let platform = PlatformRules::shipped().find("instagram").unwrap();
    platform.placement(Some("story")).unwrap()
}

fn rules_of(seen: &ReadPicture, rules: Option<&Placement>) -> Vec<&'static str> {
    picture_findings(seen, rules).into_iter().map(|it| it.rule).collect()
}

#[test]
fn lines_under_the_buttons_of_the_platform_are_found() {
    // A story keeps 14 % clear at the top and 20 % at the bottom.
    let middle = bounds(50.0, 400.0, 300.0, 440.0);
    assert_eq!(rules_of(&seen(&[middle], &[]), Some(story())), Vec::<&str>::new());
    for covered in [bounds(50.0, 100.0, 300.0, 140.0), bounds(50.0, 740.0, 300.0, 780.0)] {
        let found = picture_findings(&seen(&[middle, covered], &[]), Some(story()));
        assert_eq!((found.len(), found[0].rule), (1, "safe_zone"), "{found:?}");
        assert!(found[0].message.starts_with("1 lines"), "{found:?}");
        assert_eq!(found[0].basis, FindingBasis::PlatformRule);
        assert_eq!(rules_of(&seen(&[covered], &[]), None), Vec::<&str>::new(), "no platform, no zone");
    }
}

#[test]
fn lines_too_low_for_a_phone_are_found() {
    let low = bounds(50.0, 400.0, 300.0, 418.0);
    let found = picture_findings(&seen(&[low], &[]), None);
    assert_eq!((found.len(), found[0].rule), (1, "small_text"), "{found:?}");
    assert_eq!(found[0].basis, FindingBasis::RuleOfThumb);
    assert_eq!(rules_of(&seen(&[bounds(50.0, 400.0, 300.0, 420.0)], &[]), None), Vec::<&str>::new());
}

#[test]
fn lines_on_a_face_are_found() {
    let line = bounds(50.0, 400.0, 300.0, 440.0);
    let found = picture_findings(&seen(&[line], &[bounds(200.0, 300.0, 400.0, 500.0)]), None);
    assert_eq!((found.len(), found[0].rule), (1, "text_on_face"), "{found:?}");
    let beside = seen(&[line], &[bounds(300.0, 300.0, 400.0, 500.0)]);
    assert_eq!(rules_of(&beside, None), Vec::<&str>::new(), "it only touches");
    let mut blind = seen(&[line], &[]);
    blind.faces = Err("no model".to_owned());
    assert_eq!(rules_of(&blind, None), Vec::<&str>::new());
}
