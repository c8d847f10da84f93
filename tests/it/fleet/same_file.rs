//! Several servers with the same schedules in their files, which they all apply at the same time.

use std::time::Duration;

use serde_json::{Value, json};

use super::Yard;
use super::worker::WorkerProcess;
use crate::postgres::fixture::Database;

const PATIENCE: Duration = Duration::from_secs(60);
const SERVERS: usize = 5;
/// How often a change of the file is applied by all of them.
const CHANGES: usize = 3;

/// A schedule that differs in every version of the file, one that stays, and one with a grant that comes along.
fn file(version: usize) -> String {
    format!(
        r#"
        demo_tasks = true
        [schedules.nightly]
        task = "echo"
        cron = "{version} 2 * * *"
        payload = {{ version = {version} }}
        [schedules.sync]
        task = "echo"
        every_seconds = 86400
        [schedules.billed]
        task = "echo"
        cron = "@daily"
        grant = {{ user_id = "ada", billing_account = "account-{version}", scopes = ["echo"] }}
        "#
    )
}

/// What the servers have reported, together.
fn sums(lines: &[Value]) -> Value {
    let sum = |name: &str| lines.iter().map(|line| line[name].as_u64().expect("a number")).sum::<u64>();
    json!({"created": sum("created"), "updated": sum("updated"), "unchanged": sum("unchanged"), "failed": sum("failed")})
}

struct Site {
    yard: Yard,
    database: Database,
    servers: Vec<WorkerProcess>,
    /// How often schedules have been applied.
    applied: usize,
}

impl Site {
    fn start_all(&mut self) {
        let more = ["--concurrency", "1", "--log-format", "json"];
        self.servers = (0..SERVERS).map(|_| WorkerProcess::serve(&self.yard, &self.database.url, &more)).collect();
    }

    /// Does it while nobody can write a schedule: all servers decide on what they see now, and then write.
    async fn together(&mut self, act: impl FnOnce(&mut Self)) {
        let held = self.database.hold("schedules").await;
        act(self);
        self.database.until_waiting(SERVERS).await;
        held.release().await;
    }

    /// Waits until all servers have applied their schedules once more; what they have reported, together.
    async fn all_applied(&mut self) -> Value {
        let words = "applied the schedules of the configuration";
        let lines = self.yard.until_logged(words, self.applied + SERVERS, PATIENCE).await;
        let new = sums(&lines[self.applied..]);
        self.applied += SERVERS;
        assert_eq!(lines.len(), self.applied);
        assert!(!self.servers.iter_mut().any(WorkerProcess::has_ended), "one has ended");
        let wrong: Vec<_> = self.yard.logged("").into_iter().filter(|line| line["level"] == "ERROR").collect();
        assert_eq!(wrong, Vec::<Value>::new());
        new
    }

    async fn schedules(&self) -> Vec<String> {
        self.database.lines("select (spec ->> 'name') || ' ' || version from runlane.schedules order by 1").await
    }

    async fn audited(&self) -> Vec<String> {
        let counts = "select action || ' ' || count(*) from runlane.audit group by action order by action";
        self.database.lines(counts).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_that_start_at_the_same_time_create_and_change_each_schedule_of_their_file_once() {
    let Some(database) = Database::empty().await else { return };
    let yard = Yard::with_tasks(&[]);
    yard.configure(&file(0));
    let mut site = Site { yard, database, servers: Vec::new(), applied: 0 };
    site.together(Site::start_all).await;
    let everything = SERVERS * 3;
    let created = json!({"created": 3, "updated": 0, "unchanged": everything - 3, "failed": 0});
    assert_eq!(site.all_applied().await, created);
    assert_eq!(site.schedules().await, ["billed 1", "nightly 1", "sync 1"]);
    assert_eq!(site.audited().await, ["grant.create 3", "schedule.create 3"]);
    site.yard.until_logged("serving the API", SERVERS, PATIENCE).await;

    let updated = json!({"created": 0, "updated": 2, "unchanged": everything - 2, "failed": 0});
    for version in 1..=CHANGES {
        site.yard.configure(&file(version));
        site.together(|site| site.servers.iter().for_each(WorkerProcess::hang_up)).await;
        assert_eq!(site.all_applied().await, updated, "version {version}");
    }
    let edited = 2 * CHANGES;
    let versions = CHANGES + 1;
    let schedules = [format!("billed {versions}"), format!("nightly {versions}"), "sync 1".to_owned()];
    assert_eq!(site.schedules().await, schedules);
    let audited =
        [format!("grant.create {}", 3 + CHANGES), "schedule.create 3".to_owned(), format!("schedule.edit {edited}")];
    assert_eq!(site.audited().await, audited);

    // A deploy: all are stopped, and all are started with another file.
    site.servers.drain(..).for_each(|server| drop(server.drain(PATIENCE)));
    site.yard.configure(&file(versions));
    site.together(Site::start_all).await;
    assert_eq!(site.all_applied().await, updated);
    site.yard.until_logged("serving the API", 2 * SERVERS, PATIENCE).await;
    site.servers.drain(..).for_each(|server| drop(server.drain(PATIENCE)));
    site.start_all();
    assert_eq!(site.all_applied().await, json!({"created": 0, "updated": 0, "unchanged": everything, "failed": 0}));
}
