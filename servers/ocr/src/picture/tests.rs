//! Input files: whole, truncated, mislabelled, enormous.

use image::{DynamicImage, GrayImage, Luma, Rgb, Rgba, RgbaImage};

use super::*;

fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

fn gradient() -> DynamicImage {
    DynamicImage::ImageRgb8(RgbImage::from_fn(90, 60, |x, y| {
        Rgb([x as u8 * 2, y as u8 * 3, (x * y % 251) as u8])
    }))
}

fn refusal_of(bytes: &[u8]) -> OcrError {
    Picture::decode(bytes).expect_err("it cannot be decoded")
}

/// The header of a PNG of this size, without any pixel data.
fn header_of_png(width: u32, height: u32) -> Vec<u8> {
    let mut small = encoded(&gradient(), ImageFormat::Png);
    small[16..20].copy_from_slice(&width.to_be_bytes());
    small[20..24].copy_from_slice(&height.to_be_bytes());
    let checksum = crc32(&small[12..29]);
    small[29..33].copy_from_slice(&checksum.to_be_bytes());
    small
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |sum, byte| {
        (0..8).fold(
            sum ^ u32::from(*byte),
            |sum, _| if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 },
        )
    })
}

#[test]
fn every_kind_is_known_by_its_content() {
    let kinds = [
        (ImageFormat::Png, "image/png"),
        (ImageFormat::Jpeg, "image/jpeg"),
        (ImageFormat::Gif, "image/gif"),
        (ImageFormat::Bmp, "image/bmp"),
        (ImageFormat::Tiff, "image/tiff"),
        (ImageFormat::WebP, "image/webp"),
    ];
    for (format, media_type) in kinds {
        let picture = Picture::decode(&encoded(&gradient(), format)).unwrap();
        let facts = picture.facts();
        assert_eq!((facts.media_type, facts.width, facts.height), (media_type, 90, 60));
        assert_eq!(facts.animation, Animation::Still { pages: 1 }, "{media_type}");
        assert_eq!(picture.rgb().len(), 90 * 60 * 3);
        assert!(!facts.cut_off, "{media_type}");
    }
}

#[test]
fn what_is_no_picture_is_refused() {
    assert!(matches!(refusal_of(b""), OcrError::Empty));
    assert!(matches!(refusal_of(b"%PDF-1.7 and so on"), OcrError::NotAPicture));
    assert!(matches!(refusal_of(b"just some words"), OcrError::NotAPicture));
    let hint = refusal_of(b"words").hint().unwrap();
    assert!(hint.contains("PNG"), "{hint}");
}

#[test]
fn a_png_that_is_cut_off_is_refused_at_any_length() {
    let whole = encoded(&gradient(), ImageFormat::Png);
    for length in [9, 20, 40, whole.len() / 2] {
        let error = refusal_of(&whole[..length]);
        assert!(matches!(error, OcrError::Damaged { .. }), "{length}: {error:?}");
        assert!(error.to_string().contains("PNG"), "{error}");
    }
}

#[test]
fn a_jpeg_that_is_cut_off_is_refused_or_said_to_be() {
    let whole = encoded(&gradient(), ImageFormat::Jpeg);
    for length in [4, 100, whole.len() / 2, whole.len() - 20] {
        match Picture::decode(&whole[..length]) {
            Ok(picture) => assert!(picture.facts().cut_off, "{length}"),
            Err(error) => assert!(matches!(error, OcrError::Damaged { .. }), "{length}: {error:?}"),
        }
    }
}

#[test]
fn a_header_that_promises_too_much_is_refused_before_anything_is_decoded() {
    for (width, height) in [(50_000, 50_000), (19_000, 19_000), (u32::MAX >> 1, 1), (1, 30_000)] {
        let error = refusal_of(&header_of_png(width, height));
        assert!(matches!(error, OcrError::TooLarge { .. }), "{width} × {height}: {error:?}");
        assert!(error.hint().unwrap().contains("50 million"));
    }
}

#[test]
fn bytes_that_were_changed_never_panic() {
    for format in
        [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::Tiff, ImageFormat::WebP]
    {
        let whole = encoded(&gradient(), format);
        for place in 0..whole.len().min(400) {
            let mut bytes = whole.clone();
            bytes[place] ^= 0x55;
            // Either way is fine; a panic or a hang is not.
            Picture::decode(&bytes).ok();
        }
    }
}

#[test]
fn colours_and_depths_are_those_of_the_file() {
    let grey = DynamicImage::ImageLuma8(GrayImage::from_pixel(8, 8, Luma([128])));
    let picture = Picture::decode(&encoded(&grey, ImageFormat::Png)).unwrap();
    assert_eq!(
        (picture.facts().colour, picture.facts().bits, picture.facts().has_alpha),
        (ColourModel::Grey, 8, false)
    );
    let deep = DynamicImage::ImageRgb8(RgbImage::new(8, 8)).into_rgba16();
    let picture = Picture::decode(&encoded(&DynamicImage::ImageRgba16(deep), ImageFormat::Png)).unwrap();
    assert_eq!(
        (picture.facts().colour, picture.facts().bits, picture.facts().has_alpha),
        (ColourModel::Rgb, 16, true)
    );
}

#[test]
fn transparent_pictures_lie_on_paper_on_which_they_can_be_seen() {
    for (ink, paper) in [(0u8, 255u8), (255, 0)] {
        let mut image = RgbaImage::from_pixel(10, 10, Rgba([0, 0, 0, 0]));
        image.put_pixel(3, 3, Rgba([ink, ink, ink, 255]));
        let picture = Picture::decode(&encoded(&DynamicImage::ImageRgba8(image), ImageFormat::Png)).unwrap();
        assert_eq!(picture.pixels().get_pixel(3, 3).0, [ink; 3]);
        assert_eq!(picture.pixels().get_pixel(0, 0).0, [paper; 3]);
    }
}

#[test]
fn frames_of_an_animation_are_counted() {
    let mut bytes = Vec::new();
    {
        let mut encoder = image::codecs::gif::GifEncoder::new(&mut bytes);
        let frames = (0..3).map(|_| image::Frame::new(gradient().into_rgba8()));
        encoder.encode_frames(frames).unwrap();
    }
    let picture = Picture::decode(&bytes).unwrap();
    assert_eq!(picture.facts().animation, Animation::Moving { frames: 3 });
}

#[test]
fn pages_of_a_fax_are_counted_even_in_a_circle() {
    let mut fax = encoded(&gradient(), ImageFormat::Tiff);
    let first = u32::from_le_bytes(fax[4..8].try_into().unwrap()) as usize;
    let entries = usize::from(u16::from_le_bytes(fax[first..first + 2].try_into().unwrap()));
    let next = first + 2 + entries * 12;
    let directory = fax[first..next].to_vec();
    let second = fax.len() as u32;
    fax[next..next + 4].copy_from_slice(&second.to_le_bytes());
    fax.extend(&directory);
    let last = fax.len();
    fax.extend([0; 4]);
    assert_eq!(Picture::decode(&fax).unwrap().facts().animation, Animation::Still { pages: 2 });
    fax[last..].copy_from_slice(&second.to_le_bytes());
    if let Ok(picture) = Picture::decode(&fax) {
        assert!(matches!(picture.facts().animation, Animation::Still { pages } if pages >= 2));
    }
}

#[test]
fn a_picture_is_turned_as_its_camera_says() {
    let jpeg = encoded(&gradient(), ImageFormat::Jpeg);
    // An application segment with one entry: orientation 6, a quarter turn clockwise.
    let exif = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
    let length = u16::try_from(exif.len() + 2).unwrap().to_be_bytes();
    let turned: Vec<u8> =
        [&jpeg[..2], &[0xff, 0xe1], &length, &exif[..], &jpeg[2..]].into_iter().flatten().copied().collect();
    let picture = Picture::decode(&turned).unwrap();
    assert_eq!((picture.width(), picture.height(), picture.facts().turn), (60, 90, PictureTurn::Quarter));
}

#[test]
fn pixels_from_elsewhere_must_be_all_there() {
    assert_eq!(Picture::from_rgb(2, 2, vec![0; 12]).unwrap().width(), 2);
    assert!(matches!(Picture::from_rgb(2, 2, vec![0; 11]), Err(OcrError::Damaged { .. })));
    assert!(matches!(Picture::from_rgb(50_000, 50_000, Vec::new()), Err(OcrError::TooLarge { .. })));
}

#[test]
fn a_picture_is_written_as_it_is_or_narrower() {
    let picture = Picture::decode(&encoded(&gradient(), ImageFormat::Bmp)).unwrap();
    let again = Picture::decode(&picture.png().unwrap()).unwrap();
    assert_eq!((again.rgb(), again.facts().media_type), (picture.rgb(), "image/png"));
    let narrow = picture.narrowed(30);
    assert_eq!((narrow.width(), narrow.height()), (30, 20));
    assert_eq!(picture.narrowed(500).width(), 90, "it never grows");
    assert_eq!(Picture::from_rgb(90, 1, vec![0; 270]).unwrap().narrowed(0).height(), 1);
}
