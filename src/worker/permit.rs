//! Whether an attempt may start: asked once more right before it does, since its grant may have been revoked after the
//! claim.

use std::borrow::Cow;
use std::time::Duration;

use super::attempt::Attempt;
use crate::executor::{Completion, Work};
use crate::run::RunError;
use crate::run::lifecycle::Retry;

/// How long to wait before a store that did not answer is asked again. The lease ends the asking.
const AGAIN: Duration = Duration::from_secs(1);

impl Attempt {
    /// The work, with the identity it runs under; or why it must not start.
    pub(super) async fn permit(&self) -> Result<Cow<'_, Work>, Completion> {
        let run = &self.claimed.run;
        let Some(scheduled) = run.scheduled else { return Ok(Cow::Borrowed(&self.work)) };
        loop {
            let error = match self.inner.store.check_grant(&run.workspace, scheduled.grant, &run.task).await {
                Ok(Some(checked)) => match checked.grant.refusal_by(checked.standing, &run.task) {
                    None => {
                        let work = Work { grant: Some(checked.grant), ..self.work.clone() };
                        return Ok(Cow::Owned(work));
                    }
                    Some(error) => error,
                },
                Ok(None) => RunError::new("grant_revoked", "its grant is gone"),
                Err(error) => {
                    tracing::warn!(%error, "cannot ask whether the grant still stands; trying again");
                    tokio::time::sleep(AGAIN).await;
                    continue;
                }
            };
            return Err(Completion::Failed { error, retry: Retry::Never });
        }
    }
}
