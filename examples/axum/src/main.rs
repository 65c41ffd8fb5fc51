//! Comments of videos as JSON, in axum. README.md says how to start it.

mod routes;

use riposte_sdk::Client;
use std::error::Error;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let port = std::env::var("PORT").unwrap_or_else(|_| "8000".into());
    let listener = TcpListener::bind(format!("127.0.0.1:{port}")).await?;
    println!("http://{}", listener.local_addr()?);
    let mut stop = signal(SignalKind::terminate())?;
    let stopped = async move {
        stop.recv().await;
    };
    axum::serve(listener, routes::routes(Client::from_env()?)).with_graceful_shutdown(stopped).await?;
    Ok(())
}
