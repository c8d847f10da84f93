//! Splits a stream of bytes into lines, and lines that are too long into pieces; makes text of them that can be stored.

use std::io::BufRead;

/// No piece is longer.
const PIECE: usize = 16 * 1024;

/// What of a stream has no end of line yet.
#[derive(Default)]
pub(super) struct Lines {
    pending: Vec<u8>,
}

impl Lines {
    /// Takes more of the stream and passes on every line that is whole and every piece that is full.
    pub fn push(&mut self, mut chunk: &[u8], mut pass: impl FnMut(&[u8])) {
        // Reading from a slice does not fail.
        while chunk.read_until(b'\n', &mut self.pending).is_ok_and(|count| count > 0) {
            let is_whole = self.pending.last() == Some(&b'\n');
            let mut rest = self.pending.as_slice();
            while rest.len() > PIECE {
                let (piece, further) = rest.split_at(boundary(rest));
                // A line break right behind a full piece belongs to it.
                rest = if further == b"\n" { b"" } else { further };
                pass(piece);
            }
            if is_whole {
                if let Some(line) = rest.strip_suffix(b"\n") {
                    pass(line.strip_suffix(b"\r").unwrap_or(line));
                }
                self.pending.clear();
            } else {
                let done = self.pending.len() - rest.len();
                self.pending.drain(..done);
            }
        }
    }

    /// Passes on what has no end of line when the stream ends.
    pub fn finish(&mut self, pass: impl FnOnce(&[u8])) {
        if !self.pending.is_empty() {
            pass(&self.pending);
            self.pending.clear();
        }
    }
}

/// Where to cut: not within a character, if these are characters at all.
fn boundary(bytes: &[u8]) -> usize {
    let begins = |at: &usize| bytes[*at] & 0b1100_0000 != 0b1000_0000;
    (PIECE - 3..=PIECE).rev().find(begins).unwrap_or(PIECE)
}

/// The bytes as text in which nothing is left that a database or a terminal would choke on.
pub(super) fn printable(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for c in String::from_utf8_lossy(bytes).chars() {
        match c {
            '\0' => text.push_str("\\0"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push(c),
            c if c.is_control() => text.push_str(&format!("\\x{:02x}", u32::from(c))),
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(chunks: &[&[u8]]) -> Vec<Vec<u8>> {
        let (mut lines, mut passed) = (Lines::default(), Vec::new());
        for chunk in chunks {
            lines.push(chunk, |line| passed.push(line.to_vec()));
        }
        lines.finish(|line| passed.push(line.to_vec()));
        passed
    }

    #[test]
    fn lines_are_put_together_from_chunks() {
        assert_eq!(split(&[b"on", b"e\ntwo\r\n\nfo", b"ur"]), [&b"one"[..], b"two", b"", b"four"]);
        assert!(split(&[b""]).is_empty());
    }

    #[test]
    fn a_line_without_end_comes_in_pieces_that_do_not_break_characters() {
        let text = format!("a{}\nend", "ü".repeat(PIECE));
        for size in [1, 1000, PIECE, text.len()] {
            let chunks: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
            let passed = split(&chunks);
            assert!(passed.iter().all(|piece| piece.len() <= PIECE && str::from_utf8(piece).is_ok()));
            assert_eq!(passed.concat(), text.replace('\n', "").as_bytes());
            assert_eq!(passed.last().map(Vec::as_slice), Some(&b"end"[..]));
        }
    }

    #[test]
    fn a_line_of_exactly_one_piece_is_not_followed_by_an_empty_one() {
        let line = [vec![b'x'; PIECE], b"\ny".to_vec()].concat();
        assert_eq!(split(&[&line]), [vec![b'x'; PIECE], b"y".to_vec()]);
        let bytewise: Vec<&[u8]> = line.chunks(1).collect();
        assert_eq!(split(&bytewise), [vec![b'x'; PIECE], b"y".to_vec()]);
    }

    #[test]
    fn what_cannot_be_stored_is_escaped() {
        assert_eq!(printable(b"a\tb\0c\x1b[1m\xff\xc2\x85\r!"), "a\tb\\0c\\x1b[1m\u{fffd}\\x85\\r!");
    }
}
