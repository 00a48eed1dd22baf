//! A picture as planes of numbers, which the networks read.

use image::RgbImage;

/// Red, green and blue from 0 to 255 become blue, green and red from -1 to 1, plane by plane, as in the
/// training of both networks. Writes into planes of `width` and `height`, at their left end; the part beyond
/// the picture is left unchanged.
pub(super) fn fill_planes(planes: &mut [f32], width: usize, height: usize, picture: &RgbImage) {
    let plane = width * height;
    for (y, row) in picture.rows().enumerate().take(height) {
        for (x, pixel) in row.enumerate().take(width) {
            let place = y * width + x;
            let [red, green, blue] = pixel.0;
            for (channel, value) in [blue, green, red].into_iter().enumerate() {
                planes[channel * plane + place] = f32::from(value) / 127.5 - 1.0;
            }
        }
    }
}
