//! Begins an attempt: an empty directory, what the shim needs in it, and the shim.

use std::ffi::OsString;
use std::io;
use std::time::Duration;

use tokio::time::Instant;

use super::ProcessExecutor;
use super::assignment::{Assignment, variable};
use super::directory::Directory;
use super::foreign::Origin;
use super::lease::{Lease, millis};
use super::record::Spec;
use super::shims::Shim;
use crate::clock;
use crate::executor::{Completion, Control, Order, Work};

/// For workers that have none.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

impl ProcessExecutor {
    /// Answers with the shim and the directory, or with what became of the attempt instead.
    pub(super) async fn launch(
        &self,
        work: &Work,
        control: &Control,
    ) -> io::Result<Result<(Shim, Directory), Completion>> {
        if !self.clear(work).await? {
            return Ok(Err(Completion::Left));
        }
        // Fails if another worker was quicker; then it is not ours to remove.
        let directory = self.host.attempts().make(work.run, work.attempt)?;
        let instead = match self.prepare(&directory, work, control) {
            Ok(instead) => instead,
            Err(error) => {
                // What is in the way is reported; this is only tidying up.
                let _ = self.remove(work);
                return Err(error);
            }
        };
        if let Some(completion) = instead {
            self.remove(work)?;
            return Ok(Err(completion));
        }
        match self.host.shims().assign(&self.assignment(&directory, work, control)?).await {
            Ok(shim) => Ok(Ok((shim, directory))),
            Err(error) => {
                // One may have heard of it all the same: it sees the order, or is seen.
                directory.stop(work.epoch, Duration::ZERO).await?;
                self.remove(work)?;
                Err(error)
            }
        }
    }

    /// Makes room where the same attempt was begun before and given back. Answers whether it is for us to do so.
    async fn clear(&self, work: &Work) -> io::Result<bool> {
        let Some(directory) = self.host.attempts().find(work.run, work.attempt)? else { return Ok(true) };
        if directory.is_taken_over(work.epoch) {
            return Ok(false);
        }
        directory.stop(work.epoch, self.task.stop_grace()).await?;
        self.host.clear(work.run, work.attempt).await?;
        Ok(true)
    }

    /// What was just made, with little in it.
    fn remove(&self, work: &Work) -> io::Result<()> {
        self.host.remove_new(work.run, work.attempt)
    }

    /// Puts everything in its place; answers with what is to become of the attempt if it is not to start after all.
    fn prepare(&self, directory: &Directory, work: &Work, control: &Control) -> io::Result<Option<Completion>> {
        directory.furnish(work.epoch, work.payload.as_str(), self.task.user)?;
        Ok(match control.order() {
            Order::GoOn => None,
            Order::Stop { .. } | Order::Leave => Some(Completion::NotBegun),
        })
    }

    fn assignment(&self, directory: &Directory, work: &Work, control: &Control) -> io::Result<Assignment> {
        let spec = Spec {
            workspace: work.workspace.clone(),
            run: work.run,
            attempt: work.attempt,
            epoch: work.epoch,
            start_by: clock::boot_millis().saturating_add(millis(left(control))),
            lease: self.lease(control),
            task: self.task.clone(),
            origin: Some(Origin::new(work.run, work.attempt, directory.dir().place())?),
        };
        Ok(Assignment { directory: directory.path().into(), spec, variables: self.environment(directory, work) })
    }

    /// Writes what the worker's lease now allows, and its order.
    pub(super) fn write_lease(&self, directory: &Directory, epoch: i64, control: &Control) -> io::Result<()> {
        directory.write_lease(epoch, &self.lease(control))
    }

    fn lease(&self, control: &Control) -> Lease {
        // The time first: a worker frozen in between writes a lease that is too short, not one that is too long.
        let now = clock::boot_millis();
        let left = left(control).saturating_add(self.host.patience());
        let lease = Lease::new(now, left, self.task.stop_grace());
        match control.order() {
            Order::Stop { grace } => lease.stopping(grace),
            _ => lease,
        }
    }

    /// What the program gets beside the fixed values of its task.
    fn environment(&self, directory: &Directory, work: &Work) -> Vec<OsString> {
        let path = std::env::var_os("PATH").unwrap_or_else(|| DEFAULT_PATH.into());
        // Python keeps back what it prints to a pipe, up to 8 KiB: nobody would see where a program stands.
        let mut variables = vec![("PATH", path), ("PYTHONUNBUFFERED", "1".into())];
        let allowed = self.task.env_allow.iter();
        variables.extend(allowed.filter_map(|name| Some((name.as_str(), std::env::var_os(name)?))));
        variables.extend([
            ("RUNLANE_RUN_ID", work.run.to_string().into()),
            ("RUNLANE_ATTEMPT", work.attempt.to_string().into()),
            ("RUNLANE_EPOCH", work.epoch.to_string().into()),
            ("RUNLANE_INPUT", directory.input(work.epoch).into()),
            ("RUNLANE_OUTPUT_DIR", directory.output().into()),
            ("RUNLANE_RESULT", directory.result(self.task.user).into()),
            ("RUNLANE_TASK", work.task.as_str().into()),
            ("RUNLANE_WORKSPACE", work.workspace.as_str().into()),
        ]);
        if let Some(grant) = &work.grant {
            variables.push(("RUNLANE_GRANT_ID", grant.id.to_string().into()));
            variables.push(("RUNLANE_BILLING_ACCOUNT", grant.billing_account.as_str().into()));
        }
        variables.extend(work.traceparent.as_ref().map(|context| ("TRACEPARENT", context.into())));
        variables.into_iter().map(|(name, value)| variable(name, &value)).collect()
    }
}

/// What is left of the worker's lease.
fn left(control: &Control) -> Duration {
    control.leased_until().saturating_duration_since(Instant::now())
}
