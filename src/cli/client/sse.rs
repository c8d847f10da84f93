//! Reads a stream of server-sent events, piece by piece as the network brings it.

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) id: Option<String>,
    pub(super) event: String,
    pub(super) data: String,
}

/// What has come of an event that is not complete yet.
#[derive(Default)]
pub(super) struct Decoder {
    rest: Vec<u8>,
    message: Message,
    has_data: bool,
}

impl Decoder {
    /// Takes in a piece; answers with the events it completes.
    pub(super) fn take(&mut self, piece: &[u8]) -> Vec<Message> {
        self.rest.extend_from_slice(piece);
        let mut complete = Vec::new();
        while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line);
            complete.extend(self.line(line.trim_end_matches(['\n', '\r'])));
        }
        complete
    }

    fn line(&mut self, line: &str) -> Option<Message> {
        if line.is_empty() {
            let message = std::mem::take(&mut self.message);
            return std::mem::take(&mut self.has_data).then_some(message);
        }
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "id" => self.message.id = Some(value.to_owned()),
            "event" => self.message.event = value.to_owned(),
            "data" => {
                if self.has_data {
                    self.message.data.push('\n');
                }
                self.message.data.push_str(value);
                self.has_data = true;
            }
            // A comment keeps the connection awake; anything else is of a later standard.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_however_they_are_cut() {
        let text = ": hello\n\nid: 7\nevent: log\ndata: {\"a\":\ndata: 1}\n\nid:8\r\ndata:ü\r\n\r\ndata: not yet";
        for size in [1, 3, 1000] {
            let mut decoder = Decoder::default();
            let found: Vec<Message> = text.as_bytes().chunks(size).flat_map(|piece| decoder.take(piece)).collect();
            let expected = [
                Message { id: Some("7".into()), event: "log".into(), data: "{\"a\":\n1}".into() },
                Message { id: Some("8".into()), event: String::new(), data: "ü".into() },
            ];
            assert_eq!(found, expected, "in pieces of {size}");
        }
    }
}
