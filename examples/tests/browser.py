"""Tries an example of a web back end with two browsers, against a `riposte dev` of its own.

    python3 browser.py --riposte PROGRAM [--screenshots FOLDER] NAME COMMAND …

The command starts the back end in the folder of the example. Needs chromium and chromedriver.
"""

import argparse
import contextlib
import tempfile
import time
import urllib.request
from pathlib import Path

from back_end import BackEnd, riposte, until
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

    def __init__(self, browser: Browser, back_end: BackEnd) -> None:
        self.browser, self._address = browser, f"{back_end.address}/?rain"

    def open(self) -> None:
        self.browser.open("about:blank")
        self.browser.open(self._address)
        self.browser.element("#live.on")
        self.browser.element("#count", "comment")

    def sign_in(self, name: str) -> None:
        find = "return [...document.querySelectorAll('#me option')].find((e) => e.label === arguments[0])"
        self.browser.click(self.browser.wait(f"the user {name}", find, name))
        self.browser.wait(f"the page of {name}", f"{find}?.selected", name)
        self.open()

    def write(self, text: str, below: str = "#top") -> None:
        self.browser.type(self.browser.element(f"{below} textarea"), text)
        self.browser.click(self.browser.element(f"{below} form button"))

    def comment(self, text: str) -> str:
        """Waits for a comment, and returns the selector of its element."""
        card = self.browser.element(".card", text)
        return "#" + self.browser.run("return arguments[0].parentElement.id", card)

    def press(self, comment: str, button: str) -> None:
        self.browser.click(self.browser.element(f"{comment} > .card > .{button}"))

    def texts(self) -> list[str]:
        all = "[...document.querySelectorAll('#list > article > .card .text')]"
        return self.browser.run(f"return {all}.map((e) => e.textContent)")


def shows_pages(ann: Page, bob: Page, back_end: BackEnd) -> None:
    """Comments that others write appear by themselves, and a new page goes through all of them."""
    for text, author in reversed(BEFORE.items()):
        status, made = back_end.call("POST", "videos/rain/comments", author, {"text": text})
        assert status == 200, made
    for page in (ann, bob):
        until("what was written elsewhere", lambda page=page: page.texts() == list(BEFORE))
        page.browser.element("#count", f"{len(BEFORE)} comments")
    bob.open()
    bob.browser.wait("the first page", f"return document.querySelectorAll('article').length === {PAGE_SIZE}")
    bob.browser.click(bob.browser.element(".more", "Show more"))
    bob.browser.wait("the last page", f"return document.querySelectorAll('article').length === {len(BEFORE)}")
    assert sorted(bob.texts()) == sorted(BEFORE), bob.texts()
    bob.browser.wait("the end of the list", "return !document.querySelector('#list > .more')")


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
    bob.press(comment, "reply")
    bob.write("A very old one. My grandfather gave it to me.", f"{comment} > .answer")
    reply = ann.comment("A very old one.")
    assert ann.browser.element(f"{comment} > .replies > {reply}")
    return comment, reply


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
    for number in range(22):
        text = {"text": f"Reply {number} {MARKUP}"}
        assert back_end.call("POST", f"comments/{comment[2:]}/replies", "mo", text)[0] == 200
    ann.open()
    count = f"return document.querySelectorAll('{comment} > .replies > article').length"
    ann.browser.click(ann.browser.element(f"{comment} > .replies > .more", "Show all 22 replies"))
    ann.browser.click(ann.browser.element(f"{comment} > .replies > .more", "Show more"))
    ann.browser.wait("all replies", f"{count} === 22")
    ann.browser.wait("the end of the replies", f"return !document.querySelector('{comment} > .replies > .more')")
    assert ann.browser.element(".text", MARKUP), "texts are shown as they are"
    assert ann.browser.run("return !document.querySelector('.text *') && document.title !== 'hacked'")


def shows_what_went(ann: Page, bob: Page, back_end: BackEnd, comment: str, reply: str) -> None:
    ann.press(comment, "delete")
    for page in (ann, bob):
        page.browser.element(f"{comment} > .card", "Deleted")
    status, refused = back_end.call("POST", f"comments/{reply[2:]}/hide", "ann")
    assert status >= 400 and refused == {"detail": "Only moderators can do this."}, (status, refused)
    bob.sign_in("Mo Diaz")
    bob.press(bob.comment(FIRST), "hide")
    hidden = ann.browser.element(".card", "Hidden by a moderator")
    assert FIRST not in ann.texts(), hidden


def says_what_is_wrong(ann: Page, back_end: BackEnd) -> None:
    ann.write(" ")
    ann.browser.element("#error", "Please write something first.")
    status, refused = back_end.call("POST", "videos/rain/comments", "nobody", {"text": "Hi"})
    assert status >= 400 and refused == {"detail": "Please sign in first."}, (status, refused)
    status, refused = back_end.call("POST", "videos/rain/comments", "ann", {"text": "x" * 5001})
    assert refused == {"detail": "Your comment has 5001 characters, and the limit is 5000."}, (status, refused)


def stops_and_comes_back(ann: Page, bob: Page, back_end: BackEnd) -> float:
    """Returns how long the stop took, in seconds, with the streams of two browsers open."""
    took = back_end.stop()
    ann.browser.element("#live:not(.on)")
    ann.write("Are you there?")
    ann.browser.element("#error", "The server cannot be reached.")
    before = int(ann.browser.run("return parseInt(document.querySelector('#count').textContent)"))
    back_end.start()
    assert back_end.call("POST", "videos/rain/comments", "mo", {"text": "Missed by streams"})[0] == 200
    for page in (ann, bob):
        page.browser.element("#live.on")
        page.browser.element("#count", f"{before + 1} comments")
    assert back_end.call("POST", "videos/rain/comments", "mo", {"text": "I am back."})[0] == 200
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
    shows_pages(ann, bob, back_end)
    assert watches(server.addresses["metrics"]) == 1, "two browsers need one watch"
    comment, reply = shows_what_was_written(ann, bob)
    shows_likes(ann, bob, ann.comment(FIRST))
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
            back_end = BackEnd(chosen.name, chosen.command, targets, folder / "back-end.log")
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
