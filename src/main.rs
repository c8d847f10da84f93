//! The one binary. What it can do is in `cli`.

mod cli;

#[tokio::main]
async fn main() -> std::process::ExitCode {
    cli::main().await
}
