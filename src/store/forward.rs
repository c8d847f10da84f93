//! Wrappers around a store, for tests: the verbs of recurring work, handed on as they are.

/// Implements [`Schedules`](crate::store::Schedules) for a type whose field `store` has them.
#[macro_export]
macro_rules! forward_schedules {
    ($wrapper:ty) => {
        $crate::forward_schedules! { @ $wrapper =>
            create_grant(grant: &$crate::schedule::NewGrant) -> $crate::store::CreateGrantOutcome;
            grant(workspace: &$crate::run::WorkspaceName, grant: $crate::run::GrantId)
                -> Option<$crate::schedule::Grant>;
            grants(workspace: &$crate::run::WorkspaceName, page: &$crate::store::Page<$crate::run::GrantId>)
                -> $crate::store::Listed<$crate::schedule::Grant, $crate::run::GrantId>;
            check_grant(
                workspace: &$crate::run::WorkspaceName,
                grant: $crate::run::GrantId,
                task: &$crate::run::TaskName
            ) -> Option<$crate::store::CheckedGrant>;
            revoke_grant(workspace: &$crate::run::WorkspaceName, grant: $crate::run::GrantId)
                -> $crate::store::RevokeGrantOutcome;
            create_schedule(
                schedule: &$crate::schedule::NewSchedule,
                grant: Option<&$crate::schedule::NewGrant>
            ) -> $crate::store::CreateScheduleOutcome;
            edit_schedule(
                workspace: &$crate::run::WorkspaceName,
                schedule: $crate::run::ScheduleId,
                edit: &$crate::store::ScheduleEdit,
                grant: Option<&$crate::schedule::NewGrant>
            ) -> $crate::store::EditScheduleOutcome;
            delete_schedule(workspace: &$crate::run::WorkspaceName, schedule: $crate::run::ScheduleId) -> bool;
            schedule(workspace: &$crate::run::WorkspaceName, schedule: $crate::run::ScheduleId)
                -> Option<$crate::schedule::Schedule>;
            schedule_named(workspace: &$crate::run::WorkspaceName, name: &$crate::schedule::ScheduleName)
                -> Option<$crate::schedule::Schedule>;
            schedules(
                workspace: &$crate::run::WorkspaceName,
                filter: &$crate::store::ScheduleFilter,
                page: &$crate::store::Page<$crate::run::ScheduleId>
            ) -> $crate::store::Listed<$crate::schedule::Schedule, $crate::run::ScheduleId>;
            skips(
                workspace: &$crate::run::WorkspaceName,
                schedule: $crate::run::ScheduleId,
                page: &$crate::store::Page<$crate::schedule::SkipId>
            ) -> $crate::store::Listed<$crate::schedule::Skip, $crate::schedule::SkipId>;
            sweep_schedules(limit: usize) -> Vec<$crate::run::ScheduleId>;
            usage(workspace: &$crate::run::WorkspaceName, filter: &$crate::store::UsageFilter)
                -> Vec<$crate::store::UsageSum>;
            usage_of(workspace: &$crate::run::WorkspaceName, runs: &[$crate::run::RunId])
                -> Vec<$crate::store::Usage>;
        }
    };
    (@ $wrapper:ty => $($verb:ident($($name:ident: $type:ty),*) -> $answer:ty;)+) => {
        #[async_trait::async_trait]
        impl $crate::store::Schedules for $wrapper {
            $(
                async fn $verb(&self, $($name: $type),*) -> $crate::store::Result<$answer> {
                    $crate::store::Schedules::$verb(&*self.store, $($name),*).await
                }
            )+
        }
    };
}
