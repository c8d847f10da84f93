//! What makes tests of lists of sentences.

/// From one list: a public name for each sentence, and the macro that makes a test of each.
macro_rules! sentences {
    ($suite:ident of $list:ident: $($file:ident { $($sentence:ident)+ })+) => {
        sentences! { @ ($) $suite $list $($file { $($sentence)+ })+ }
    };
    (@ ($dollar:tt) $suite:ident $list:ident $($file:ident { $($sentence:ident)+ })+) => {
        $(
            #[doc = concat!("The sentences of `", stringify!($file), ".rs`.")]
            pub mod $file {
                use super::super::{Bench, $file};
                $(
                    #[doc = concat!("See `", stringify!($file), ".rs`.")]
                    pub async fn $sentence(bench: Bench) {
                        $file::$sentence(bench).await;
                    }
                )+
            }
        )+

        /// How many sentences there are.
        pub const COUNT: usize = [$($(stringify!($sentence)),+),+].len();

        /// Makes a test of every sentence, in a module for each verb. Takes the path of an async function that
        /// answers with an `Option<Bench>`: a new bench, or nothing where there is no database to judge.
        #[macro_export]
        macro_rules! $suite {
            ($dollar make_bench:path) => {
                $(
                    mod $file {
                        use super::*;
                        $(
                            #[tokio::test]
                            async fn $sentence() {
                                match $dollar make_bench().await {
                                    Some(bench) => {
                                        $dollar crate::store::conformance::$list::$file::$sentence(bench).await;
                                    }
                                    None => eprintln!("skipped: there is no database to judge"),
                                }
                            }
                        )+
                    }
                )+
            };
        }
    };
}

pub(super) use sentences;
