//! Numbers with a meaning: money, percentages, and quantities with a unit.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::found::{EntityFinding, EntityKind};

const NUMBER: &str = r"\d{1,3}(?:[ \u{00A0}\u{202F},.'’]\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d+)?";
const SCALE: &str = r"(?: ?(?:thousand|million|billion|trillion|mn|bn|tausend|Millionen|Million|Milliarden|Milliarde|Mio\.?|Mrd\.?|millions?|milliards?|millones|millón|milioni|miliardi|milhões|bilhões|miljoen|miljard))";
/// After a sign of money also one letter: `$5M`.
const LETTER: &str = "[kKmMbB]";
const SIGN: &str = r"(?:US\$|A\$|C\$|[$€£¥₹₩₽₺₿]|CHF|Fr\.)";
const CODE: &str = r"(?:USD|EUR|GBP|JPY|CHF|CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|BRL|RUB|KRW|MXN|ZAR|euros?|Euro|dollars?|Dollar|pounds?|yen|Yen|rupees|francs?|Franken|pesos|reais|dólares|dollari|Pfund|cents?|Cent)";
const UNIT: &str = r"(?:km/h|mph|m/s|kWh|MWh|GWh|kW|MW|GW|GHz|MHz|kHz|Hz|KB|MB|GB|TB|PB|kB|km²|m²|cm²|m³|km|cm|mm|nm|kg|mg|µg|ml|cl|dl|ha|°C|°F|°|mAh|dB|kcal|hours?|minutes?|seconds?|days?|weeks?|months?|years?|metres?|meters?|kilometres?|kilometers?|miles?|feet|foot|inches|inch|yards?|acres?|hectares?|grams?|kilograms?|pounds|ounces|tonnes?|tons?|litres?|liters?|gallons?|degrees|Stunden?|Minuten?|Sekunden?|Tagen?|Wochen?|Monaten?|Monate|Jahren?|Kilometern?|Metern?|Tonnen?|Litern?|heures?|jours?|semaines?|mois|ans|horas?|días?|semanas?|meses|años|ore|giorni|settimane|mesi|anni|dias|anos|uur|dagen|weken|maanden|jaar|lb|lbs|oz|ft|in|m|g|l|t|s|h|V|W|A)";

static MONEY: LazyLock<Regex> = LazyLock::new(|| {
    regex(&format!(
        r"({SIGN}) ?({NUMBER})((?:{SCALE}| ?{LETTER})\b)?|\b(?:({CODE}) )({NUMBER})((?:{SCALE}|{LETTER})\b)?|\b({NUMBER})({SCALE})? ?(?:({CODE})\b|([$€£¥₹₩₽₺]))"
    ))
});
static PERCENT: LazyLock<Regex> = LazyLock::new(|| {
    regex(&format!(
        r"[-−+]?(?:\b|^)({NUMBER}) ?(?:%|‰|(?:percent|per cent|Prozent|pour cent|por ciento|per cento|por cento|procent)\b)"
    ))
});
static QUANTITY: LazyLock<Regex> =
    LazyLock::new(|| regex(&format!(r"\b({NUMBER})({SCALE})?[ -]?({UNIT})(?:[^\p{{L}}\p{{N}}]|$)")));

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the patterns are checked by tests")
}

pub(super) fn find(text: &str) -> Vec<EntityFinding> {
    let mut found: Vec<EntityFinding> =
        MONEY.captures_iter(text).filter_map(|captures| money(&captures)).collect();
    found.extend(PERCENT.captures_iter(text).filter_map(|captures| {
        let hit = captures.get(0)?;
        let sign = if hit.as_str().starts_with(['-', '−']) { "-" } else { "" };
        let unit = if hit.as_str().ends_with('‰') { "‰" } else { "%" };
        let value = Some(format!("{sign}{}{unit}", plain(captures.get(1)?.as_str())));
        Some(EntityFinding { kind: EntityKind::Percentage, place: hit.range(), value, confidence: 0.98 })
    }));
    found.extend(QUANTITY.captures_iter(text).filter_map(|captures| quantity(&captures)));
    found
}

fn money(captures: &Captures<'_>) -> Option<EntityFinding> {
    let first =
        |groups: &[usize]| groups.iter().find_map(|group| captures.get(*group)).map(|hit| hit.as_str());
    let currency = currency(first(&[1, 4, 9, 10])?);
    let amount = plain(first(&[2, 5, 7])?);
    let scale = first(&[3, 6, 8]).map(|scale| format!(" {}", scale.trim())).unwrap_or_default();
    let value = Some(format!("{currency} {amount}{scale}"));
    Some(EntityFinding { kind: EntityKind::Money, place: captures.get(0)?.range(), value, confidence: 0.95 })
}

/// Units of one letter are often false matches: `5 A`, `3 m`.
fn quantity(captures: &Captures<'_>) -> Option<EntityFinding> {
    let (number, unit) = (captures.get(1)?, captures.get(3)?);
    let confidence = if unit.as_str().chars().count() == 1 || unit.as_str() == "in" { 0.5 } else { 0.9 };
    let scale = captures.get(2).map(|scale| format!("{} ", scale.as_str().trim())).unwrap_or_default();
    let value = Some(format!("{} {scale}{}", plain(number.as_str()), unit.as_str()));
    Some(EntityFinding { kind: EntityKind::Quantity, place: number.start()..unit.end(), value, confidence })
}

/// `1.234,50`, `1,234.50` and `1 234,50` as `1234.50`. A sign followed by three digits parts thousands.
fn plain(number: &str) -> String {
    let last = number.rfind(['.', ',']);
    let decimals = last.map(|place| number.len() - place - 1);
    let alone = number.matches(['.', ',', ' ', '\u{00A0}', '\u{202F}', '\'', '’']).count() == 1;
    let zero = number.starts_with("0.") || number.starts_with("0,");
    let point = match (last, decimals) {
        (Some(place), Some(count)) if count != 3 || (alone && zero) => Some(place),
        _ => None,
    };
    let digits = |part: &str| part.chars().filter(char::is_ascii_digit).collect::<String>();
    match point {
        Some(place) => format!("{}.{}", digits(&number[..place]), digits(&number[place..])),
        None => digits(number),
    }
}

fn currency(written: &str) -> String {
    let lower = written.to_lowercase();
    let code = match lower.as_str() {
        "$" | "us$" | "dollar" | "dollars" | "dólares" | "dollari" => "USD",
        "€" | "euro" | "euros" => "EUR",
        "£" | "pound" | "pounds" | "pfund" => "GBP",
        "¥" | "yen" => "JPY",
        "₹" | "rupees" => "INR",
        "₩" => "KRW",
        "₽" => "RUB",
        "₺" => "TRY",
        "₿" => "BTC",
        "a$" => "AUD",
        "c$" => "CAD",
        "fr." | "franken" | "chf" => "CHF",
        "reais" => "BRL",
        _ => return if written.len() == 3 { written.to_uppercase() } else { lower },
    };
    code.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        for (written, expected) in [
            ("1.234,50", "1234.50"),
            ("1,234.50", "1234.50"),
            ("1 234,5", "1234.5"),
            ("1'234", "1234"),
            ("1,234", "1234"),
            ("0.125", "0.125"),
            ("3.14", "3.14"),
            ("12", "12"),
        ] {
            assert_eq!(plain(written), expected, "{written}");
        }
    }
}
