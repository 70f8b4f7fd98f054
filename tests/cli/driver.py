"""Several command lines in one process, which has numpy, scipy and matplotlib to import once."""

from __future__ import annotations

DRIVER = """
import io, json, sys
from steelyard.cli.main import main

ended = []
for arguments in json.load(sys.stdin):
    sys.argv = ["steelyard", *arguments]
    sys.stdout, sys.stderr = streams = [io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2)]
    try:
        main()
    except SystemExit as done:
        [stream.flush() for stream in streams]
        ended.append([done.code, *(stream.buffer.getvalue().decode() for stream in streams)])
json.dump(ended, sys.__stdout__)
"""
