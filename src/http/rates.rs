//! How often one caller may ask.

use std::net::IpAddr;
use std::num::NonZeroU32;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use super::problem::{Code, Problem};
use crate::access::TokenId;

/// Of more callers than these, those who asked little lately are forgotten; and if that does not help, newcomers share
/// one limit.
const MOST: usize = 10_000;

/// So many requests a second, and so many at once after a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// In the long run.
    pub per_second: NonZeroU32,
    /// In one go.
    pub burst: NonZeroU32,
}

/// Whose requests are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Asker {
    Token(TokenId),
    /// A machine; of IPv6 a network, since each has more addresses than can be counted.
    Address(IpAddr),
    /// Who cannot be told from others.
    Anybody,
}

impl Asker {
    pub(super) fn at(address: Option<IpAddr>) -> Self {
        match address.map(|address| address.to_canonical()) {
            Some(IpAddr::V6(address)) => {
                let network = address.to_bits() & (u128::MAX << 64);
                Asker::Address(IpAddr::V6(network.into()))
            }
            Some(address) => Asker::Address(address),
            None => Asker::Anybody,
        }
    }
}

/// Counts requests, if there is a limit.
pub(super) struct Rates(Option<DefaultKeyedRateLimiter<Asker>>);

impl Rates {
    pub(super) fn new(limit: Option<RateLimit>) -> Self {
        let quota = |limit: RateLimit| Quota::per_second(limit.per_second).allow_burst(limit.burst);
        Self(limit.map(|limit| RateLimiter::keyed(quota(limit))))
    }

    /// Counts a request, or refuses it.
    pub(super) fn count(&self, asker: Asker) -> Result<(), Problem> {
        let Some(limiter) = &self.0 else { return Ok(()) };
        let asker = if limiter.len() < MOST { asker } else { self.crowded(asker) };
        limiter.check_key(&asker).map_err(|refused| {
            let wait = refused.wait_time_from(DefaultClock::default().now());
            let seconds = u32::try_from(wait.as_secs()).unwrap_or(u32::MAX).saturating_add(1);
            Problem::new(Code::RateLimited, format!("more than {} requests in one burst", refused.quota().burst_size()))
                .hint("send fewer requests, or use batches")
                .retry_after(seconds)
        })
    }

    fn crowded(&self, asker: Asker) -> Asker {
        let Some(limiter) = &self.0 else { return asker };
        limiter.retain_recent();
        limiter.shrink_to_fit();
        match asker {
            Asker::Address(_) if limiter.len() >= MOST => Asker::Anybody,
            known => known,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(per_second: u32, burst: u32) -> Rates {
        let number = |number| NonZeroU32::new(number).expect("not 0");
        Rates::new(Some(RateLimit { per_second: number(per_second), burst: number(burst) }))
    }

    #[test]
    fn each_caller_has_a_limit_of_its_own() {
        let rates = rates(1, 2);
        let (one, other) = (Asker::Token(TokenId::new()), Asker::Token(TokenId::new()));
        assert!(rates.count(one).is_ok() && rates.count(one).is_ok());
        assert_eq!(rates.count(one).map_err(|problem| problem.code()), Err(Code::RateLimited));
        assert!(rates.count(other).is_ok());
    }

    #[test]
    fn a_network_has_as_much_as_one_of_its_machines() {
        let at = |text: &str| Asker::at(Some(text.parse().expect("an address")));
        assert_eq!(at("2001:db8::1"), at("2001:db8::2:1"));
        assert_ne!(at("2001:db8::1"), at("2001:db8:0:1::1"));
        assert_ne!(at("192.0.2.1"), at("192.0.2.2"));
        assert_eq!(at("::ffff:192.0.2.1"), at("192.0.2.1"));
    }

    #[test]
    fn however_many_callers_there_are_memory_has_a_limit() {
        let rates = rates(1, 1000);
        for number in 0..3 * MOST {
            let address = std::net::Ipv4Addr::from_bits(u32::try_from(number).expect("small"));
            drop(rates.count(Asker::at(Some(address.into()))));
        }
        assert!(rates.0.as_ref().expect("a limiter").len() <= MOST + 1);
    }

    #[test]
    fn without_a_limit_nobody_is_counted() {
        let rates = Rates::new(None);
        assert!((0..10_000).all(|_| rates.count(Asker::Anybody).is_ok()));
    }
}
