//! A vector as codes: one bit for each number, and eight bits for each.

/// The signs of a vector, sixty-four in a word.
pub(in crate::inside) fn signs(vector: &[f32]) -> Vec<u64> {
    let word = |numbers: &[f32]| {
        numbers.iter().zip(0..).fold(0, |word, (number, bit)| word | u64::from(*number >= 0.0) << bit)
    };
    vector.chunks(64).map(word).collect()
}

/// Numbers from -127 to 127 in the proportions of the vector, and the number that makes them a vector of length 1 again.
pub(in crate::inside) fn eighths(vector: &[f32]) -> (Vec<i8>, f32) {
    let largest = vector.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
    let scale = if largest > 0.0 && largest.is_finite() { 127.0 / largest } else { 0.0 };
    let codes: Vec<i8> = vector.iter().map(|number| (number * scale).round() as i8).collect();
    let square: i64 = codes.iter().map(|code| i64::from(*code).pow(2)).sum();
    let inverse = if square > 0 { (square as f64).sqrt().recip() as f32 } else { 0.0 };
    (codes, inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_keep_the_direction() {
        let vector = [0.6, -0.8, 0.0];
        let (codes, inverse) = eighths(&vector);
        let cosine: f32 =
            vector.iter().zip(&codes).map(|(number, code)| number * f32::from(*code) * inverse).sum();
        assert!((cosine - 1.0).abs() < 1e-4, "{cosine}");
        assert_eq!(signs(&vector), [0b101]);
        assert_eq!(eighths(&[0.0, 0.0]), (vec![0, 0], 0.0));
        assert_eq!(signs(&[1.0; 65]), [u64::MAX, 1]);
    }
}
