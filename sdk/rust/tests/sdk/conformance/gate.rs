//! A server that is away for a while.

use super::calls::Caller;
use futures::future::{Either, join, select};
use riposte_sdk::v1::watch_subject_response::Event;
use riposte_sdk::v1::{RevisionGap, WatchOpened};
use riposte_sdk::{Client, Code, Error, Options};
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

const LONGEST_OUTAGE: Duration = Duration::from_secs(60);
const LIMIT: Duration = Duration::from_secs(1);
const AGAIN: Duration = Duration::from_millis(20);

/// Takes the server away from a client until it has made that number of attempts to connect, and
/// waits for its return.
pub(crate) async fn outage(caller: &Caller, subject: &str, attempts: usize) -> Result<(), String> {
    let (listener, address) = crate::local::listener().await;
    let (shut, is_shut) = watch::channel(false);
    let ended = Arc::new(AtomicUsize::new(0));
    let gate = tokio::spawn(forward(listener, caller.server.clone(), is_shut, Arc::clone(&ended)));
    let client = Client::open(Options { target: address.to_string(), ..Options::default() }).unwrap();
    get_subject(&client, subject).await.map_err(|error| format!("before the outage: {error}"))?;
    shut.send_replace(true);
    let start = Instant::now();
    while ended.load(Ordering::Relaxed) < attempts {
        match get_subject(&client, subject).await {
            Err(error) if matches!(error.code(), Code::Unavailable | Code::DeadlineExceeded) => {}
            outcome => return Err(format!("without a server: {outcome:?}")),
        }
        if start.elapsed() > LONGEST_OUTAGE {
            return Err(format!("the client has tried to connect only {} times", ended.load(Ordering::Relaxed)));
        }
        tokio::time::sleep(AGAIN).await;
    }
    shut.send_replace(false);
    let start = Instant::now();
    while let Err(error) = get_subject(&client, subject).await {
        if start.elapsed() > caller.back_within {
            return Err(format!("after the outage: {error}"));
        }
        tokio::time::sleep(AGAIN).await;
    }
    gate.abort();
    Ok(())
}

/// Watches through a gate that leads to the server only after that number of attempts, and that
/// loses it while the subject comes into being.
pub(crate) async fn late(caller: &Caller, subject: &str, attempts: usize) -> Result<(), String> {
    let (listener, address) = crate::local::listener().await;
    let (shut, is_shut) = watch::channel(true);
    let ended = Arc::new(AtomicUsize::new(0));
    let gate = tokio::spawn(forward(listener, caller.server.clone(), is_shut, Arc::clone(&ended)));
    let connect = |target: &str| Client::connect(target).unwrap().subject("article", subject);
    let text = |error: Error| error.to_string();
    let (through, direct) = (connect(&address.to_string()), connect(&caller.server));
    let open_gate = async {
        while ended.load(Ordering::Relaxed) < attempts {
            tokio::time::sleep(AGAIN).await;
        }
        shut.send_replace(false);
    };
    let (watched, ()) = join(through.watch(0), open_gate).await;
    let mut watched = watched.map_err(text)?;
    let mut events = vec![watched.next().await.map_err(text)?.event];
    shut.send_replace(true);
    direct.comment("m1", "Hi").await.map_err(text)?;
    let revision = direct.get().await.map_err(text)?.subject.unwrap_or_default().revision;
    shut.send_replace(false);
    events.push(watched.next().await.map_err(text)?.event);
    events.push(watched.next().await.map_err(text)?.event);
    let opened = |revision| Some(Event::Opened(WatchOpened { revision }));
    let gap = Some(Event::Gap(RevisionGap { first_revision: 1, last_revision: revision }));
    if events != [opened(0), opened(revision), gap] {
        return Err(format!("the events are {events:?}"));
    }
    shut.send_replace(true);
    let lost = connect(&address.to_string()).watch(0).await;
    gate.abort();
    match lost {
        Err(error) if error.code() == Code::Unavailable => Ok(()),
        outcome => Err(format!("a watch without a server: {outcome:?}")),
    }
}

async fn get_subject(client: &Client, subject: &str) -> Result<(), Error> {
    let response = tokio::time::timeout(LIMIT, client.subject("article", subject).get()).await;
    response.unwrap_or_else(|_late| Err(tonic::Status::deadline_exceeded("no response").into())).map(drop)
}

/// A TCP proxy that keeps what clients send. It ends with the test.
#[derive(Debug)]
pub(crate) struct Proxy {
    /// The address at which it listens.
    pub(crate) address: String,
    server: watch::Sender<Option<String>>,
    sent: Arc<Mutex<Vec<u8>>>,
}

impl Proxy {
    /// Forwards connections to a server.
    pub(crate) async fn before(server: &str) -> Self {
        let (listener, address) = crate::local::listener().await;
        let (server, route) = watch::channel(Some(server.to_owned()));
        let sent = Arc::<Mutex<Vec<u8>>>::default();
        tokio::spawn(keep(listener, route, Arc::clone(&sent)));
        Self { address: address.to_string(), server, sent }
    }

    /// Ends all connections, and each new one at once.
    pub(crate) fn shut(&self) {
        self.server.send_replace(None);
    }

    /// Forwards new connections to a server.
    pub(crate) fn open(&self, server: &str) {
        self.server.send_replace(Some(server.to_owned()));
    }

    /// Returns whether a client has sent a text.
    pub(crate) fn saw(&self, text: &str) -> bool {
        self.sent.lock().unwrap().windows(text.len()).any(|part| part == text.as_bytes())
    }
}

/// Forwards connections to the server that is set, and keeps what clients send.
async fn keep(listener: TcpListener, route: watch::Receiver<Option<String>>, sent: Arc<Mutex<Vec<u8>>>) {
    loop {
        let (from, _) = listener.accept().await.unwrap();
        let Some(server) = route.borrow().clone() else { continue };
        let (sent, mut route) = (Arc::clone(&sent), route.clone());
        tokio::spawn(async move {
            let (mut requests, mut to_client) = from.into_split();
            let (mut responses, mut to_server) = TcpStream::connect(server).await.unwrap().into_split();
            let upwards = async {
                let mut part = vec![0; 1 << 16];
                while let Ok(read) = requests.read(&mut part).await
                    && read > 0
                {
                    sent.lock().unwrap().extend_from_slice(&part[..read]);
                    if to_server.write_all(&part[..read]).await.is_err() {
                        break;
                    }
                }
            };
            let downwards = tokio::io::copy(&mut responses, &mut to_client);
            let (upwards, downwards) = (pin!(upwards), pin!(downwards));
            select(select(upwards, downwards), pin!(route.wait_for(Option::is_none))).await;
        });
    }
}

/// Forwards connections to the server; while shut, ends and counts them.
async fn forward(listener: TcpListener, server: String, is_shut: watch::Receiver<bool>, ended: Arc<AtomicUsize>) {
    loop {
        let (mut from, _) = listener.accept().await.unwrap();
        if *is_shut.borrow() {
            ended.fetch_add(1, Ordering::Relaxed);
            continue;
        }
        let (server, mut is_shut) = (server.clone(), is_shut.clone());
        tokio::spawn(async move {
            let mut to = TcpStream::connect(server).await.unwrap();
            let over = pin!(is_shut.wait_for(|shut| *shut));
            if let Either::Left((copied, _)) = select(pin!(copy_bidirectional(&mut from, &mut to)), over).await {
                drop(copied);
            }
        });
    }
}
