//! Names of glyphs: the encodings of ISO 32000-1, and names that the Adobe Glyph List has.

/// Latin glyph names with their characters, by which the encodings are told.
const LATIN: &str = "space  exclam ! quotedbl \" numbersign # dollar $ percent % ampersand & quotesingle ' parenleft ( parenright ) asterisk * plus + comma , hyphen - period . slash / zero 0 one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 colon : semicolon ; less < equal = greater > question ? at @ bracketleft [ backslash \\ bracketright ] asciicircum ^ underscore _ grave ` braceleft { bar | braceright } asciitilde ~ exclamdown ¡ cent ¢ sterling £ currency ¤ yen ¥ brokenbar ¦ section § dieresis ¨ copyright © ordfeminine ª guillemotleft « logicalnot ¬ registered ® macron ¯ degree ° plusminus ± twosuperior ² threesuperior ³ acute ´ mu µ paragraph ¶ periodcentered · cedilla ¸ onesuperior ¹ ordmasculine º guillemotright » onequarter ¼ onehalf ½ threequarters ¾ questiondown ¿ Agrave À Aacute Á Acircumflex Â Atilde Ã Adieresis Ä Aring Å AE Æ Ccedilla Ç Egrave È Eacute É Ecircumflex Ê Edieresis Ë Igrave Ì Iacute Í Icircumflex Î Idieresis Ï Eth Ð Ntilde Ñ Ograve Ò Oacute Ó Ocircumflex Ô Otilde Õ Odieresis Ö multiply × Oslash Ø Ugrave Ù Uacute Ú Ucircumflex Û Udieresis Ü Yacute Ý Thorn Þ germandbls ß agrave à aacute á acircumflex â atilde ã adieresis ä aring å ae æ ccedilla ç egrave è eacute é ecircumflex ê edieresis ë igrave ì iacute í icircumflex î idieresis ï eth ð ntilde ñ ograve ò oacute ó ocircumflex ô otilde õ odieresis ö divide ÷ oslash ø ugrave ù uacute ú ucircumflex û udieresis ü yacute ý thorn þ ydieresis ÿ OE Œ oe œ Scaron Š scaron š Ydieresis Ÿ Zcaron Ž zcaron ž florin ƒ circumflex ˆ tilde ˜ endash – emdash — quoteleft ‘ quoteright ’ quotesinglbase ‚ quotedblleft “ quotedblright ” quotedblbase „ dagger † daggerdbl ‡ bullet • ellipsis … perthousand ‰ guilsinglleft ‹ guilsinglright › Euro € trademark ™ fi ﬁ fl ﬂ fraction ⁄ minus − Lslash Ł lslash ł dotlessi ı breve ˘ dotaccent ˙ ring ˚ hungarumlaut ˝ ogonek ˛ caron ˇ infinity ∞ notequal ≠ lessequal ≤ greaterequal ≥ partialdiff ∂ summation ∑ product ∏ pi π integral ∫ Omega Ω radical √ approxequal ≈ Delta ∆ lozenge ◊ apple \u{f8ff}";

/// Words that, behind a letter, make names of the Adobe Glyph List.
const ACCENTS: &[&str] = &[
    "acute",
    "grave",
    "breve",
    "caron",
    "cedilla",
    "circumflex",
    "commaaccent",
    "dieresis",
    "dotaccent",
    "dotbelow",
    "hookabove",
    "horn",
    "hungarumlaut",
    "macron",
    "ogonek",
    "ring",
    "slash",
    "stroke",
    "tilde",
    "bar",
    "croat",
    "dot",
    "acutesmall",
    "small",
    "superior",
    "inferior",
    "oldstyle",
    "parenleft",
];
const GREEK: &[&str] = &[
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu",
    "nu", "xi", "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
];
const OTHERS: &[&str] = &[
    "ff",
    "ffi",
    "ffl",
    "arrowleft",
    "arrowright",
    "arrowup",
    "arrowdown",
    "arrowboth",
    "universal",
    "existential",
    "element",
    "proportional",
    "angle",
    "logicaland",
    "logicalor",
    "intersection",
    "union",
    "therefore",
    "similar",
    "congruent",
    "equivalence",
    "emptyset",
    "gradient",
    "nbspace",
    "sfthyphen",
    "nonbreakingspace",
    "softhyphen",
    "middot",
    "afii61352",
    "estimated",
    "kgreenlandic",
    "Eng",
    "eng",
    "napostrophe",
    "longs",
    "square",
    "triangle",
    "circle",
    "H18533",
    "filledbox",
    "openbullet",
    "club",
    "diamond",
    "heart",
    "spade",
    "prime",
    "second",
    "minute",
    "peseta",
    "franc",
    "lira",
    "afii00208",
];

/// An encoding that a font may be based on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BaseEncoding {
    Standard,
    WinAnsi,
    MacRoman,
}

impl BaseEncoding {
    pub(super) fn of(name: &str) -> Option<Self> {
        match name {
            "StandardEncoding" => Some(Self::Standard),
            "WinAnsiEncoding" => Some(Self::WinAnsi),
            "MacRomanEncoding" => Some(Self::MacRoman),
            _ => None,
        }
    }

    /// The name of a code's glyph.
    pub(super) fn name(self, code: u8) -> Option<String> {
        match (self, code) {
            (_, 0..=31) => None,
            (Self::WinAnsi, 127 | 129 | 141 | 143 | 144 | 157) => Some("bullet".to_owned()),
            (Self::WinAnsi, 160) => Some("space".to_owned()),
            (Self::WinAnsi, 173) => Some("hyphen".to_owned()),
            (Self::WinAnsi, _) => name_of(decode(encoding_rs::WINDOWS_1252, code)),
            (Self::MacRoman, 202) => Some("space".to_owned()),
            (Self::MacRoman, _) => name_of(decode(encoding_rs::MACINTOSH, code)),
            (Self::Standard, 39) => Some("quoteright".to_owned()),
            (Self::Standard, 96) => Some("quoteleft".to_owned()),
            (Self::Standard, 32..=126) => name_of(char::from(code)),
            (Self::Standard, _) => standard_high(code).map(str::to_owned),
        }
    }
}

fn decode(encoding: &'static encoding_rs::Encoding, code: u8) -> char {
    let bytes = [code];
    let (text, _) = encoding.decode_without_bom_handling(&bytes);
    text.chars().next().unwrap_or('\u{fffd}')
}

/// The upper half of the standard encoding.
fn standard_high(code: u8) -> Option<&'static str> {
    const NAMES: &str = "161 exclamdown cent sterling fraction yen florin section currency quotesingle quotedblleft guillemotleft guilsinglleft guilsinglright fi fl - endash dagger daggerdbl periodcentered - paragraph bullet quotesinglbase quotedblbase quotedblright guillemotright ellipsis perthousand - questiondown - grave acute circumflex tilde macron breve dotaccent dieresis - ring cedilla - hungarumlaut ogonek caron emdash - - - - - - - - - - - - - - - - AE - ordfeminine - - - - Lslash Oslash OE ordmasculine - - - - - ae - - - dotlessi - - lslash oslash oe germandbls";
    let index = usize::from(code.checked_sub(160)?);
    NAMES.split(' ').nth(index).filter(|it| index > 0 && *it != "-")
}

fn pairs() -> impl Iterator<Item = (&'static str, char)> {
    let mut words = LATIN.split(' ');
    std::iter::from_fn(move || {
        let name = words.next()?;
        match words.next()? {
            // A space between two spaces.
            "" => Some((name, ' ')),
            sign => Some((name, sign.chars().next()?)),
        }
    })
}

fn name_of(character: char) -> Option<String> {
    if character.is_ascii_alphabetic() {
        return Some(character.to_string());
    }
    pairs().find(|(_, it)| *it == character).map(|(name, _)| name.to_owned())
}

/// The character of a glyph's name.
pub(super) fn character(name: &str) -> Option<char> {
    if name.len() == 1 && name.as_bytes()[0].is_ascii_alphabetic() {
        return name.chars().next();
    }
    if let Some((_, character)) = pairs().find(|(own, _)| *own == name) {
        return Some(character);
    }
    let digits = name
        .strip_prefix("uni")
        .filter(|it| it.len() == 4)
        .or(name.strip_prefix('u').filter(|it| (4..=6).contains(&it.len())))?;
    char::from_u32(u32::from_str_radix(digits, 16).ok()?)
}

/// True if the Adobe Glyph List has a name, as far as its families go.
pub(super) fn is_listed(name: &str) -> bool {
    if name == ".notdef" || character(name).is_some() || OTHERS.contains(&name) {
        return true;
    }
    let lower = name.to_ascii_lowercase();
    let letter = ["ae", "oe"].iter().find_map(|it| lower.strip_prefix(it)).or(lower.get(1..));
    let accented =
        letter.is_some_and(|rest| ACCENTS.contains(&rest)) && name.as_bytes()[0].is_ascii_alphabetic();
    let greek = GREEK.iter().any(|it| {
        lower
            .strip_prefix(it)
            .is_some_and(|rest| matches!(rest, "" | "1" | "tonos" | "dieresis" | "dieresistonos"))
    });
    let cyrillic = lower
        .strip_prefix("afii")
        .is_some_and(|rest| rest.len() == 5 && rest.bytes().all(|it| it.is_ascii_digit()));
    let number =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"].iter().any(|it| {
            lower.strip_prefix(it).is_some_and(|rest| {
                matches!(
                    rest,
                    "superior" | "inferior" | "oldstyle" | "eighth" | "eighths" | "third" | "thirds"
                )
            })
        });
    accented || greek || cyrillic || number
}
