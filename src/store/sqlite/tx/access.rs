//! Workspaces, tokens and the audit log.

use jiff::Timestamp;
use rusqlite::{Row, params};
use uuid::Uuid;

use crate::access::{Role, Token, TokenHash, TokenId, TokenName};
use crate::run::{Json, WorkspaceName};
use crate::store::script::{AccessTx, bad_name, steps};
use crate::store::sqlite::row;
use crate::store::sqlite::session::{Session, limit};
use crate::store::{AuditEntry, AuditFilter, AuditRecord, Page, Result};

impl AccessTx for Session {
    async fn create_workspace(&mut self, workspace: &WorkspaceName) -> Result<bool> {
        let params = params![workspace.as_str(), self.time().as_microsecond()];
        Ok(self.execute(&self.sql.create_workspace, params)? > 0)
    }

    async fn workspaces(&mut self) -> Result<Vec<WorkspaceName>> {
        self.rows(&self.sql.workspaces, [], |row| row::name(row, 0, WorkspaceName::parse))
    }

    async fn insert_token(&mut self, token: &Token, hash: &TokenHash) -> Result<bool> {
        let params = params![
            token.id.0.as_bytes(),
            hash.0,
            token.workspace.as_ref().map(WorkspaceName::as_str),
            token.name.as_str(),
            token.role.as_str(),
            token.created_at.as_microsecond(),
            token.expires_at.map(Timestamp::as_microsecond),
        ];
        Ok(self.execute(&self.sql.insert_token, params)? > 0)
    }

    async fn token_exists(&mut self, token: TokenId) -> Result<bool> {
        let exists = self.row(&self.sql.token_exists, [token.0.as_bytes()], |row| Ok(row.get(0)?))?;
        Ok(exists.unwrap_or_default())
    }

    async fn revoke_token(&mut self, token: TokenId) -> Result<bool> {
        let params = params![token.0.as_bytes(), self.time().as_microsecond()];
        Ok(self.execute(&self.sql.revoke_token, params)? > 0)
    }

    async fn authenticate(&mut self, hash: &TokenHash) -> Result<Option<Token>> {
        self.row(&self.sql.authenticate, params![hash.0, self.time().as_microsecond()], token)
    }

    async fn tokens(&mut self, workspace: Option<&WorkspaceName>) -> Result<Vec<Token>> {
        self.rows(&self.sql.tokens, [workspace.map(WorkspaceName::as_str)], token)
    }

    async fn record_audit(&mut self, entries: &[AuditEntry]) -> Result<()> {
        let at = self.time().as_microsecond();
        let mut insert = self.prepare(&self.sql.record_audit)?;
        for AuditEntry { workspace, actor, actor_name, action, subject, detail } in entries {
            insert.execute(params![
                at,
                workspace.as_ref().map(WorkspaceName::as_str),
                actor.as_ref().map(|actor| actor.0.as_bytes()),
                actor_name,
                action,
                subject,
                detail.as_ref().map(Json::as_str),
            ])?;
        }
        Ok(())
    }

    async fn audit(
        &mut self,
        workspace: Option<&WorkspaceName>,
        filter: &AuditFilter,
        page: &Page<i64>,
    ) -> Result<Vec<AuditRecord>> {
        let [all, of_one] = steps(&self.sql.audit);
        let (before, rows) = (page.after.unwrap_or(i64::MAX), limit(page.limit.saturating_add(1)));
        let AuditFilter { actor, action, subject, since } = filter;
        let since = since.map(|since| since.as_microsecond());
        match workspace.map(WorkspaceName::as_str) {
            None => self.rows(all, params![before, rows, actor, action, subject, since], audit_record),
            Some(name) => self.rows(of_one, params![before, rows, actor, action, subject, since, name], audit_record),
        }
    }
}

fn token(row: &Row<'_>) -> Result<Token> {
    Ok(Token {
        id: TokenId(row::uuid(row, 0)?),
        workspace: workspace(row, 1)?,
        name: row::name(row, 2, TokenName::parse)?,
        role: row::word(row, 3, Role::from_word)?,
        created_at: row::at(row, 4)?,
        expires_at: row::maybe_at(row, 5)?,
        revoked_at: row::maybe_at(row, 6)?,
    })
}

fn audit_record(row: &Row<'_>) -> Result<AuditRecord> {
    Ok(AuditRecord {
        seq: row.get(0)?,
        at: row::at(row, 1)?,
        entry: AuditEntry {
            workspace: workspace(row, 2)?,
            actor: row.get::<_, Option<[u8; 16]>>(3)?.map(|bytes| TokenId(Uuid::from_bytes(bytes))),
            actor_name: row.get(4)?,
            action: row.get(5)?,
            subject: row.get(6)?,
            detail: row.get::<_, Option<String>>(7)?.map(Json::from_storage),
        },
    })
}

fn workspace(row: &Row<'_>, column: usize) -> Result<Option<WorkspaceName>> {
    row.get::<_, Option<String>>(column)?.map(WorkspaceName::parse).transpose().map_err(bad_name)
}
