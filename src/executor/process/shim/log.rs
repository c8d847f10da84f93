//! Keeps what the work says: the beginning as it comes, of too much the end, and a note of what was cut between.

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;

use jiff::Timestamp;

use super::lines::printable;
use super::{complain, structured};
use crate::clock::Clock;
use crate::executor::process::directory::{Directory, LOG};
use crate::executor::process::record::RetryWish;
use crate::executor::{Report, Stream, TimedReport};

/// What a line costs beside its bytes: it becomes an event, however short it is.
const LINE_COST: u64 = 32;
/// How many bytes of structured lines are kept one by one.
const STRUCTURED_BYTES: u64 = 4 << 20;
/// How much of standard error goes into the message of a failure.
const LAST_LINES: usize = 5;
const LAST_LINE_BYTES: usize = 500;

pub(super) struct Log {
    directory: Arc<Directory>,
    /// Made when there is something to write.
    file: Option<File>,
    /// What may still be written as it comes.
    head_left: u64,
    /// The latest that was not, and what it and its successors may cost.
    tail: VecDeque<(Stream, Vec<u8>, Timestamp)>,
    tail_left: u64,
    is_overflowing: bool,
    cut_bytes: u64,
    structured_left: u64,
    merged: Merged,
    last_words: VecDeque<String>,
    /// The latest that was said about another attempt.
    retry: Option<RetryWish>,
    is_told_of_unclear: bool,
    /// The last write may have left part of a line.
    is_broken: bool,
}

/// Structured lines beyond their cap: only what they come to is kept.
#[derive(Default)]
struct Merged {
    count: u64,
    progress: Option<Report>,
    usage: BTreeMap<String, u64>,
}

impl Log {
    pub fn new(directory: Arc<Directory>, limit: u64) -> Self {
        let head_left = limit / 2;
        Self {
            directory,
            file: None,
            head_left,
            tail: VecDeque::new(),
            tail_left: limit - head_left,
            is_overflowing: false,
            cut_bytes: 0,
            structured_left: STRUCTURED_BYTES,
            merged: Merged::default(),
            last_words: VecDeque::new(),
            retry: None,
            is_told_of_unclear: false,
            is_broken: false,
        }
    }

    /// Takes a line, or a piece of one.
    pub fn line(&mut self, stream: Stream, line: &[u8]) {
        if stream == Stream::Stdout {
            match structured::parse(line) {
                structured::Line::TimedReport(reports, wish) => {
                    self.retry = wish.or(self.retry);
                    return self.take_structured(reports, line.len() as u64);
                }
                structured::Line::Unclear => self.tell_of_unclear(),
                structured::Line::Text => {}
            }
        } else {
            self.remember(line);
        }
        let cost = line.len() as u64 + LINE_COST;
        self.is_overflowing |= cost > self.head_left;
        if self.is_overflowing {
            self.keep_for_the_end(stream, line, cost);
        } else {
            self.head_left -= cost;
            self.write(Report::Log { stream, text: printable(line) });
        }
    }

    /// Writes what was kept for the end; answers with the last lines on standard error, and what was said last about
    /// another attempt.
    pub fn finish(mut self) -> (Vec<String>, Option<RetryWish>) {
        if self.cut_bytes > 0 {
            self.note(format!("{} bytes of output were cut here", self.cut_bytes));
        }
        for (stream, line, at) in std::mem::take(&mut self.tail) {
            self.write_said(&TimedReport { at: Some(at), report: Report::Log { stream, text: printable(&line) } });
        }
        let merged = std::mem::take(&mut self.merged);
        if merged.count > 0 {
            self.note(format!("{} more structured lines were added up", merged.count));
        }
        if let Some(progress) = merged.progress {
            self.write(progress);
        }
        if !merged.usage.is_empty() {
            self.write(Report::Usage { amounts: merged.usage });
        }
        if let Some(file) = &self.file
            && let Err(error) = file.sync_data()
        {
            complain(format_args!("the log may not outlast a loss of power: {error}"));
        }
        (self.last_words.into(), self.retry)
    }

    /// Once: a program that makes a mistake makes it again.
    fn tell_of_unclear(&mut self) {
        if !std::mem::replace(&mut self.is_told_of_unclear, true) {
            self.note("the next line begins with ::runlane but is not understood; it is kept as output".into());
        }
    }

    fn take_structured(&mut self, reports: Vec<Report>, bytes: u64) {
        let Some(left) = self.structured_left.checked_sub(bytes + LINE_COST) else {
            return self.merged.add(reports);
        };
        self.structured_left = left;
        reports.into_iter().for_each(|report| self.write(report));
    }

    fn keep_for_the_end(&mut self, stream: Stream, line: &[u8], cost: u64) {
        while self.tail_left < cost {
            let Some((_, oldest, _)) = self.tail.pop_front() else { break };
            self.tail_left += oldest.len() as u64 + LINE_COST;
            self.cut_bytes += oldest.len() as u64 + 1;
        }
        match self.tail_left.checked_sub(cost) {
            Some(left) => {
                self.tail_left = left;
                self.tail.push_back((stream, line.to_vec(), Clock::Database.host_now()));
            }
            None => self.cut_bytes += line.len() as u64 + 1,
        }
    }

    fn remember(&mut self, line: &[u8]) {
        if self.last_words.len() == LAST_LINES {
            self.last_words.pop_front();
        }
        self.last_words.push_back(printable(&line[..line.len().min(LAST_LINE_BYTES)]));
    }

    fn note(&mut self, text: String) {
        self.write(Report::Log { stream: Stream::Note, text });
    }

    fn write(&mut self, report: Report) {
        self.write_said(&TimedReport::now(report));
    }

    /// Work goes on where its log cannot be written: what it says is lost, what it does is not.
    fn write_said(&mut self, said: &TimedReport) {
        if let Err(error) = self.try_write(said) {
            self.is_broken = true;
            complain(format_args!("part of the output is lost: {error}"));
        }
    }

    fn try_write(&mut self, said: &TimedReport) -> io::Result<()> {
        let mut frame = if self.is_broken { b"\n".to_vec() } else { Vec::new() };
        serde_json::to_writer(&mut frame, said)?;
        frame.push(b'\n');
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(self.directory.dir().create(LOG)?),
        };
        file.write_all(&frame)?;
        self.is_broken = false;
        Ok(())
    }
}

impl Merged {
    fn add(&mut self, reports: Vec<Report>) {
        self.count += 1;
        for report in reports {
            match report {
                Report::Usage { amounts } => amounts.into_iter().for_each(|(unit, amount)| {
                    let sum = self.usage.entry(unit).or_default();
                    *sum = sum.saturating_add(amount);
                }),
                progress @ Report::Progress { .. } => self.progress = Some(progress),
                // What was said about another attempt counts without its note.
                Report::Log { .. } => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(limit: u64) -> (tempfile::TempDir, Log) {
        let folder = tempfile::tempdir().expect("a folder");
        let directory = Directory::claim(folder.path(), None).expect("open");
        let log = Log::new(Arc::new(directory), limit);
        (folder, log)
    }

    fn frames(folder: tempfile::TempDir) -> Vec<Report> {
        let text = std::fs::read_to_string(folder.path().join("log")).expect("read");
        text.lines().map(|line| serde_json::from_str::<TimedReport>(line).expect("a frame").report).collect()
    }

    fn text(stream: Stream, text: &str) -> Report {
        Report::Log { stream, text: text.into() }
    }

    #[test]
    fn too_much_output_is_cut_in_the_middle_and_marked() {
        let (folder, mut log) = log(8 * (LINE_COST + 1));
        for line in ["1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "b"] {
            log.line(Stream::Stdout, line.as_bytes());
        }
        log.line(Stream::Stdout, br#"::runlane {"progress":1}"#);
        log.finish();
        let line = |digit| text(Stream::Stdout, digit);
        let mut expected = vec![line("1"), line("2"), line("3"), line("4")];
        expected.push(Report::Progress { fraction: 1.0, message: None });
        expected.push(text(Stream::Note, "6 bytes of output were cut here"));
        expected.extend([line("8"), line("9"), line("a"), line("b")]);
        assert_eq!(frames(folder), expected);
    }

    #[test]
    fn a_line_kept_for_the_end_has_the_time_at_which_it_was_said() {
        let (folder, mut log) = log(2 * (LINE_COST + 1));
        log.line(Stream::Stdout, b"1");
        log.line(Stream::Stdout, b"2");
        let said = Clock::Database.host_now();
        std::thread::sleep(std::time::Duration::from_millis(2));
        log.finish();
        let text = std::fs::read_to_string(folder.path().join("log")).expect("read");
        let frames: Vec<TimedReport> = text.lines().map(|line| serde_json::from_str(line).expect("a frame")).collect();
        assert!(frames.len() == 2 && frames.iter().all(|frame| frame.at.is_some_and(|at| at <= said)), "{text}");
    }

    #[test]
    fn a_frame_of_an_earlier_release_has_no_time_and_is_read_all_the_same() {
        let said: TimedReport = serde_json::from_str(r#"{"log":{"stream":"stdout","text":"a"}}"#).expect("a frame");
        assert_eq!(said, TimedReport { at: None, report: text(Stream::Stdout, "a") });
    }

    #[test]
    fn a_line_that_exceeds_the_limit_by_itself_is_cut() {
        let (folder, mut log) = log(100);
        log.line(Stream::Stderr, &[b'x'; 1000]);
        assert_eq!(log.finish().0, ["x".repeat(LAST_LINE_BYTES)]);
        assert_eq!(frames(folder), [text(Stream::Note, "1001 bytes of output were cut here")]);
    }

    #[test]
    fn structured_lines_beyond_their_cap_are_added_up() {
        let (folder, mut log) = log(100);
        log.structured_left = 100;
        for _ in 0..4 {
            log.line(Stream::Stdout, br#"::runlane {"usage":{"tokens":2}}"#);
        }
        log.finish();
        let usage = |amount| Report::Usage { amounts: BTreeMap::from([("tokens".into(), amount)]) };
        let note = text(Stream::Note, "3 more structured lines were added up");
        assert_eq!(frames(folder), [usage(2), note, usage(6)]);
    }

    #[test]
    fn the_last_wish_counts_and_the_first_unclear_line_is_noted() {
        let (folder, mut log) = log(1000);
        for line in [r#"{"retry":false}"#, r#"{"retry_in_seconds":9}"#, r#"{"retry":"no"}"#, r#"{"retry":1}"#] {
            log.line(Stream::Stdout, format!("::runlane {line}").as_bytes());
        }
        assert_eq!(log.finish().1, Some(RetryWish::InSeconds(9)));
        let notes = frames(folder).into_iter().filter_map(|frame| match frame {
            Report::Log { stream: Stream::Note, text } => Some(text),
            _ => None,
        });
        let notes: Vec<String> = notes.collect();
        assert_eq!(notes.len(), 3, "{notes:?}");
        assert!(notes[2].contains("not understood"), "{notes:?}");
    }
}
