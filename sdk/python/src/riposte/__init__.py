"""The Python SDK of Riposte: the messages and stubs of ``riposte.v1``, generated and checked in, and a thin client over
them. ``riposte.aio`` is its asyncio twin.

    c = riposte.from_env()
    s = c.subject("article", "42")
    p = s.comment("m7", "Hi")
    p.like("m9")
    for x in s.comments(sort="hot"):
        print(x.comment.content.text)
"""

from riposte._client import Client as Client
from riposte._error import Error as Error
from riposte._error import Violation as Violation
from riposte._generated.errors import *  # noqa: F403
from riposte._generated.handles import Comment as Comment
from riposte._generated.handles import Subject as Subject
from riposte._generated.options import Options as Options
from riposte._generated.reasons import Reason as Reason
from riposte._pages import Pages as Pages
from riposte._pages import PageWalk as PageWalk
from riposte._watch import Watch as Watch

connect = Client.connect
from_env = Client.from_env
