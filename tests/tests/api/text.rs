//! Text: normal form, every script, no invalid text; and ids that are compared byte by byte.

use anyhow::{Result, ensure};
use riposte_sdk::v1::{CommentSort, ErrorReason, LikeValue, SubjectKey};
use riposte_tests::{Case, Fixture, Say, cases, refused};
use tonic::Code;

pub(crate) const CASES: &[Case] = cases![
    text_of_every_script_is_returned_unchanged_in_normal_form,
    nul_and_blank_are_no_text,
    ids_are_compared_byte_by_byte,
    equal_ids_under_two_types_are_two_subjects_and_two_people,
];

async fn text_of_every_script_is_returned_unchanged_in_normal_form(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    for (sent, stored) in [
        ("盖楼", "盖楼"),
        ("👩‍👩‍👧‍👦🏳️‍🌈 𝔘𝔫𝔦", "👩‍👩‍👧‍👦🏳️‍🌈 𝔘𝔫𝔦"),
        ("שלום \u{202E}עולם\u{202C} مرحبا", "שלום \u{202E}עולם\u{202C} مرحبا"),
        ("e\u{301}a\u{30a}", "éå"),
        ("  two  spaces \n\ttab ", "  two  spaces \n\ttab "),
        ("ﬁ Å", "ﬁ Å"),
    ] {
        let made = say.comment("m", sent).await?;
        let read = super::comments::get(&say, made.id).await?;
        ensure!(read.content.unwrap_or_default().text == stored, "{sent:?}");
    }
    Ok(())
}

async fn nul_and_blank_are_no_text(fixture: Fixture) -> Result<()> {
    let say = Say::on(&fixture.client, "article");
    let invisible = ["\u{200b}", "\u{feff}\u{200d}", "\u{301}\u{20e3}", "\u{1b}\u{7f}", " \u{2060}\n\u{e0020}"];
    for text in ["", " ", "\n\t", "a\0b", "\u{3000}"].into_iter().chain(invisible) {
        let outcome = say.comment("m", text).await;
        ensure!(refused(outcome)? == (Code::InvalidArgument, ErrorReason::FieldInvalid), "{text:?}");
    }
    ensure!(say.page(CommentSort::Newest, 1).await?.threads.is_empty());
    say.comment("m", "\u{200b}.").await?;
    Ok(())
}

async fn ids_are_compared_byte_by_byte(fixture: Fixture) -> Result<()> {
    let base = uuid::Uuid::now_v7().to_string();
    for id in ["x", "x ", "X", "é", "e\u{301}", " x", "x\u{a0}"] {
        let key = SubjectKey { object_type: "article".into(), object_id: format!("{}{id}", &base[..30]) };
        let say = Say { client: fixture.client.clone(), key };
        let made = say.comment("m", id).await?;
        ensure!(made.floor == 1, "{id:?} is taken for another");
        ensure!(made.subject.unwrap_or_default().object_id == say.key.object_id);
    }
    let say = Say::on(&fixture.client, "article");
    let id = say.comment("m", "root").await?.id;
    for member in ["x", "x ", "X", "é", "e\u{301}"] {
        ensure!(say.like(id, member, LikeValue::Like).await?.changed, "{member:?} is taken for another");
    }
    ensure!(super::comments::get(&say, id).await?.like_count == 5);
    Ok(())
}

async fn equal_ids_under_two_types_are_two_subjects_and_two_people(fixture: Fixture) -> Result<()> {
    let one = Say::on(&fixture.client, "article");
    let two = Say { key: SubjectKey { object_type: "video".into(), ..one.key.clone() }, ..one.clone() };
    let id = uuid::Uuid::new_v4().to_string();
    for say in [&one, &two] {
        let made = say.comment("m", &id).await?;
        ensure!(made.floor == 1);
        ensure!(say.page(CommentSort::Newest, 9).await?.threads.len() == 1);
    }
    Ok(())
}
