//! The exports of other comment systems: small files with the irregularities of real ones.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use riposte_tests::Server;
use riposte_tests::real;
use riposte_tests::thread_tree::{self, Node, Tree};

/// A comment as in the file: external id, parent, text, ms since 1970.
type Row<'r> = (&'r str, &'r str, &'r str, i64);

fn tree(rows: &[Row<'_>]) -> Tree {
    let node = |(_, parent, text, created): &Row<'_>| Node {
        parent: (!parent.is_empty()).then(|| (*parent).to_owned()),
        text: (*text).to_owned(),
        created: *created,
        gone: text.is_empty(),
        ..Node::default()
    };
    rows.iter().map(|row| (row.0.to_owned(), node(row))).collect()
}

/// Imports a file twice, compares the imported comments, and returns the members by external id.
async fn brought_in(
    file: &str,
    format: &str,
    expected: &[(&str, Tree)],
    rejected: &[(&str, &str)],
) -> Result<Option<BTreeMap<String, String>>> {
    let Some(data) = real::data() else { return Ok(None) };
    let server = Server::dev().await?;
    let scratch = tempfile::tempdir()?;
    let file = data.join("exports").join(file);
    let arguments = [file.to_str().context("a path")?, "--format", format];
    let code = if rejected.is_empty() { 0 } else { 6 };
    let count: usize = expected.iter().map(|(_, tree)| tree.len()).sum();
    let first = real::import(&server, &arguments, scratch.path()).await?.ended(code)?;
    first.says(&[&format!("comments  {count} created, 0 unchanged")])?;
    if !rejected.is_empty() {
        let known = rejected.iter().map(|(id, reason)| ((*id).to_owned(), (*reason).to_owned()));
        ensure!(real::rejects(scratch.path())? == known.collect::<Vec<_>>());
    }
    let mut members = BTreeMap::new();
    for (object_id, source) in expected {
        let mut found = thread_tree::walk(&server, &real::key("page", object_id), real::FLAT).await?;
        for (id, node) in &mut found {
            let member = std::mem::take(&mut node.member);
            ensure!(!member.contains('@'), "an e-mail address: {member}");
            members.insert(id.clone(), member);
        }
        thread_tree::compare(object_id, source, &found)?;
    }
    ensure!(thread_tree::verify(&server, "page").await? == expected.len());
    let second = real::import(&server, &arguments, scratch.path()).await?.ended(code)?;
    second.says(&[&format!("comments  0 created, {count} unchanged")])?;
    Ok(Some(members))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disqus_export_is_imported_with_its_threads_and_its_orphan_is_listed() -> Result<()> {
    let page = tree(&[
        ("4", "", "...", 1_381_432_829_000),
        ("5", "4", "Hello, World.", 1_381_474_293_000),
        ("9", "", "", 1_381_432_829_000),
        ("11", "9", "Hello, World.", 1_381_474_353_000),
    ]);
    let nameless = tree(&[("8", "", "Message from thread with empty title and id", 1_381_474_293_000)]);
    let expected = [("some-id", page), ("/blog/2013/02/12/redacted/index.html", nameless)];
    let members = brought_in("isso/disqus.xml", "disqus", &expected, &[("6", "SUBJECT_MISSING")]).await?;
    let Some(members) = members else { return Ok(()) };
    ensure!(members["5"] == "disqus:user" && members["5"] == members["11"], "{members:?}");
    ensure!(members["4"].starts_with("disqus:e:") && members["8"] == "disqus:EmptyUsername", "{members:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wordpress_export_is_imported_even_if_two_posts_use_one_comment_id() -> Result<()> {
    let post = tree(&[
        ("2", "", "Erster!1", 1_389_720_732_000),
        ("6", "", "Zweiter.", 1_398_784_887_000),
        ("7", "6", "Drölfter!", 1_398_784_895_000),
        ("8", "7", "Yet another reply.", 1_398_784_905_000),
        ("9", "7", "...", 1_398_784_912_000),
        (
            "10",
            "",
            "When you have a comment with multiple lines:\n\
             WordPress exports it like this.",
            1_654_481_594_000,
        ),
        ("11", "", "...", 1_654_615_316_000),
    ]);
    let query = tree(&[("11", "", "...", 1_398_784_917_000)]);
    let Some(data) = real::data() else { return Ok(()) };
    let text = std::fs::read_to_string(data.join("exports/isso/wordpress.xml"))?;
    // The second post of this file has no status, without which it is a hidden subject.
    let link = "<link>http://example.tld/?p=4</link>";
    ensure!(text.contains(link), "the file has another second post");
    let (folder, published) = (tempfile::tempdir()?, format!("{link}<wp:status>publish</wp:status>"));
    let file = folder.path().join("wordpress.xml");
    std::fs::write(&file, text.replace(link, &published))?;
    let file = file.to_str().context("a path")?;
    let members = brought_in(file, "wordpress", &[("18", post), ("/?p=4", query)], &[]).await?;
    let Some(members) = members else { return Ok(()) };
    let people: BTreeSet<_> = members.values().collect();
    ensure!(people.len() == 3, "three e-mail addresses make three members: {people:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_isso_export_is_imported() -> Result<()> {
    let text = "Great men can't be ruled. by free online poker";
    let first = tree(&[("/posts/0001/#0", "", text, 1_109_217_817_000)]);
    let second = tree(&[("/posts/0007/#0", "", "Ja-make-a me crazzy mon :)\n", 1_115_535_026_000)]);
    let members =
        brought_in("isso/generic.json", "isso", &[("/posts/0001/", first), ("/posts/0007/", second)], &[]).await?;
    let Some(members) = members else { return Ok(()) };
    ensure!(members["/posts/0001/#0"].starts_with("isso:n:"), "{members:?}");
    ensure!(members["/posts/0007/#0"].starts_with("isso:e:"), "{members:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commento_export_is_imported_with_its_scores() -> Result<()> {
    let lone = "e7069a7dfcfaed43caf62300a9b0edb1c124ad79d0f5887c93649c15d7f69945";
    let root = "7d77e39fcd813241d6281478cc8f21ab5f807d043c750bc1a936bc23b34fb854";
    let reply = "ea5f7bcd6ac9bb7b657f7d0569831104e1bcf9c253d03c1e16bf9654c49a5ce9";
    let mut second = tree(&[(lone, "", "Example comment created by user.", 1_615_548_116_000)]);
    second.values_mut().for_each(|node| node.likes = 1);
    let first = tree(&[
        (root, "", "Example 2 comment created by user.", 1_615_982_987_722),
        (reply, root, "Great reply!", 1_620_747_781_852),
    ]);
    let expected = [("/blog/post/1", first), ("/blog/post/2", second)];
    let members = brought_in("commento/commento.json", "commento", &expected, &[]).await?;
    let Some(members) = members else { return Ok(()) };
    ensure!(members[lone] == "commento:anonymous" && members[root] != members[reply], "{members:?}");
    Ok(())
}
