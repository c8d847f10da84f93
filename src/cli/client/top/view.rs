//! The screen of `top`: a head line, how many wait over time, queues beside workers, what runs, what failed.

use std::collections::VecDeque;

use jiff::Timestamp;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Cell, RenderDirection, Row, Sparkline, Table};

use super::snapshot::Seen;
use crate::cli::client::render::{ago, counted, grouped, plain, span};
use crate::cli::client::seen::{Queue, Run, Worker};
use crate::cli::client::workers::state;

/// Everything that is drawn.
pub(super) struct Screen {
    pub(super) seen: Seen,
    /// How many waited, newest first.
    pub(super) waiting: VecDeque<u64>,
    /// Why there is nothing newer.
    pub(super) trouble: Option<String>,
    pub(super) frozen: bool,
}

pub(super) fn draw(frame: &mut Frame<'_>, screen: &Screen, now: Timestamp) {
    let rows =
        [Constraint::Length(1), Constraint::Length(4), Constraint::Fill(2), Constraint::Fill(2), Constraint::Fill(1)];
    let [head, past, middle, running, failed] = Layout::vertical(rows).areas(frame.area());
    let [left, right] = Layout::horizontal([Constraint::Percentage(45), Constraint::Percentage(55)]).areas(middle);
    frame.render_widget(head_line(screen, now), head);
    waiting(frame, screen, past);
    queues(frame, &screen.seen.queues, left);
    workers(frame, &screen.seen.workers, right, now);
    runs(frame, "Running", &screen.seen.running, running, now);
    runs(frame, "Failed lately", &screen.seen.failed, failed, now);
}

fn head_line(screen: &Screen, now: Timestamp) -> Line<'_> {
    let seen = &screen.seen;
    let (busy, slots) = seen.slots();
    let mut parts = vec![
        Span::from(" runlane ").bold().reversed(),
        Span::from(format!(" {}  ", seen.address)),
        Span::from(format!("{} waiting", grouped(seen.waiting()))).bold(),
        Span::from(format!("  {} running", grouped(seen.running()))).cyan(),
        Span::from(format!("  {}, {busy}/{slots} slots busy", counted(seen.alive().count() as u64, "worker"))),
        Span::from(format!("  {}  ", now.strftime("%H:%M:%S UTC"))).dim(),
    ];
    parts.push(match (&screen.trouble, screen.frozen) {
        (Some(trouble), _) => Span::from(trouble.clone()).red(),
        (None, true) => Span::from("paused; space resumes").yellow(),
        (None, false) => Span::from("q quits").dim(),
    });
    Line::from(parts)
}

fn waiting(frame: &mut Frame<'_>, screen: &Screen, area: Rect) {
    let most = screen.waiting.iter().max().copied().unwrap_or_default();
    let block = block(format!("Waiting (highest {})", grouped(most)));
    let width = area.width.saturating_sub(2) as usize;
    // Newest on the right, where people expect it.
    let past: Vec<u64> = screen.waiting.iter().take(width).copied().collect();
    let line = Sparkline::default().data(past).direction(RenderDirection::RightToLeft);
    frame.render_widget(line.block(block).style(Style::new().fg(Color::Cyan)), area);
}

fn queues(frame: &mut Frame<'_>, queues: &[Queue], area: Rect) {
    let rows = queues.iter().map(|queue| {
        let state = match (queue.paused, queue.concurrency) {
            (true, _) => Cell::from("paused").yellow(),
            (false, Some(most)) => Cell::from(format!("at most {most}")),
            (false, None) => Cell::from(""),
        };
        Row::new([text(&queue.name), grouped(queue.waiting).into(), grouped(queue.running).into(), state])
    });
    let widths = [Constraint::Fill(1), Constraint::Length(10), Constraint::Length(8), Constraint::Length(12)];
    frame.render_widget(table("Queues", &["queue", "waiting", "running", ""], rows, &widths), area);
}

fn workers(frame: &mut Frame<'_>, workers: &[Worker], area: Rect, now: Timestamp) {
    let rows = workers.iter().map(|worker| {
        let words = Cell::from(state(worker, now));
        let state = match (worker.is_silent(), worker.draining) {
            (true, _) => words.red(),
            (false, true) => words.yellow(),
            (false, false) => words,
        };
        let queues = if worker.queues.is_empty() { "all".into() } else { worker.queues.join(",") };
        let busy = format!("{}/{}", worker.busy, worker.slots);
        Row::new([text(&worker.host), worker.pid.to_string().into(), busy.into(), text(&queues), state])
    });
    let widths = [
        Constraint::Fill(1),
        Constraint::Length(8),
        Constraint::Length(8),
        Constraint::Fill(1),
        Constraint::Length(19),
    ];
    frame.render_widget(table("Workers", &["host", "pid", "busy", "queues", ""], rows, &widths), area);
}

fn runs(frame: &mut Frame<'_>, title: &'static str, runs: &[Run], area: Rect, now: Timestamp) {
    let rows = runs.iter().map(|run| {
        let since = match (run.started_at, run.finished_at) {
            (_, Some(at)) => ago(at, now),
            (Some(at), None) => span(now.duration_since(at)),
            (None, None) => String::new(),
        };
        let error = run.error.as_ref().map_or(String::new(), |error| format!("{}: {}", error.code, error.message));
        Row::new([
            text(&run.id),
            text(&run.task),
            text(&run.queue),
            text(run.lane.as_deref().unwrap_or_default()),
            format!("{}/{}", run.attempt, run.max_attempts).into(),
            since.into(),
            text(&error),
        ])
    });
    let widths = [
        Constraint::Length(36),
        Constraint::Length(18),
        Constraint::Length(12),
        Constraint::Length(14),
        Constraint::Length(6),
        Constraint::Length(12),
        Constraint::Fill(1),
    ];
    frame
        .render_widget(table(title, &["run", "task", "queue", "lane", "tries", "since", "error"], rows, &widths), area);
}

fn text<'a>(words: &str) -> Cell<'a> {
    Cell::from(plain(words))
}

fn block<'a>(title: impl Into<Line<'a>>) -> Block<'a> {
    Block::default().borders(Borders::TOP).border_style(Style::new().dim()).title(title.into().bold())
}

fn table<'a>(
    title: &'static str,
    head: &[&'static str],
    rows: impl Iterator<Item = Row<'a>>,
    widths: &[Constraint],
) -> Table<'a> {
    let head = Row::new(head.iter().map(|name| Cell::from(*name).dim()));
    Table::new(rows, widths.to_vec()).header(head).block(block(title)).column_spacing(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::client::seen;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use serde_json::json;

    #[test]
    fn the_screen_shows_queues_workers_and_runs() {
        let now: Timestamp = "2026-11-15T12:00:00Z".parse().expect("a time");
        let list = |value: serde_json::Value| crate::cli::client::doc::Doc::of(&json!({"data": value}));
        let queues =
            list(json!([{"name": "default", "waiting": 1200, "running": 2}, {"name": "mail", "paused": true}]));
        let workers = list(json!([{"id": "w", "host": "alpha", "pid": 7, "slots": 4, "busy": 2,
            "seen_at": "2026-11-15T11:59:59Z"}]));
        let running = list(json!([{"id": "0190", "task": "sleep", "queue": "default", "attempt": 1, "max_attempts": 3,
            "started_at": "2026-11-15T11:59:48Z"}]));
        let seen = Seen {
            address: "http://127.0.0.1:8080".into(),
            queues: seen::list(&queues).expect("queues"),
            workers: seen::list(&workers).expect("workers"),
            running: seen::list(&running).expect("runs"),
            failed: Vec::new(),
        };
        let screen = Screen { seen, waiting: [3, 2, 1].into(), trouble: None, frozen: false };
        let mut terminal = Terminal::new(TestBackend::new(120, 24)).expect("a terminal");
        terminal.draw(|frame| draw(frame, &screen, now)).expect("drawn");
        insta::assert_snapshot!(terminal.backend());
    }
}
