"""The child process that serves a model file on a free loopback port until its standard input ends.

Run as ``python -m nocturne.llm.local_server``. One line of JSON comes in (model, alias, context,
slots, threads, key); one goes out (url). When whoever started it dies, however suddenly, the
input ends, and so does this process.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

PROMPT_CACHE_MIB = 128


def main() -> None:
    """Load, say where, and stay until nobody listens."""
    wanted = json.loads(sys.stdin.readline())
    server = _serve(wanted)
    sys.stdout.write(json.dumps({"url": server.listening_address}) + "\n")
    sys.stdout.flush()
    while sys.stdin.read(4096):
        continue
    # The engine has nothing to save, and waiting for a generation to end would keep the machine busy.
    os._exit(0)


def _serve(wanted: dict[str, Any]) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = wanted["model"]
    params.model_alias = {wanted["alias"]}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [wanted["key"]]
    params.n_ctx = wanted["context"] * wanted["slots"]
    params.n_parallel = wanted["slots"]
    for cpu in (params.cpuparams, params.cpuparams_batch):
        cpu.n_threads = wanted["threads"]
        cpu.poll = 0
    params.ui = False
    params.cache_ram_mib = PROMPT_CACHE_MIB
    params.offline = True
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main()
