//! Takes over the terminal, looks again and again, and gives it back.

use std::collections::VecDeque;
use std::time::Duration;

use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::snapshot::Snapshot;
use super::view::{self, Screen};
use crate::cli::Failure;
use crate::cli::client::remote::Remote;
use crate::cli::client::render::now;

/// How much of the past is drawn.
const PAST: usize = 300;

/// What somebody pressed.
enum Key {
    Quit,
    Freeze,
    /// The window changed, or something of no meaning was pressed.
    Redraw,
}

pub(super) async fn live(remote: &Remote, first: Snapshot, interval: Duration) -> Result<(), Failure> {
    let mut terminal = ratatui::try_init()?;
    let done = watch(&mut terminal, remote, first, interval.max(Duration::from_millis(100))).await;
    ratatui::restore();
    done
}

async fn watch(
    terminal: &mut ratatui::DefaultTerminal,
    remote: &Remote,
    first: Snapshot,
    interval: Duration,
) -> Result<(), Failure> {
    let mut keys = keys();
    let mut screen = Screen { seen: first.seen()?, waiting: VecDeque::new(), trouble: None, frozen: false };
    let mut ticks = tokio::time::interval(interval);
    loop {
        terminal.draw(|frame| view::draw(frame, &screen, now()))?;
        tokio::select! {
            key = keys.recv() => match key {
                Some(Key::Quit) | None => return Ok(()),
                Some(Key::Freeze) => screen.frozen = !screen.frozen,
                Some(Key::Redraw) => {}
            },
            _ = ticks.tick() => if !screen.frozen { look(&mut screen, remote).await },
        }
    }
}

/// A server that does not answer for a while is told of; what was seen last stays on the screen.
async fn look(screen: &mut Screen, remote: &Remote) {
    match Snapshot::take(remote).await.map_err(Failure::from).and_then(|snapshot| snapshot.seen()) {
        Ok(seen) => {
            screen.waiting.push_front(seen.waiting());
            screen.waiting.truncate(PAST);
            (screen.seen, screen.trouble) = (seen, None);
        }
        Err(error) => screen.trouble = error.to_string().lines().next().map(str::to_owned),
    }
}

/// Reads keys on a thread of its own, since reading them blocks.
fn keys() -> UnboundedReceiver<Key> {
    let (sender, receiver) = unbounded_channel();
    std::thread::spawn(move || {
        while let Ok(event) = event::read() {
            if sender.send(meaning(&event)).is_err() {
                return;
            }
        }
    });
    receiver
}

fn meaning(event: &Event) -> Key {
    let Event::Key(key) = event else { return Key::Redraw };
    match key.code {
        _ if key.kind == KeyEventKind::Release => Key::Redraw,
        KeyCode::Char('q') | KeyCode::Esc => Key::Quit,
        KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => Key::Quit,
        KeyCode::Char(' ') => Key::Freeze,
        _ => Key::Redraw,
    }
}
