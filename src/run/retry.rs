//! How long to wait before the next attempt.

use jiff::SignedDuration;

/// The wait is drawn uniformly from `[base, min(cap, base · factor^attempt)]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RetryPolicy {
    /// The shortest wait, in milliseconds.
    pub base_ms: u32,
    /// What each attempt multiplies the longest wait by.
    pub factor: u32,
    /// The longest wait ever, in milliseconds.
    pub cap_ms: u32,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { base_ms: 1_000, factor: 3, cap_ms: 60_000 }
    }
}

impl RetryPolicy {
    /// The wait after `attempt` attempts. Exponents clamp; nothing overflows.
    pub fn wait(self, attempt: u32, jitter: Jitter) -> SignedDuration {
        let grown = u64::from(self.factor).saturating_pow(attempt).saturating_mul(u64::from(self.base_ms));
        let longest = grown.min(u64::from(self.cap_ms));
        let shortest = u64::from(self.base_ms).min(longest);
        SignedDuration::from_millis((shortest + jitter.share_of(longest - shortest)) as i64)
    }
}

/// A uniform draw, handed in so that the lifecycle stays pure: 0 is the shortest wait, `u32::MAX` the longest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Jitter(pub u32);

impl Jitter {
    fn share_of(self, span: u64) -> u64 {
        (u128::from(span) * u128::from(self.0) / u128::from(u32::MAX)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(attempt: u32, draw: u32) -> i64 {
        RetryPolicy::default().wait(attempt, Jitter(draw)).as_millis() as i64
    }

    #[test]
    fn the_wait_grows_threefold_up_to_a_minute() {
        let longest: Vec<i64> = (0..7).map(|attempt| ms(attempt, u32::MAX)).collect();
        assert_eq!(longest, [1_000, 3_000, 9_000, 27_000, 60_000, 60_000, 60_000]);
        assert!((0..7).all(|attempt| ms(attempt, 0) == 1_000));
        assert_eq!(ms(1, u32::MAX / 2), 1_999);
    }

    #[test]
    fn no_exponent_overflows() {
        assert_eq!(ms(u32::MAX, u32::MAX), 60_000);
        let odd = RetryPolicy { base_ms: u32::MAX, factor: u32::MAX, cap_ms: 5 };
        assert_eq!(odd.wait(u32::MAX, Jitter(7)).as_millis(), 5);
        let none = RetryPolicy { base_ms: 0, factor: 0, cap_ms: 0 };
        assert_eq!(none.wait(3, Jitter(u32::MAX)).as_millis(), 0);
    }
}
