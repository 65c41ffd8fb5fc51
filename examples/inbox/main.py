"""An inbox for the members of an application, made from the feed of events of Riposte.

    python main.py follow inbox.db video         # keeps the inbox of all members
    python main.py show inbox.db MEMBER          # writes the inbox of a member as JSON lines

The server is that of the variables RIPOSTE_TARGET, RIPOSTE_TOKEN, …; see docs/how-to/inbox.md.
"""

import json
import sqlite3
import sys
from contextlib import closing

import riposte_sdk
from riposte_sdk import v1

SCHEMA = """
    PRAGMA journal_mode = WAL;
    CREATE TABLE IF NOT EXISTS place (id INTEGER PRIMARY KEY CHECK (id = 1), token TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS notice (
        id TEXT PRIMARY KEY, member TEXT NOT NULL, comment INTEGER NOT NULL, reason TEXT NOT NULL, time TEXT NOT NULL
    );
    CREATE INDEX IF NOT EXISTS of_member ON notice (member, comment);
    CREATE TABLE IF NOT EXISTS hidden (comment INTEGER PRIMARY KEY);
"""
GONE = (v1.EVENT_KIND_COMMENT_WITHDRAWN, v1.EVENT_KIND_COMMENT_DELETED)
SHOWN = (v1.EVENT_KIND_COMMENT_PUBLISHED, v1.EVENT_KIND_COMMENT_RESTORED)
EDITED = v1.EVENT_KIND_COMMENT_EDITED
NEWEST = """
    SELECT id, comment, reason, time FROM notice WHERE member = ? AND comment NOT IN hidden
    ORDER BY comment DESC
"""


def opened(path):
    """The database of the inbox."""
    store = sqlite3.connect(path)
    store.executescript(SCHEMA)
    return store


def keep(store, item):
    """Applies an item of the feed, together with the token behind it.

    Both are in one transaction, so a program that is killed goes on with the first item that it has
    not applied. An event that comes again changes nothing: a notice has the same id each time."""
    with store:
        if item.HasField("event"):
            apply(store, item.event)
        store.execute("INSERT OR REPLACE INTO place VALUES (1, ?)", (item.token,))


def apply(store, event):
    """Applies an event: its notices, and whether those of its comment are hidden."""
    time = event.time.ToJsonString()
    for notice in event.notices:
        reason = v1.NoticeReason.Name(notice.reason).removeprefix("NOTICE_REASON_")
        row = (notice.id, notice.member_id, event.comment_id, reason, time)
        store.execute("INSERT OR IGNORE INTO notice VALUES (?, ?, ?, ?, ?)", row)
    if event.kind in GONE:
        store.execute("INSERT OR IGNORE INTO hidden VALUES (?)", (event.comment_id,))
    elif event.kind in SHOWN:
        store.execute("DELETE FROM hidden WHERE comment = ?", (event.comment_id,))


def follow(store, object_types):
    """Follows the feed for ever. The stream resumes by itself while the server is away."""
    place = store.execute("SELECT token FROM place").fetchone()
    feed_filter = v1.EventFilter(object_types=object_types, kinds=[*SHOWN, *GONE, EDITED])
    request = v1.SubscribeRequest(filter=feed_filter, token=place[0] if place else "")
    with riposte_sdk.from_env() as client, client.events.subscribe(request) as feed:
        for item in feed:
            if item.HasField("gap"):
                # The notices of these events are lost. What an inbox shows is right all the same:
                # `show` reads the comments.
                print(f"events are lost: {v1.EventGapReason.Name(item.gap.reason)}", file=sys.stderr, flush=True)
            keep(store, item)


def show(store, member):
    """The notices of a member, the newest first, each with the comment as it is now."""
    notices = store.execute(NEWEST, (member,)).fetchmany(50)
    with riposte_sdk.from_env() as client:
        comments = {comment.id: comment for comment in client.comments_by_id([row[1] for row in notices])}
    for notice, comment_id, reason, time in notices:
        comment = comments.get(comment_id)
        # What was hidden a moment ago has no event here yet, but no text either.
        if comment and comment.state == v1.COMMENT_STATE_ACTIVE:
            shown = {"id": notice, "reason": reason, "time": time, "from": comment.member_id, "text": comment.content.text}
            print(json.dumps(shown))


def main():
    if len(sys.argv) < 4 or sys.argv[1] not in ("follow", "show"):
        sys.exit(__doc__)
    with closing(opened(sys.argv[2])) as store:
        if sys.argv[1] == "show":
            show(store, sys.argv[3])
        else:
            follow(store, sys.argv[3:])


if __name__ == "__main__":
    main()
