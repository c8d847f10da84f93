//! Workspaces, tokens and the audit log.

use tokio_postgres::Row;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::workspace;
use crate::access::{Role, Token, TokenHash, TokenId, TokenName};
use crate::run::{Json, WorkspaceName};
use crate::store::postgres::arrays::Params;
use crate::store::postgres::row::JsonText;
use crate::store::postgres::session::Session;
use crate::store::script::{AccessTx, bad_name};
use crate::store::{AuditEntry, AuditFilter, AuditRecord, Page, Result, StoreError};

impl AccessTx for Session {
    async fn create_workspace(&mut self, workspace: &WorkspaceName) -> Result<bool> {
        let params = Params::default().text(workspace.as_str());
        Ok(self.execute(&self.statements.create_workspace, params).await? > 0)
    }

    async fn workspaces(&mut self) -> Result<Vec<WorkspaceName>> {
        let rows = self.query(&self.statements.workspaces, Params::default()).await?;
        rows.iter().map(|row| workspace(row, 0)).collect()
    }

    async fn insert_token(&mut self, token: &Token, hash: &TokenHash) -> Result<bool> {
        let params = Params::default()
            .add(token.id.0, Type::UUID)
            .add(hash.0.as_slice(), Type::BYTEA)
            .add(token.workspace.as_ref().map(WorkspaceName::as_str), Type::TEXT)
            .text(token.name.as_str())
            .text(token.role.as_str())
            .time(Some(token.created_at))
            .time(token.expires_at);
        Ok(self.execute(&self.statements.insert_token, params).await? > 0)
    }

    async fn token_exists(&mut self, token: TokenId) -> Result<bool> {
        let rows = self.query(&self.statements.token_exists, Params::default().add(token.0, Type::UUID)).await?;
        Ok(rows[0].get(0))
    }

    async fn revoke_token(&mut self, token: TokenId) -> Result<bool> {
        let params = Params::default().add(token.0, Type::UUID).time(self.injected_now());
        Ok(self.execute(&self.statements.revoke_token, params).await? > 0)
    }

    async fn authenticate(&mut self, hash: &TokenHash) -> Result<Option<Token>> {
        let params = Params::default().add(hash.0.as_slice(), Type::BYTEA).time(self.injected_now());
        self.query(&self.statements.authenticate, params).await?.first().map(token).transpose()
    }

    async fn tokens(&mut self, workspace: Option<&WorkspaceName>) -> Result<Vec<Token>> {
        let params = Params::default().add(workspace.map(WorkspaceName::as_str), Type::TEXT);
        self.query(&self.statements.tokens, params).await?.iter().map(token).collect()
    }

    async fn record_audit(&mut self, entries: &[AuditEntry]) -> Result<()> {
        let text = |column: fn(&AuditEntry) -> &str| entries.iter().map(column).collect::<Vec<_>>();
        let params = Params::default()
            .time(self.injected_now())
            .opt_texts(entries.iter().map(|entry| entry.workspace.as_ref().map(WorkspaceName::as_str)).collect())
            .add(entries.iter().map(|e| e.actor.map(|actor| actor.0)).collect::<Vec<Option<Uuid>>>(), Type::UUID_ARRAY)
            .texts(text(|entry| &entry.actor_name))
            .texts(text(|entry| &entry.action))
            .texts(text(|entry| &entry.subject))
            .jsons(entries.iter().map(|entry| entry.detail.as_ref().map(Json::as_str)).collect());
        self.execute(&self.statements.record_audit, params).await.map(drop)
    }

    async fn audit(
        &mut self,
        workspace: Option<&WorkspaceName>,
        filter: &AuditFilter,
        page: &Page<i64>,
    ) -> Result<Vec<AuditRecord>> {
        let params = Params::default()
            .add(workspace.map(WorkspaceName::as_str), Type::TEXT)
            .add(page.after, Type::INT8)
            .big(i64::try_from(page.limit).unwrap_or(i64::MAX).saturating_add(1))
            .add(filter.actor.as_deref(), Type::TEXT)
            .add(filter.action.as_deref(), Type::TEXT)
            .add(filter.subject.as_deref(), Type::TEXT)
            .time(filter.since);
        self.query(&self.statements.audit, params).await?.iter().map(audit_record).collect()
    }
}

fn token(row: &Row) -> Result<Token> {
    let role: &str = row.get(3);
    Ok(Token {
        id: TokenId(row.get(0)),
        workspace: maybe_workspace(row, 1)?,
        name: TokenName::parse(row.get::<_, &str>(2)).map_err(bad_name)?,
        role: Role::from_word(role).ok_or_else(|| StoreError::Corrupt(format!("role {role:?}")))?,
        created_at: row.get(4),
        expires_at: row.get(5),
        revoked_at: row.get(6),
    })
}

fn audit_record(row: &Row) -> Result<AuditRecord> {
    Ok(AuditRecord {
        seq: row.get(0),
        at: row.get(1),
        entry: AuditEntry {
            workspace: maybe_workspace(row, 2)?,
            actor: row.get::<_, Option<_>>(3).map(TokenId),
            actor_name: row.get(4),
            action: row.get(5),
            subject: row.get(6),
            detail: row.get::<_, Option<JsonText<String>>>(7).map(|json| Json::from_storage(json.0)),
        },
    })
}

fn maybe_workspace(row: &Row, at: usize) -> Result<Option<WorkspaceName>> {
    row.get::<_, Option<&str>>(at).map(WorkspaceName::parse).transpose().map_err(bad_name)
}
