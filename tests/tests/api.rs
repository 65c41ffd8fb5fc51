//! The contract, checked statement by statement through the public SDK: one list of cases over
//! every store.

mod api {
    pub(crate) mod admin;
    pub(crate) mod comments;
    pub(crate) mod edits;
    pub(crate) mod evaluations;
    pub(crate) mod events;
    pub(crate) mod floors;
    pub(crate) mod histories;
    pub(crate) mod infrastructure;
    pub(crate) mod input;
    pub(crate) mod likes;
    pub(crate) mod lists;
    pub(crate) mod masks;
    pub(crate) mod modes;
    pub(crate) mod notices;
    pub(crate) mod policy;
    pub(crate) mod ranked;
    pub(crate) mod reports;
    pub(crate) mod requests;
    pub(crate) mod review;
    pub(crate) mod revisions;
    pub(crate) mod rules;
    pub(crate) mod standings;
    pub(crate) mod subjects;
    pub(crate) mod text;
    pub(crate) mod threads;
    pub(crate) mod tokens;
    pub(crate) mod tombstones;
    pub(crate) mod transfer;
    pub(crate) mod upkeep;
    pub(crate) mod verdicts;
    pub(crate) mod walks;
    pub(crate) mod watching;
}

fn main() -> anyhow::Result<()> {
    let groups = [
        api::admin::CASES,
        api::comments::CASES,
        api::edits::CASES,
        api::evaluations::CASES,
        api::events::CASES,
        api::floors::CASES,
        api::histories::CASES,
        api::infrastructure::CASES,
        api::input::CASES,
        api::likes::CASES,
        api::lists::CASES,
        api::masks::CASES,
        api::modes::CASES,
        api::notices::CASES,
        api::policy::CASES,
        api::ranked::CASES,
        api::reports::CASES,
        api::requests::CASES,
        api::review::CASES,
        api::revisions::CASES,
        api::rules::CASES,
        api::standings::CASES,
        api::subjects::CASES,
        api::text::CASES,
        api::threads::CASES,
        api::tokens::CASES,
        api::tombstones::CASES,
        api::transfer::CASES,
        api::upkeep::CASES,
        api::verdicts::CASES,
        api::walks::CASES,
        api::watching::CASES,
    ];
    riposte_tests::suite::run(&groups)?.exit()
}
