//! The protocol of Redis (RESP2), as much of it as an order to a server takes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

/// How long an answer may take: longer than any command here, shorter than a stuck test.
const ANSWERS_WITHIN: Duration = Duration::from_secs(20);

/// A connection that waits for each answer.
#[derive(Debug)]
pub struct Connection {
    stream: BufReader<TcpStream>,
}

/// What a server answers; its errors are errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// A status or a string; what is not UTF-8 in it is replaced.
    Text(String),
    /// A number.
    Number(i64),
    /// Nothing is there.
    Nil,
    /// Several answers.
    List(Vec<Reply>),
}

impl Reply {
    /// The text that it must be.
    ///
    /// # Errors
    /// When it is something else.
    pub fn text(self) -> Result<String> {
        match self {
            Self::Text(text) => Ok(text),
            other @ (Self::Number(_) | Self::Nil | Self::List(_)) => bail!("not a text: {other:?}"),
        }
    }

    /// The number that it must be.
    ///
    /// # Errors
    /// When it is something else.
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
    /// When nobody listens there.
    pub fn open(port: u16) -> Result<Self> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(ANSWERS_WITHIN))?;
        Ok(Self { stream: BufReader::new(stream) })
    }

    /// Sends a command and reads its answer.
    ///
    /// # Errors
    /// What the server refuses, and a connection that breaks or says nothing for 20 s.
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
