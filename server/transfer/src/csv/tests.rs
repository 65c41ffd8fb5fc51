use std::collections::{BTreeMap, HashMap, HashSet};

use super::*;
use crate::group::GroupEntry;
use crate::group::tests::{Group, batches};
use crate::ordering::Orphans;
use crate::record::{Comment, CommentState, DeletedBy, Key, Like, LikeValue, Record, Votes};

fn settings(map: &Map) -> ReadSettings {
    ReadSettings { object_type: map.object_type.clone(), ..ReadSettings::of(&map.source) }
}

fn documented_map(name: &str) -> Map {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/import");
    crate::map::load(&folder.join(name)).unwrap()
}

fn entries(files: &[PathBuf], map: &Map) -> Vec<GroupEntry> {
    let mut entries = Vec::new();
    let mut add = |entry| {
        entries.push(entry);
        Ok(())
    };
    read(files, map, &settings(map), &mut add).unwrap();
    entries
}

fn groups(files: &[PathBuf], map: &Map) -> Vec<Group> {
    crate::group::tests::groups(&entries(files, map))
}

fn folder(files: &[(&str, &str)]) -> (tempfile::TempDir, Vec<PathBuf>) {
    let folder = tempfile::tempdir().unwrap();
    let write = |(name, text): &(&str, &str)| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let paths = files.iter().map(write).collect();
    (folder, paths)
}

const MADRID: &str = "\
,id,parentId,proposalId,page,userId,userType,date,time,text,numVotes,numPositiveVotes,numNegativeVotes
0,17092,-1,7,3,2780,,2015-09-15,0 days 10:50:19,Sí ¿y cuándo?,1,1,0
1,17107,17092,7,3,10016,,2015-09-15,0 days 11:07:10,Mañana dicen.,3,1,2
2,17127,17107,7,3,9884,Autor,2015-09-15,zero days,\"Aquí,
y allí\",1,x,0
";
const PROPOSALS: &str = "\
,id,url,code,title,userId,date,summary,text,numComments,status,numSupports,isAssociation
0,7,/proposals/7-calles-limpias,MAD-2015-09-7,Calles limpias,9884,2015-09-15,Resumen,,188,archived,6560,0
";

#[test]
fn the_madrid_map_reads_subjects_comments_and_votes() {
    let map = documented_map("decide-madrid.toml");
    let (_folder, files) = folder(&[("comments.csv.gz", MADRID), ("proposals.csv.gz", PROPOSALS)]);
    let groups = groups(&files[..1], &map);
    let group = &groups[0];
    assert_eq!((groups.len(), group.key.object_id.as_str(), group.key.object_type.as_str()), (1, "7", "proposal"));
    let subject = group.subject.as_ref().unwrap();
    assert_eq!((subject.owner_id.as_str(), subject.metadata["title"].as_str()), ("9884", "Calles limpias"));
    assert_eq!(subject.create_time.unwrap().to_string(), "2015-09-14T22:00:00Z");
    assert_eq!(group.comments[0].create_time.unwrap().to_string(), "2015-09-15T08:50:19Z");
    assert_eq!((group.comments[0].parent_external_id.as_deref(), group.comments[0].member_id.as_str()), (None, "2780"));
    assert_eq!(group.comments[1].parent_external_id.as_deref(), Some("17092"));
    assert_eq!(group.comments[1].votes, Votes { up: 1, down: 2 });
    let problem = &group.rejects[0].problem;
    assert_eq!(problem.reason, "TIME_INVALID");
    assert!(
        problem.message.starts_with("record 3, line 4, byte ") && problem.message.contains("zero days"),
        "{}",
        problem.message
    );
}

#[test]
fn a_file_that_ends_inside_quotes_is_refused_with_the_place_of_the_row() {
    let map = documented_map("decide-madrid.toml");
    let cut = MADRID.find("y allí").unwrap();
    let (_folder, files) = folder(&[("comments.csv", &MADRID[..cut]), ("proposals.csv.gz", PROPOSALS)]);
    let error = read(&files[..1], &map, &settings(&map), &mut |_| Ok(())).unwrap_err().to_string();
    assert!(error.starts_with("comments.csv: record 3, line 4, byte ") && error.contains("cut off"), "{error}");
}

#[test]
fn three_tables_joined_by_id_make_comments() {
    let map = documented_map("comment-tables.toml");
    let (_folder, files) = folder(&[
        (
            "comment_index.csv",
            "id,obj_id,obj_type,member_id,root,parent,floor,like,hate,state,create_time\n\
             1,10,1,m1,0,0,1,2,0,0,2020-01-01 08:00:00\n2,10,1,m2,1,1,1,0,1,1,2020-01-01 08:00:05\n3,11,9,m2,0,0,1,0,0,0,NULL\n",
        ),
        (
            "comment_content.csv",
            "comment_id,at_member_ids,ip,platform,device,message\n\
             1,,10.0.0.1,1,phone,\"hello, \"\"you\"\"\"\n2,\"m1,m3\",,2,,\\N\n",
        ),
        ("comment_subject.csv", "id,obj_id,obj_type,member_id,state,create_time\n1,10,1,owner,0,2020-01-01 00:00:00\n"),
    ]);
    let groups = groups(&files, &map);
    let (video, other) = (&groups[0], &groups[1]);
    assert_eq!(video.key, Key { object_type: "video".to_owned(), object_id: "10".to_owned() });
    assert_eq!(video.subject.as_ref().unwrap().owner_id, "owner");
    let [first, second] = video.comments.as_slice() else { panic!("{video:?}") };
    assert_eq!((first.text.as_str(), first.client.ip.as_str()), ("hello, \"you\"", "10.0.0.1"));
    assert_eq!((second.mentioned_member_ids.join(" ").as_str(), second.text.as_str()), ("m1 m3", ""));
    assert_eq!((second.state, second.deleted_by), (CommentState::Hidden, None));
    assert_eq!(second.votes, Votes { up: 0, down: 1 });
    assert_eq!(other.rejects[0].problem.reason, "VALUE_UNKNOWN");
}

#[test]
fn a_record_whose_state_has_no_word_is_rejected_as_hidden_with_its_own_cells() {
    let map = "source = 's'\nobject_type = 'page'\n[comment]\nsubject = '{page}'\nid = '{id}'\nmember = 'm'\n\
         text = '{text}'\ncreate_time = '{time}'\n\
         state = { value = '{state}', map = { ok = 'ACTIVE', odd = 'SHOWN' } }\n";
    let rows = "page,id,text,time,state\n/a,1,x,2020-01-01,ok\n/a,2,x,2020-01-01,spam\n/a,3,x,2020-01-01,odd\n";
    let (_folder, files) = folder(&[("map.toml", map), ("comments.csv", rows)]);
    let map = crate::map::load(&files[0]).unwrap();
    let groups = groups(&files[1..], &map);
    assert_eq!(groups[0].comments[0].state, CommentState::Active);
    let rejects = &groups[0].rejects;
    assert_eq!(rejects.len(), 2);
    for (reject, cell) in rejects.iter().zip(["spam", "odd"]) {
        let Record::Comment(comment) = &reject.record else { panic!("{reject:?}") };
        assert_eq!((comment.state, comment.original["state"].as_str()), (CommentState::Hidden, cell));
        assert_eq!(reject.problem.reason, "VALUE_UNKNOWN");
    }
}

#[test]
fn of_several_votes_the_latest_counts() {
    let map = documented_map("polis.toml");
    let (_folder, files) = folder(&[
        (
            "comments.csv.gz",
            "timestamp,datetime,comment-id,author-id,agrees,disagrees,moderated,comment-body\n1472552518501,x,194,4413,1,0,-1,Uber\n",
        ),
        (
            "votes.csv.gz",
            "timestamp,datetime,comment-id,voter-id,vote\n20,x,194,1,-1\n10,x,194,1,1\n30,x,194,2,1\n31,x,194,2,0\n5,x,194,3,7\n",
        ),
    ]);
    let groups = groups(&files, &map);
    assert_eq!(groups[0].comments[0].votes, Votes::default(), "votes known as events are not counted again");
    let batches = batches(&entries(&files, &map), Orphans::Reject);
    let likes: Vec<(&str, LikeValue)> =
        batches[0].likes.iter().map(|like| (like.member_id.as_str(), like.value)).collect();
    assert_eq!(likes, [("1", LikeValue::Dislike)]);
    assert_eq!(groups[0].rejects[0].problem.reason, "VALUE_UNKNOWN");
}

#[test]
fn a_broken_file_is_refused_with_its_line() {
    let map = documented_map("decide-madrid.toml");
    let error = |text: &[u8]| {
        let (folder, files) = folder(&[("comments.csv.gz", ""), ("proposals.csv.gz", PROPOSALS)]);
        std::fs::write(&files[0], text).unwrap();
        let error = format!("{:#}", read(&files[..1], &map, &settings(&map), &mut |_| Ok(())).unwrap_err());
        drop(folder);
        error
    };
    assert!(error(b"").contains("is empty"));
    assert!(error(b"id,text\n1,x\n").contains("there is no column"));
    let long = error(&[&b"id,be\x07ll,"[..], &vec![b'y'; 1 << 20], b"\n1,x,y\n"].concat());
    assert!(long.contains("the columns are id, be\\u0007ll, yyy") && long.len() < 1_000, "{long}");
    assert!(error(b"[{\"id\":\"1\",\"rid\":\"0\",\"page_key\":\"/\"}]").contains("docs/import/artalk.toml"));
    let endless = [MADRID.as_bytes(), b"\"", &vec![b'x'; 100 << 20]].concat();
    assert!(error(&endless).contains("longer than 16 MiB"));
}

#[test]
fn a_broken_row_is_rejected_with_its_cells_and_the_next_one_is_read() {
    let map = documented_map("decide-madrid.toml");
    let good = "3,17128,-1,7,3,2780,,2015-09-15,0 days 10:50:19,later,0,0,0\n";
    for (bad, message) in [
        (b"1,2\n".to_vec(), "record 4, line 6, byte "),
        (b"1,2\n".to_vec(), "it has 2 cells, but the header has 13"),
        (b"9,17,-1,7,3,1,,2015-09-15,0 days 10:50:19,caf\xe9,0,0,0\n".to_vec(), "it is not UTF-8"),
    ] {
        let (_folder, files) = folder(&[("comments.csv.gz", ""), ("proposals.csv.gz", PROPOSALS)]);
        std::fs::write(&files[0], [MADRID.as_bytes(), &bad, good.as_bytes()].concat()).unwrap();
        let groups = groups(&files[..1], &map);
        let rejects: Vec<_> = groups.iter().flat_map(|group| &group.rejects).collect();
        let reject = rejects.iter().find(|reject| reject.problem.reason == "RECORD_INVALID").unwrap();
        assert!(reject.problem.message.contains(message), "{:?}", reject.problem);
        assert!(groups.iter().flat_map(|group| &group.comments).any(|comment| comment.external_id == "17128"));
    }
}

#[test]
fn a_mysql_outfile_is_read_as_it_stands() {
    let map = r#"
        source = "forum"
        object_type = "topic"
        timezone = "Europe/Berlin"
        dialect = "mysql"
        header = ["id", "topic_id", "parent_id", "login", "body", "created", "votes"]
        [comment]
        subject = "{topic_id}"
        id = "{id}"
        parent = "{parent_id}"
        member = "{login}"
        text = "{body}"
        create_time = "{created}"
        up = "{votes}"
    "#;
    let (maps, map_files) = folder(&[("map.toml", map)]);
    let map = crate::map::load(&map_files[0]).unwrap();
    drop(maps);
    let text = "1\t7\t\\N\tann\tone\\\ntwo\\\ttab \\\\ \\0\t2020-03-29 02:30:00.123456\t2\n\
                2\t7\t1\tbob\tx\t0000-00-00 00:00:00\t0\n3\t7\t1\tbob\tfine\t2021-01-01 00:00:00\tx\n";
    let (_folder, files) = folder(&[("dump.tsv", text)]);
    let groups = groups(&files, &map);
    let first = &groups[0].comments[0];
    assert_eq!((first.text.as_str(), first.parent_external_id.as_deref()), ("one\ntwo\ttab \\ \0", None));
    assert_eq!((first.create_time.unwrap().to_string().as_str(), first.votes.up), ("2020-03-29T01:30:00.123456Z", 2));
    let reasons: Vec<_> = groups[0].rejects.iter().map(|reject| reject.problem.reason.as_str()).collect();
    assert_eq!(reasons, ["TIME_INVALID", "COUNT_INVALID"]);
}

/// Returns the path of a real file, if the folder with these files exists.
fn test_data_file(file: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("RIPOSTE_TEST_DATA");
    if folder.is_none() {
        eprintln!("SKIPPED: RIPOSTE_TEST_DATA is not set, so the real file {file} is not read");
    }
    folder.map(|folder| PathBuf::from(folder).join(file))
}

#[test]
fn the_whole_madrid_file_is_read_as_its_description_says() {
    let Some(file) = test_data_file("decide-madrid/comments.csv.gz") else { return };
    let entries = entries(&[file], &documented_map("decide-madrid.toml"));
    let groups = crate::group::tests::groups(&entries);
    let comments: Vec<&Comment> = groups.iter().flat_map(|group| &group.comments).collect();
    assert_eq!((groups.len(), comments.len()), (80, 5633));
    assert!(groups.iter().all(|group| group.rejects.is_empty() && group.subject.is_some()));
    assert_eq!(groups.iter().map(|group| group.comments.len()).max(), Some(592));
    assert_eq!(comments.iter().map(|c| c.member_id.as_str()).collect::<HashSet<_>>().len(), 2251);
    let votes = comments.iter().fold((0, 0), |sum, c| (sum.0 + c.votes.up, sum.1 + c.votes.down));
    assert_eq!(votes, (10967, 4204));

    let batches = batches(&entries, Orphans::Reject);
    let ordered: Vec<_> = batches.iter().flat_map(|batch| &batch.comments).collect();
    assert_eq!(ordered.iter().filter(|ordered| ordered.orphan).count(), 267, "one of 268 orphans has no text");
    let mut reasons = BTreeMap::new();
    for reject in batches.iter().flat_map(|batch| &batch.rejects) {
        *reasons.entry(reject.problem.reason.as_str()).or_insert(0) += 1;
    }
    assert_eq!(reasons, BTreeMap::from([("TEXT_EMPTY", 55)]));
    let tombstones = ordered.iter().filter(|ordered| ordered.comment.deleted_by == Some(DeletedBy::Author));
    assert_eq!(tombstones.count(), 7);
    for batch in &batches {
        let mut seen: HashSet<&str> = HashSet::new();
        for ordered in &batch.comments {
            let parent = ordered.comment.parent_external_id.as_deref();
            assert!(ordered.orphan || parent.is_none_or(|parent| seen.contains(parent)));
            seen.insert(&ordered.comment.external_id);
        }
    }
}

#[test]
fn the_whole_polis_file_is_read_with_its_latest_votes() {
    let (Some(comments), Some(votes)) = (
        test_data_file("polis-votes/vtaiwan.uberx/comments.csv.gz"),
        test_data_file("polis-votes/vtaiwan.uberx/votes.csv.gz"),
    ) else {
        return;
    };
    let groups = batches(&entries(&[comments, votes], &documented_map("polis.toml")), Orphans::Reject);
    let comments: usize = groups.iter().map(|group| group.comments.len()).sum();
    assert_eq!((groups.len(), comments), (1, 197));
    let likes: Vec<&Like> = groups.iter().flat_map(|group| &group.likes).collect();
    let pairs: HashMap<_, _> =
        likes.iter().map(|like| ((&like.comment_external_id, &like.member_id), like.value)).collect();
    assert_eq!(pairs.len(), likes.len());
    assert!(likes.len() > 30_000);
}
