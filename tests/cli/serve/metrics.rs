//! Holds what a server shows to Prometheus against the table in `docs/operations.md`.

use std::collections::BTreeMap;

/// Kind and labels of each metric.
type Metrics = BTreeMap<String, (String, Vec<String>)>;

/// Every metric that is shown must be in the table, of that kind and with those labels.
pub fn are_as_documented(scraped: &str) {
    let page = std::fs::read_to_string("docs/operations.md").expect("the page");
    let documented = documented(&page);
    let shown = shown(scraped);
    assert!(shown.len() >= 10, "few metrics: {scraped}");
    for (name, found) in shown {
        assert_eq!(documented.get(&name), Some(&found), "{name}: in docs/operations.md, and shown");
    }
}

fn documented(page: &str) -> Metrics {
    let rows = page.lines().filter(|line| line.starts_with("| `runlane_"));
    let mut metrics = Metrics::new();
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let mut labels: Vec<String> = cells[3].split(", ").map(str::to_owned).collect();
        labels.retain(|label| !label.is_empty());
        labels.sort();
        metrics.insert(cells[1].trim_matches('`').to_owned(), (cells[2].to_owned(), labels));
    }
    metrics
}

fn shown(scraped: &str) -> Metrics {
    let mut metrics = Metrics::new();
    let mut current = String::new();
    for line in scraped.lines() {
        if let Some(words) = line.strip_prefix("# TYPE ") {
            let (name, kind) = words.split_once(' ').expect("a name and a kind");
            current = name.to_owned();
            metrics.insert(current.clone(), (kind.to_owned(), Vec::new()));
        } else if let Some((_, rest)) = line.split_once('{').filter(|_| !line.starts_with('#')) {
            let labels = rest.split("\",").filter_map(|pair| pair.split_once('=')).map(|(label, _)| label.to_owned());
            let mut labels: Vec<String> = labels.filter(|label| label != "le" && label != "quantile").collect();
            labels.sort();
            metrics.entry(current.clone()).or_default().1 = labels;
        }
    }
    metrics
}
