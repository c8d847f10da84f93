//! Workers: who is there, and who was asked to leave.

use super::prelude::*;

impl Bench {
    async fn beat(&self, worker: &AWorker) -> Duty {
        self.store.heartbeat(&worker.info()).await.expect("heartbeat answers")
    }

    async fn drain(&self, worker: WorkerId) -> bool {
        self.store.drain(worker).await.expect("drain answers")
    }
}

pub(super) async fn a_worker_is_known_from_its_first_heartbeat(bench: Bench) {
    let worker = a_worker().on("somewhere").serving(&["a", "b"]);
    assert_eq!(bench.beat(&worker).await, Duty::Work);
    let workers = bench.store.workers().await.expect("workers answers");
    assert_eq!(workers.len(), 1);
    assert_eq!(workers[0].info, worker.info());
    assert_eq!((workers[0].started_at, workers[0].seen_at, workers[0].draining), (bench.now(), bench.now(), false));
}

pub(super) async fn a_heartbeat_says_what_is_so_now(bench: Bench) {
    let worker = a_worker();
    bench.beat(&worker).await;
    let started = bench.now();
    bench.wait(2);
    let mut info = worker.info();
    info.busy = 5;
    bench.store.heartbeat(&info).await.expect("heartbeat answers");
    let workers = bench.store.workers().await.expect("workers answers");
    assert_eq!(workers.len(), 1);
    assert_eq!((workers[0].info.busy, workers[0].started_at, workers[0].seen_at), (5, started, bench.now()));
}

pub(super) async fn a_worker_asked_to_drain_hears_of_it(bench: Bench) {
    let (leaving, staying) = (a_worker(), a_worker());
    bench.beat(&leaving).await;
    bench.beat(&staying).await;
    assert!(bench.drain(leaving.taker.worker).await);
    assert_eq!((bench.beat(&leaving).await, bench.beat(&staying).await), (Duty::Drain, Duty::Work));
    assert_eq!(bench.beat(&leaving).await, Duty::Drain);
    let workers = bench.store.workers().await.expect("workers answers");
    let draining: Vec<WorkerId> =
        workers.iter().filter(|worker| worker.draining).map(|worker| worker.info.id).collect();
    assert_eq!(draining, [leaving.taker.worker]);
}

pub(super) async fn an_unknown_worker_cannot_be_drained(bench: Bench) {
    assert!(!bench.drain(WorkerId::new()).await);
    assert_eq!(bench.store.workers().await.expect("workers answers"), []);
}

pub(super) async fn workers_are_listed_oldest_first(bench: Bench) {
    let workers = [a_worker(), a_worker(), a_worker()];
    for worker in &workers {
        bench.beat(worker).await;
        bench.wait(1);
    }
    bench.beat(&workers[0]).await;
    let listed = bench.store.workers().await.expect("workers answers");
    let ids: Vec<WorkerId> = listed.iter().map(|worker| worker.info.id).collect();
    assert_eq!(ids, workers.map(|worker| worker.taker.worker));
}

pub(super) async fn a_worker_need_not_be_known_to_claim(bench: Bench) {
    let claimed = bench.running().await;
    bench.succeed(&claimed).await;
    assert_eq!(bench.store.workers().await.expect("workers answers"), []);
}
