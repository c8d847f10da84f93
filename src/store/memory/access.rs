//! Tokens and the audit log.

use jiff::Timestamp;

use super::model::Model;
use crate::access::{NewToken, Token, TokenHash, TokenId};
use crate::run::WorkspaceName;
use crate::store::{AuditEntry, AuditFilter, AuditRecord, CreateTokenOutcome, Listed, Page, RevokeOutcome};

impl Model {
    pub(super) fn create_token(&mut self, request: &NewToken, now: Timestamp) -> CreateTokenOutcome {
        if request.workspace.as_ref().is_some_and(|workspace| !self.workspaces.contains(workspace)) {
            return CreateTokenOutcome::UnknownWorkspace;
        }
        if self.tokens.contains_key(&request.id) {
            return CreateTokenOutcome::DuplicateId;
        }
        if self.tokens.values().any(|(hash, _)| *hash == request.hash) {
            return CreateTokenOutcome::DuplicateHash;
        }
        let token = Token::new(request, now);
        self.tokens.insert(token.id, (request.hash, token.clone()));
        CreateTokenOutcome::Created(token)
    }

    pub(super) fn authenticate(&self, shown: &TokenHash, now: Timestamp) -> Option<Token> {
        let (_, token) = self.tokens.values().find(|(hash, _)| hash == shown)?;
        token.is_good_at(now).then(|| token.clone())
    }

    pub(super) fn tokens(&self, workspace: Option<&WorkspaceName>) -> Vec<Token> {
        let all = self.tokens.values().map(|(_, token)| token);
        let wanted = |token: &&Token| workspace.is_none() || token.workspace.as_ref() == workspace;
        let mut tokens: Vec<Token> = all.filter(wanted).cloned().collect();
        tokens.sort_by_key(|token| std::cmp::Reverse((token.created_at, token.id)));
        tokens
    }

    pub(super) fn revoke_token(&mut self, token: TokenId, now: Timestamp) -> RevokeOutcome {
        match self.tokens.get_mut(&token) {
            None => RevokeOutcome::NotFound,
            Some((_, Token { revoked_at: Some(_), .. })) => RevokeOutcome::AlreadyRevoked,
            Some((_, token)) => {
                token.revoked_at = Some(now);
                RevokeOutcome::Revoked
            }
        }
    }

    pub(super) fn record_audit(&mut self, entries: &[AuditEntry], at: Timestamp) {
        for entry in entries {
            self.last_audit += 1;
            self.audit.push(AuditRecord { seq: self.last_audit, at, entry: entry.storable() });
        }
    }

    pub(super) fn audit(
        &self,
        workspace: Option<&WorkspaceName>,
        filter: &AuditFilter,
        page: &Page<i64>,
    ) -> Listed<AuditRecord, i64> {
        let wanted = |record: &&AuditRecord| workspace.is_none() || record.entry.workspace.as_ref() == workspace;
        let on_page = |record: &&AuditRecord| page.after.is_none_or(|after| record.seq < after);
        let records = self.audit.iter().rev().filter(wanted).filter(|record| filter.matches(record)).filter(on_page);
        Listed::cut(records.take(page.limit.saturating_add(1)).cloned().collect(), page.limit, |record| record.seq)
    }
}
