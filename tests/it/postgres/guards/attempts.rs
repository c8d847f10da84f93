//! Claims, renewals and ends of attempts.

use std::sync::Arc;

use futures::FutureExt;
use jiff::SignedDuration;
use runlane::run::{NewRun, Priority, RunId};
use runlane::store::{Admission, Claimed, Lease, Renew, Renewal, Store};

use super::{Guard, Scene, a_run, asks, assert_each_counts, claimed, in_lane, success};

const GUARDS: &[Guard] = &[
    Guard {
        name: "a claim of what was just claimed",
        without: &[("claim", "\n    and coalesce(blocked_by, status) in ('queued', 'retrying')", "")],
        by_id: &[("claim", "ctid", "id"), ("claim", "::tid[]", "::uuid[]")],
        pause: None,
        race: |scene| a_late_claim(scene).boxed(),
    },
    Guard {
        name: "an adoption of what was just adopted",
        without: &[("adopt", " and run.revision = orphan.revision", "")],
        by_id: &[("adopt", "ctid", "id")],
        pause: None,
        race: |scene| a_late_adoption(scene).boxed(),
    },
    Guard {
        name: "a renewal of what has another holder",
        without: &[(
            "renew",
            "and epoch = $2 and lease_expires_at > coalesce($3, clock_timestamp())\nreturning",
            "and lease_expires_at > coalesce($3, clock_timestamp())\nreturning",
        )],
        by_id: &[("renew", "ctid", "id")],
        pause: None,
        race: |scene| a_late_renewal(scene, claimed).boxed(),
    },
    Guard {
        name: "a renewal of what has no holder any more",
        without: &[(
            "renew",
            "and epoch = $2 and lease_expires_at > coalesce($3, clock_timestamp())\nreturning",
            "and epoch = $2\nreturning",
        )],
        by_id: &[("renew", "ctid", "id")],
        pause: None,
        race: |scene| a_late_renewal(scene, orphaned).boxed(),
    },
    Guard {
        name: "the beginning of what was leased ahead and has another holder",
        without: &[("renew", "\n    and epoch = $2 and coalesce(blocked_by, '') = 'worker'\n", "\n")],
        by_id: &[("renew", "ctid", "id")],
        pause: None,
        race: |scene| a_late_beginning(scene).boxed(),
    },
    Guard {
        name: "an end under an epoch that is over",
        without: &[("finish_plain", "and epoch = $2", "and $2::bigint is not null")],
        by_id: &[],
        pause: None,
        race: |scene| a_late_end(scene, claimed).boxed(),
    },
    Guard {
        name: "an end under a lease that is over",
        without: &[("finish_plain", "and lease_expires_at > coalesce($4, clock_timestamp())", "")],
        by_id: &[],
        pause: None,
        race: |scene| a_late_end(scene, orphaned).boxed(),
    },
    Guard {
        name: "an end of what somebody just began to wait for",
        without: &[("finish_plain", "and not awaited ", "")],
        by_id: &[],
        pause: None,
        race: |scene| an_end_that_is_waited_for(scene).boxed(),
    },
    Guard {
        name: "the next of a lane, just put off",
        without: &[("lane_promote", " and status = 'queued' and blocked_by = 'lane'", "")],
        by_id: &[],
        pause: None,
        race: |scene| the_next_of_a_lane_is_put_off(scene).boxed(),
    },
    Guard {
        name: "the next of a lane, just paused",
        without: &[("lane_claim", " and status = 'queued' and blocked_by = 'lane'", "")],
        by_id: &[],
        pause: None,
        race: |scene| the_next_of_a_lane_is_paused(scene).boxed(),
    },
    Guard {
        name: "the ready run of a lane, just paused",
        without: &[("lane_demote", "\n    and coalesce(blocked_by, status) = 'queued'", "")],
        by_id: &[],
        pause: None,
        race: |scene| the_ready_run_of_a_lane_is_paused(scene).boxed(),
    },
];

#[tokio::test]
async fn the_guards_of_attempts_count() {
    assert_each_counts(GUARDS).await;
}

fn orphaned(run: RunId) -> String {
    format!(
        "update runlane.runs set revision = revision + 1, lease_expires_at = null, orphaned_at = now() where id = '{run}'"
    )
}

fn paused(run: RunId) -> String {
    format!("update runlane.runs set revision = revision + 1, status = 'paused', blocked_by = null where id = '{run}'")
}

async fn started(scene: &Scene, run: &NewRun) -> Claimed {
    scene.submit(run).await;
    scene.claim().await.pop().expect("claimed")
}

async fn a_late_claim(scene: Arc<Scene>) -> bool {
    let run = a_run();
    scene.submit(&run).await;
    let slow = Arc::clone(&scene.slow);
    let claim = scene.meets(&claimed(run.id), async move { slow.claim(&asks()).await }).await;
    claim.is_ok_and(|claim| claim.runs.is_empty()) && scene.of_run(run.id, "epoch").await.as_deref() == Some("1")
}

async fn a_late_adoption(scene: Arc<Scene>) -> bool {
    let run = started(&scene, &a_run()).await.run.id;
    scene.write(&orphaned(run)).await;
    let slow = Arc::clone(&scene.slow);
    let claim = scene.meets(&claimed(run), async move { slow.claim(&asks()).await }).await;
    claim.is_ok_and(|claim| claim.runs.is_empty()) && scene.of_run(run, "epoch").await.as_deref() == Some("2")
}

async fn a_late_renewal(scene: Arc<Scene>, rival: fn(RunId) -> String) -> bool {
    let lease = started(&scene, &a_run()).await.lease();
    let slow = Arc::clone(&scene.slow);
    let renew = async move { slow.renew(&[lease.into()], SignedDuration::from_mins(5)).await };
    let answers = scene.meets(&rival(lease.run), renew).await;
    answers.is_ok_and(|answers| answers == [Renewal::LeaseLost])
}

async fn a_late_beginning(scene: Arc<Scene>) -> bool {
    let run = a_run();
    scene.submit(&run).await;
    let ahead = format!(
        "update runlane.runs set blocked_by = 'worker', epoch = 1, worker = gen_random_uuid(), host = 'here',
            attempt_started_at = now(), lease_expires_at = now() + interval '1 hour' where id = '{}'",
        run.id
    );
    scene.write(&ahead).await;
    let renew = Renew { lease: Lease { run: run.id, epoch: 1 }, began: Some(SignedDuration::ZERO) };
    let slow = Arc::clone(&scene.slow);
    let renew = async move { slow.renew(&[renew], SignedDuration::from_mins(5)).await };
    let answers = scene.meets(&claimed(run.id), renew).await;
    answers.is_ok_and(|answers| answers == [Renewal::LeaseLost])
        && scene.of_run(run.id, "attempt").await.as_deref() == Some("1")
}

async fn a_late_end(scene: Arc<Scene>, rival: fn(RunId) -> String) -> bool {
    let lease = started(&scene, &a_run()).await.lease();
    let slow = Arc::clone(&scene.slow);
    let finish = async move { slow.finish(&[success(lease)]).await.is_ok() };
    scene.meets(&rival(lease.run), finish).await && scene.of_run(lease.run, "status").await.is_some()
}

async fn an_end_that_is_waited_for(scene: Arc<Scene>) -> bool {
    let lease = started(&scene, &a_run()).await.lease();
    let waiting = NewRun { hold: true, ..a_run() };
    scene.submit(&waiting).await;
    let submission = format!(
        "update runlane.runs set revision = revision + 1, awaited = true where id = '{0}';
         update runlane.runs set status = 'queued', blocked_by = 'upstream' where id = '{1}';
         insert into runlane.waits (run, upstream) values ('{1}', '{0}')",
        lease.run, waiting.id
    );
    let slow = Arc::clone(&scene.slow);
    let finish = async move { slow.finish(&[success(lease)]).await.is_ok() };
    scene.meets(&submission, finish).await && scene.of_run(waiting.id, "blocked_by").await.as_deref() == Some("null")
}

async fn the_next_of_a_lane_is_put_off(scene: Arc<Scene>) -> bool {
    let lease = started(&scene, &in_lane()).await.lease();
    let next = in_lane();
    scene.submit(&next).await;
    let put_off = format!(
        "update runlane.runs set revision = revision + 1, blocked_by = 'available_at', available_at = now() + interval '1 hour'
         where id = '{}'",
        next.id
    );
    let slow = Arc::clone(&scene.slow);
    let finish = async move { slow.finish(&[success(lease)]).await.is_ok() };
    scene.meets(&put_off, finish).await && scene.of_run(next.id, "blocked_by").await.as_deref() == Some("available_at")
}

async fn the_next_of_a_lane_is_paused(scene: Arc<Scene>) -> bool {
    let lease = started(&scene, &in_lane()).await.lease();
    let next = in_lane();
    scene.submit(&next).await;
    let slow = Arc::clone(&scene.slow);
    let finish = async move { slow.finish_and_claim(&[success(lease)], &asks()).await.is_ok() };
    scene.meets(&paused(next.id), finish).await && scene.of_run(next.id, "status").await.as_deref() == Some("paused")
}

async fn the_ready_run_of_a_lane_is_paused(scene: Arc<Scene>) -> bool {
    let ready = in_lane();
    scene.submit(&ready).await;
    let urgent = NewRun { priority: Priority::new(1).expect("a priority"), ..in_lane() };
    let slow = Arc::clone(&scene.slow);
    let submit = async move { slow.submit(&[urgent], Admission::default()).await.is_ok() };
    scene.meets(&paused(ready.id), submit).await
        && scene.of_run(ready.id, "blocked_by").await.as_deref() == Some("null")
}
