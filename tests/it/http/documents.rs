//! The description of the API, for machines and for people.

use std::collections::BTreeSet;

use runlane::http::Code;
use serde_json::Value;

use super::Site;

#[tokio::test]
async fn the_description_is_complete() {
    let site = Site::new().await;
    let document = site.get("/openapi.json").await.body;
    assert_eq!(document["openapi"], "3.1.0");
    let mut codes = BTreeSet::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations") {
            let place = format!("{method} {path}");
            assert!(operation["summary"].is_string() && operation["tags"][0].is_string(), "{place}");
            let responses = operation["responses"].as_object().expect("responses");
            assert!(responses.keys().any(|status| status.starts_with('2')), "{place}");
            assert!(responses.contains_key("500"), "{place} is not in the table of routes");
            for response in responses.values() {
                let examples = &response["content"]["application/problem+json"]["examples"];
                codes.extend(examples.as_object().into_iter().flatten().map(|(code, _)| code.clone()));
            }
        }
    }
    let all: BTreeSet<_> = Code::ALL.iter().map(|code| code.as_str().to_owned()).collect();
    let nowhere: Vec<_> = all.difference(&codes).collect();
    // No operation answers with it: the method is not one.
    assert_eq!(nowhere, ["method_not_allowed"]);
    let listed = document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"].as_array().map(Vec::len);
    assert_eq!(listed, Some(Code::ALL.len()));
}

#[tokio::test]
async fn everything_in_the_description_is_described() {
    let site = Site::new().await;
    let document = site.get("/openapi.json").await.body;
    for (name, schema) in document["components"]["schemas"].as_object().expect("schemas") {
        assert!(schema["description"].is_string(), "{name}");
        for (field, property) in schema["properties"].as_object().into_iter().flatten() {
            // What may be null and has a schema of its own is a choice, and described there.
            let choices = property["oneOf"].as_array().into_iter().flatten();
            let described = choices.chain([property]).any(|place| place["description"].is_string());
            assert!(described, "{name}.{field}: {property}");
        }
    }
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations") {
            let place = format!("{method} {path}");
            assert!(operation["operationId"].is_string(), "{place}");
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                assert!(parameter["description"].is_string(), "{place}: {parameter}");
                assert!(!parameter["schema"].to_string().contains("null"), "{place}: {parameter}");
            }
            for (status, response) in operation["responses"].as_object().expect("responses") {
                assert!(response["description"].is_string(), "{place} {status}");
                let later = ["429", "503"].contains(&status.as_str());
                assert_eq!(response["headers"]["Retry-After"].is_object(), later, "{place} {status}");
            }
            if let Some(reference) = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].as_str()
            {
                let body = document.pointer(reference.trim_start_matches('#')).expect("a schema");
                assert_eq!(body["additionalProperties"], false, "{place}: unknown fields are refused");
            }
        }
    }
}

#[tokio::test]
async fn every_reference_in_the_description_leads_somewhere() {
    let site = Site::new().await;
    let document = site.get("/openapi.json").await.body;
    let mut references = Vec::new();
    collect(&document, &mut references);
    assert!(references.len() > 20);
    for reference in references {
        let pointer = reference.trim_start_matches('#');
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
}

fn collect(value: &Value, references: &mut Vec<String>) {
    match value {
        Value::Object(entries) => {
            references.extend(entries.get("$ref").and_then(Value::as_str).map(str::to_owned));
            entries.values().for_each(|value| collect(value, references));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, references)),
        _ => {}
    }
}

#[tokio::test]
async fn the_page_for_people_needs_nobody_else() {
    let site = Site::new().await;
    assert_eq!(site.get("/docs").await.header("location"), "/docs/");
    let page = site.get("/docs/").await;
    assert_eq!(page.header("content-type"), "text/html");
    let html = page.body.as_str().expect("text");
    assert!(html.contains("swagger-ui") && !html.contains("//unpkg") && !html.contains("https://"), "{html}");
    assert!(html.contains("<title>Runlane API</title>"), "{html}");
    let script = site.get("/docs/swagger-initializer.js").await;
    assert!(script.body.as_str().expect("text").contains("/openapi.json"));
    assert_eq!(site.get("/docs/swagger-ui-bundle.js").await.status, 200);
    site.get("/docs/nothing.js").await.is_problem("route_not_found");
}

#[test]
fn the_codes_in_the_docs_are_the_codes_in_the_code() {
    let (begin, end) = ("<!-- codes -->\n", "<!-- /codes -->");
    let page = "docs/api.md";
    let text = std::fs::read_to_string(page).expect("the page");
    let (before, rest) = text.split_once(begin).expect("the table begins");
    let (table, after) = rest.split_once(end).expect("the table ends");
    let expected = format!("\n{}\n", runlane::http::problem_table());
    if std::env::var_os("RUNLANE_BLESS").is_some() {
        std::fs::write(page, format!("{before}{begin}{expected}{end}{after}")).expect("written");
        return;
    }
    assert_eq!(table, expected, "run RUNLANE_BLESS=1 cargo test to bring {page} up to date");
}
