//! Accounts of a database that change while a server runs.

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::ErrorReason;
use riposte_tests::{Say, Server, command, mysql, until};
use tonic::Code;

use super::{Files, SOON, metric, refused, taken};

/// A database server, an empty database on it, and the file with its address.
struct Fixture {
    url: String,
    name: String,
    files: Files,
}

impl Fixture {
    /// Returns the database with the tables of this version; `None` where there is no database
    /// server.
    async fn new() -> Result<Option<Self>> {
        let Some([url, _]) = mysql::servers() else { return Ok(None) };
        let name = mysql::fresh_name();
        Server::serve(std::slice::from_ref(&url), &name).await?.stop().await?;
        Ok(Some(Self { url, name, files: Files::new()? }))
    }

    async fn sql(&self, statement: &str) -> Result<()> {
        mysql::query(&self.url, "", statement).await.map(drop)
    }

    /// Creates an account with all rights in the database.
    async fn account(&self, user: &str, password: &str) -> Result<()> {
        self.sql(&format!("CREATE USER '{user}'@'%' IDENTIFIED BY '{password}'")).await?;
        self.sql(&format!("GRANT ALL ON {}.* TO '{user}'@'%'", self.name)).await
    }

    /// Writes an account into the file, its password in URL encoding.
    fn write(&self, user: &str, password: &str) -> Result<()> {
        let address = self.url.rsplit_once('@').context("no user")?.1;
        self.files.write("source", &format!("mysql://{user}:{password}@{address}/{}", self.name))
    }

    /// Starts a server with an account in the file, and writes a comment through it.
    async fn serve(&self, user: &str, password: &str) -> Result<(Server, Say)> {
        self.account(user, password).await?;
        self.write(user, password)?;
        let server = Server::serve_with(&self.settings()).await?;
        let say = Say::on(&server.client()?, "article");
        say.comment("m", "before").await?;
        Ok((server, say))
    }

    fn settings(&self) -> Vec<String> {
        let file = format!("store.sources=[{{url_file=\"{}\"}}]", self.files.path("source").display());
        let mut sets = riposte_tests::settings::on_databases(std::slice::from_ref(&self.url), &self.name);
        sets.extend(["--set", &file].into_iter().chain(SOON).map(str::to_owned));
        sets
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_that_was_changed_before_its_file_is_followed_without_a_restart() -> Result<()> {
    let Some(fixture) = Fixture::new().await? else { return Ok(()) };
    let user = &fixture.name;
    let (_server, say) = fixture.serve(user, "first").await?;

    fixture.sql(&format!("ALTER USER '{user}'@'%' IDENTIFIED BY 'se/cond'")).await?;
    fixture.sql(&format!("KILL USER '{user}'")).await?;
    until("calls are refused", || async {
        let result = riposte_tests::refused(say.comment("m", "no password is valid").await);
        Ok(result.is_ok_and(|refused| refused == (Code::Unavailable, ErrorReason::ShardUnavailable)))
    })
    .await?;
    fixture.write(user, "se%2Fcond")?;
    until("calls go on", || async { Ok(say.comment("m", "after").await.is_ok()) }).await?;

    for verb in [&["migrate", "status"][..], &["config", "check"], &["doctor"]] {
        let arguments = fixture.settings().into_iter().chain(verb.iter().map(|word| (*word).to_owned()));
        let output = command::run(arguments).await?.ended(0)?;
        ensure!(!output.out.contains("se%2Fcond"), "{}", output.out);
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_that_the_server_refuses_is_not_used_and_is_taken_once_it_is_let_in() -> Result<()> {
    let Some(fixture) = Fixture::new().await? else { return Ok(()) };
    let user = &fixture.name;
    let (server, say) = fixture.serve(user, "first").await?;

    refused(&server, || fixture.write(user, "second")).await?;
    fixture.sql(&format!("KILL USER '{user}'")).await?;
    say.comment("m", "still by the first password").await?;
    // The account is changed to match; the file itself does not change any more.
    fixture.sql(&format!("ALTER USER '{user}'@'%' IDENTIFIED BY 'second'")).await?;
    until("the file is taken", || async { Ok(metric(&server, "riposte_files_refused").await? == 0) }).await?;
    fixture.sql(&format!("KILL USER '{user}'")).await?;
    say.comment("m", "by the second password").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_continue_over_a_second_account_and_another_database_is_refused() -> Result<()> {
    let Some(fixture) = Fixture::new().await? else { return Ok(()) };
    let (first, second) = (format!("{}_a", fixture.name), format!("{}_b", fixture.name));
    let (server, say) = fixture.serve(&first, "one").await?;
    fixture.account(&second, "two").await?;

    taken(&server, || fixture.write(&second, "two")).await?;
    fixture.sql(&format!("DROP USER '{first}'@'%'")).await?;
    fixture.sql(&format!("KILL USER '{first}'")).await?;
    say.comment("m", "by the second account").await?;

    let elsewhere = format!("mysql://{second}:two@127.0.0.1:1/{}", fixture.name);
    refused(&server, || fixture.files.write("source", &elsewhere)).await?;
    fixture.sql(&format!("KILL USER '{second}'")).await?;
    say.comment("m", "and still by it").await?;
    taken(&server, || fixture.write(&second, "two")).await?;
    ensure!(metric(&server, "riposte_files_refused").await? == 0);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_starts_with_a_wrong_password_serves_once_its_file_has_the_right_one() -> Result<()> {
    let Some(fixture) = Fixture::new().await? else { return Ok(()) };
    let user = &fixture.name;
    fixture.account(user, "right").await?;
    fixture.write(user, "wrong")?;
    let settings = fixture.settings();
    let denied = async || mysql::query(&fixture.url, "", "SHOW GLOBAL STATUS LIKE 'Access_denied_errors'").await;
    let before = denied().await?;
    let repaired = async {
        until("the server is sent away", || async { Ok(denied().await? != before) }).await?;
        fixture.write(user, "right")
    };
    let (server, written) = tokio::join!(Server::serve_with(&settings), repaired);
    written?;
    Say::on(&server?.client()?, "article").comment("m", "let in").await?;
    Ok(())
}
