//! The stable codes of what can go wrong, each with its status and its title. `docs/api.md` lists the same table.

use axum::http::StatusCode;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $word:literal, $status:ident, $title:literal;)+) => {
        /// A machine-readable error code. Its meaning never changes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code {
            $($(#[$doc])* $name,)+
        }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &[Code] = &[$(Code::$name),+];

            /// Its name in the answer.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Code::$name => $word,)+
                }
            }

            /// The status of the answer.
            pub fn status(self) -> StatusCode {
                match self {
                    $(Code::$name => StatusCode::$status,)+
                }
            }

            /// The problem's title, the same for every occurrence.
            pub fn title(self) -> &'static str {
                match self {
                    $(Code::$name => $title,)+
                }
            }
        }
    };
}

codes! {
    /// Not JSON, or not text.
    InvalidJson = "invalid_json", BAD_REQUEST, "The body is not valid JSON.";
    /// Arrays and objects nested beyond the limit.
    JsonTooDeep = "json_too_deep", BAD_REQUEST, "The JSON is nested too deeply.";
    /// Ambiguous: which of the two is meant?
    DuplicateKey = "duplicate_key", BAD_REQUEST, "An object in the JSON has the same key twice.";
    /// Not every database can store it.
    NulCharacter = "nul_character", BAD_REQUEST, "The JSON contains the character U+0000.";
    /// In the query of the URL.
    InvalidParameter = "invalid_parameter", BAD_REQUEST, "A query parameter has an invalid value.";
    /// In the query of the URL.
    UnknownParameter = "unknown_parameter", BAD_REQUEST, "There is no such query parameter.";
    /// Invented, truncated, or from another list.
    InvalidCursor = "invalid_cursor", BAD_REQUEST, "The cursor is not valid for this list.";
    /// A header that Runlane reads, with a value that it cannot use.
    InvalidHeader = "invalid_header", BAD_REQUEST, "A request header has an invalid value.";
    /// No token, or an unknown, expired or revoked one.
    Unauthenticated = "unauthenticated", UNAUTHORIZED, "A valid access token is required.";
    /// The token is valid, but its role does not allow this.
    Forbidden = "forbidden", FORBIDDEN, "The token does not allow this.";
    /// The Host header names no server that this process answers for.
    HostNotAllowed = "host_not_allowed", FORBIDDEN, "The server does not accept this host name.";
    /// A page of another site asks.
    OriginNotAllowed = "origin_not_allowed", FORBIDDEN, "Web pages of this origin may not use the server.";
    /// No such path.
    RouteNotFound = "route_not_found", NOT_FOUND, "There is no such route.";
    /// Unknown, or of another workspace, or not an id at all.
    RunNotFound = "run_not_found", NOT_FOUND, "There is no such run.";
    /// Unknown, or not an id at all.
    WorkerNotFound = "worker_not_found", NOT_FOUND, "There is no such worker.";
    /// No such workspace.
    WorkspaceNotFound = "workspace_not_found", NOT_FOUND, "There is no such workspace.";
    /// Unknown, or of another workspace, or not an id at all.
    TokenNotFound = "token_not_found", NOT_FOUND, "There is no such token.";
    /// Unknown, or of another workspace, or not an id at all.
    ScheduleNotFound = "schedule_not_found", NOT_FOUND, "There is no such schedule.";
    /// Unknown, or of another workspace, or not an id at all.
    GrantNotFound = "grant_not_found", NOT_FOUND, "There is no such grant.";
    /// The path exists, the verb does not.
    MethodNotAllowed = "method_not_allowed", METHOD_NOT_ALLOWED, "The route does not support this method.";
    /// The caller is too slow, or gone.
    RequestTimeout = "request_timeout", REQUEST_TIMEOUT, "The request did not arrive in time.";
    /// Part of an id that could be several.
    AmbiguousId = "ambiguous_id", CONFLICT, "The short id is part of several ids.";
    /// Its status rules the command out.
    StatusConflict = "status_conflict", CONFLICT, "The run's status does not allow this.";
    /// Dismissed, but it held nothing.
    NotHolding = "not_holding", CONFLICT, "The run does not hold its lane.";
    /// It allows nothing any more.
    GrantRevoked = "grant_revoked", CONFLICT, "The grant was revoked.";
    /// It allows nothing any more.
    GrantExpired = "grant_expired", CONFLICT, "The grant has expired.";
    /// It is for other tasks.
    GrantScope = "grant_scope", CONFLICT, "The grant does not allow the task.";
    /// There is nothing to resume.
    NoSlots = "no_slots", CONFLICT, "The schedule has no future slots.";
    /// Names are given once in a workspace.
    ScheduleExists = "schedule_exists", CONFLICT, "A schedule with this name exists.";
    /// Somebody else was faster.
    VersionConflict = "version_conflict", CONFLICT, "The schedule has been edited in the meantime.";
    /// Larger than any request needs to be.
    BodyTooLarge = "body_too_large", PAYLOAD_TOO_LARGE, "The body is too large.";
    /// Bodies are JSON.
    UnsupportedMediaType = "unsupported_media_type", UNSUPPORTED_MEDIA_TYPE, "The body must be application/json.";
    /// Misspelt, most likely.
    UnknownField = "unknown_field", UNPROCESSABLE_ENTITY, "The body has an unknown field.";
    /// Required, and not there.
    MissingField = "missing_field", UNPROCESSABLE_ENTITY, "A required field is missing.";
    /// Wrong type, out of range, not a name.
    InvalidField = "invalid_field", UNPROCESSABLE_ENTITY, "A field has an invalid value.";
    /// One or the other.
    ConflictingFields = "conflicting_fields", UNPROCESSABLE_ENTITY, "Two fields cannot be combined.";
    /// Nobody here could execute it.
    UnknownTask = "unknown_task", UNPROCESSABLE_ENTITY, "There is no such task.";
    /// The task's schema refuses it.
    InvalidPayload = "invalid_payload", UNPROCESSABLE_ENTITY, "The payload does not match the task's schema.";
    /// A run to wait for does not exist here.
    UnknownUpstream = "unknown_upstream", UNPROCESSABLE_ENTITY, "A run named in `after` does not exist.";
    /// A grant to run under does not exist here.
    UnknownGrant = "unknown_grant", UNPROCESSABLE_ENTITY, "The grant named in the body does not exist.";
    /// Nothing would ever start.
    CircularWait = "circular_wait", UNPROCESSABLE_ENTITY, "The run would wait for itself.";
    /// Used before, for something else.
    IdempotencyMismatch = "idempotency_mismatch", UNPROCESSABLE_ENTITY,
        "The idempotency key was already used for a different request.";
    /// Direct mode executes at once or not at all.
    QueueDisabled = "queue_disabled", UNPROCESSABLE_ENTITY, "The queue is disabled: the server executes runs immediately or refuses them.";
    /// Direct mode, and every slot is taken.
    ConcurrencyLimit = "concurrency_limit", TOO_MANY_REQUESTS, "Every execution slot is busy.";
    /// This caller asks too often.
    RateLimited = "rate_limited", TOO_MANY_REQUESTS, "The caller has exceeded its rate limit.";
    /// The bounded queue is full.
    RunQueueFull = "run_queue_full", TOO_MANY_REQUESTS, "The queue is full.";
    /// Event streams cost a connection each.
    TooManyStreams = "too_many_streams", TOO_MANY_REQUESTS, "Too many event streams are open.";
    /// A bug.
    InternalError = "internal_error", INTERNAL_SERVER_ERROR, "The server failed unexpectedly.";
    /// The database does not answer, or not in time.
    StoreUnavailable = "store_unavailable", SERVICE_UNAVAILABLE, "The database is unavailable.";
    /// The connection broke at the wrong moment.
    OutcomeUnknown = "outcome_unknown", SERVICE_UNAVAILABLE, "It is unknown whether the change was made.";
    /// The process is draining.
    ShuttingDown = "shutting_down", SERVICE_UNAVAILABLE, "The server is shutting down.";
}

/// The table of `docs/api.md`.
pub fn markdown() -> String {
    let mut table = String::from("| status | code | meaning |\n|---|---|---|\n");
    for code in Code::ALL {
        table.push_str(&format!("| {} | `{}` | {} |\n", code.status().as_u16(), code.as_str(), code.title()));
    }
    table
}
