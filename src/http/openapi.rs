//! The API described for machines (`/openapi.json`) and, from the same description, for people (`/docs`).

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use utoipa::OpenApi;
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{ObjectBuilder, Schema};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{ContentBuilder, PathItem, Ref, RefOr, ResponseBuilder, SecurityRequirement};
use utoipa_swagger_ui::Config;

use super::problem::{Code, Problem};
use super::routes::{ANY, GUARDED, Needs, ROUTES};
use super::state::{Limits, Server};
use super::{api, dto};

const SCHEME: &str = "token";

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Runlane",
        description = "A durable execution queue: submit runs, watch them, command them. Errors are \
                       `application/problem+json` with a stable `code`.",
        license(name = "MIT OR Apache-2.0")
    ),
    components(schemas(dto::Problem, dto::Ended, dto::RunFailure, dto::RunStatus, dto::SubmitKeyMode,
        dto::LaneOnFailure, dto::TokenRole, dto::ScheduleDisabled, dto::ScheduleDst, dto::ScheduleFold,
        dto::ScheduleGap, dto::ScheduleOverlap, dto::SlotSkipReason)),
    tags(
        (name = "runs", description = "Asking for runs, looking at them, commanding them"),
        (name = "queues", description = "Streams of runs with a limit and a pause switch"),
        (name = "lanes", description = "Serial keys: at most one running run each"),
        (name = "workers", description = "The processes that execute"),
        (name = "schedules", description = "Recurring work: when it is due, and what became of its slots"),
        (name = "grants", description = "Durable, scoped, revocable permission to run work on somebody's behalf"),
        (name = "usage", description = "What runs used up, and who pays"),
        (name = "workspaces", description = "Tenants"),
        (name = "tokens", description = "Who may do what"),
        (name = "health", description = "For those who look after the server"),
    )
)]
struct Described;

/// The description, as OpenAPI 3.1 has it.
pub fn document() -> utoipa::openapi::OpenApi {
    let mut document = Described::openapi();
    document.merge(api::routes(&Limits::default()).to_openapi());
    if let Some(components) = &mut document.components {
        let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("rl_…").build();
        components.add_security_scheme(SCHEME, SecurityScheme::Http(bearer));
        if let Some(RefOr::T(Schema::Object(problem))) = components.schemas.get_mut("Problem") {
            let codes = ObjectBuilder::new()
                .description(Some("Stable, for machines."))
                .enum_values(Some(Code::ALL.iter().map(|code| code.as_str())))
                .build();
            problem.properties.insert("code".to_owned(), codes.into());
        }
    }
    for route in ROUTES {
        let Some(item) = document.paths.paths.get_mut(route.path) else { continue };
        let Some(operation) = operation(item, route.method) else { continue };
        let (guarded, needs) = match route.needs {
            Needs::Nothing => (&[][..], None),
            Needs::Here(permission) => (GUARDED, Some(format!("Needs the permission `{permission}`."))),
            Needs::Everywhere(permission) => {
                (GUARDED, Some(format!("Needs the permission `{permission}`, and a token that is good everywhere.")))
            }
        };
        let codes = route.codes.iter().copied().flatten().chain(ANY).chain(guarded);
        add_problems(operation, codes.copied());
        if let Some(needs) = needs {
            operation.security = Some(vec![SecurityRequirement::new(SCHEME, Vec::<String>::new())]);
            let words = operation.description.take().unwrap_or_default();
            operation.description = Some(format!("{words}\n\n{needs}").trim().to_owned());
        }
    }
    document
}

fn operation<'a>(item: &'a mut PathItem, method: &str) -> Option<&'a mut Operation> {
    match method {
        "GET" => item.get.as_mut(),
        "POST" => item.post.as_mut(),
        "PATCH" => item.patch.as_mut(),
        "DELETE" => item.delete.as_mut(),
        _ => None,
    }
}

/// One response for each status, with an example for each code.
fn add_problems(operation: &mut Operation, codes: impl Iterator<Item = Code>) {
    let mut by_status: BTreeMap<u16, Vec<Code>> = BTreeMap::new();
    for code in codes {
        by_status.entry(code.status().as_u16()).or_default().push(code);
    }
    for (status, codes) in by_status {
        let words: Vec<String> = codes.iter().map(|code| format!("`{}`: {}", code.as_str(), code.title())).collect();
        let examples = codes.iter().map(|code| {
            let written = Problem::new(*code, code.title()).written("0199c0de-0000-7000-8000-000000000000");
            let value = serde_json::to_value(written).unwrap_or_default();
            (code.as_str().to_owned(), utoipa::openapi::example::ExampleBuilder::new().value(Some(value)).build())
        });
        let content =
            ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).examples_from_iter(examples).build();
        let response =
            ResponseBuilder::new().description(words.join("\n\n")).content("application/problem+json", content).build();
        operation.responses.responses.insert(status.to_string(), response.into());
    }
}

/// The routes of the documentation, which anybody may read.
pub(super) fn routes() -> Router<Server> {
    Router::new()
        .route("/openapi.json", get(json))
        .route("/docs", get(|| async { Redirect::permanent("/docs/") }))
        .route("/docs/", get(|| async { page("index.html") }))
        .route("/docs/{*file}", get(|Path(file): Path<String>| async move { page(&file) }))
}

static JSON: LazyLock<String> = LazyLock::new(|| document().to_json().unwrap_or_default());

static PAGES: LazyLock<Arc<Config<'static>>> =
    LazyLock::new(|| Arc::new(Config::from("/openapi.json").try_it_out_enabled(true)));

async fn json() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], JSON.as_str()).into_response()
}

/// A file of the page for people; its scripts come from this server, and it may talk to no other.
fn page(file: &str) -> Response {
    const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                          frame-ancestors 'none'; base-uri 'none'; form-action 'self'";
    match utoipa_swagger_ui::serve(file, PAGES.clone()) {
        Ok(Some(found)) => {
            let headers =
                [(header::CONTENT_TYPE, found.content_type), (header::CONTENT_SECURITY_POLICY, POLICY.into())];
            (headers, found.bytes.into_owned()).into_response()
        }
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}
