//! The allowed links of a document.

/// Schemes that lead to a page, a mailbox or a telephone. Any other could run a program or read a file.
const SCHEMES: [&str; 5] = ["http", "https", "mailto", "tel", "ftp"];
/// Longer ones are data, not addresses.
const BYTES_MAX: usize = 4_096;

/// The link if it is allowed: an address with a known scheme. Relative ones lead nowhere from a PDF.
pub fn safe_link(link: &str) -> Option<&str> {
    let link = link.trim();
    let (scheme, rest) = link.split_once(':')?;
    let known = SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known));
    let clean = !link.contains(|c: char| c.is_control() || c.is_whitespace());
    (known && clean && !rest.is_empty() && link.len() <= BYTES_MAX).then_some(link)
}

#[cfg(test)]
mod tests {
    use super::safe_link;

    #[test]
    fn addresses_stay_and_code_goes() {
        for link in
            ["https://example.com/a?b=c", "HTTP://example.com", "mailto:ada@example.com", "tel:+49301234"]
        {
            assert_eq!(safe_link(link), Some(link));
        }
        for link in [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "java\nscript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "#part",
            "other.html",
            "https:",
            "",
        ] {
            assert_eq!(safe_link(link), None, "{link}");
        }
    }
}
