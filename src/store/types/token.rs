//! What comes of making and revoking tokens.

use crate::access::Token;

/// What came of a request for a token; the first that holds, in this order from the second on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CreateTokenOutcome {
    /// It is good from now on.
    Created(Token),
    /// There is no such workspace.
    UnknownWorkspace,
    /// Another token has the id; or it is this very token, made by a request whose answer was lost.
    DuplicateId,
    /// Another token has the secret.
    DuplicateHash,
}

/// What came of revoking a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevokeOutcome {
    /// It is no good any more.
    Revoked,
    /// It was no good before.
    AlreadyRevoked,
    /// There is no such token.
    NotFound,
}
