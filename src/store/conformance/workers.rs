//! Workers: who is there, and who was asked to leave.

use super::prelude::*;
use crate::run::TaskName;
use crate::store::{Load, Position, QueueLimit, WaitingTask, Worker, WorkerInfo, WorkerState};

impl Bench {
    async fn beat(&self, worker: &AWorker) -> Duty {
        self.store.heartbeat(&worker.info()).await.expect("heartbeat answers")
    }

    async fn drain(&self, worker: WorkerId) -> Option<Worker> {
        self.store.drain(worker).await.expect("drain answers")
    }

    async fn leave(&self, worker: &AWorker) -> bool {
        self.store.leave(worker.taker.worker).await.expect("leave answers")
    }

    async fn workers(&self) -> Vec<Worker> {
        self.store.workers().await.expect("workers answers")
    }

    async fn position(&self, run: RunId, workers: &[&AWorker], most: usize) -> Position {
        let (run, ids) = (self.run(run).await, workers.iter().map(|worker| worker.taker.worker));
        self.store.position(&run, &ids.collect::<Vec<_>>(), most).await.expect("position answers")
    }
}

pub(super) async fn a_worker_is_known_from_its_first_heartbeat(bench: Bench) {
    let worker = a_worker().on("somewhere").serving(&["a", "b"]);
    assert_eq!(bench.beat(&worker).await, Duty::Work);
    bench.wait(1);
    let workers = bench.store.workers().await.expect("workers answers");
    assert_eq!(workers.len(), 1);
    assert_eq!(workers[0].info, worker.info());
    let at = bench.now() - seconds(1);
    assert_eq!((workers[0].started_at, workers[0].seen_at, workers[0].read_at), (at, at, bench.now()));
    assert_eq!((workers[0].draining, workers[0].draining_since, workers[0].left_at), (false, None, None));
    assert_eq!(workers[0].state(), WorkerState::Working);
}

pub(super) async fn a_heartbeat_says_what_is_so_now(bench: Bench) {
    let worker = a_worker();
    bench.beat(&worker).await;
    let started = bench.now();
    bench.wait(2);
    let mut info = worker.info();
    (info.busy, info.beat) = (5, seconds(2));
    info.tasks = Some(vec![task("resize"), task("send")]);
    info.limits = vec![QueueLimit { queue: queue("a"), concurrency: 2, busy: 1 }];
    bench.store.heartbeat(&info).await.expect("heartbeat answers");
    let workers = bench.store.workers().await.expect("workers answers");
    assert_eq!(workers.len(), 1);
    assert_eq!(workers[0].info, info);
    assert_eq!((workers[0].started_at, workers[0].seen_at), (started, bench.now()));
    info.tasks = None;
    bench.store.heartbeat(&info).await.expect("heartbeat answers");
    assert_eq!(bench.workers().await[0].info, info, "it need not say which tasks it has");
}

pub(super) async fn a_worker_asked_to_drain_hears_of_it(bench: Bench) {
    let (leaving, staying) = (a_worker(), a_worker());
    bench.beat(&leaving).await;
    bench.beat(&staying).await;
    let asked = bench.drain(leaving.taker.worker).await.expect("it is known");
    assert_eq!((asked.draining, asked.draining_since, asked.read_at), (true, Some(bench.now()), bench.now()));
    let since = bench.now();
    bench.wait(2);
    bench.drain(leaving.taker.worker).await;
    assert_eq!((bench.beat(&leaving).await, bench.beat(&staying).await), (Duty::Drain, Duty::Work));
    assert_eq!(bench.beat(&leaving).await, Duty::Drain);
    let workers = bench.store.workers().await.expect("workers answers");
    let draining: Vec<WorkerId> =
        workers.iter().filter(|worker| worker.draining).map(|worker| worker.info.id).collect();
    assert_eq!(draining, [leaving.taker.worker]);
    assert_eq!(workers[0].draining_since, Some(since), "asked again, it drains since it was first asked");
    assert_eq!((workers[0].state(), workers[0].info.leaving), (WorkerState::Draining, false));
}

pub(super) async fn a_worker_says_itself_that_it_is_leaving(bench: Bench) {
    let worker = a_worker();
    bench.beat(&worker).await;
    bench.wait(1);
    let (leaving, since) = (WorkerInfo { leaving: true, ..worker.info() }, bench.now());
    assert_eq!(bench.store.heartbeat(&leaving).await.expect("heartbeat answers"), Duty::Drain);
    bench.wait(1);
    bench.store.heartbeat(&leaving).await.expect("heartbeat answers");
    let workers = bench.workers().await;
    assert_eq!((workers[0].draining, workers[0].draining_since), (true, Some(since)));
    assert_eq!(workers[0].info, leaving);
}

pub(super) async fn a_worker_that_left_is_not_listed(bench: Bench) {
    let (leaving, staying) = (a_worker(), a_worker());
    bench.beat(&leaving).await;
    bench.beat(&staying).await;
    bench.wait(1);
    let left_at = bench.now();
    assert!(bench.leave(&leaving).await);
    assert!(!bench.leave(&leaving).await, "once");
    let listed: Vec<WorkerId> = bench.workers().await.iter().map(|worker| worker.info.id).collect();
    assert_eq!(listed, [staying.taker.worker]);
    bench.wait(1);
    let found = bench.drain(leaving.taker.worker).await.expect("it is known until it is forgotten");
    assert_eq!((found.state(), found.left_at, found.seen_at), (WorkerState::Left, Some(left_at), left_at));
    assert_eq!((found.draining, found.draining_since), (false, None), "it was not asked");
}

pub(super) async fn a_worker_that_beats_after_it_left_starts_anew(bench: Bench) {
    let worker = a_worker();
    bench.beat(&worker).await;
    bench.drain(worker.taker.worker).await;
    bench.wait(1);
    bench.leave(&worker).await;
    bench.wait(1);
    assert_eq!(bench.beat(&worker).await, Duty::Work);
    let workers = bench.workers().await;
    assert_eq!((workers[0].started_at, workers[0].draining, workers[0].draining_since), (bench.now(), false, None));
    assert_eq!((workers[0].left_at, workers[0].state()), (None, WorkerState::Working));
}

pub(super) async fn a_worker_that_vanished_is_silent_and_stays_listed(bench: Bench) {
    let worker = a_worker();
    bench.beat(&worker).await;
    bench.wait(29);
    assert_eq!(bench.workers().await[0].state(), WorkerState::Working);
    bench.wait(1);
    assert_eq!(bench.workers().await[0].state(), WorkerState::Silent);
    bench.beat(&worker).await;
    assert_eq!(bench.workers().await[0].state(), WorkerState::Working);
}

pub(super) async fn an_unknown_worker_cannot_be_drained(bench: Bench) {
    assert_eq!(bench.drain(WorkerId::new()).await, None);
    assert!(!bench.leave(&a_worker()).await);
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

pub(super) async fn a_position_counts_those_that_are_claimed_before(bench: Bench) {
    bench.submit_all([a_run(), a_run().held(), a_run().due_in(10)]).await;
    let run = bench.submit(a_run()).await;
    bench.submit_all([a_run(), a_run().priority(1), a_run().priority(-1), a_run().queue("other").priority(9)]).await;
    let of = |ahead| Position { ahead, ..Position::default() };
    assert_eq!(bench.position(run, &[], 10).await, of(2));
    bench.submit_all([a_run().priority(2), a_run().priority(2)]).await;
    assert_eq!(bench.position(run, &[], 10).await, of(4));
    assert_eq!(bench.position(run, &[], 3).await, of(3), "no more are counted");
    bench.pause_queue("default").await;
    let settings = QueueSettings { paused: true, concurrency: None };
    assert_eq!(bench.position(run, &[], 10).await, Position { settings, ..of(4) });
}

pub(super) async fn a_position_tells_what_is_running_and_where(bench: Bench) {
    let (busy, idle, other) = (a_worker().serving(&["default"]), a_worker(), a_worker().serving(&["other"]));
    bench.submit_all([a_run(), a_run(), a_run().queue("other")]).await;
    let since = bench.now();
    bench.claim(&busy, 2).await;
    bench.wait(3);
    bench.claim(&other, 1).await;
    let run = bench.submit(a_run()).await;
    bench.limit_queue("default", 2).await;
    let found = bench.position(run, &[&busy, &idle], 10).await;
    assert_eq!(found.settings, QueueSettings { paused: false, concurrency: Some(2) });
    assert_eq!((found.running, found.running_since, found.ahead), (2, Some(since), 0));
    let load = |worker: &AWorker, busy, in_queue, since| Load { worker: worker.taker.worker, busy, in_queue, since };
    assert_eq!(found.loads, [load(&busy, 2, 2, since)]);
    let found = bench.position(run, &[&other], 10).await;
    assert_eq!(found.loads, [load(&other, 1, 0, bench.now())]);
    bench.lose_workers().await;
    let found = bench.position(run, &[&busy, &other], 10).await;
    assert_eq!((found.running, found.loads), (2, vec![]), "without a lease, no worker executes them");
}

pub(super) async fn the_tasks_that_runs_wait_for_are_counted(bench: Bench) {
    bench.submit_all([a_run().task("b"), a_run().task("a"), a_run().task("b").due_in(10), a_run().held()]).await;
    bench.submit_all([a_run().task("a").queue("other"), a_run().task("z")]).await;
    let waiting = |name: &str, task: &str, runs| WaitingTask {
        workspace: home(),
        queue: queue(name),
        task: TaskName::parse(task).expect("a name"),
        runs,
    };
    let all = bench.store.waiting_tasks(100).await.expect("waiting_tasks answers");
    let default = [waiting("default", "a", 1), waiting("default", "b", 2), waiting("default", "z", 1)];
    assert_eq!(all, [&default[..], &[waiting("other", "a", 1)]].concat());
    let oldest = bench.store.waiting_tasks(3).await.expect("waiting_tasks answers");
    assert_eq!(oldest, default[..2]);
}
