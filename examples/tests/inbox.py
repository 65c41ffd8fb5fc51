"""The test of examples/inbox: no notice is lost and none comes twice, though the program is killed
while comments are written; and what is hidden or deleted leaves the inbox.

    python inbox.py RIPOSTE

It runs with the Python of the example, which has the SDK.
"""

import contextlib
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import riposte_sdk
from back_end import EXAMPLES, riposte, until
from riposte_sdk import v1

KILLS = 5
COMMENTS = 8
PROGRAM = [sys.executable, str(EXAMPLES / "inbox" / "main.py")]


class Inbox:
    """The program under test."""

    def __init__(self, target: str, folder: Path) -> None:
        self._environment = os.environ | {"RIPOSTE_TARGET": target}
        self._store = folder / "inbox.db"
        self._log = folder / "inbox.log"

    @contextlib.contextmanager
    def following(self) -> Iterator[None]:
        """The program, until it is killed."""
        command = [*PROGRAM, "follow", str(self._store), "video"]
        with self._log.open("a") as log, subprocess.Popen(command, env=self._environment, stderr=log) as process:
            try:
                yield
            finally:
                process.kill()

    def has_begun(self) -> bool:
        """Whether the program has stored a place, so that it misses nothing from now on."""
        with contextlib.suppress(sqlite3.OperationalError), contextlib.closing(sqlite3.connect(self._store)) as store:
            return store.execute("SELECT token FROM place").fetchone() is not None
        return False

    def stored(self) -> int:
        """How many notices the program has stored."""
        with contextlib.closing(sqlite3.connect(self._store)) as store:
            count: int = store.execute("SELECT COUNT(*) FROM notice").fetchone()[0]
            return count

    def shown(self, member: str) -> list[tuple[str, str]]:
        """The reasons and texts of a member's inbox."""
        command = [*PROGRAM, "show", str(self._store), member]
        written = subprocess.run(command, env=self._environment, check=True, capture_output=True, text=True).stdout
        lines = [json.loads(line) for line in written.splitlines()]
        return [(line["reason"], line["text"]) for line in lines]


def check(client: riposte_sdk.Client, inbox: Inbox) -> None:
    subject = client.subject("video", "1")
    with inbox.following():
        until("the begin of the inbox", inbox.has_begun)
    # Nobody follows here: the program goes on behind its token.
    root = subject.comment("ann", "the first")
    expected = []
    for kill in range(KILLS):
        before = inbox.stored()
        with inbox.following():
            for number in range(COMMENTS):
                text = f"reply {kill}.{number}"
                root.reply("ben", text)
                expected.append(("REPLY", text))
            # It is killed while it stores the notices.
            until("a notice", lambda: inbox.stored() > before)
    content = v1.Content(text="hello, ann and carl", mentioned_member_ids=["ann", "carl"])
    mention = v1.CreateCommentRequest(subject=subject.key, member_id="ben", content=content)
    mentioning = client.comments.CreateComment(mention).comment.id
    expected.append(("MENTION", content.text))
    with inbox.following():
        until("every notice", lambda: inbox.shown("ann")[::-1] == expected)
        assert inbox.shown("carl") == expected[-1:]
        assert inbox.shown("ben") == [], "an author is not notified"
        client.comment(mentioning).delete("ben")
        until("the end of a notice", lambda: inbox.shown("carl") == [])
        assert inbox.shown("ann")[::-1] == expected[:-1]
        client.comments.UndeleteComment(v1.UndeleteCommentRequest(id=mentioning, member_id="ben"))
        until("the return of a notice", lambda: inbox.shown("carl") == expected[-1:])


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, riposte(sys.argv[1], Path(folder)) as addresses:
        target = addresses["grpc"]
        with riposte_sdk.Client(riposte_sdk.Options(target=target)) as client:
            check(client, Inbox(target, Path(folder)))
    print("the inbox has every notice once")


if __name__ == "__main__":
    main()
