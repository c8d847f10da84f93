//! What a worker asks of a shim, over the line between the two: one attempt at a time.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use super::record::Spec;

/// What the shim says when it has ended an attempt, left its record, and is there for another.
pub(super) const FREE: u8 = b'f';

/// One attempt.
pub(super) struct Assignment {
    /// Where it runs.
    pub directory: PathBuf,
    pub spec: Spec,
    /// What the program gets beside the fixed values of its task: `NAME=value`.
    pub variables: Vec<OsString>,
}

impl Assignment {
    /// As it goes over the line: its length, and the parts with a NUL between them, which none can have in itself.
    pub fn to_message(&self) -> io::Result<Vec<u8>> {
        let mut message = vec![0; 4];
        message.extend(self.directory.as_os_str().as_bytes());
        message.push(0);
        serde_json::to_writer(&mut message, &self.spec)?;
        for variable in &self.variables {
            message.push(0);
            message.extend(variable.as_bytes());
        }
        let length = u32::try_from(message.len() - 4).map_err(io::Error::other)?;
        message[..4].copy_from_slice(&length.to_le_bytes());
        Ok(message)
    }

    /// Of what follows the length.
    pub fn parse(body: &[u8]) -> io::Result<Self> {
        let mut parts = body.split(|byte| *byte == 0).map(OsStr::from_bytes);
        let (Some(directory), Some(spec)) = (parts.next(), parts.next()) else {
            return Err(io::Error::other("half an assignment"));
        };
        let spec = serde_json::from_slice(spec.as_bytes())?;
        Ok(Self { directory: directory.into(), spec, variables: parts.map(OsStr::to_owned).collect() })
    }

    /// The name and the value of each variable.
    pub fn environment(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables.iter().filter_map(|variable| {
            let bytes = variable.as_bytes();
            let at = bytes.iter().position(|byte| *byte == b'=')?;
            Some((OsStr::from_bytes(&bytes[..at]), OsStr::from_bytes(&bytes[at + 1..])))
        })
    }
}

/// As the environment of a process has it.
pub(super) fn variable(name: &str, value: &OsStr) -> OsString {
    OsString::from_vec([name.as_bytes(), b"=", value.as_bytes()].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executor::process::lease::Lease;
    use crate::executor::process::task::ProcessTask;
    use crate::run::{RunId, WorkspaceName};

    #[test]
    fn an_assignment_arrives_as_it_was_sent() {
        let spec = Spec {
            workspace: WorkspaceName::default(),
            run: RunId::new(),
            attempt: 3,
            epoch: 7,
            start_by: 42,
            lease: Lease { stop_at: 1, deadline: 2, stop: None },
            task: ProcessTask::new(["a", "b\nc"]),
            origin: None,
        };
        let odd = OsString::from_vec(vec![b'/', 0xff]);
        let variables =
            vec![variable("A", OsStr::new("b=c")), variable("EMPTY", OsStr::new("")), variable("ODD", &odd)];
        let sent = Assignment { directory: odd.clone().into(), spec, variables };
        let message = sent.to_message().expect("a message");
        let (length, body) = message.split_at(4);
        assert_eq!(length, u32::try_from(body.len()).expect("short").to_le_bytes());
        let got = Assignment::parse(body).expect("an assignment");
        assert_eq!((got.directory.as_os_str(), got.spec.epoch), (odd.as_os_str(), 7));
        assert_eq!(got.spec.task, sent.spec.task);
        let variables: Vec<_> = got.environment().collect();
        let text = OsStr::new;
        assert_eq!(variables, [(text("A"), text("b=c")), (text("EMPTY"), text("")), (text("ODD"), odd.as_os_str())]);
    }
}
