use super::*;

/// Creates a repository with one commit. Returns it with the id of the commit.
fn repository() -> (tempfile::TempDir, Repo, String) {
    let folder = tempfile::tempdir().unwrap();
    let repo = Repo::of(folder.path().to_owned(), folder.path().join("target"));
    fs::write(repo.at("Cargo.toml"), "[profile.release]\n[profile.dist]\n").unwrap();
    fs::write(repo.at(".gitignore"), "/target\n").unwrap();
    repo.git(&["init", "--quiet"]).unwrap();
    repo.git(&["add", "."]).unwrap();
    let author = ["-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"];
    repo.git(&[&author[..], &["commit", "--quiet", "--message", "first"]].concat()).unwrap();
    let head = repo.git(&["rev-parse", "HEAD"]).unwrap();
    (folder, repo, head)
}

fn worktrees(repo: &Repo) -> usize {
    repo.git(&["worktree", "list"]).unwrap().lines().count()
}

#[test]
fn a_revision_is_resolved_to_its_commit_and_an_unknown_one_is_named() {
    let (_folder, repo, head) = repository();
    assert_eq!(commit(&repo, "HEAD").unwrap(), head);
    for unknown in ["no-such-revision", "--all", ""] {
        let error = commit(&repo, unknown).unwrap_err().to_string();
        assert!(error.contains(&format!("no revision `{unknown}`")), "{error}");
    }
}

#[test]
fn the_source_is_checked_out_and_nothing_remains_registered() {
    let (_folder, repo, head) = repository();
    let folder = repo.target().join("before/first/src");
    let source = Source::check_out(&repo, folder.clone(), &head).unwrap();
    assert!(folder.join("Cargo.toml").is_file());
    assert_eq!(worktrees(&repo), 2);
    source.remove().unwrap();
    assert_eq!((worktrees(&repo), folder.exists()), (1, false));
}

#[test]
fn the_clean_source_of_an_interrupted_run_is_replaced() {
    let (_folder, repo, head) = repository();
    let folder = repo.target().join("before/first/src");
    drop(Source::check_out(&repo, folder.clone(), &head).unwrap());
    let source = Source::check_out(&repo, folder, &head).unwrap();
    source.remove().unwrap();
    assert_eq!(worktrees(&repo), 1);
}

#[test]
fn a_changed_source_and_a_folder_of_something_else_are_kept_and_named() {
    let (_folder, repo, head) = repository();
    let folder = repo.target().join("before/first/src");
    fs::create_dir_all(&folder).unwrap();
    let error = Source::check_out(&repo, folder.clone(), &head).unwrap_err().to_string();
    assert!(error.contains("no git worktree"), "{error}");
    fs::remove_dir(&folder).unwrap();
    drop(Source::check_out(&repo, folder.clone(), &head).unwrap());
    fs::write(folder.join("Cargo.toml"), "changed").unwrap();
    let error = Source::check_out(&repo, folder.clone(), &head).unwrap_err().to_string();
    assert!(error.contains("uncommitted changes") && error.contains("Cargo.toml"), "{error}");
    assert_eq!(fs::read_to_string(folder.join("Cargo.toml")).unwrap(), "changed");
}

#[test]
fn a_binary_counts_only_with_the_profile_that_built_it() {
    let folder = tempfile::tempdir().unwrap();
    let place = RevisionFolder { folder: folder.path().to_owned() };
    let today = ["profile.release.lto=\"thin\"".to_owned()];
    fs::write(place.binary(), "").unwrap();
    assert!(!place.has_built(&today));
    fs::write(place.profile(), today.join("\n")).unwrap();
    assert!(place.has_built(&today));
    assert!(!place.has_built(&[]));
}

#[test]
fn the_profile_is_passed_without_the_tables_of_packages() {
    let manifest = "[profile.release]\noverflow-checks = true\n[profile.release.package.a]\nopt-level = 1\n\
                    [profile.dist]\ninherits = \"release\"\nlto = \"fat\"\n";
    let settings =
        ["profile.release.overflow-checks=true", "profile.dist.inherits=\"release\"", "profile.dist.lto=\"fat\""];
    assert_eq!(profile(manifest).unwrap(), settings);
    assert!(profile("[profile.release]\n").is_err());
    assert!(profile("[workspace]\n").is_err());
}
