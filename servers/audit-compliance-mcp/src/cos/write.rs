//! A file written anew, with only the objects that its trailer leads to: nothing of an older version, no
//! unused object and no byte between objects survives.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use super::value::{Dict, PdfValue};

/// Writes the objects that `root` and `info` lead to.
pub(crate) fn write(objects: &BTreeMap<u32, PdfValue>, root: u32, version: &str) -> Vec<u8> {
    let used = reachable(objects, root);
    let mut out = format!("%PDF-{version}\n%\u{e2}\u{e3}\u{cf}\u{d3}\n").into_bytes();
    let mut places = BTreeMap::new();
    for number in &used {
        let Some(value) = objects.get(number) else { continue };
        places.insert(*number, out.len());
        put(&mut out, format_args!("{number} 0 obj\n"));
        write_value(&mut out, value);
        out.extend_from_slice(b"\nendobj\n");
    }
    let at = out.len();
    let size = used.last().map_or(1, |last| last + 1);
    put(&mut out, format_args!("xref\n0 {size}\n"));
    for number in 0..size {
        match places.get(&number) {
            Some(place) => put(&mut out, format_args!("{place:010} 00000 n \n")),
            None => out.extend_from_slice(b"0000000000 65535 f \n"),
        }
    }
    put(&mut out, format_args!("trailer\n<</Size {size}/Root {root} 0 R>>\nstartxref\n{at}\n%%EOF\n"));
    out
}

fn put(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to memory cannot fail");
}

fn reachable(objects: &BTreeMap<u32, PdfValue>, root: u32) -> BTreeSet<u32> {
    let mut used = BTreeSet::new();
    let mut waiting = vec![root];
    while let Some(number) = waiting.pop() {
        if objects.contains_key(&number) && used.insert(number) {
            references(&objects[&number], &mut waiting);
        }
    }
    used
}

fn references(value: &PdfValue, into: &mut Vec<u32>) {
    match value {
        PdfValue::Ref(number) => into.push(*number),
        PdfValue::List(list) => list.iter().for_each(|one| references(one, into)),
        PdfValue::Dict(dict) => dict.iter().for_each(|(_, one)| references(one, into)),
        PdfValue::Stream(stream) => stream.dict.iter().for_each(|(_, one)| references(one, into)),
        _ => {}
    }
}

pub(crate) fn write_value(out: &mut Vec<u8>, value: &PdfValue) {
    match value {
        PdfValue::Null => out.extend_from_slice(b"null"),
        PdfValue::Bool(flag) => put(out, format_args!("{flag}")),
        PdfValue::Int(number) => put(out, format_args!("{number}")),
        PdfValue::Real(number) => put(out, format_args!("{number}")),
        PdfValue::Name(name) => write_name(out, name),
        PdfValue::Text(text) => {
            out.push(b'<');
            text.iter().for_each(|byte| put(out, format_args!("{byte:02x}")));
            out.push(b'>');
        }
        PdfValue::List(list) => {
            out.push(b'[');
            for one in list {
                write_value(out, one);
                out.push(b' ');
            }
            out.push(b']');
        }
        PdfValue::Dict(dict) => write_dict(out, dict),
        PdfValue::Stream(stream) => {
            let mut dict = stream.dict.clone();
            dict.set("Length", PdfValue::Int(stream.body.len() as i64));
            write_dict(out, &dict);
            out.extend_from_slice(b"\nstream\n");
            out.extend_from_slice(&stream.body);
            out.extend_from_slice(b"\nendstream");
        }
        PdfValue::Ref(number) => put(out, format_args!("{number} 0 R")),
    }
}

fn write_dict(out: &mut Vec<u8>, dict: &Dict) {
    out.extend_from_slice(b"<<");
    for (key, value) in dict.iter() {
        write_name(out, key);
        out.push(b' ');
        write_value(out, value);
        out.push(b'\n');
    }
    out.extend_from_slice(b">>");
}

fn write_name(out: &mut Vec<u8>, name: &[u8]) {
    out.push(b'/');
    for byte in name {
        if byte.is_ascii_alphanumeric() || b"-_.+*".contains(byte) {
            out.push(*byte);
        } else {
            put(out, format_args!("#{byte:02x}"));
        }
    }
}
