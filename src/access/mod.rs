//! Who may ask for what: roles, access tokens and their secrets. Pure: no I/O, no async, no SQL, no clock.

mod role;
mod secret;
mod token;

pub use role::{InvalidRole, Permission, Role};
pub use secret::{InvalidSecret, Secret, TokenHash};
pub use token::{NewToken, Token, TokenId, TokenName};
