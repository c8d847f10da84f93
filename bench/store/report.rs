//! Collects repeated measurements and prints them as one Markdown table.

/// Runs per second, and that divided by the reference taken just before.
type Sample = (f64, f64);

#[derive(Default)]
pub struct Report {
    rows: Vec<(String, String, Vec<Sample>)>,
}

impl Report {
    /// `reference` is the insert rate taken just before.
    pub fn add(&mut self, subject: &str, measurement: &str, per_second: f64, reference: f64) {
        eprintln!("{subject} | {measurement} | {per_second:.0}/s | r {:.2}", per_second / reference);
        let sample = (per_second, per_second / reference);
        match self.rows.iter_mut().find(|(s, m, _)| s == subject && m == measurement) {
            Some((_, _, samples)) => samples.push(sample),
            None => self.rows.push((subject.into(), measurement.into(), vec![sample])),
        }
    }

    pub fn print(&self) {
        println!("| layout | measurement | runs/s | r | times |\n|---|---|---:|---:|---:|");
        for (subject, measurement, samples) in &self.rows {
            let rates = range(samples.iter().map(|s| s.0), 0);
            let ratios = range(samples.iter().map(|s| s.1), 2);
            println!("| {subject} | {measurement} | {rates} | {ratios} | {} |", samples.len());
        }
    }
}

fn range(values: impl Iterator<Item = f64> + Clone, digits: usize) -> String {
    let least = values.clone().fold(f64::INFINITY, f64::min);
    let most = values.fold(0.0, f64::max);
    let (least, most) = (format!("{least:.digits$}"), format!("{most:.digits$}"));
    if least == most { least } else { format!("{least} – {most}") }
}
