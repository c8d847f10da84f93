//! Tokens that were shown a moment ago, so that not every request costs a read of the database.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::access::{Token, TokenHash, TokenId};
use crate::clock::Clock;
use crate::store::{Result, Store};

/// How long a token that another process revoked may still be good here.
const TTL: Duration = Duration::from_secs(5);

/// More than are in use within that time, on any server that could serve them.
const MOST: usize = 10_000;

/// The tokens shown lately, by the hash of their secret. What is unknown is asked for each time.
#[derive(Default)]
pub(in crate::http) struct KnownTokens(Mutex<Known>);

#[derive(Default)]
struct Known {
    tokens: HashMap<TokenHash, (Token, Instant)>,
    /// How often a token was forgotten: what was read before that may be out of date.
    forgotten: u64,
}

impl KnownTokens {
    /// The token with this secret, as the store says now or said a moment ago.
    pub(super) async fn authenticate(&self, store: &dyn Store, hash: &TokenHash) -> Result<Option<Token>> {
        let forgotten = {
            let known = self.lock();
            if let Some((token, since)) = known.tokens.get(hash)
                && since.elapsed() < TTL
                && token.is_good_at(Clock::Database.host_now())
            {
                return Ok(Some(token.clone()));
            }
            known.forgotten
        };
        let found = store.authenticate(hash).await?;
        if let Some(token) = &found {
            self.lock().learn(hash, token, forgotten);
        }
        Ok(found)
    }

    /// It was revoked: from now on nobody is let in by it here.
    pub(in crate::http) fn forget(&self, token: TokenId) {
        let mut known = self.lock();
        known.forgotten += 1;
        known.tokens.retain(|_, (known, _)| known.id != token);
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn learn(&mut self, hash: &TokenHash, token: &Token, forgotten: u64) {
        // To begin anew costs a read each; to pick the oldest would cost a look at all of them.
        if self.tokens.len() >= MOST {
            self.tokens.clear();
        }
        if self.forgotten == forgotten {
            self.tokens.insert(*hash, (token.clone(), Instant::now()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::{NewToken, Role, Secret, TokenName};
    use crate::store::memory::MemoryStore;

    async fn a_token(store: &MemoryStore) -> (TokenId, TokenHash) {
        let (id, hash) = (TokenId::new(), Secret::generate().hash());
        let name = TokenName::parse("ci").expect("a name");
        let wanted = NewToken { id, workspace: None, name, role: Role::Viewer, hash, expires_in: None };
        store.create_token(&wanted).await.expect("made");
        (id, hash)
    }

    #[tokio::test]
    async fn a_token_is_remembered_for_a_moment_and_forgotten_at_once() {
        let (store, known) = (MemoryStore::new(Clock::Database), KnownTokens::default());
        let (id, hash) = a_token(&store).await;
        assert!(known.authenticate(&store, &hash).await.expect("an answer").is_some());
        store.revoke_token(id).await.expect("revoked, as by another process");
        assert!(known.authenticate(&store, &hash).await.expect("an answer").is_some(), "remembered");
        known.forget(id);
        assert!(known.authenticate(&store, &hash).await.expect("an answer").is_none());
    }

    #[tokio::test]
    async fn what_was_read_before_a_token_was_forgotten_is_not_remembered() {
        let (store, known) = (MemoryStore::new(Clock::Database), KnownTokens::default());
        let (id, hash) = a_token(&store).await;
        let token = store.authenticate(&hash).await.expect("an answer").expect("a token");
        known.forget(id);
        known.lock().learn(&hash, &token, 0);
        assert!(known.lock().tokens.is_empty());
    }

    #[tokio::test]
    async fn there_is_no_end_of_tokens_but_of_what_is_remembered() {
        let (store, known) = (MemoryStore::new(Clock::Database), KnownTokens::default());
        let (_, hash) = a_token(&store).await;
        let token = store.authenticate(&hash).await.expect("an answer").expect("a token");
        for number in 0..2 * MOST {
            let mut other = [0; 32];
            other[..8].copy_from_slice(&number.to_le_bytes());
            known.lock().learn(&TokenHash(other), &token, 0);
            assert!(known.lock().tokens.len() <= MOST);
        }
    }
}
