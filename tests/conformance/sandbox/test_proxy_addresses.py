"""Which addresses of a listed name the proxy of a sandbox connects to: the owner of the name decides what they are."""

import asyncio
from collections.abc import Sequence

import pytest

from shiftwork.adapters.sandbox.network.proxy import Pass, Proxy
from shiftwork.domain.network.hosts import Host
from tests.patience import SECONDS

NOWHERE = "2000::1"
"""A public address that was never given to anybody."""


@pytest.mark.parametrize("addresses", [("127.0.0.1", NOWHERE), (NOWHERE, "127.0.0.1")])
def test_a_public_address_beside_it_opens_no_way_to_this_machine(addresses: Sequence[str]) -> None:
    async def check() -> None:
        reached: list[object] = []

        def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            reached.append("a service of this machine")
            writer.close()

        async with await asyncio.start_server(serve, "127.0.0.1", 0) as service:
            port = service.sockets[0].getsockname()[1]
            given = Pass(hosts=(Host(name="owner.example", port=port, below=True),), table="sandbox.agents")
            proxy = Proxy(given, reached.append, lambda _: addresses)
            async with await asyncio.start_server(proxy.answer, "127.0.0.1", 0) as door:
                reader, writer = await asyncio.open_connection(*door.sockets[0].getsockname())
                writer.write(f"CONNECT any.owner.example:{port} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
                answer = await asyncio.wait_for(reader.readline(), SECONDS)
                writer.close()
                await proxy.close()
        assert answer == b"HTTP/1.1 502 Refused by Shiftwork\r\n"
        assert reached == []

    asyncio.run(check())
