//! What a transaction does for workspaces, tokens and the audit log.

use std::future::Future;

use crate::access::{Token, TokenHash, TokenId};
use crate::run::WorkspaceName;
use crate::store::{AuditEntry, AuditFilter, AuditRecord, Page, Result};

#[rustfmt::skip]
pub(in crate::store) trait AccessTx: Send {
    fn create_workspace(&mut self, workspace: &WorkspaceName) -> impl Future<Output = Result<bool>> + Send;
    fn workspaces(&mut self) -> impl Future<Output = Result<Vec<WorkspaceName>>> + Send;
    /// Stores a token, unless there is one with its id or its hash.
    fn insert_token(&mut self, token: &Token, hash: &TokenHash) -> impl Future<Output = Result<bool>> + Send;
    fn token_exists(&mut self, token: TokenId) -> impl Future<Output = Result<bool>> + Send;
    /// Revokes a token that is not revoked.
    fn revoke_token(&mut self, token: TokenId) -> impl Future<Output = Result<bool>> + Send;
    /// The token with this secret, if it is neither expired nor revoked.
    fn authenticate(&mut self, hash: &TokenHash) -> impl Future<Output = Result<Option<Token>>> + Send;
    fn tokens(&mut self, workspace: Option<&WorkspaceName>) -> impl Future<Output = Result<Vec<Token>>> + Send;
    fn record_audit(&mut self, entries: &[AuditEntry]) -> impl Future<Output = Result<()>> + Send;
    /// A page of the audit log, newest first, and one more.
    fn audit(&mut self, workspace: Option<&WorkspaceName>, filter: &AuditFilter, page: &Page<i64>) -> impl Future<Output = Result<Vec<AuditRecord>>> + Send;
}
