//! The effects of commands on the rows of a batch, run against a minimal store. After every batch
//! the counts are checked against the rows.

mod audit;
mod batches;
mod fixture;
mod gate;
mod imports;
mod likes;
mod notices;
mod outcomes;
mod rejections;
mod repeats;
mod subjects;
mod threads;
mod verbs;
mod walk;
