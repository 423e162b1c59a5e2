"""A real browser: Debian's chromium without a display, driven through the DevTools protocol on a pipe."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

# Of the keys that the tests press: code, virtual key code, text.
KEYS = {"Tab": ("Tab", 9, None), "Enter": ("Enter", 13, "\r"), " ": ("Space", 32, " "), "Escape": ("Escape", 27, None)}
WIDTHS = {"narrow": (320, 480), "phone": (360, 640), "wide": (1280, 800)}


class Failed(Exception):
    """What the protocol or the page answered in place of a result."""


class Chromium:
    """`environment` is added to its own. `policies` are what an administrator would set; only root can have them, for
    this browser alone."""

    def __init__(self, environment=(), policies=None):
        self._profile = tempfile.mkdtemp(prefix="scened-chromium-")
        prefix = self._governed(policies) if policies else []
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()

        def place():
            # The browser reads at 3 and writes at 4; first out of the way of each other.
            moved = os.dup(theirs_in), os.dup(theirs_out)
            for number, descriptor in zip((3, 4), moved):
                os.dup2(descriptor, number)
        self._process = subprocess.Popen(
            [*prefix, "/usr/bin/chromium", "--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--no-first-run",
             "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
             "--disable-sync", "--disable-default-apps", "--disable-extensions", "--no-proxy-server",
             "--force-prefers-reduced-motion", f"--user-data-dir={self._profile}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=place,
            close_fds=False, env={"HOME": self._profile, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **dict(environment)})
        for descriptor in (theirs_in, theirs_out):
            os.close(descriptor)
        self._number, self._received = 0, bytearray()
        self.events = []

    def _governed(self, policies):
        """What starts a program in a mount namespace with these policies in place."""
        settings = os.path.join(self._profile, "etc")
        os.makedirs(os.path.join(settings, "policies", "managed"))
        with open(os.path.join(settings, "policies", "managed", "test.json"), "w") as file:
            json.dump(policies, file)
        return ["unshare", "--mount", "--propagation", "private", "sh", "-ec",
                'mount --bind "$0" /etc/chromium; exec "$@"', settings]

    def call(self, method, session=None, timeout=40, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + timeout
        while True:
            answer = self._receive(deadline, method)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise Failed(f"{method}: {answer['error']}")
                return answer["result"]

    def _receive(self, deadline, what):
        while (end := self._received.find(b"\0")) < 0:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._in], [], [], left)[0]:
                raise TimeoutError(f"no answer to {what}")
            chunk = os.read(self._in, 1 << 16)
            if not chunk:
                raise Failed("chromium is gone")
            self._received += chunk
        message = json.loads(self._received[:end])
        del self._received[: end + 1]
        if "method" in message:
            self.events.append(message)
        return message

    def window(self, width="wide", dark=False, language="en", scripts=True):
        return Window(self, width, dark, language, scripts)

    def stop(self):
        try:
            self.call("Browser.close", timeout=10)
            self._process.wait(10)
        except (Failed, OSError, TimeoutError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        os.close(self._out)
        shutil.rmtree(self._profile, ignore_errors=True)


class Window:
    """One window of a profile of its own: other windows' cookies are not here."""

    def __init__(self, browser, width, dark, language, scripts):
        self._browser = browser
        self._context = browser.call("Target.createBrowserContext")["browserContextId"]
        target = browser.call("Target.createTarget", url="about:blank", browserContextId=self._context)["targetId"]
        self._session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        agent = browser.call("Browser.getVersion")["userAgent"]
        self.call("Emulation.setUserAgentOverride", userAgent=agent, acceptLanguage=language)
        self.look(width, dark)
        if not scripts:
            self.call("Emulation.setScriptExecutionDisabled", value=True)

    def call(self, method, **parameters):
        return self._browser.call(method, self._session, **parameters)

    def look(self, width, dark, media="screen", **features):
        """`features` are those of media queries, with _ for -."""
        size = WIDTHS[width]
        self.call("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1,
                  mobile=width != "wide")
        wanted = {"prefers_color_scheme": "dark" if dark else "light", **features}
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": name.replace("_", "-"), "value": value} for name, value in wanted.items()])

    def text_size(self, pixels):
        """As a reader sets it for all pages; 16 by default."""
        self.call("Page.setFontSizes", fontSizes={"standard": pixels})

    def run(self, expression):
        """A JavaScript expression's value. The protocol may do this where the page may not."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise Failed(f"{expression[:200]}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def open(self, url):
        self.call("Page.navigate", url=url)

    def show(self, url, headers, body):
        """Open the address, with this answer in place of its own."""
        self.call("Fetch.enable", patterns=[{"urlPattern": url}])
        self.run(f"void (location.href = {json.dumps(url)})")
        deadline = time.monotonic() + 40
        # While a page is on its way, the one before answers nothing.
        while not (paused := [event for event in self._browser.events if event.get("sessionId") == self._session
                              and event["method"] == "Fetch.requestPaused"]):
            self._browser._receive(deadline, f"the request for {url}")
        self.call("Fetch.fulfillRequest", requestId=paused[-1]["params"]["requestId"], responseCode=200,
                  responseHeaders=[{"name": name, "value": value} for name, value in headers.items()],
                  body=base64.b64encode(body).decode())
        self.call("Fetch.disable")

    def wait(self, condition, what="", timeout=40):
        """Until the expression is true on a page that is loaded, whichever page that is by then."""
        deadline = time.monotonic() + timeout
        while True:
            try:
                value = self.run(f"document.readyState === 'complete' && ({condition})")
            except Failed:
                value = False  # between two pages
            if value:
                return value
            if time.monotonic() > deadline:
                raise TimeoutError(f"no {what or condition} at {self.address}: {self.text}")
            time.sleep(0.05)

    def shows(self, text):
        self.wait(f"document.body && document.body.innerText.includes({json.dumps(text)})", f"'{text}'")

    @property
    def text(self):
        return self.run("document.body ? document.body.innerText : ''")

    @property
    def address(self):
        return self.run("location.href")

    def has(self, selector):
        return self.run(f"document.querySelector({json.dumps(selector)}) !== null")

    def style(self, selector, name, pseudo=None):
        """A computed style."""
        return self.run(f"getComputedStyle(document.querySelector({json.dumps(selector)})).{name}")

    def click(self, selector):
        """With the pointer, where the element is seen."""
        x, y = self.wait(
            f"(e => {{ if (!e) return false; e.scrollIntoView({{block: 'center'}}); const r = e.getBoundingClientRect();"
            f" return [r.x + r.width / 2, r.y + r.height / 2] }})(document.querySelector({json.dumps(selector)}))",
            selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def follow(self, selector):
        """Click, and wait for the next page, be it the same one again."""
        self.wait("(document.documentElement.dataset.former = 'yes')")
        self.click(selector)
        self.wait("document.documentElement.dataset.former === undefined", f"page behind {selector}")

    def fill(self, selector, text):
        self.click(selector)
        self.run(f"document.querySelector({json.dumps(selector)}).select()")
        self.type(text)

    def type(self, text):
        for character in text:
            self.call("Input.dispatchKeyEvent", type="keyDown", text=character, key=character)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=character)

    def press(self, key):
        code, number, text = KEYS[key]
        more = {"text": text} if text else {}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", key=key, code=code,
                  windowsVirtualKeyCode=number, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=code, windowsVirtualKeyCode=number)

    def tab_to(self, selector, is_ours=True):
        """With the keyboard alone; on our pages, what has the focus has to show it."""
        for _ in range(40):
            if self.run(f"document.activeElement.matches({json.dumps(selector)})") and not is_ours:
                return
            self.press("Tab")
            if self.run(f"document.activeElement.matches({json.dumps(selector)})"):
                outline = self.run("getComputedStyle(document.activeElement).outlineStyle")
                assert outline != "none" or not is_ours, f"nothing shows that {selector} has the focus"
                return
        raise AssertionError(f"{selector} cannot be reached by Tab: {self.text}")

    def picture(self, path):
        """Of the whole page, further down than the window shows, too."""
        width, height = self.run("(e => [e.scrollWidth, Math.max(e.scrollHeight, innerHeight)])(document.documentElement)")
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        taken = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        with open(path, "wb") as file:
            file.write(base64.b64decode(taken["data"]))

    def complaints(self):
        """What the pages have that their Content-Security-Policy does not let them."""
        return [event["params"]["entry"]["text"] for event in self._browser.events
                if event.get("sessionId") == self._session and event["method"] == "Log.entryAdded"
                and "Content Security Policy" in event["params"]["entry"]["text"]]

    def close(self):
        self._browser.call("Target.disposeBrowserContext", browserContextId=self._context)
