//! The audit log.

use super::prelude::*;
use crate::access::TokenId;
use crate::run::WorkspaceName;
use crate::store::{AuditEntry, AuditFilter, AuditRecord, Listed};

const DAY: i64 = 86_400;

/// Something done to `subject` in the default workspace.
fn an_entry(subject: &str) -> AuditEntry {
    AuditEntry {
        workspace: Some(home()),
        actor: Some(TokenId::new()),
        actor_name: "laptop".to_owned(),
        action: "runs.cancel".to_owned(),
        subject: subject.to_owned(),
        detail: Some(json(r#"{"why": "a test"}"#)),
    }
}

impl Bench {
    async fn record(&self, entries: &[AuditEntry]) {
        self.store.record_audit(entries).await.expect("record_audit answers");
    }

    async fn audit_page(&self, workspace: Option<&WorkspaceName>, page: &Page<i64>) -> Listed<AuditRecord, i64> {
        self.store.audit(workspace, &AuditFilter::default(), page).await.expect("audit answers")
    }

    async fn audit(&self, workspace: Option<&WorkspaceName>) -> Vec<AuditRecord> {
        self.audit_page(workspace, &Page::first(100)).await.data
    }

    async fn subjects(&self, workspace: Option<&WorkspaceName>) -> Vec<String> {
        self.audit(workspace).await.into_iter().map(|record| record.entry.subject).collect()
    }

    /// Keeps the audit log for a day, and everything else for ever.
    async fn prune_audit(&self, limit: usize) -> Pruned {
        let ever = seconds(1_000_000 * DAY);
        let retention = Retention { finished: ever, workers: ever, audit: seconds(DAY), usage: ever };
        self.store.prune(&retention, limit).await.expect("prune answers")
    }
}

pub(super) async fn what_was_done_is_written_down_as_it_was_said(bench: Bench) {
    let told = an_entry("run 7 ✓");
    let bare = AuditEntry { workspace: None, actor: None, detail: None, ..an_entry("") };
    bench.record(&[told.clone(), bare.clone()]).await;
    let records = bench.audit(None).await;
    assert!(records.iter().all(|record| record.at == bench.now()), "{records:?}");
    assert!(records[0].seq > records[1].seq, "{records:?}");
    assert_eq!(records.into_iter().map(|record| record.entry).collect::<Vec<_>>(), [bare, told]);
}

pub(super) async fn the_audit_log_is_read_newest_first(bench: Bench) {
    bench.record(&["a", "b", "c"].map(an_entry)).await;
    bench.wait(1);
    bench.record(&[an_entry("d")]).await;
    assert_eq!(bench.subjects(None).await, ["d", "c", "b", "a"]);
    assert_eq!(bench.subjects(Some(&home())).await, ["d", "c", "b", "a"]);
}

pub(super) async fn nothing_done_is_nothing_written(bench: Bench) {
    bench.record(&[]).await;
    assert_eq!(bench.audit(None).await, []);
}

pub(super) async fn the_audit_log_is_read_in_pages(bench: Bench) {
    bench.workspace("other").await;
    for subject in ["a", "b", "c", "d", "e"] {
        let foreign = AuditEntry { workspace: Some(workspace("other")), ..an_entry("x") };
        bench.record(&[an_entry(subject), foreign]).await;
    }
    let (home, mut page) = (home(), Page::first(2));
    let mut pages = Vec::new();
    loop {
        let listed = bench.audit_page(Some(&home), &page).await;
        pages.push(listed.data.into_iter().map(|record| record.entry.subject).collect::<String>());
        let Some(next) = listed.next else { break };
        page.after = Some(next);
    }
    assert_eq!(pages, ["ed", "cb", "a"]);
    let all = bench.audit_page(None, &Page::first(10)).await;
    assert_eq!((all.data.len(), all.next), (10, None));
    let most = bench.audit_page(None, &Page::first(9)).await;
    assert_eq!((most.next, most.data.len()), (most.data.last().map(|record| record.seq), 9));
}

pub(super) async fn the_audit_log_is_read_by_actor_action_subject_and_time(bench: Bench) {
    bench.record(&[an_entry("a"), AuditEntry { actor_name: "ops".into(), ..an_entry("b") }]).await;
    bench.wait(60);
    let since = bench.now();
    bench.record(&[AuditEntry { action: "runs.cancel.all".into(), ..an_entry("c") }]).await;
    bench.record(&[AuditEntry { action: "run".into(), ..an_entry("d") }]).await;
    bench.record(&[AuditEntry { action: "runs_x%".into(), ..an_entry("e") }]).await;
    let read = async |filter: AuditFilter| {
        let listed = bench.store.audit(Some(&home()), &filter, &Page::first(100)).await.expect("audit answers");
        let everywhere = bench.store.audit(None, &filter, &Page::first(100)).await.expect("audit answers");
        assert_eq!(listed, everywhere);
        listed.data.into_iter().map(|record| record.entry.subject).collect::<String>()
    };
    let some = |text: &str| Some(text.to_owned());
    let any = AuditFilter::default;
    assert_eq!(read(AuditFilter { actor: some("ops"), ..any() }).await, "b");
    assert_eq!(read(AuditFilter { action: some("runs"), ..any() }).await, "cba");
    assert_eq!(read(AuditFilter { action: some("runs.cancel"), ..any() }).await, "cba");
    assert_eq!(read(AuditFilter { action: some("run"), ..any() }).await, "d");
    assert_eq!(read(AuditFilter { action: some("runs_"), ..any() }).await, "");
    assert_eq!(read(AuditFilter { subject: some("a"), ..any() }).await, "a");
    assert_eq!(read(AuditFilter { since: Some(since), ..any() }).await, "edc");
    assert_eq!(
        read(AuditFilter { actor: some("laptop"), since: Some(since), action: some("runs"), ..any() }).await,
        "c"
    );
    let first = bench.store.audit(None, &AuditFilter { action: some("runs"), ..any() }, &Page::first(2)).await;
    let first = first.expect("audit answers");
    assert_eq!((first.data.len(), first.next), (2, Some(first.data[1].seq)));
}

pub(super) async fn a_page_stays_where_it_is_when_more_is_written(bench: Bench) {
    bench.record(&["a", "b", "c"].map(an_entry)).await;
    let first = bench.audit_page(None, &Page::first(1)).await;
    bench.record(&[an_entry("d")]).await;
    let second = bench.audit_page(None, &Page { limit: 1, after: first.next }).await;
    assert_eq!(second.data[0].entry.subject, "b");
}

pub(super) async fn a_foreign_audit_log_is_not_shown(bench: Bench) {
    let other = bench.workspace("other").await;
    let everywhere = AuditEntry { workspace: None, ..an_entry("everywhere") };
    let foreign = AuditEntry { workspace: Some(other.clone()), ..an_entry("foreign") };
    bench.record(&[an_entry("own"), foreign, everywhere]).await;
    assert_eq!(bench.subjects(Some(&home())).await, ["own"]);
    assert_eq!(bench.subjects(Some(&other)).await, ["foreign"]);
    assert_eq!(bench.subjects(None).await, ["everywhere", "foreign", "own"]);
}

pub(super) async fn a_character_that_cannot_be_stored_loses_no_record(bench: Bench) {
    let odd = AuditEntry { actor_name: "\0".to_owned(), action: "b\0".to_owned(), ..an_entry("a\0c") };
    bench.record(&[odd]).await;
    let stored = bench.audit(None).await.remove(0).entry;
    assert_eq!([stored.actor_name, stored.action, stored.subject], ["\\u0000", "b\\u0000", "a\\u0000c"]);
}

pub(super) async fn old_audit_records_are_forgotten(bench: Bench) {
    bench.record(&["a", "b"].map(an_entry)).await;
    bench.wait(DAY - 1);
    bench.record(&[an_entry("c")]).await;
    assert_eq!(bench.prune_audit(100).await, Pruned::default());
    bench.wait(1);
    assert_eq!(bench.prune_audit(100).await, Pruned { audit: 2, ..Pruned::default() });
    assert_eq!(bench.subjects(None).await, ["c"]);
}

pub(super) async fn a_number_is_never_given_to_two_audit_records(bench: Bench) {
    bench.record(&[an_entry("a")]).await;
    let before = bench.audit(None).await[0].seq;
    bench.wait(DAY);
    bench.prune_audit(100).await;
    bench.record(&[an_entry("b")]).await;
    assert!(bench.audit(None).await[0].seq > before);
}
