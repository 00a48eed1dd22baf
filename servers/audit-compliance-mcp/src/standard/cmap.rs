//! CMaps: how bytes of a string become characters, and characters Unicode.

use crate::cos::PdfValue;

/// Entries that are kept.
const ENTRIES_MAX: usize = 200_000;

/// A CMap stream that was read.
#[derive(Clone, Debug, Default)]
pub(super) struct CharacterMap {
    /// Length of codes, first and last.
    spaces: Vec<(usize, u32, u32)>,
    /// First and last code, and the CID of the first.
    ranges: Vec<(u32, u32, u32)>,
    /// First and last code, and the Unicode of the first.
    unicode: Vec<(u32, u32, Vec<u16>)>,
    pub(super) mode: Option<i64>,
    pub(super) uses: Option<String>,
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).fold(0, |sum, byte| (sum << 8) | u32::from(*byte))
}

fn units(bytes: &[u8]) -> Vec<u16> {
    bytes.chunks(2).map(|pair| pair.iter().fold(0, |sum, byte| (sum << 8) | u16::from(*byte))).collect()
}

impl CharacterMap {
    pub(super) fn read(bytes: &[u8]) -> Self {
        let mut map = Self::default();
        let mut stack: Vec<PdfValue> = Vec::new();
        for operation in crate::cos::operations(bytes).0 {
            stack.extend(operation.operands.iter().cloned());
            match operation.name.as_slice() {
                b"endcodespacerange" => map.codespaces(&stack),
                b"endcidrange" => map.cid_ranges(&stack),
                b"endcidchar" => map.cid_characters(&stack),
                b"endbfrange" => map.unicode_ranges(&stack),
                b"endbfchar" => map.unicode_characters(&stack),
                b"usecmap" => map.uses = stack.last().and_then(PdfValue::name).map(str::to_owned),
                b"def" => {
                    if let [.., key, value] = stack.as_slice()
                        && key.is_name("WMode")
                    {
                        map.mode = value.int();
                    }
                }
                _ => {}
            }
            stack.clear();
        }
        map
    }

    fn codespaces(&mut self, stack: &[PdfValue]) {
        for pair in stack.chunks_exact(2) {
            if let (Some(low), Some(high)) = (pair[0].bytes(), pair[1].bytes()) {
                self.spaces.push((low.len().clamp(1, 4), number(low), number(high)));
            }
        }
    }

    fn cid_ranges(&mut self, stack: &[PdfValue]) {
        for three in stack.chunks_exact(3).take(ENTRIES_MAX) {
            if let (Some(low), Some(high), Some(cid)) = (three[0].bytes(), three[1].bytes(), three[2].int()) {
                self.ranges.push((number(low), number(high), cid.clamp(0, i64::from(u32::MAX)) as u32));
            }
        }
    }

    fn cid_characters(&mut self, stack: &[PdfValue]) {
        for pair in stack.chunks_exact(2).take(ENTRIES_MAX) {
            if let (Some(code), Some(cid)) = (pair[0].bytes(), pair[1].int()) {
                let code = number(code);
                self.ranges.push((code, code, cid.clamp(0, i64::from(u32::MAX)) as u32));
            }
        }
    }

    fn unicode_characters(&mut self, stack: &[PdfValue]) {
        for pair in stack.chunks_exact(2).take(ENTRIES_MAX) {
            if let (Some(code), Some(text)) = (pair[0].bytes(), pair[1].bytes()) {
                self.unicode.push((number(code), number(code), units(text)));
            }
        }
    }

    fn unicode_ranges(&mut self, stack: &[PdfValue]) {
        for three in stack.chunks_exact(3).take(ENTRIES_MAX) {
            let (Some(low), Some(high)) = (three[0].bytes(), three[1].bytes()) else { continue };
            let low = number(low);
            match &three[2] {
                PdfValue::Text(text) => self.unicode.push((low, number(high), units(text))),
                PdfValue::List(list) => {
                    for (code, text) in (low..).zip(list.iter().filter_map(PdfValue::bytes)) {
                        self.unicode.push((code, code, units(text)));
                    }
                }
                _ => {}
            }
        }
    }

    /// The largest CID that a code can become.
    pub(super) fn cid_max(&self) -> u32 {
        self.ranges
            .iter()
            .map(|(low, high, cid)| cid.saturating_add(high.saturating_sub(*low)))
            .max()
            .unwrap_or(0)
    }

    pub(super) fn cid(&self, code: u32) -> Option<u32> {
        let range = self.ranges.iter().find(|(low, high, _)| (*low..=*high).contains(&code))?;
        Some(range.2 + (code - range.0))
    }

    pub(super) fn unicode(&self, code: u32) -> Option<Vec<u16>> {
        let (low, _, text) = self.unicode.iter().find(|(low, high, _)| (*low..=*high).contains(&code))?;
        let mut text = text.clone();
        if let Some(last) = text.last_mut() {
            *last = last.wrapping_add((code - low) as u16);
        }
        Some(text)
    }

    /// Codes of a string, by the code spaces; two bytes each if there are none.
    pub(super) fn codes(&self, text: &[u8]) -> Vec<u32> {
        let (mut codes, mut at) = (Vec::new(), 0);
        while at < text.len() {
            let fits = |length: usize| {
                let Some(bytes) = text.get(at..at + length) else { return false };
                let code = number(bytes);
                self.spaces.iter().any(|(own, low, high)| *own == length && (*low..=*high).contains(&code))
            };
            let length =
                (1..=4).find(|length| fits(*length)).unwrap_or(if self.spaces.is_empty() { 2 } else { 1 });
            let end = (at + length).min(text.len());
            codes.push(number(&text[at..end]));
            at = end;
        }
        codes
    }
}

/// CMaps of ISO 32000-1, table 118, with the ordering of their characters.
pub(super) fn predefined(name: &str) -> Option<&'static str> {
    const NAMES: &[(&str, &str)] = &[
        ("GB1", "GB-EUC GBpc-EUC GBK-EUC GBKp-EUC GBK2K UniGB-UCS2 UniGB-UTF16"),
        ("CNS1", "B5pc HKscs-B5 ETen-B5 ETenms-B5 CNS-EUC UniCNS-UCS2 UniCNS-UTF16"),
        (
            "Japan1",
            "83pv-RKSJ 90ms-RKSJ 90msp-RKSJ 90pv-RKSJ Add-RKSJ EUC Ext-RKSJ UniJIS-UCS2 UniJIS-UCS2-HW UniJIS-UTF16",
        ),
        ("Korea1", "KSC-EUC KSCms-UHC KSCms-UHC-HW KSCpc-EUC UniKS-UCS2 UniKS-UTF16"),
        ("Identity", "Identity"),
    ];
    if name == "H" || name == "V" {
        return Some("Japan1");
    }
    let stem = name.strip_suffix("-H").or(name.strip_suffix("-V"))?;
    NAMES.iter().find(|(_, names)| names.split(' ').any(|it| it == stem)).map(|(ordering, _)| *ordering)
}

/// A CMap whose operators are read as content: nothing of it draws anything.
pub(super) fn of_value(file: &crate::cos::PdfFile, value: &PdfValue) -> Option<CharacterMap> {
    value.stream().map(|stream| CharacterMap::read(&crate::cos::decoded(file, stream)))
}
