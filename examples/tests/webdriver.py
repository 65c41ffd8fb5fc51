"""A client of WebDriver over plain HTTP, as small as the test of the examples needs it."""

import base64
import json
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

from back_end import Failed

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
LONGEST_WAIT_S = 20.0


class Driver:
    """A chromedriver on a free port of this machine. Use it in ``with``."""

    def __init__(self, log: Path) -> None:
        # The port that it finds for IPv4 may be taken for IPv6; then it finds another one.
        for _ in range(5):
            with log.open("a") as output:
                command, pipe = ["chromedriver", "--port=0"], subprocess.PIPE
                self._process = subprocess.Popen(command, stdout=pipe, stderr=output, text=True)
            assert self._process.stdout
            for line in self._process.stdout:
                if "started successfully on port" in line:
                    self.address = f"http://127.0.0.1:{line.split()[-1].rstrip('.')}"
                    return
            self._process.wait()
        raise Failed(f"chromedriver does not start:\n{log.read_text()}")

    def __enter__(self) -> "Driver":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()


class Browser:
    """A headless Chromium with a profile of its own: its own cookies and connections."""

    def __init__(self, driver: Driver, profile: Path) -> None:
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        arguments += ["--disable-extensions", "--disable-background-networking", "--no-first-run"]
        arguments += ["--window-size=760,900", "--hide-scrollbars", f"--user-data-dir={profile}"]
        capabilities = {"browserName": "chrome", "goog:chromeOptions": {"args": arguments}}
        # The page keeps a stream open, so no load is waited for: the elements are.
        capabilities["pageLoadStrategy"] = "none"
        capabilities["goog:loggingPrefs"] = {"browser": "ALL"}
        self._address = driver.address + "/session"
        made = self._call("POST", "", {"capabilities": {"alwaysMatch": capabilities}})
        self._address += "/" + made["sessionId"]

    def _call(self, method: str, path: str, body: object = None) -> object:
        data = None if method == "GET" else json.dumps(body or {}).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self._address + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise Failed(json.load(error)["value"]["message"]) from None

    def open(self, address: str) -> None:
        self._call("POST", "/url", {"url": address})

    def cookie(self, name: str) -> str:
        return self._call("GET", f"/cookie/{name}")["value"]

    def missing(self) -> list[str]:
        """What the browser has asked for and not found since the last call."""
        entries = self._call("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if "status of 404" in entry["message"]]

    def run(self, script: str, *arguments: object) -> object:
        return self._call("POST", "/execute/sync", {"script": script, "args": arguments})

    def quit(self) -> None:
        self._call("DELETE", "")

    def screenshot(self, path: Path) -> None:
        self.run("scrollTo(0, 0)")
        path.write_bytes(base64.b64decode(self._call("GET", "/screenshot")))

    def wait(self, what: str, script: str, *arguments: object) -> object:
        """Waits until a script answers something true, and returns it."""
        end, last = time.monotonic() + LONGEST_WAIT_S, None
        while time.monotonic() < end:
            try:
                if last := self.run(script, *arguments):
                    return last
            except Failed as error:  # the page is changing
                last = error
            time.sleep(0.03)  # between two looks at the condition
        text = self.run("return document.body.innerText")
        raise Failed(f"{what} did not come within {LONGEST_WAIT_S} s (last: {last}). The page shows:\n{text}")

    def element(self, css: str, text: str = "") -> dict:
        """Waits for a visible element that contains a text."""
        script = """return [...document.querySelectorAll(arguments[0])].find(
          (e) => e.checkVisibility() && e.textContent.includes(arguments[1]))"""
        return self.wait(f"{css} with “{text}”", script, css, text)

    def click(self, element: dict) -> None:
        self.run("arguments[0].scrollIntoView({ block: 'center' })", element)
        self._call("POST", f"/element/{element[ELEMENT]}/click")

    def click_one(self, css: str, text: str = "") -> None:
        """Clicks on an element, or on the one in its place if the page was drawn anew."""
        try:
            self.click(self.element(css, text))
        except Failed as error:
            if "stale element" not in str(error):
                raise
            self.click(self.element(css, text))

    def type(self, element: dict, text: str) -> None:
        self._call("POST", f"/element/{element[ELEMENT]}/value", {"text": text})
