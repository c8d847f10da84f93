//! Making tokens, knowing them again, and revoking them.

use super::prelude::*;
use crate::access::{NewToken, Role, Secret, Token, TokenHash, TokenId, TokenName};
use crate::run::WorkspaceName;
use crate::store::{CreateTokenOutcome, RevokeOutcome};

/// A token for operators of the default workspace that does not expire.
fn a_token() -> NewToken {
    NewToken {
        id: TokenId::new(),
        workspace: Some(home()),
        name: TokenName::parse("laptop ✓").expect("a valid name"),
        role: Role::Operator,
        hash: Secret::generate().hash(),
        expires_in: None,
    }
}

impl Bench {
    async fn create_token(&self, token: &NewToken) -> CreateTokenOutcome {
        self.store.create_token(token).await.expect("create_token answers")
    }

    /// Makes a token that must be created.
    async fn token(&self, token: &NewToken) -> Token {
        match self.create_token(token).await {
            CreateTokenOutcome::Created(token) => token,
            outcome => panic!("{outcome:?}"),
        }
    }

    async fn authenticate(&self, hash: TokenHash) -> Option<Token> {
        self.store.authenticate(&hash).await.expect("authenticate answers")
    }

    async fn tokens(&self, workspace: Option<&WorkspaceName>) -> Vec<Token> {
        self.store.tokens(workspace).await.expect("tokens answers")
    }

    async fn revoke_token(&self, token: TokenId) -> RevokeOutcome {
        self.store.revoke_token(token).await.expect("revoke_token answers")
    }
}

pub(super) async fn a_token_is_known_by_its_secret(bench: Bench) {
    let asked = NewToken { expires_in: Some(seconds(60)), ..a_token() };
    let token = bench.token(&asked).await;
    let expected = Token {
        id: asked.id,
        workspace: Some(home()),
        name: asked.name,
        role: Role::Operator,
        created_at: bench.now(),
        expires_at: Some(bench.ahead(60)),
        revoked_at: None,
    };
    assert_eq!(token, expected);
    assert_eq!(bench.authenticate(asked.hash).await, Some(expected));
}

pub(super) async fn every_role_is_kept(bench: Bench) {
    for role in Role::ALL {
        let asked = NewToken { role, ..a_token() };
        bench.token(&asked).await;
        assert_eq!(bench.authenticate(asked.hash).await.map(|token| token.role), Some(role));
    }
}

pub(super) async fn an_unknown_secret_is_nobodys(bench: Bench) {
    bench.token(&a_token()).await;
    assert_eq!(bench.authenticate(Secret::generate().hash()).await, None);
}

pub(super) async fn a_token_may_be_good_in_every_workspace(bench: Bench) {
    let asked = NewToken { workspace: None, role: Role::Admin, ..a_token() };
    let token = bench.token(&asked).await;
    assert_eq!(token.workspace, None);
    assert_eq!(bench.authenticate(asked.hash).await, Some(token));
}

pub(super) async fn a_token_expires_by_the_stores_clock(bench: Bench) {
    let asked = NewToken { expires_in: Some(seconds(60)), ..a_token() };
    let token = bench.token(&asked).await;
    bench.wait(59);
    assert_eq!(bench.authenticate(asked.hash).await, Some(token));
    bench.wait(1);
    assert_eq!(bench.authenticate(asked.hash).await, None);
}

pub(super) async fn a_token_without_an_expiry_stays_good(bench: Bench) {
    let asked = a_token();
    let token = bench.token(&asked).await;
    bench.wait(100 * 365 * 86_400);
    assert_eq!(bench.authenticate(asked.hash).await, Some(token));
}

pub(super) async fn a_token_may_expire_at_once_or_at_the_end_of_time(bench: Bench) {
    for wait in [seconds(0), seconds(-60)] {
        let asked = NewToken { expires_in: Some(wait), ..a_token() };
        assert_eq!(bench.token(&asked).await.expires_at, Some(bench.now()));
        assert_eq!(bench.authenticate(asked.hash).await, None);
    }
    let asked = NewToken { expires_in: Some(jiff::SignedDuration::MAX), ..a_token() };
    let token = bench.token(&asked).await;
    assert_eq!(bench.authenticate(asked.hash).await, Some(token));
}

pub(super) async fn a_revoked_token_is_no_good(bench: Bench) {
    let (asked, other) = (a_token(), a_token());
    let (token, kept) = (bench.token(&asked).await, bench.token(&other).await);
    bench.wait(7);
    assert_eq!(bench.revoke_token(token.id).await, RevokeOutcome::Revoked);
    assert_eq!(bench.authenticate(asked.hash).await, None);
    assert_eq!(bench.authenticate(other.hash).await, Some(kept.clone()));
    let revoked = Token { revoked_at: Some(bench.now()), ..token };
    let mut listed = bench.tokens(None).await;
    listed.sort_by_key(|token| token.id != revoked.id);
    assert_eq!(listed, [revoked, kept]);
}

pub(super) async fn a_token_is_revoked_once(bench: Bench) {
    let token = bench.token(&a_token()).await;
    bench.revoke_token(token.id).await;
    let before = bench.tokens(None).await;
    bench.wait(1);
    assert_eq!(bench.revoke_token(token.id).await, RevokeOutcome::AlreadyRevoked);
    assert_eq!(bench.tokens(None).await, before);
}

pub(super) async fn an_expired_token_can_be_revoked(bench: Bench) {
    let token = bench.token(&NewToken { expires_in: Some(seconds(1)), ..a_token() }).await;
    bench.wait(2);
    assert_eq!(bench.revoke_token(token.id).await, RevokeOutcome::Revoked);
}

pub(super) async fn an_unknown_token_cannot_be_revoked(bench: Bench) {
    bench.token(&a_token()).await;
    let before = bench.tokens(None).await;
    assert_eq!(bench.revoke_token(TokenId::new()).await, RevokeOutcome::NotFound);
    assert_eq!(bench.tokens(None).await, before);
}

pub(super) async fn a_token_needs_a_workspace_that_is_there(bench: Bench) {
    let asked = NewToken { workspace: Some(workspace("nowhere")), ..a_token() };
    assert_eq!(bench.create_token(&asked).await, CreateTokenOutcome::UnknownWorkspace);
    assert_eq!(bench.authenticate(asked.hash).await, None);
    assert_eq!(bench.tokens(None).await, []);
    bench.workspace("nowhere").await;
    bench.token(&asked).await;
}

pub(super) async fn an_id_names_one_token(bench: Bench) {
    let first = a_token();
    let token = bench.token(&first).await;
    let again = NewToken { id: first.id, ..a_token() };
    assert_eq!(bench.create_token(&again).await, CreateTokenOutcome::DuplicateId);
    assert_eq!(bench.create_token(&first).await, CreateTokenOutcome::DuplicateId);
    assert_eq!(bench.authenticate(again.hash).await, None);
    assert_eq!(bench.tokens(None).await, [token]);
}

pub(super) async fn a_secret_opens_one_token(bench: Bench) {
    bench.workspace("other").await;
    let first = a_token();
    let token = bench.token(&first).await;
    let again = NewToken { hash: first.hash, workspace: Some(workspace("other")), role: Role::Admin, ..a_token() };
    assert_eq!(bench.create_token(&again).await, CreateTokenOutcome::DuplicateHash);
    assert_eq!(bench.authenticate(first.hash).await, Some(token.clone()));
    bench.revoke_token(token.id).await;
    assert_eq!(bench.create_token(&again).await, CreateTokenOutcome::DuplicateHash);
    assert_eq!(bench.authenticate(first.hash).await, None);
}

pub(super) async fn tokens_are_listed_newest_first(bench: Bench) {
    let mut made = Vec::new();
    // Made in another order than that of their ids, which are their callers' choice.
    let mut asked = [a_token(), a_token(), a_token()];
    asked.swap(0, 1);
    for asked in &asked {
        made.insert(0, bench.token(asked).await);
        bench.wait(1);
    }
    assert_eq!(bench.tokens(None).await, made);
    assert_eq!(bench.tokens(Some(&home())).await, made);
}

pub(super) async fn a_list_of_tokens_shows_its_own_workspace_only(bench: Bench) {
    let other = bench.workspace("other").await;
    let own = bench.token(&a_token()).await;
    bench.wait(1);
    let foreign = bench.token(&NewToken { workspace: Some(other.clone()), ..a_token() }).await;
    bench.wait(1);
    let everywhere = bench.token(&NewToken { workspace: None, ..a_token() }).await;
    assert_eq!(bench.tokens(Some(&home())).await, std::slice::from_ref(&own));
    assert_eq!(bench.tokens(Some(&other)).await, std::slice::from_ref(&foreign));
    assert_eq!(bench.tokens(Some(&workspace("nowhere"))).await, []);
    assert_eq!(bench.tokens(None).await, [everywhere, foreign, own]);
}

pub(super) async fn of_many_tokens_with_one_secret_one_is_made(bench: Bench) {
    let hash = Secret::generate().hash();
    let asked: Vec<NewToken> = (0..8).map(|_| NewToken { hash, ..a_token() }).collect();
    let outcomes = futures::future::join_all(asked.iter().map(|asked| bench.create_token(asked))).await;
    let made: Vec<_> = outcomes.iter().filter(|o| matches!(o, CreateTokenOutcome::Created(_))).collect();
    assert_eq!(made.len(), 1, "{outcomes:?}");
    let refused = outcomes.iter().filter(|o| **o == CreateTokenOutcome::DuplicateHash).count();
    assert_eq!(refused, 7, "{outcomes:?}");
    assert_eq!(bench.tokens(None).await.len(), 1);
}
