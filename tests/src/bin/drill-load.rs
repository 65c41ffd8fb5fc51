//! The load of the drills (`tests/drills`), and the check of its acknowledged comments.

use riposte_tests::drill::{self, Task};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    drill::run(Task::read(std::env::args().skip(1))?).await
}
