"""The Python SDK of Riposte: the messages and stubs of ``riposte.v1``, generated and checked in, and a thin client over
them. ``riposte.aio`` is its asyncio twin.

    c = riposte.from_env()
    s = c.subject("article", "42")
    p = s.comment("m7", "Hi")
    p.like("m9")
    for x in s.comments(sort="hot"):
        print(x.comment.content.text)
"""

from riposte._client import Client
from riposte._error import Error, Violation
from riposte._generated import errors
from riposte._generated.errors import *  # noqa: F403
from riposte._generated.handles import Comment, Subject
from riposte._generated.reasons import Reason
from riposte._options import Options
from riposte._pages import Pages, PageWalk
from riposte._watch import Watch

__all__ = (
    "Client",
    "Comment",
    "Error",
    "Options",
    "PageWalk",
    "Pages",
    "Reason",
    "Subject",
    "Violation",
    "Watch",
    "connect",
    "from_env",
    *errors.__all__,
)

connect = Client.connect
from_env = Client.from_env
