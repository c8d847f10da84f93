//! The SQL of a database: one file per statement, the same names everywhere.

/// Declares the statements of a database from `sql/<name>.sql` beside the caller, with the columns of runs filled in. Which there
/// are is the same everywhere.
macro_rules! statements {
    ($dialect:path) => {
        $crate::store::script::statements! { @ $dialect:
            // Submission
            known_workspaces known_runs remembered remember keyed_runs count_live insert_ready insert_runs insert_finished
            // Runs and their waits
            lock_runs lock_finished update_runs end_runs revive_runs insert_attempts forget_runs
            insert_waits mark_awaited waits_on delete_waits delete_waits_of waiting
            // Lanes and queues
            lock_lanes set_lane_policy insert_holds delete_holds delete_lane_holds lane_fronts lane_demote lane_promote lane_claim lanes
            lock_rooms any_limited set_queue queues
            // Claims and attempts
            adopt leases_of ready_streams ready_places claim renew finish_plain append
            // Reads
            run runs runs_ending attempts waits events counts position waiting_tasks
            // Workers and access
            heartbeat drain leave workers
            create_workspace workspaces insert_token token_exists revoke_token authenticate tokens record_audit audit
            // Schedules and grants
            insert_grant lock_grants revoke_grant grant grants charge usage usage_of
            rivals insert_schedule read_schedule schedule schedule_named schedules lock_schedules move_schedules edit_schedule
            delete_schedule broken_schedules insert_skips skips
            // Maintenance
            reap promote late_runs next_due overdue_runs prune_finished prune_idempotency prune_workers prune_audit prune_lanes prune_skips
            prune_usage
        }
    };
    (@ $dialect:path: $($name:ident)+) => {
        /// The text of every statement.
        #[derive(Clone)]
        pub(in crate::store) struct Statements {
            $(pub(in crate::store) $name: std::borrow::Cow<'static, str>,)+
        }

        impl Statements {
            pub(in crate::store) fn new() -> Self {
                let sql = |text: &'static str| $crate::store::script::expand(text, &$dialect);
                Self { $($name: sql(include_str!(concat!("sql/", stringify!($name), ".sql"))),)+ }
            }

            /// Breaks a statement on purpose, so that tests can see whether the breakage is noticed.
            ///
            /// # Panics
            /// When there is no such statement, or it does not contain `from`: then nothing would be broken.
            #[cfg(feature = "conformance")]
            pub(in crate::store) fn sabotage(&mut self, name: &str, from: &str, to: &str) {
                let statement = match name {
                    $(stringify!($name) => &mut self.$name,)+
                    _ => panic!("there is no statement {name}"),
                };
                assert!(statement.contains(from), "statement {name} does not contain {from:?}");
                *statement = statement.replace(from, to).into();
            }
        }
    };
}

pub(in crate::store) use statements;

/// The statements of a file that has several, parted by lines that begin with `-- then`.
///
/// # Panics
/// When there are not so many: the file and the code that runs it belong together.
pub(in crate::store) fn steps<const N: usize>(sql: &str) -> [&str; N] {
    let mut rest = sql.split("\n-- then");
    let first = rest.next().into_iter();
    // What follows on the line of the mark is a comment.
    let others = rest.map(|step| step.split_once('\n').map_or("", |(_, statement)| statement));
    let steps: Vec<&str> = first.chain(others).collect();
    let count = steps.len();
    steps.try_into().unwrap_or_else(|_| panic!("{N} statements expected, {count} found in: {sql}"))
}
