//! Reflection in `riposte dev`, so that tools need no proto files, and the command of the README.

use anyhow::{Context, Result, ensure};
use futures::stream;
use prost::Message;
use prost_types::FileDescriptorProto;
use riposte_tests::{Server, command};
use tokio::process::Command;
use tonic::transport::Endpoint;
use tonic_reflection::pb::{v1, v1alpha};

const SERVICES: [&str; 6] = [
    "riposte.v1.CommentService",
    "riposte.v1.EventService",
    "riposte.v1.LikeService",
    "riposte.v1.ReplyService",
    "riposte.v1.ReportService",
    "riposte.v1.SubjectService",
];

#[tokio::test]
async fn version_1_names_every_service() -> Result<()> {
    let server = Server::dev().await?;
    let channel = Endpoint::from_shared(server.target().to_owned())?.connect().await?;
    let request = v1::ServerReflectionRequest {
        host: String::new(),
        message_request: Some(v1::server_reflection_request::MessageRequest::ListServices(String::new())),
    };
    let mut client = v1::server_reflection_client::ServerReflectionClient::new(channel);
    let mut responses = client.server_reflection_info(stream::iter([request])).await?.into_inner();
    let response = responses.message().await?.and_then(|response| response.message_response).context("no answer")?;
    let v1::server_reflection_response::MessageResponse::ListServicesResponse(list) = response else {
        anyhow::bail!("{response:?}")
    };
    contains_all(list.service.into_iter().map(|service| service.name).collect())
}

#[tokio::test]
async fn version_1_alpha_names_every_service() -> Result<()> {
    let server = Server::dev().await?;
    let channel = Endpoint::from_shared(server.target().to_owned())?.connect().await?;
    let request = v1alpha::ServerReflectionRequest {
        host: String::new(),
        message_request: Some(v1alpha::server_reflection_request::MessageRequest::ListServices(String::new())),
    };
    let mut client = v1alpha::server_reflection_client::ServerReflectionClient::new(channel);
    let mut responses = client.server_reflection_info(stream::iter([request])).await?.into_inner();
    let response = responses.message().await?.and_then(|response| response.message_response).context("no answer")?;
    let v1alpha::server_reflection_response::MessageResponse::ListServicesResponse(list) = response else {
        anyhow::bail!("{response:?}")
    };
    contains_all(list.service.into_iter().map(|service| service.name).collect())
}

/// Tools print the details of errors by these types.
#[tokio::test]
async fn the_types_of_error_details_are_known() -> Result<()> {
    let server = Server::dev().await?;
    let channel = Endpoint::from_shared(server.target().to_owned())?.connect().await?;
    let names = ["ErrorInfo", "BadRequest", "RetryInfo", "ResourceInfo", "QuotaFailure", "Help", "Status"];
    for name in names.map(|name| format!("google.rpc.{name}")) {
        let request = v1::ServerReflectionRequest {
            host: String::new(),
            message_request: Some(v1::server_reflection_request::MessageRequest::FileContainingSymbol(name.clone())),
        };
        let mut client = v1::server_reflection_client::ServerReflectionClient::new(channel.clone());
        let mut responses = client.server_reflection_info(stream::iter([request])).await?.into_inner();
        let found = responses.message().await?.and_then(|response| response.message_response);
        let Some(v1::server_reflection_response::MessageResponse::FileDescriptorResponse(files)) = found else {
            anyhow::bail!("v1, {name}: {found:?}")
        };
        let file = FileDescriptorProto::decode(files.file_descriptor_proto[0].as_slice())?;
        ensure!(file.name().starts_with("google/rpc/"), "{name} is in {}", file.name());
        let request = v1alpha::ServerReflectionRequest {
            host: String::new(),
            message_request: Some(v1alpha::server_reflection_request::MessageRequest::FileContainingSymbol(
                name.clone(),
            )),
        };
        let mut client = v1alpha::server_reflection_client::ServerReflectionClient::new(channel.clone());
        let mut responses = client.server_reflection_info(stream::iter([request])).await?.into_inner();
        let found = responses.message().await?.and_then(|response| response.message_response);
        let response =
            |found| matches!(found, v1alpha::server_reflection_response::MessageResponse::FileDescriptorResponse(_));
        ensure!(found.is_some_and(response), "v1alpha, {name}");
    }
    Ok(())
}

fn contains_all(services: Vec<String>) -> Result<()> {
    ensure!(SERVICES.iter().all(|service| services.iter().any(|name| name == service)), "{services:?}");
    Ok(())
}

#[tokio::test]
async fn the_line_of_the_readme_works_when_pasted() -> Result<()> {
    if Command::new("grpcurl").arg("--version").output().await.is_err() {
        eprintln!("SKIPPED the README's grpcurl line: grpcurl is not on the PATH");
        return Ok(());
    }
    let readme = std::fs::read_to_string(riposte_tests::real::workspace().join("README.md"))?;
    let line = readme.split("```").find_map(|part| part.trim().strip_prefix("grpcurl ")).context("no such line")?;
    let script = format!("grpcurl {}", line.replace("127.0.0.1:7171", "$RIPOSTE_TARGET"));
    let arguments = ["dev", "--listen", "127.0.0.1:0", "--exec", "--", "sh", "-c", &script];
    let output = command::run(arguments).await?.ended(0)?;
    let page: serde_json::Value = serde_json::from_str(&output.out)?;
    let threads = page["threads"].as_array().map_or(0, Vec::len);
    ensure!(threads > 0 && page["subject"]["key"]["objectId"] == "1", "{}", output.out);
    Ok(())
}
