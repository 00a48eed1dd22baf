//! Resumes made for tests.

pub(crate) const TEXT: &str = "Nadia Petrov
Platform Engineer
Vienna, Austria | nadia.petrov@example.at | +43 1 555 0142

Experience

Platform Engineer, Donau Software GmbH, Vienna  03/2019 - present
- Run 60 services on Kubernetes with Terraform.
- Wrote the deployment tool in Rust.
- Organise the summer party.

System Administrator, Prater Hosting, Vienna  06/2014 - 02/2019
- Looked after 200 Linux servers.

Education

BSc, Computer Science, University of Vienna  2010 - 2014

Skills

Kubernetes, Terraform, Rust, Linux, PostgreSQL

Languages

German (native), English (C1)
";

pub(crate) const JOB: &str = "Senior Platform Engineer

What you bring:
- At least 5 years of experience with Linux
- k8s and Terraform in production
- A degree in computer science (bachelor's)
- Fluent English
- Elixir

Nice to have:
- PostgreSQL
- Kafka

We offer:
- Free Haskell courses
";

/// Words with their positions: points from the left and the top, size, text.
pub(crate) type Words<'a> = (u32, u32, u32, &'a str);

/// A PDF of one page with words where they are said to be, in one of the fonts that every reader has.
pub(crate) fn pdf(words: &[Words<'_>]) -> Vec<u8> {
    let drawn: String = words
        .iter()
        .map(|(left, top, size, text)| {
            format!("BT /F1 {size} Tf 1 0 0 1 {left} {} Tm ({text}) Tj ET\n", 842 - top)
        })
        .collect();
    page(&drawn)
}

/// A page that shows a grey picture and has no text.
pub(crate) fn scan() -> Vec<u8> {
    page("q 400 0 0 600 100 100 cm /Im Do Q")
}

fn page(content: &str) -> Vec<u8> {
    let picture = "<< /Type /XObject /Subtype /Image /Width 4 /Height 4 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 16 >>";
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [6 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
        format!("{picture}\nstream\n{}\nendstream", "\x40".repeat(16)),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> /XObject << /Im 4 0 R >> >> >>".to_owned(),
    ];
    let mut bytes = b"%PDF-1.7\n".to_vec();
    let mut offsets = Vec::new();
    for (number, object) in (1..).zip(&objects) {
        offsets.push(bytes.len());
        bytes.extend(format!("{number} 0 obj\n{object}\nendobj\n").bytes());
    }
    let table = bytes.len();
    bytes.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    offsets.iter().for_each(|offset| bytes.extend(format!("{offset:010} 00000 n \n").bytes()));
    bytes.extend(
        format!("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n", objects.len() + 1)
            .bytes(),
    );
    bytes
}
