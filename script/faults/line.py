"""A line between two processes, as a network is: it can be cut, be dead without saying so, and be slow."""

import asyncio
import contextlib
import itertools
from collections.abc import Sequence

from script.faults.scene import HOST

BLOCK = 65_536


class Connection:
    """One connection of a line. A dead one takes what is sent, passes nothing on, and is not closed."""

    def __init__(self, line: "Line", *writers: asyncio.StreamWriter) -> None:
        self.line, self.writers, self.is_dead = line, writers, False

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while block := await reader.read(BLOCK):
                await asyncio.sleep(self.line.delay_seconds)
                if not self.is_dead:
                    writer.write(block)
                    await writer.drain()
        if not self.is_dead:
            self.abort()

    def abort(self) -> None:
        for writer in self.writers:
            writer.transport.abort()


class Line:
    """Listens on `port`, and connects each caller to the next of these ports, with everything that a line may do."""

    def __init__(self, targets: Sequence[int]) -> None:
        self.turn = itertools.cycle(targets)
        self.delay_seconds = 0.0
        self.connections: set[Connection] = set()
        self.server: asyncio.Server | None = None

    @property
    def port(self) -> int:
        assert self.server is not None
        return int(self.server.sockets[0].getsockname()[1])

    async def open(self) -> None:
        self.server = await asyncio.start_server(self._connect, HOST, 0)

    async def close(self) -> None:
        assert self.server is not None
        self.server.close()
        self.cut()

    def cut(self) -> int:
        """Reset every connection. Returns how many."""
        count = len(self.connections)
        for connection in list(self.connections):
            connection.abort()
        return count

    def go_dead(self) -> int:
        """Pass nothing on any more on the connections that are open, and close none. Returns how many."""
        alive = [connection for connection in self.connections if not connection.is_dead]
        for connection in alive:
            connection.is_dead = True
        return len(alive)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_connection(HOST, next(self.turn))
        except OSError:
            writer.transport.abort()
            return
        connection = Connection(self, writer, back)
        self.connections.add(connection)
        try:
            await asyncio.gather(connection.carry(reader, back), connection.carry(there, writer))
        finally:
            self.connections.discard(connection)
