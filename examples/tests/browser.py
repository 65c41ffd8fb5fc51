"""Tries an example of a web back end with two browsers, against a `riposte dev` of its own.

    python3 browser.py --riposte PROGRAM [--screenshots FOLDER] NAME COMMAND …

The command starts the back end in the folder of the example. Needs chromium and chromedriver.
"""

import argparse
import contextlib
import html
import http
import tempfile
import time
import urllib.request
from pathlib import Path

from back_end import BackEnd, FormBackEnd, riposte, until
from webdriver import Browser, Driver

PAGE_SIZE = 5
BEFORE = {
    "The sound of the rain at 2:10 is so calming.": "eva",
    "Where was this filmed? The light is wonderful.": "kim",
    "I come back to this every Sunday.": "eva",
    "Could you add subtitles in Japanese?": "kim",
    "The second half is even better than the first.": "kim",
    "I have shown it to my whole team.": "eva",
    "First!": "eva",
}
FIRST = next(iter(BEFORE))
MARKUP = "<b>bold</b><img src=x onerror=document.title='hacked'>"


class Page:
    """One browser that shows the page, signed in as one user."""

    def __init__(self, browser: Browser, back_end: BackEnd, video: str = "rain") -> None:
        self.browser, self._back_end = browser, back_end
        self._path = back_end.page.replace("rain", video)

    def open(self) -> None:
        self.browser.open("about:blank")
        self.browser.open(self._back_end.address + self._path)
        self.browser.element("#live.on")
        self.browser.element("#count", "comment")

    def sign_in(self, name: str) -> None:
        find = "return [...document.querySelectorAll('#me option')].find((e) => e.label === arguments[0])"
        self.browser.click(self.browser.wait(f"the user {name}", find, name))
        self.browser.wait(f"the page of {name}", f"{find}?.selected", name)
        self.open()

    def write(self, text: str, below: str = "#top") -> None:
        self.browser.type(self.browser.element(f"{below} textarea"), text)
        self.browser.click(self.browser.element(f"{below} button"))

    def comment(self, text: str) -> str:
        """Waits for a comment, and returns the selector of its element."""
        # One script, since the page may be drawn anew between two.
        find = """return [...document.querySelectorAll('.card')].find(
          (e) => e.checkVisibility() && e.textContent.includes(arguments[0]))?.parentElement.id"""
        return "#" + self.browser.wait(f"the comment “{text}”", find, text)

    def ranked(self, text: str) -> str:
        """Loads the page until the ranked list has a comment on page 1, and returns its element.

        A new comment gets its rank seconds later, and a page is read again at a change only.
        """

        def is_on_page() -> bool:
            self.open()
            return text in self.texts()

        until(f"the rank of “{text}”", is_on_page)
        return self.comment(text)

    def replies(self, comment: str) -> str:
        """Returns the selector of what is below a root; that of an element is added to it."""
        return self._back_end.replies.format(comment)

    def press(self, comment: str, button: str) -> None:
        self.browser.click_one(f"{comment} > .card .{button}")

    def texts(self) -> list[str]:
        all = f"[...document.querySelectorAll('{self._back_end.roots} > .card .text')]"
        return self.browser.run(f"return {all}.map((e) => e.textContent)")

    def walk(self) -> list[str]:
        """Goes from page 1 to the end of the list. Returns the texts of all roots."""
        seen = self.texts()
        while self.browser.run("return Boolean(document.querySelector('#list > .more'))"):
            last = self.texts()
            self.browser.click_one("#list > .more", "Show more")
            until("another page", lambda last=last: self.texts() not in ([], last))
            seen = self.texts() if self._back_end.adds_pages else seen + self.texts()
        return seen

    def further(self, button: str, label: str, wanted: list[str]) -> None:
        """Asks for another page of a list, and waits until the last two have all that is wanted.

        The page comes below what the browser shows, or in its place.
        """
        seen = self.browser.run("return [...document.querySelectorAll('.text')].map((e) => e.textContent)")
        self.browser.click_one(button, label)
        all = """const all = [...document.querySelectorAll('.text')].map((e) => e.textContent).concat(arguments[0])
          return arguments[1].every((text) => all.includes(text))"""
        self.browser.wait(f"all of {wanted}", all, seen, wanted)


def shows_pages(ann: Page, bob: Page, back_end: BackEnd) -> None:
    """Comments that others write appear by themselves, and a new page goes through all of them."""
    for text, author in reversed(BEFORE.items()):
        assert back_end.write(author, text) == ""
    for page in (ann, bob):
        until("what was written elsewhere", lambda page=page: sorted(page.texts()) == sorted(BEFORE))
        page.browser.element("#count", f"{len(BEFORE)} comments")
    bob.open()
    bob.browser.wait("the first page", f"return document.querySelectorAll('article').length === {PAGE_SIZE}")
    bob.further("#list > .more", "Show more", list(BEFORE))
    bob.browser.wait("the end of the list", "return !document.querySelector('#list > .more')")
    bob.open()


def shows_what_was_written(ann: Page, bob: Page) -> tuple[str, str]:
    """Returns the elements of a new comment and of its reply."""
    text = "What camera is this?"
    ann.write(text)
    comment = ann.comment(text)
    assert bob.comment(text) == comment
    for page in (ann, bob):
        assert page.texts()[0] == text
    ann.open()
    # Ranked lists know it seconds later, but not for its author.
    assert ann.texts()[0] == text, ann.texts()
    walked = ann.walk()
    assert sorted(walked) == sorted([text, *BEFORE]), walked
    ann.open()
    bob.press(comment, "reply")
    bob.write("A very old one. My grandfather gave it to me.", f"{comment} .answer")
    reply = ann.comment("A very old one.")
    assert ann.browser.element(ann.replies(comment) + reply)
    return comment, reply


def shows_what_was_just_made(ann: Page, back_end: BackEnd) -> None:
    """Page 1 of a new video has all comments, new ones last. Their author has them first."""
    texts = ["One", "Two", "Three", "Four"]
    for text in texts:
        ann.write(text)
        comment = ann.comment(text)
        ann.open()
        assert ann.texts()[0] == text, ann.texts()
    assert sorted(ann.texts()) == sorted(texts), ann.texts()
    assert len(ann.browser.cookie("made").split(".")) == 3, "what a session keeps is bounded"
    ann.press(comment, "like")
    for _ in range(2):
        ann.browser.element(f"{comment} > .card > .liked", "♥ 1")
        ann.open()
    ann.press(comment, "like")
    for _ in range(2):
        ann.browser.element(f"{comment} > .card > .like:not(.liked)", "♥ 0")
        ann.open()
    assert back_end.reply(comment[2:], "mo", "Five") == ""
    ann.comment("Five")
    assert (missing := ann.browser.missing()) == [], missing


def shows_likes(ann: Page, bob: Page, comment: str) -> None:
    bob.press(comment, "like")
    bob.browser.element(f"{comment} > .card > .liked", "♥ 1")
    ann.open()
    ann.browser.element(f"{comment} > .card > .like:not(.liked)", "♥ 1")
    ann.press(comment, "like")
    ann.browser.element(f"{comment} > .card > .liked", "♥ 2")
    ann.open()
    ann.browser.element(f"{comment} > .card > .liked", "♥ 2")
    ann.press(comment, "like")
    ann.browser.element(f"{comment} > .card > .like:not(.liked)", "♥ 1")


def walks_replies(ann: Page, back_end: BackEnd, comment: str) -> None:
    replies = [f"Reply {number} {MARKUP}" for number in range(22)]
    for text in replies:
        assert back_end.reply(comment[2:], "mo", text) == ""
    ann.open()
    more = back_end.more.format(comment)
    ann.further(more, "All replies (22)", replies[:20])
    ann.further(more, "Show more", replies)
    ann.browser.wait("the end of the replies", "return !document.querySelector(arguments[0])", more)
    assert ann.browser.element(".text", MARKUP), "texts are shown as they are"
    assert ann.browser.run("return !document.querySelector('.text *') && document.title !== 'hacked'")
    ann.open()


def shows_what_went(ann: Page, bob: Page, back_end: BackEnd, comment: str, reply: str) -> None:
    ann.press(comment, "delete")
    for page in (ann, bob):
        until("the end of what was deleted", lambda page=page: "What camera is this?" not in page.texts())
    # It has a reply, so the list keeps its place.
    ann.open()
    gone = "return [...document.querySelectorAll('.gone')].some((e) => e.textContent.startsWith('Deleted'))"
    assert ann.browser.run(gone) or ann.walk() and ann.browser.run(gone)
    ann.open()
    assert back_end.hide(reply[2:], "ann") == "Only moderators can do this."
    bob.sign_in("Mo Diaz")
    bob.press(bob.comment(FIRST), "hide")
    for page in (ann, bob):
        until("the end of what was hidden", lambda page=page: FIRST not in page.texts())


def says_what_is_wrong(ann: Page, back_end: BackEnd) -> None:
    ann.write(" ")
    ann.browser.element("#error", "Please write something first.")
    assert back_end.write("nobody", "Hi") == "Please sign in first."
    assert back_end.write("ann", "x" * 5001) == "Your comment has 5001 characters, and the limit is 5000."
    for path, message in back_end.refused.items():
        status, answer = back_end.request("GET", path, {"x-member": "ann"})
        assert status == http.HTTPStatus.BAD_REQUEST and message in html.unescape(answer), (path, status, answer)


def stops_and_comes_back(ann: Page, bob: Page, back_end: BackEnd) -> float:
    """Returns how long the stop took, in seconds, with the streams of two browsers open."""
    took = back_end.stop()
    ann.browser.element("#live:not(.on)")
    ann.write("Are you there?")
    ann.browser.element("#error", "The server cannot be reached.")
    before = int(ann.browser.run("return parseInt(document.querySelector('#count').textContent)"))
    back_end.start()
    assert back_end.write("mo", "Missed by streams") == ""
    for page in (ann, bob):
        page.browser.element("#live.on")
        page.browser.element("#count", f"{before + 1} comments")
    assert back_end.write("mo", "I am back.") == ""
    for page in (ann, bob):
        page.comment("I am back.")
    return took


def shows_that_data_is_gone(ann: Page, bob: Page) -> None:
    """A new server has an empty database, as one whose backup was restored has an older one."""
    for page in (ann, bob):
        page.browser.element("#count", "0 comments")
        page.browser.element("#live.on")
        page.browser.wait("an empty page", "return !document.querySelector('#list article')")


class Server:
    """The server of the test, which can be replaced by an empty one at its address."""

    def __init__(self, program: str, folder: Path) -> None:
        self._program, self._folder, self._running = program, folder, contextlib.ExitStack()
        self.addresses = self._running.enter_context(riposte(program, folder))

    def replace(self) -> None:
        self.close()
        again = riposte(self._program, self._folder, self.addresses["grpc"])
        self.addresses = self._running.enter_context(again)

    def close(self) -> None:
        self._running.close()


def watches(address: str) -> int:
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=10) as response:
        lines = response.read().decode().splitlines()
    return sum(int(float(line.split()[-1])) for line in lines if line.startswith("riposte_watch_streams"))


def tries(server: Server, back_end: BackEnd, browsers: list[Browser], screenshots: Path | None) -> None:
    ann, bob = (Page(browser, back_end) for browser in browsers)
    ann.open()
    bob.open()
    ann.sign_in("Ann Lee")
    bob.sign_in("Bob Ito")
    quiet = Page(browsers[0], back_end, "quiet")
    quiet.open()
    shows_what_was_just_made(quiet, back_end)
    ann.open()
    shows_pages(ann, bob, back_end)
    # A page that was left before has a stream until the back end sees its end.
    until("one watch for two browsers", lambda: watches(server.addresses["metrics"]) == 1)
    comment, reply = shows_what_was_written(ann, bob)
    shows_likes(ann, bob, ann.ranked(FIRST))
    if screenshots:
        bob.browser.screenshot(screenshots / "comments.png")
    shows_what_went(ann, bob, back_end, comment, reply)
    if screenshots:
        bob.browser.screenshot(screenshots / "comments-moderator.png")
    walks_replies(ann, back_end, ann.comment("Where was this filmed?"))
    says_what_is_wrong(ann, back_end)
    took = stops_and_comes_back(ann, bob, back_end)
    print(f"{back_end.name}: stopped within {took:.2f} s with streams open")
    server.replace()
    shows_that_data_is_gone(ann, bob)
    for browser in browsers:
        browser.open("about:blank")
    until("the end of the watch", lambda: watches(server.addresses["metrics"]) == 0)
    back_end.stop()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--riposte", required=True, help="the program `riposte`")
    arguments.add_argument("--screenshots", type=Path, help="write the pictures of the documents to this folder")
    arguments.add_argument("name", help="the folder of the example")
    arguments.add_argument("command", nargs="+", help="starts the back end")
    chosen = arguments.parse_args()
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        server = Server(chosen.riposte, folder)
        with contextlib.closing(server), Driver(folder / "driver.log") as driver:
            targets = {"RIPOSTE_TARGET": server.addresses["grpc"], "RIPOSTE_ADMIN_TARGET": server.addresses["admin"]}
            kind = FormBackEnd if chosen.name == "web-go" else BackEnd
            back_end = kind(chosen.name, chosen.command, targets, folder / "back-end.log")
            browsers = [Browser(driver, folder / name) for name in ("ann", "bob")]
            try:
                back_end.start()
                tries(server, back_end, browsers, chosen.screenshots)
            except BaseException:
                print((folder / "back-end.log").read_text()[-4000:])
                raise
            finally:
                if back_end.process and back_end.process.poll() is None:
                    back_end.process.kill()
                for browser in browsers:
                    browser.quit()
    print(f"{chosen.name}: passed in {time.monotonic() - start:.1f} s")


if __name__ == "__main__":
    main()
