//! Plays random hostile programs, with an accomplice that swaps directories all the time. `RUNLANE_SEED` replays them, and
//! `RUNLANE_HOSTILE_PROGRAMS` sets how many are played.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use fastrand::Rng;
use runlane::executor::Executor;
use runlane::executor::process::ProcessTask;

use super::super::support::{self, LEASE, Scene, scene, until};
use super::programs::program;
use super::victim::Victim;
use crate::concurrent::seed;

const USUAL: usize = 25;
/// For everything that a worker does with one attempt, on however busy a machine.
const BOUND: Duration = Duration::from_secs(60);

#[tokio::test]
async fn random_hostile_programs_harm_nothing_outside_of_their_directory() {
    let mut rng = Rng::with_seed(seed());
    let count = std::env::var("RUNLANE_HOSTILE_PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(USUAL);
    for number in 0..count {
        let is_raced = rng.usize(0..3) == 0;
        let script = if is_raced { passive(&mut rng) } else { program(&mut rng) };
        eprintln!("--- program {number}\n{script}");
        let mut site = Site::new(&script);
        let accomplice = is_raced.then(|| Accomplice::start(&site.scene, &site.victim, &mut rng));
        let begun = Instant::now();
        match rng.usize(0..3) {
            0 => finished(&site.scene).await,
            1 => adopted(&mut site.scene).await,
            _ => left_over(&site.scene).await,
        }
        assert!(begun.elapsed() < BOUND, "the worker answered after {:?}", begun.elapsed());
        drop(accomplice);
        assert_eq!(site.harm(), None);
    }
}

/// A hostile program, and what it could make a worker harm.
pub struct Site {
    pub scene: Scene,
    pub victim: Victim,
    foreign: Victim,
}

impl Site {
    pub fn new(script: &str) -> Self {
        let (victim, foreign) = (Victim::new(), Victim::new());
        let script = victim.script(script).replace("FOREIGN", foreign.path().to_str().expect("UTF-8"));
        let scene = scene(ProcessTask::new(["/bin/sh", "-c", &script])).with(|task| {
            task.limits.output_bytes = 250_000;
            task.limits.result_bytes = 1_000_000;
            task.stop_grace_seconds = 1;
        });
        Self { scene, victim, foreign }
    }

    /// What was done to the victim, or to the foreign directory wherever the program has put it.
    pub fn harm(&self) -> Option<String> {
        self.victim.harm().or_else(|| self.foreign.harm_below(&self.scene.data_dir()))
    }

    /// Whether a path leads to something that a test may remove.
    pub fn has(&self, path: &Path) -> bool {
        let own = [self.scene.data_dir(), self.victim.path().to_owned()];
        path.canonicalize().is_ok_and(|path| own.iter().any(|own| path.starts_with(own)))
    }
}

/// Writes nothing itself, or it would do so behind the links of the accomplice.
fn passive(rng: &mut Rng) -> String {
    format!("echo said; sleep 0.{}; exit {}", rng.usize(0..3), rng.usize(0..2))
}

async fn finished(scene: &Scene) {
    scene.start(LEASE).completion().await;
    scene.executor().discard(&scene.work).await;
}

/// By another worker, which knows of the directory what is on record.
async fn adopted(scene: &mut Scene) {
    let followed = scene.start(LEASE);
    until("the program to begin", || followed.is_over() || scene.output("ready").exists() || has_tampered(scene)).await;
    followed.vanish();
    if !another_worker(scene) {
        return;
    }
    scene.adopt(LEASE).completion().await;
    scene.executor().discard(&scene.work).await;
}

/// What nobody has discarded.
async fn left_over(scene: &Scene) {
    scene.start(LEASE).completion().await;
    let mut other = scene.host.clone();
    if let Ok(host) = support::try_host_in(scene.data_dir()) {
        other = host;
    }
    for leftover in other.leftovers().expect("listed") {
        // What fails is reported, and may fail.
        let _ = other.remove(&leftover).await;
    }
}

/// Whether one can be started in that data directory.
fn another_worker(scene: &mut Scene) -> bool {
    support::try_host_in(scene.data_dir()).map(|host| scene.host = host).is_ok()
}

fn has_tampered(scene: &Scene) -> bool {
    !fs::symlink_metadata(scene.directory()).is_ok_and(|data| data.is_dir())
}

/// Puts a link to the victim in the place of a directory and takes it away again, until it is dropped.
struct Accomplice {
    is_over: Arc<AtomicBool>,
    swaps: Option<JoinHandle<u64>>,
}

impl Accomplice {
    fn start(scene: &Scene, victim: &Victim, rng: &mut Rng) -> Self {
        let run = scene.directory().parent().expect("a run").to_owned();
        let places = [scene.directory(), scene.directory().join("output"), run, scene.data_dir().join("attempts")];
        let (place, victim) = (places[rng.usize(..places.len())].clone(), victim.path().to_owned());
        eprintln!("and an accomplice at {}", place.display());
        let is_over = Arc::new(AtomicBool::new(false));
        let ended = is_over.clone();
        let swaps = std::thread::spawn(move || {
            let mut swaps = 0;
            while !ended.load(Ordering::Relaxed) {
                swaps += u64::from(swap(&place, &victim));
            }
            swaps
        });
        Self { is_over, swaps: Some(swaps) }
    }
}

/// Renaming replaces nothing but an empty directory, and neither it nor the removal follows a link.
fn swap(place: &Path, victim: &Path) -> bool {
    let mut aside = place.as_os_str().to_owned();
    aside.push(".aside");
    let aside = PathBuf::from(aside);
    if fs::rename(place, &aside).is_err() {
        std::thread::yield_now();
        return false;
    }
    let _ = std::os::unix::fs::symlink(victim, place);
    std::thread::yield_now();
    let _ = fs::remove_file(place);
    let _ = fs::rename(&aside, place);
    true
}

impl Drop for Accomplice {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        let swaps = self.swaps.take().map(|swaps| swaps.join());
        eprintln!("swapped {swaps:?} times");
    }
}
