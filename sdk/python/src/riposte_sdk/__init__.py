"""The Python SDK of Riposte: the messages and stubs of ``riposte_sdk.v1``, generated and checked
in, and a thin client over them. ``riposte_sdk.aio`` is its asyncio twin.

    c = riposte_sdk.from_env()
    s = c.subject("article", "42")
    p = s.comment("m7", "Hi")
    p.like("m9")
    for x in s.comments(sort="hot"):
        print(x.comment.content.text)
"""

from riposte_sdk._client import Client as Client
from riposte_sdk._error import Error as Error
from riposte_sdk._error import Violation as Violation
from riposte_sdk._generated.errors import *  # noqa: F403
from riposte_sdk._generated.handles import Comment as Comment
from riposte_sdk._generated.handles import CommentPage as CommentPage
from riposte_sdk._generated.handles import Member as Member
from riposte_sdk._generated.handles import ReplyPage as ReplyPage
from riposte_sdk._generated.handles import Subject as Subject
from riposte_sdk._generated.handles import Thread as Thread
from riposte_sdk._generated.handles import ThreadPage as ThreadPage
from riposte_sdk._generated.listeners import Listener as Listener
from riposte_sdk._generated.options import Options as Options
from riposte_sdk._generated.reasons import Reason as Reason
from riposte_sdk._json import to_json as to_json
from riposte_sdk._pages import Pages as Pages
from riposte_sdk._pages import PageWalk as PageWalk
from riposte_sdk._watch import Watch as Watch

connect = Client.connect
from_env = Client.from_env
