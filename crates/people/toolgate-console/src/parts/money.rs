//! Amounts of money, with their currency where it is known.

/// Millionths of a currency unit, as such units: `0.0042 USD`.
pub(crate) fn money(micros: u64, currency: Option<&str>) -> String {
    let (units, rest) = (super::number(micros / 1_000_000), format!("{:06}", micros % 1_000_000));
    // Cents are always written, and what is less only if there is any.
    let (cents, less) = rest.split_at(2);
    let amount = format!("{units}.{cents}{}", less.trim_end_matches('0'));
    match currency {
        Some(currency) => format!("{amount} {}", super::text::made_visible(currency)),
        None => amount,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cents_are_always_written_and_less_only_if_there_is_any() {
        assert_eq!(money(0, None), "0.00");
        assert_eq!(money(4_200, Some("USD")), "0.0042 USD");
        assert_eq!(money(1_234_500_000, Some("EUR")), "1,234.50 EUR");
        assert_eq!(money(1, Some("USD")), "0.000001 USD");
    }
}
