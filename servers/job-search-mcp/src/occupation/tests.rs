//! Titles as people write them.

use super::{all, cleaned, guesses};

fn first(title: &str) -> Option<&'static str> {
    guesses(title).first().map(|guess| all()[guess.at].name)
}

#[test]
fn titles_with_ornaments_name_their_occupation() {
    for (title, occupation) in [
        ("Senior Backend Engineer (m/f/d)", "Software developer"),
        ("Sr. Data Scientist - Remote", "Data scientist"),
        ("Registered Nurse", "Nurse"),
        ("Softwareentwickler (m/w/d)", "Software developer"),
        ("Comptable (H/F)", "Accountant"),
        ("Chef de projet (H/F)", "Management consultant"),
        ("HGV Driver", "Truck driver"),
    ] {
        assert_eq!(first(title), Some(occupation), "{title}");
    }
}

#[test]
fn a_title_that_nobody_knows_means_nothing() {
    for title in ["", "Zorgblat", "!!!", "データ"] {
        assert_eq!(first(title), None, "{title}");
    }
}

#[test]
fn the_level_is_told_apart() {
    assert_eq!(cleaned("Junior Accountant (m/w/d)"), ("Junior Accountant".to_owned(), Some("junior")));
    assert_eq!(cleaned("Head of Finance").1, Some("director"));
}
