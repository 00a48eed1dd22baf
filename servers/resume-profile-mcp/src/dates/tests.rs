//! Dates as people write them.

use super::*;

fn check(text: &str, expected: &[(&str, &str)]) {
    let show = |date: &Option<Date>| date.as_ref().map_or(String::new(), |date| date.value.clone());
    let found: Vec<(String, String)> = periods(text, 0)
        .iter()
        .map(|period| (show(&period.start), if period.open { "open".to_owned() } else { show(&period.end) }))
        .collect();
    let expected: Vec<(String, String)> =
        expected.iter().map(|(start, end)| ((*start).to_owned(), (*end).to_owned())).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn periods_are_read_in_many_wordings() {
    check("Jan 2019 – heute", &[("2019-01", "open")]);
    check("03/2018-present", &[("2018-03", "open")]);
    check("2016–18", &[("2016", "2018")]);
    check("since 2020", &[("2020", "open")]);
    check("Sept. '17 – Dec. '19", &[("2017-09", "2019-12")]);
    check("août 2014 à juin 2016", &[("2014-08", "2016-06")]);
    check("janv. 2019 – aujourd'hui", &[("2019-01", "open")]);
    check("marzo de 2015 – actualidad", &[("2015-03", "open")]);
    check("dal 2017 ", &[("2017", "open")]);
    check("maggio 2012 – dicembre 2016", &[("2012-05", "2016-12")]);
    check("2-2019 t/m heden", &[("2019-02", "open")]);
    check("09.2013 – 07.2015", &[("2013-09", "2015-07")]);
    check("01.09.2013 - 31.07.2015", &[("2013-09", "2015-07")]);
    check("2018-07 / 至今", &[("2018-07", "open")]);
    check("2015年7月至2018年6月", &[("2015-07", "2018-06")]);
    check("Jan – Mar 2019", &[("2019-01", "2019-03")]);
    check("2019 –", &[("2019", "open")]);
    check("June 2014", &[("", "2014-06")]);
    check("von 2010 bis 2012", &[("2010", "2012")]);
    check("09.2015 – bis heute", &[("2015-09", "open")]);
    check("10/2016 - היום", &[("2016-10", "open")]);
}

#[test]
fn a_word_before_a_year_is_not_part_of_the_date() {
    let text = "Award 2019";
    let found = periods(text, 0);
    assert_eq!(found[0].span.of(text), "2019");
}

#[test]
fn numbers_that_are_no_dates_stay_numbers() {
    check("30,000 daily visitors in 40 services", &[]);
    check("+44 20 7946 0123", &[]);
}

#[test]
fn a_date_normalises_to_its_value() {
    for period in periods("Sept. '17 – 2019, 2016–18, Jan – Mar 2020", 0) {
        for date in [period.start, period.end].into_iter().flatten() {
            let text = date.span.of("Sept. '17 – 2019, 2016–18, Jan – Mar 2020");
            assert_eq!(
                normalise(text).map(|value| value[2..4].to_owned()),
                Some(date.value[2..4].to_owned()),
                "{text}"
            );
        }
    }
}
