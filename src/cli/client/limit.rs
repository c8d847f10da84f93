//! How much of a list is shown: `-n`, or `--all`.

use clap::Args;

use super::doc::Doc;
use super::remote::Remote;
use super::render::Paint;
use super::seen;
use crate::cli::Failure;

/// How many are asked for at a time.
const PAGE: usize = 200;

#[derive(Args)]
pub(super) struct Limit {
    /// At most so many
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20, value_parser = at_least_one)]
    limit: usize,
    /// All there are, page after page
    #[arg(long, conflicts_with = "limit")]
    all: bool,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|limit| *limit > 0).ok_or_else(|| "give a whole number, 1 or more".into())
}

impl Limit {
    /// Reads the list, page after page, until that is reached.
    pub(super) async fn fetch(
        &self,
        remote: &Remote,
        path: &[&str],
        filter: &[(&str, String)],
    ) -> Result<seen::Page<Doc>, Failure> {
        let most = if self.all { usize::MAX } else { self.limit };
        let mut found = seen::Page::<Doc> { data: Vec::new(), next_cursor: None };
        loop {
            let mut query = filter.to_vec();
            query.push(("limit", most.saturating_sub(found.data.len()).clamp(1, PAGE).to_string()));
            query.extend(found.next_cursor.take().map(|cursor| ("cursor", cursor)));
            let page: seen::Page<Doc> = seen::read(&remote.find(path, &query).await?)?;
            found.data.extend(page.data);
            found.next_cursor = page.next_cursor;
            if found.next_cursor.is_none() || found.data.len() >= most {
                return Ok(found);
            }
        }
    }
}

impl<T> seen::Page<T> {
    /// What is said where there is more.
    pub(super) fn rest(&self, paint: Paint) -> String {
        let more =
            self.next_cursor.as_ref().map(|_| paint.quiet("there are more; --limit N or --all shows them") + "\n");
        more.unwrap_or_default()
    }
}
