//! The results of searches, and their order.

mod made;
mod same;

use std::sync::Arc;

use toolgate_core::{CanonicalName, ServerName};

use super::*;
use made::{Made, index, server};

const LIMIT: usize = 10;

fn shop() -> Arc<Index> {
    index(&[
        Made::new("github", "create_issue").says("Create a new issue in a repository. Labels are optional."),
        Made::new("github", "create_issue_comment").says("Write a comment on an issue."),
        Made::new("github", "listPullRequests").says("List the pull requests of a repository."),
        Made::new("weather", "get_forecast").says("Weather of the next days for a city.").takes("city"),
        Made::new("weather", "get_alerts").says("Warnings of storms and floods."),
        Made::new("maps", "static_map").says("Draw a map of an area as an image."),
        Made::new("garden", "maple_care").says("How to look after maples."),
        Made::new("bing", "bing_search").says("使用必应搜索指定的关键词，并返回搜索结果"),
        Made::new("диск", "найти").says("Найти файл на диске."),
    ])
}

fn found(index: &Arc<Index>, query: &str) -> Vec<String> {
    let hits = index.all().search(query, None, LIMIT);
    hits.into_iter().map(|hit| hit.name.as_str().to_owned()).collect()
}

#[track_caller]
fn check_first(query: &str, expected: &str) {
    assert_eq!(found(&shop(), query).first().map(String::as_str), Some(expected), "{query}");
}

#[test]
fn a_tool_is_found_by_what_it_does() {
    check_first("will it rain in the city, what is the weather", "weather:get_forecast");
    check_first("show open pull requests", "github:listPullRequests");
    check_first("storm warning", "weather:get_alerts");
}

#[test]
fn an_exact_name_comes_first_and_then_names_that_begin_with_it() {
    for query in
        ["create_issue", "github:create_issue", "github__create_issue", "createIssue", "Create issue"]
    {
        let hits = shop().all().search(query, None, LIMIT);
        let first: Vec<_> = hits.iter().take(2).map(|hit| (hit.name.as_str(), hit.place)).collect();
        let expected =
            [("github:create_issue", MatchKind::Exact), ("github:create_issue_comment", MatchKind::Prefix)];
        assert_eq!(first, expected, "{query}");
    }
}

#[test]
fn the_name_letter_for_letter_comes_before_the_same_words() {
    let index = index(&[Made::new("a", "b_c"), Made::new("a-b", "c"), Made::new("z", "a_b_c")]);
    assert_eq!(found(&index, "a-b:c")[0], "a-b:c");
    assert_eq!(found(&index, "a:b_c")[0], "a:b_c");
    assert_eq!(found(&index, "a_b_c")[0], "z:a_b_c");
}

#[test]
fn half_a_name_finds_it() {
    let hits = shop().all().search("create_iss", None, LIMIT);
    assert_eq!((hits[0].name.as_str(), hits[0].place), ("github:create_issue", MatchKind::Prefix));
    assert_eq!(shop().all().search("listPull", None, LIMIT)[0].place, MatchKind::Prefix);
}

#[test]
fn a_known_word_is_not_taken_for_the_beginning_of_another() {
    let names = found(&shop(), "map");
    assert_eq!(names[0], "maps:static_map");
    assert!(!names.contains(&"garden:maple_care".to_owned()));
}

#[test]
fn other_names_of_a_tool_are_exact_names() {
    let index = index(&[
        Made::new("crm", "q7").known_as("find_customer"),
        Made::new("crm", "find_customer_orders").says("find customer, find customer"),
    ]);
    let hits = index.all().search("find_customer", None, LIMIT);
    assert_eq!((hits[0].name.as_str(), hits[0].place), ("crm:q7", MatchKind::Exact));
}

#[test]
fn slips_plurals_and_camel_case_are_forgiven() {
    check_first("wether forcast", "weather:get_forecast");
    check_first("repositry isues", "github:create_issue");
    check_first("pullrequests list PullRequest", "github:listPullRequests");
    check_first("forecasts", "weather:get_forecast");
}

#[test]
fn a_word_that_is_known_is_not_corrected() {
    let index = index(&[Made::new("a", "form"), Made::new("b", "x").says("inform platform forms")]);
    assert_eq!(found(&index, "forms"), ["a:form", "b:x"]);
    assert!(found(&index, "f0rm").is_empty(), "what has a digit in it is not a slip");
}

#[test]
fn another_word_for_it_finds_less_than_the_word_itself() {
    let index = index(&[
        Made::new("a", "x").says("Remove a picture."),
        Made::new("b", "x").says("Delete a photo."),
        Made::new("c", "x").says("Rotate a cube."),
    ]);
    assert_eq!(found(&index, "delete photo"), ["b:x", "a:x"]);
}

#[test]
fn other_languages_are_searched_too() {
    check_first("搜索关键词", "bing:bing_search");
    check_first("НАЙДИ файл на диске", "диск:найти");
}

#[test]
fn a_query_without_words_finds_nothing() {
    for query in ["", "   ", "?!", "the of and", "qqqqqqqqqqqqqqqq"] {
        assert_eq!(found(&shop(), query), Vec::<String>::new(), "{query:?}");
    }
    assert!(Index::default().is_empty());
    assert!(found(&Arc::new(Index::default()), "anything").is_empty());
}

#[test]
fn an_endless_query_is_read_to_its_limit() {
    let long = format!("storm {}", "lorem ipsum dolor ".repeat(100_000));
    assert_eq!(found(&shop(), &long), ["weather:get_alerts"]);
    let late = format!("{} storm", "x ".repeat(100_000));
    assert!(found(&shop(), &late).is_empty(), "what comes after the limit is not read");
    let many: String = (100..200).map(|number| format!("{number} ")).collect();
    assert!(found(&shop(), &(many + "storm")).is_empty(), "nor are more words than the limit");
}

#[test]
fn tools_that_are_equally_good_stand_in_the_order_of_their_names() {
    let tools: Vec<_> = ["d", "a", "c", "b"].map(|server| Made::new(server, "x").says("alike")).into();
    assert_eq!(found(&index(&tools), "alike"), ["a:x", "b:x", "c:x", "d:x"]);
    assert_eq!(index(&tools).all().search("alike", None, 2).len(), 2);
}

#[test]
fn tags_examples_and_arguments_lead_to_a_tool() {
    let index = index(&[
        Made::new("a", "one").tagged("finance"),
        Made::new("b", "two").example("how much do we owe"),
        Made::new("c", "three").takes("postcode"),
    ]);
    assert_eq!(found(&index, "finance"), ["a:one"]);
    assert_eq!(found(&index, "what do we owe them"), ["b:two"]);
    assert_eq!(found(&index, "postcodes"), ["c:three"]);
}

#[test]
fn only_the_servers_asked_for_are_searched() {
    let hits = shop().all().search("create an issue with a map", Some(&[server("maps")]), LIMIT);
    assert_eq!(hits.iter().map(|hit| hit.name.as_str()).collect::<Vec<_>>(), ["maps:static_map"]);
    assert!(shop().all().search("map", Some(&[]), LIMIT).is_empty());
}

#[test]
fn a_wrong_name_is_answered_with_the_nearest_ones() {
    let all = shop().all();
    let nearest =
        |name: &str| all.nearest(name, 2).iter().map(|one| one.as_str().to_owned()).collect::<Vec<_>>();
    assert_eq!(nearest("creat_isue")[0], "github:create_issue");
    assert_eq!(nearest("githb:create_issue")[0], "github:create_issue");
    assert_eq!(nearest("issue_create")[0], "github:create_issue");
    assert_eq!(nearest("forecast_weather")[0], "weather:get_forecast");
    assert!(nearest("zzz").is_empty());
    assert!(nearest("").is_empty());
}

#[test]
fn what_is_outside_the_subset_is_not_even_hinted_at() {
    let index = shop();
    let visible = CanonicalName::recorded("weather:get_forecast");
    let subset = index.subset([&visible, &CanonicalName::recorded("no:such")].into_iter());
    assert_eq!((subset.len(), subset.contains(&visible)), (1, true));
    for query in ["create_issue", "github", "maple", "creat_isue", "storm"] {
        assert!(subset.search(query, None, LIMIT).is_empty(), "{query}");
        assert!(subset.nearest(query, LIMIT).is_empty(), "{query}");
    }
    assert_eq!(subset.documents().count(), 1);
}
