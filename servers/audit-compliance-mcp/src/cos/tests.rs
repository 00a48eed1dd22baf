//! Objects, streams and files, whole and damaged.

use super::value::{Dict, PdfValue};
use super::{PdfError, PdfFile, decoded, operations, write};

fn small() -> Vec<u8> {
    let text = "%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Kids [3 0 R] >>\nendobj\n\
        3 0 obj\n<< /Type /Page /Contents 4 0 R >>\nendobj\n4 0 obj\n<< /Length 9 >>\nstream\n(a\\)b) Tj\nendstream\nendobj\n";
    text.as_bytes().to_vec()
}

#[test]
fn a_file_without_an_index_is_searched_for_objects() {
    let file = PdfFile::read(&small()).unwrap();
    assert!(file.rebuilt);
    assert_eq!(file.pages(), [3]);
    let page = file.objects[&3].dict().unwrap();
    let content = decoded(&file, file.at(page, "Contents").stream().unwrap());
    let (found, _) = operations(&content);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].operand(0), &PdfValue::Text(b"a)b".to_vec()));
}

#[test]
fn what_is_written_is_read_again_without_what_nothing_refers_to() {
    let mut file = PdfFile::read(&small()).unwrap();
    file.objects.insert(9, PdfValue::Text(b"nobody asks for this".to_vec()));
    let written = write(&file.objects, 1, "1.7");
    let again = PdfFile::read(&written).unwrap();
    assert!(!again.rebuilt && again.faults.is_empty(), "{:?}", again.faults);
    assert_eq!(again.pages(), [3]);
    assert!(!again.objects.contains_key(&9));
}

#[test]
fn filters_undo_each_other() {
    let stream = |filter: &str, body: &[u8]| {
        let filters = filter.split(' ').map(|it| PdfValue::Name(it.into())).collect();
        let dict = Dict(vec![(b"Filter".to_vec(), PdfValue::List(filters))]);
        decoded(&PdfFile::empty(), &super::Stream { dict, body: body.into() })
    };
    assert_eq!(stream("ASCIIHexDecode", b"68 65 6c6C6f>"), b"hello");
    assert_eq!(stream("ASCII85Decode", b"87cURDZ~>"), b"Hello");
    assert_eq!(stream("RunLengthDecode", &[1, b'a', b'b', 254, b'c', 128]), b"abccc");
    assert_eq!(stream("LZWDecode", &[0x80, 0x0b, 0x60, 0x50, 0x22, 0x0c, 0x0c, 0x85, 0x01]), b"-----A---B");
    assert_eq!(stream("FlateDecode", b"no zlib at all"), b"");
}

#[test]
fn what_is_no_file_is_refused() {
    assert_eq!(PdfFile::read(b"PK").err(), Some(PdfError::NotPdf));
    assert_eq!(PdfFile::read(b"%PDF-1.4\n%%EOF").err(), Some(PdfError::NoCatalogue));
}
