//! What the bearer of a token shows, and the hash by which a store knows it.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// So that a secret that leaked into a log or a repository can be found for what it is.
const PREFIX: &str = "rl_";
const BYTES: usize = 32;
/// 32 bytes in base64url, without padding.
const ENCODED: usize = 43;

/// The secret of a token: `rl_` and 43 characters. Shown once, when the token is made; nobody keeps it but its bearer.
#[derive(Clone)]
pub struct Secret(String);

/// Text that cannot be a secret, and why. Does not repeat the text, which may be most of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSecret {
    /// It is something else.
    #[error("a token begins with {PREFIX:?}")]
    Prefix,
    /// Part of it is missing, or there is more.
    #[error("a token has {ENCODED} characters after {PREFIX:?}, and this one has {0}")]
    Length(usize),
    /// It has characters that no secret has.
    #[error("a token has only letters, digits, - and _, as they were given out; this one was changed")]
    Encoding,
}

impl Secret {
    /// A new one, from 256 random bits of the system.
    ///
    /// # Panics
    /// When the system has no randomness to give: there is nothing safe to go on with.
    pub fn generate() -> Self {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).expect("the system gives random bytes");
        Self(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// Checks that `text` has the form of a secret; whether it is one, only a store knows.
    pub fn parse(text: &str) -> Result<Self, InvalidSecret> {
        let encoded = text.strip_prefix(PREFIX).ok_or(InvalidSecret::Prefix)?;
        let length = encoded.chars().count();
        if length != ENCODED {
            return Err(InvalidSecret::Length(length));
        }
        URL_SAFE_NO_PAD.decode(encoded).map_err(|_| InvalidSecret::Encoding)?;
        Ok(Self(text.to_owned()))
    }

    /// The text, for its bearer. Nothing else shows it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// By which a store knows it. Plain SHA-256 will do: nobody guesses 256 random bits, however fast the guesses are.
    pub fn hash(&self) -> TokenHash {
        TokenHash(Sha256::digest(self.0.as_bytes()).into())
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The SHA-256 of a secret's text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TokenHash(pub [u8; 32]);

impl std::fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TokenHash(")?;
        for byte in &self.0[..4] {
            write!(f, "{byte:02x}")?;
        }
        f.write_str("…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 32 zero bytes.
    const ZERO: &str = "rl_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

    #[test]
    fn a_new_secret_is_read_back_and_no_two_are_the_same() {
        let (one, other) = (Secret::generate(), Secret::generate());
        assert_eq!(one.expose().len(), PREFIX.len() + ENCODED);
        let read = Secret::parse(one.expose()).expect("what was generated can be read");
        assert_eq!(read.hash(), one.hash());
        assert_ne!(one.hash(), other.hash());
    }

    #[test]
    fn the_hash_is_the_sha_256_of_the_text() {
        let hash = Secret::parse(ZERO).expect("a secret").hash();
        let hex: String = hash.0.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "d3de013bc4596b311372ba01ab92d5c13f7dceaf3c835061b43e09ddf94a94bf");
    }

    #[test]
    fn what_cannot_be_a_secret_is_refused_with_the_reason() {
        let refused = |text: &str| Secret::parse(text).map(|_| ()).expect_err("no secret");
        assert_eq!(refused(""), InvalidSecret::Prefix);
        assert_eq!(refused("Bearer x"), InvalidSecret::Prefix);
        assert_eq!(refused("rl_abc"), InvalidSecret::Length(3));
        assert_eq!(refused(&format!("{ZERO}A")), InvalidSecret::Length(44));
        assert_eq!(refused(&ZERO.replacen("AA", "A+", 1)), InvalidSecret::Encoding);
        // The last character has two bits to spare; only one way to write a secret is its own.
        assert_eq!(refused(&format!("{}B", &ZERO[..ZERO.len() - 1])), InvalidSecret::Encoding);
        assert_eq!(refused("rl_abc").to_string(), "a token has 43 characters after \"rl_\", and this one has 3");
    }

    #[test]
    fn nothing_that_is_logged_shows_a_secret() {
        let secret = Secret::generate();
        assert_eq!(format!("{secret:?}"), "Secret(…)");
        assert!(format!("{:?}", secret.hash()).len() < 24);
    }
}
