//! What a transaction does for grants, and for what runs used up on their accounts.

use std::future::Future;

use jiff::Timestamp;

use crate::run::{GrantId, RunId, WorkspaceName};
use crate::schedule::{BillingAccount, Grant};
use crate::store::{Page, Result, Usage, UsageFilter, UsageSum};

/// What an attempt used up, on whose account.
#[derive(Clone, Debug)]
pub(in crate::store) struct Charge {
    pub(in crate::store) usage: Usage,
    pub(in crate::store) workspace: WorkspaceName,
    pub(in crate::store) account: Option<BillingAccount>,
    pub(in crate::store) task: crate::run::TaskName,
}

#[rustfmt::skip]
pub(in crate::store) trait GrantTx: Send {
    /// Stores a grant, unless there is one with its id.
    fn insert_grant(&mut self, grant: &Grant) -> impl Future<Output = Result<bool>> + Send;
    /// Grants that cannot be revoked until the commit.
    fn lock_grants(&mut self, grants: &[GrantId]) -> impl Future<Output = Result<Vec<Grant>>> + Send;
    /// Revokes a grant that is not revoked.
    fn revoke_grant(&mut self, workspace: &WorkspaceName, grant: GrantId, now: Timestamp) -> impl Future<Output = Result<bool>> + Send;
    fn grant(&mut self, workspace: &WorkspaceName, grant: GrantId) -> impl Future<Output = Result<Option<Grant>>> + Send;
    /// A page of the grants, newest first, and one more.
    fn grants(&mut self, workspace: &WorkspaceName, page: &Page<GrantId>) -> impl Future<Output = Result<Vec<Grant>>> + Send;
    /// Adds to what attempts used up.
    fn charge(&mut self, charges: &[Charge], now: Timestamp) -> impl Future<Output = Result<()>> + Send;
    fn usage(&mut self, workspace: &WorkspaceName, filter: &UsageFilter) -> impl Future<Output = Result<Vec<UsageSum>>> + Send;
    fn usage_of(&mut self, workspace: &WorkspaceName, runs: &[RunId]) -> impl Future<Output = Result<Vec<Usage>>> + Send;
}
