//! What commands do to the rows of a batch, run against the smallest store there can be. Every batch of every test
//! is counted again from its rows.

mod audit;
mod batches;
mod imports;
mod likes;
mod refusals;
mod repeats;
mod scene;
mod subjects;
mod threads;
mod verbs;
mod walk;
