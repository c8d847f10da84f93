//! `runlane logs -f`: to the end of the run, through lost connections.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::server::{Server, runlane_at};

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_followed_to_its_end_and_exits_by_it() {
    let server = Server::start().await;
    let run = server.submit(&["sleep", "-p", r#"{"seconds":1}"#]).await;
    let said = server.runlane(&["logs", "-f", &run]).await;
    let lines: Vec<&str> = said.out.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[9]), (10, "── 10% 1 of 10", "── 100% 10 of 10"), "{}", said.out);
    assert_eq!((said.err.trim(), said.status.code()), ("── succeeded", Some(0)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_connection_loses_and_repeats_nothing() {
    let server = Server::start().await;
    let cutting = cut_after(server.address, 900).await;
    let run = server.submit(&["sleep", "-p", r#"{"seconds":2}"#]).await;
    let said = runlane_at(&format!("http://{cutting}"), &["logs", "-f", &run, "--json"], None).await;
    let numbers: Vec<i64> = said
        .out
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON")["seq"].as_i64().expect("a number"))
        .collect();
    assert_eq!(numbers, (1..=10).collect::<Vec<i64>>(), "{}", said.err);
    assert!(said.err.contains("connection lost"), "{}", said.err);
    assert_eq!(said.status.code(), Some(0), "{}", said.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_has_failed_says_why_at_the_end() {
    let server = Server::start().await;
    let run = server.submit(&["fail", "-p", r#"{"times":9}"#, "--max-attempts", "1"]).await;
    let said = server.runlane(&["logs", "-f", &run]).await;
    assert_eq!(said.out, "attempt 1 fails, as asked\n");
    assert_eq!(said.err, "── failed: attempt 1 fails, as asked\n");
    assert_eq!(said.status.code(), Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn later_attempts_are_marked() {
    let server = Server::start().await;
    let run = server.submit(&["fail", "-p", r#"{"times":2}"#, "--max-attempts", "2"]).await;
    let followed = server.runlane(&["logs", "-f", &run]).await;
    assert_eq!(followed.out, "attempt 1 fails, as asked\n── attempt 2\nattempt 2 fails, as asked\n");
    assert_eq!(server.runlane(&["logs", &run]).await.out, followed.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_line_has_the_time_at_which_it_was_said() {
    let server = Server::start().await;
    let id = &server.submit(&["fail", "-p", r#"{"times":9}"#, "--max-attempts", "1"]).await;
    server.until(id, "failed").await;
    let event = server.json(&["logs", id]).await;
    let said_at: jiff::Timestamp = event["data"]["said_at"].as_str().expect("a time").parse().expect("a time");
    let said = server.runlane(&["logs", "-t", id]).await;
    assert!(said.out.starts_with(&said_at.strftime("%Y-%m-%d %H:%M:%S%.3fZ ").to_string()), "{}", said.out);
}

/// Stands between the two and cuts every connection after so many bytes of answer.
async fn cut_after(server: SocketAddr, bytes: usize) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((mut caller, _)) = listener.accept().await {
            let mut callee = TcpStream::connect(server).await.expect("the server");
            tokio::spawn(async move {
                let (mut asked, mut answered) = ([0; 4096], [0; 64]);
                let mut left = bytes;
                while left > 0 {
                    tokio::select! {
                        read = caller.read(&mut asked) => match read {
                            Ok(read @ 1..) => callee.write_all(&asked[..read]).await.expect("passed on"),
                            _ => return,
                        },
                        read = callee.read(&mut answered) => match read {
                            Ok(read @ 1..) => {
                                left = left.saturating_sub(read);
                                if caller.write_all(&answered[..read]).await.is_err() {
                                    return;
                                }
                            }
                            _ => return,
                        },
                    }
                }
            });
        }
    });
    address
}
