"""A chat server of a fixed service time and a number of places, as small as it can be: clients are measured, not it.

python tests/benchmarks/fixed_server.py SECONDS PLACES      prints its port
"""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

REPLY = "kept: " + "value 42; " * 100


async def serve(service_s: float, slots: int) -> None:
    """Answer every request with the same reply after `service_s` seconds, at most `slots` of them at a time."""
    room = asyncio.Semaphore(slots)
    body = json.dumps({
        "object": "chat.completion", "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": REPLY}}],
        "usage": {"prompt_tokens": 5000, "completion_tokens": 300, "total_tokens": 5300},
    }).encode()  # fmt: skip
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = next((line for line in head.split(b"\r\n") if line.startswith(b"content-length:")), b":0")
                await reader.readexactly(int(length.split(b":")[1]))
                async with room:
                    await asyncio.sleep(service_s)
                writer.write(answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(client, "127.0.0.1", 0, backlog=4096, limit=2**20)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def server(service_s: float, slots: int) -> Iterator[str]:
    """Such a server in a process of its own; its base URL."""
    command = [sys.executable, __file__, str(service_s), str(slots)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.kill()
        process.wait()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1]), int(sys.argv[2])))
