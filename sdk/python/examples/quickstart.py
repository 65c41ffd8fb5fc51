"""The five lines of the README, against the server that ``RIPOSTE_TARGET`` names."""

# [quickstart]
import riposte_sdk

c = riposte_sdk.from_env()
s = c.subject("article", "42")
p = s.comment("m7", "Hi")
p.like("m9")
for x in s.comments(sort="hot"):
    print(x.comment.content.text)
# [quickstart]
