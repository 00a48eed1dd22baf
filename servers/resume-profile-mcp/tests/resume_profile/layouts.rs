//! Resumes that are not one column of English.

use capability_testkit::{Client, file};
use serde_json::{Value, json};

use crate::drive::start;
use crate::made::{Words, pdf};

async fn resume(client: &Client, words: &[Words<'_>]) -> Value {
    client.answer("extract_profile", file(&pdf(words), json!({ "file_type": "pdf" }))).await["resume"].clone()
}

#[tokio::test]
async fn two_columns_are_read_one_after_the_other() {
    let client = start().await;
    let resume = resume(
        &client,
        // The sidebar has smaller letters and its own lines: short lines on the same height as those beside
        // them are a table.
        &[
            (50, 60, 22, "Omar Farouk"),
            (50, 90, 11, "Accountant"),
            (50, 140, 13, "Contact"),
            (50, 158, 9, "omar.farouk@example.org"),
            (50, 171, 9, "Cairo, Egypt"),
            (50, 204, 13, "Skills"),
            (50, 223, 9, "IFRS"),
            (50, 236, 9, "Excel"),
            (250, 140, 13, "Experience"),
            (250, 160, 10, "Senior Accountant, Nile Trading Company"),
            (470, 160, 10, "05/2018 - present"),
            (250, 175, 10, "Closed the books of four companies each month."),
            (250, 220, 13, "Education"),
            (250, 240, 10, "BSc, Accounting, Cairo University"),
            (470, 240, 10, "2010 - 2014"),
        ],
    )
    .await;
    assert_eq!(resume["basics"]["name"], "Omar Farouk");
    assert_eq!(resume["basics"]["location"]["city"], "Cairo");
    assert_eq!(
        (&resume["work"][0]["position"], &resume["work"][0]["name"]),
        (&json!("Senior Accountant"), &json!("Nile Trading Company"))
    );
    assert_eq!(resume["work"][0]["startDate"], "2018-05");
    assert_eq!(resume["education"][0]["institution"], "Cairo University");
    let skills: Vec<&Value> =
        resume["skills"].as_array().unwrap().iter().map(|skill| &skill["name"]).collect();
    assert_eq!(skills, [&json!("IFRS"), &json!("Excel")]);
}

#[tokio::test]
async fn dates_in_a_column_of_their_own_stay_with_their_jobs() {
    let client = start().await;
    let resume = resume(
        &client,
        &[
            (60, 60, 20, "Lena Hofmann"),
            (60, 85, 11, "lena.hofmann@example.de"),
            (60, 130, 14, "Berufserfahrung"),
            (60, 160, 10, "03.2018 - heute"),
            (200, 160, 10, "Projektleiterin"),
            (200, 175, 10, "Bauwerk GmbH, Leipzig"),
            (60, 210, 10, "09.2014 - 02.2018"),
            (200, 210, 10, "Bauingenieurin"),
            (200, 225, 10, "Stahl AG, Dresden"),
        ],
    )
    .await;
    let jobs: Vec<_> = resume["work"]
        .as_array()
        .unwrap()
        .iter()
        .map(|job| [&job["position"], &job["name"], &job["startDate"], &job["endDate"]].map(Value::as_str))
        .collect();
    assert_eq!(
        jobs,
        [
            [Some("Projektleiterin"), Some("Bauwerk GmbH"), Some("2018-03"), None],
            [Some("Bauingenieurin"), Some("Stahl AG"), Some("2014-09"), Some("2018-02")],
        ]
    );
}

#[tokio::test]
async fn other_languages_are_read() {
    let client = start().await;
    let text = "Inês Duarte\nEnfermeira\nPorto, Portugal | ines.duarte@example.pt\n\nExperiência profissional\n\
        Enfermeira, Hospital de São João, Porto  março de 2016 – presente\n- Cuidados intensivos\n\nFormação\n2012 – 2016  Licenciatura, Enfermagem, Universidade do Porto\n\n\
        Idiomas\nPortuguês (nativo), Inglês (B2)\n";
    let answer = client.answer("extract_profile", json!({ "text": text })).await;
    let resume = &answer["resume"];
    assert_eq!(answer["language"], "pt");
    assert_eq!(
        (&resume["work"][0]["name"], &resume["work"][0]["startDate"]),
        (&json!("Hospital de São João"), &json!("2016-03"))
    );
    assert_eq!(
        (&resume["education"][0]["studyType"], &resume["education"][0]["area"]),
        (&json!("Licenciatura"), &json!("Enfermagem"))
    );
    assert_eq!(resume["languages"][1], json!({ "language": "Inglês", "fluency": "B2" }));
}

#[tokio::test]
async fn without_dates_everything_else_is_found_and_the_dates_are_missing() {
    let client = start().await;
    let text = "Ben Carter\nben.carter@example.com\n\nExperience\n\nBaker at Golden Crust Bakery\n- Bread for 400 customers a day\n\nCook at Harbour Hotel\n- Breakfast shift\n\nSkills\nBaking, HACCP\n";
    let answer = client.answer("extract_profile", json!({ "text": text })).await;
    assert_eq!(
        answer["resume"]["work"][1],
        json!({ "name": "Harbour Hotel", "position": "Cook", "highlights": ["Breakfast shift"] })
    );
    let missing = answer["missing"].as_array().unwrap();
    assert!(missing.contains(&json!("/work/0/startDate: the start date was not found")), "{answer}");
    assert!(missing.contains(&json!("/basics/phone: a telephone number was not found")), "{answer}");
}

#[tokio::test]
async fn lists_that_are_broken_within_an_item_are_mended() {
    let client = start().await;
    let text = "Dan Kowal\ndan@example.net\n\nExperience\n\nTrainee, Stroomwacht BV  2011 - 2013\nAmersfoort\n- Cables\n\nSkills\n\
        MIG welding, TIG welding, Blueprint reading, Oxy-fuel cutting, Forklift\noperation\n";
    let resume = client.answer("extract_profile", json!({ "text": text })).await["resume"].clone();
    assert_eq!(resume["skills"][4]["name"], "Forklift operation");
    let job = &resume["work"][0];
    assert_eq!(
        [&job["position"], &job["name"], &job["location"]],
        ["Trainee", "Stroomwacht BV", "Amersfoort"].map(|text| json!(text)).each_ref()
    );
}
