//! The part of the Redis protocol (RESP2) that is needed to send commands.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

/// The longest wait for a reply: longer than any command here, shorter than the timeout of a stuck
/// test.
const REPLY_TIMEOUT: Duration = Duration::from_secs(20);

/// A connection that waits for each reply.
#[derive(Debug)]
pub struct Connection {
    stream: BufReader<TcpStream>,
}

/// The reply of a server; an error reply becomes an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// A status or a string; invalid UTF-8 in it is replaced.
    Text(String),
    /// A number.
    Number(i64),
    /// The null reply.
    Nil,
    /// Several replies.
    List(Vec<Reply>),
}

impl Reply {
    /// Returns the text.
    ///
    /// # Errors
    /// If the reply is not a text.
    pub fn text(self) -> Result<String> {
        match self {
            Self::Text(text) => Ok(text),
            other @ (Self::Number(_) | Self::Nil | Self::List(_)) => bail!("not a text: {other:?}"),
        }
    }

    /// Returns the number.
    ///
    /// # Errors
    /// If the reply is not a number.
    pub fn number(self) -> Result<i64> {
        match self {
            Self::Number(number) => Ok(number),
            other @ (Self::Text(_) | Self::Nil | Self::List(_)) => bail!("not a number: {other:?}"),
        }
    }
}

impl Connection {
    /// Connects to a port of 127.0.0.1.
    ///
    /// # Errors
    /// If no process listens there.
    pub fn open(port: u16) -> Result<Self> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(REPLY_TIMEOUT))?;
        Ok(Self { stream: BufReader::new(stream) })
    }

    /// Sends a command and reads its reply.
    ///
    /// # Errors
    /// An error reply of the server, and a connection that breaks or sends nothing for 20 s.
    pub fn ask(&mut self, words: &[&str]) -> Result<Reply> {
        let mut message = format!("*{}\r\n", words.len());
        for word in words {
            message.push_str(&format!("${}\r\n{word}\r\n", word.len()));
        }
        self.stream.get_mut().write_all(message.as_bytes())?;
        self.reply().with_context(|| words.join(" "))
    }

    fn reply(&mut self) -> Result<Reply> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        let line = line.strip_suffix("\r\n").context("the connection ended")?;
        let (kind, rest) = line.split_at_checked(1).context("an empty line")?;
        match kind {
            "+" => Ok(Reply::Text(rest.to_owned())),
            "-" => bail!("{rest}"),
            ":" => Ok(Reply::Number(rest.parse()?)),
            "$" | "*" if rest == "-1" => Ok(Reply::Nil),
            "$" => self.bulk(rest.parse()?),
            "*" => (0..rest.parse::<usize>()?).map(|_| self.reply()).collect::<Result<_>>().map(Reply::List),
            other => bail!("not the protocol of Redis: {other:?}"),
        }
    }

    fn bulk(&mut self, length: usize) -> Result<Reply> {
        let mut bytes = vec![0; length + 2];
        self.stream.read_exact(&mut bytes)?;
        ensure!(bytes.ends_with(b"\r\n"), "a string without its end");
        Ok(Reply::Text(String::from_utf8_lossy(&bytes[..length]).into_owned()))
    }
}
