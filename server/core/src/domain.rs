//! The domain: subjects, comments, likes, their rules and the ids, errors and events that name
//! them. No module here depends on another part of the crate.

pub mod account_rules;
pub mod act;
pub mod appeal;
mod blank;
pub mod caller;
pub mod checked_text;
pub mod comment;
pub mod content;
pub mod counts;
pub mod decision;
pub mod disposition;
pub mod error;
pub mod evaluation;
pub mod event;
pub mod feed;
pub mod ids;
pub mod lifecycle;
pub mod like;
pub mod location;
pub mod member;
pub mod object_type;
pub mod origin;
pub mod page;
pub mod path;
pub mod policy_judgement;
pub mod proposal;
pub mod rank;
pub mod report;
pub mod request;
pub mod review;
pub mod search;
pub mod standing;
pub mod state;
pub mod subject;
pub mod time;
