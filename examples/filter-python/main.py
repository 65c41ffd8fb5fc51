"""A filter for Riposte: it holds texts with a link, and rejects texts with a word of a list."""

import sys
from concurrent.futures import ThreadPoolExecutor

import grpc
from riposte_sdk.filter import v1

HOLD, REJECT, ALLOW = v1.FILTER_OUTCOME_HOLD, v1.FILTER_OUTCOME_REJECT, v1.FILTER_OUTCOME_ALLOW


class Filter(v1.FilterServiceServicer):
    def __init__(self, words):
        self.words = words

    def CheckContents(self, request, context):
        # Each item is answered, in order, with its key.
        return v1.CheckContentsResponse(verdicts=[self.verdict(item) for item in request.items])

    def verdict(self, item):
        text = item.text.lower()
        outcome, code = ALLOW, ""
        if "https://" in text or "http://" in text:
            outcome, code = HOLD, "link"
        if any(word in text for word in self.words):
            outcome, code = REJECT, "word"
        return v1.ContentVerdict(key=item.key, outcome=outcome, code=code, provider="filter-python", model_version="1")


if __name__ == "__main__":
    # Without the option, a second filter would share the port of the first one.
    server = grpc.server(ThreadPoolExecutor(8), options=[("grpc.so_reuseport", 0)])
    v1.add_FilterServiceServicer_to_server(Filter(sys.argv[2:]), server)
    port = server.add_insecure_port(sys.argv[1])
    server.start()
    print(f"filter at port {port}", flush=True)
    try:
        server.wait_for_termination()
    except KeyboardInterrupt:
        server.stop(grace=1).wait()
