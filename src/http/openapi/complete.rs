//! Adds to each operation what the table of routes knows of it: who may call it, and what can go wrong.

use std::collections::BTreeMap;

use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::link::Link;
use utoipa::openapi::path::{Operation, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::openapi::{ContentBuilder, PathItem, Ref, RefOr, Required, ResponseBuilder, SecurityRequirement};

use super::SCHEME;
use crate::http::problem::{Code, Problem};
use crate::http::routes::{ANY, GUARDED, Needs, Route};

/// Completes the operation of a route.
pub(super) fn complete(item: &mut PathItem, route: &Route) {
    let Some(operation) = operation(item, route.method) else { return };
    let (guarded, needs) = match route.needs {
        Needs::Nothing => (&[][..], None),
        Needs::Here(permission) => (GUARDED, Some(format!("Requires the permission `{permission}`."))),
        Needs::Everywhere(permission) => (
            GUARDED,
            Some(format!("Requires the permission `{permission}` and a token that is valid in all workspaces.")),
        ),
    };
    let codes = route.codes.iter().copied().flatten().chain(ANY).chain(guarded);
    add_problems(operation, codes.copied());
    if let Some(needs) = needs {
        operation.security = Some(vec![SecurityRequirement::new(SCHEME, Vec::<String>::new())]);
        let words = operation.description.take().unwrap_or_default();
        operation.description = Some(format!("{words}\n\n{needs}").trim().to_owned());
        add_workspace(operation);
    }
    for parameter in operation.parameters.iter_mut().flatten() {
        if let RefOr::T(parameter) = parameter {
            parameter.schema = parameter.schema.take().map(without_null);
        }
    }
}

/// A parameter may be absent; there is no way to write that it is `null`.
fn without_null(schema: RefOr<Schema>) -> RefOr<Schema> {
    let is_null = |kind: &SchemaType| *kind == SchemaType::Type(Type::Null);
    match schema {
        RefOr::T(Schema::Object(mut object)) => {
            if let SchemaType::Array(types) = &object.schema_type
                && let Some(only) = types.iter().find(|kind| **kind != Type::Null)
            {
                object.schema_type = only.clone().into();
            }
            RefOr::T(Schema::Object(object))
        }
        RefOr::T(Schema::OneOf(mut choice)) => {
            choice
                .items
                .retain(|item| !matches!(item, RefOr::T(Schema::Object(object)) if is_null(&object.schema_type)));
            match (choice.items.pop(), choice.items.is_empty()) {
                (Some(only), true) => only,
                (last, _) => {
                    choice.items.extend(last);
                    RefOr::T(Schema::OneOf(choice))
                }
            }
        }
        other => other,
    }
}

fn operation<'a>(item: &'a mut PathItem, method: &str) -> Option<&'a mut Operation> {
    match method {
        "GET" => item.get.as_mut(),
        "POST" => item.post.as_mut(),
        "PUT" => item.put.as_mut(),
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
            (code.as_str().to_owned(), ExampleBuilder::new().value(Some(value)).build())
        });
        let content =
            ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).examples_from_iter(examples).build();
        let mut response =
            ResponseBuilder::new().description(words.join("\n\n")).content("application/problem+json", content);
        response = match status {
            401 => response.header("WWW-Authenticate", header(Type::String, "The authentication scheme: `Bearer`")),
            429 | 503 => response.header("Retry-After", header(Type::Integer, "Seconds to wait before trying again")),
            _ => response,
        };
        operation.responses.responses.insert(status.to_string(), response.build().into());
    }
}

/// A submission is answered with the run's address, and with what can be asked of the run.
pub(super) fn link_runs(paths: &mut BTreeMap<String, PathItem>) {
    let of_a_run = paths.iter().filter(|(path, _)| path.starts_with("/v1/runs/{id}"));
    let operations = of_a_run.flat_map(|(_, item)| [&item.get, &item.post]).flatten();
    let ids: Vec<String> = operations.filter_map(|operation| operation.operation_id.clone()).collect();
    for path in ["/v1/runs", "/v1/runs/{id}/rerun"] {
        let Some(submission) = paths.get_mut(path).and_then(|item| item.post.as_mut()) else { continue };
        for status in ["200", "201"] {
            let Some(RefOr::T(response)) = submission.responses.responses.get_mut(status) else { continue };
            response.headers.insert("Location".to_owned(), header(Type::String, "The URL of the run").into());
            let words = "The outcome of the submission: `created`, `replaced`, `kept` or `existing`";
            response.headers.insert("X-Runlane-Outcome".to_owned(), header(Type::String, words).into());
            response.links.extend(ids.iter().map(|id| {
                let link = Link::builder().operation_id(id).parameter("id", "$response.body#/id");
                (id.clone(), link.build().into())
            }));
        }
    }
}

fn add_workspace(operation: &mut Operation) {
    let parameter = ParameterBuilder::new()
        .name("X-Runlane-Workspace")
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some("The workspace, if the caller may use several; `default` if absent"))
        .schema(Some(Ref::from_schema_name("Name")));
    operation.parameters.get_or_insert_default().push(parameter.build().into());
}

fn header(kind: Type, words: &str) -> Header {
    HeaderBuilder::new().schema(Some(ObjectBuilder::new().schema_type(kind).build())).description(Some(words)).build()
}
