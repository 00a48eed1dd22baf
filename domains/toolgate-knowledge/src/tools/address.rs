//! The address of a citation's page in the console.

use std::fmt::Write as _;

use docir::Citation;

/// `/console/citations?artifact=…&docir=…&item=%23%2Ftexts%2F3&start=0&end=42`
pub(super) fn page_of(citation: &Citation) -> String {
    let Citation { artifact, docir, item, start, end, .. } = citation;
    let (artifact, docir, item) = (escaped(artifact), escaped(docir), escaped(item));
    format!("/console/citations?artifact={artifact}&docir={docir}&item={item}&start={start}&end={end}")
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => escaped.push(char::from(byte)),
            other => write!(escaped, "%{other:02X}").expect("a string takes any text"),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_an_item_ends_its_part_of_the_address() {
        assert_eq!(escaped("#/texts/3"), "%23%2Ftexts%2F3");
        assert_eq!(escaped("a&b=c d\"é"), "a%26b%3Dc%20d%22%C3%A9");
    }
}
