"""A headless Chromium, driven over its DevTools pipe: nothing but the standard library."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

READ_FD, WRITE_FD = 3, 4  # where Chromium expects its end of the pipe


class BrowserError(Exception):
    pass


class Browser:
    """One program, one page at a time. `problems` gathers everything that the page's console complains of."""

    def __init__(self, program):
        self.problems = []
        self.requests = []
        self._id = 0
        self._events = []
        self._session = None
        self._profile = tempfile.mkdtemp(prefix="bloomery-browser-")
        self._start(program)

    def start_page(self, width, height, scripts=True):
        self.problems.clear()
        self.requests.clear()
        self._target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=self._target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.resize(width, height)
        if not scripts:
            self.call("Emulation.setScriptExecutionDisabled", value=True)

    def end_page(self):
        self._session = None
        self.call("Target.closeTarget", targetId=self._target)

    def _start(self, program):
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()

        def hand_over():  # the pipe's ends become the numbers that Chromium knows, however they were numbered before
            read, write = os.dup(to_read), os.dup(from_write)
            os.dup2(read, READ_FD)
            os.dup2(write, WRITE_FD)

        command = [program, "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu",
                   "--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run",
                   "--force-color-profile=srgb", "--hide-scrollbars", "--user-data-dir=" + self._profile]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                         stderr=subprocess.DEVNULL, preexec_fn=hand_over, close_fds=False,
                                         env={**os.environ, "HOME": self._profile})
        os.close(to_read)
        os.close(from_write)
        self._out, self._in = to_write, from_read
        self._buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._session = None
            self.call("Browser.close", timeout=10)
        except BrowserError:
            pass
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._out)
        os.close(self._in)
        shutil.rmtree(self._profile, ignore_errors=True)

    # The protocol: JSON messages that end in a zero byte.

    def call(self, method, timeout=120, **parameters):
        self._id += 1
        message = {"id": self._id, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data):]
        end = time.monotonic() + timeout
        while True:
            answer = self._next(end)
            if answer.get("id") == self._id:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']}")
                return answer["result"]

    def _next(self, end):
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(0, end - time.monotonic()))
            part = os.read(self._in, 1 << 20) if ready else b""
            if not part:
                raise BrowserError("the browser ended" if ready else "the browser does not answer")
            self._buffer += part
        message, self._buffer = self._buffer.split(b"\0", 1)
        event = json.loads(message)
        self._note(event)
        return event

    def _note(self, event):
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.problems.append(" ".join(str(a.get("value", a.get("description"))) for a in parameters["args"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.problems.append(parameters["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif method:
            self._events.append(method)

    def _wait_for(self, method, timeout=120):
        end = time.monotonic() + timeout
        while method not in self._events:
            self._next(end)
        self._events.remove(method)

    # What a reader does.

    def open(self, url):
        self._events.clear()
        self.call("Page.navigate", url=url)
        self._wait_for("Page.loadEventFired")

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)

    def dark(self, on=True):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if on else ""}])

    def evaluate(self, expression):
        """The value of JavaScript, awaited if it is a promise."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def point_at(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def picture(self, file, top=0, height=None):
        width = self.call("Page.getLayoutMetrics")["cssLayoutViewport"]["clientWidth"]
        clip = {"x": 0, "y": top, "width": width, "height": height or 900, "scale": 1}
        shot = self.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
        with open(file, "wb") as out:
            out.write(base64.b64decode(shot["data"]))

    def pdf(self, file):
        with open(file, "wb") as out:
            out.write(base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"]))
