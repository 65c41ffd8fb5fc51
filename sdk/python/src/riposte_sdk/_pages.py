from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from riposte_sdk._arguments import check_options

Page = TypeVar("Page")
Walk = TypeVar("Walk")
Item = TypeVar("Item")
Held = TypeVar("Held")


class _Walk:
    """Where a walk over a list stands: the request for the next page, none after the last one."""

    def __init__(self, call: Callable[..., Any], request: Any, first_page_only: Sequence[str], options: dict[str, Any]):
        check_options(options)
        self._call, self._first_page_only, self._options = call, first_page_only, options
        self._next: Any = type(request)()
        self._next.CopyFrom(request)

    def _turn(self, page: Any) -> None:
        if not page.next_page_token:
            self._next = None
            return
        self._next.page_token = page.next_page_token
        for name in self._first_page_only:
            self._next.ClearField(name)


class PageWalk(_Walk, Iterator[Page]):
    """The pages of a list, one at a time. After an error it stays where it is: going on asks for
    the same page."""

    def __next__(self) -> Page:
        if self._next is None:
            raise StopIteration
        page: Page = self._call(self._next, **self._options)
        self._turn(page)
        return page


class AsyncPageWalk(_Walk, AsyncIterator[Page]):
    """The asyncio twin of ``PageWalk``."""

    async def __anext__(self) -> Page:
        if self._next is None:
            raise StopAsyncIteration
        page: Page = await self._call(self._next, **self._options)
        self._turn(page)
        return page


class _Held(Generic[Walk, Page, Item]):
    """What both kinds of walk over items hold: the walk over the pages, and what is left of one
    page."""

    def __init__(self, walk: Walk, items: Callable[[Page], Iterable[Item]]) -> None:
        self._walk, self._items = walk, items
        self._held: Iterator[Item] = iter(())

    def pages(self) -> Walk:
        """The pages themselves, from the next one on."""
        return self._walk


class Pages(_Held[PageWalk[Page], Page, Item], Iterator[Item], Generic[Page, Item]):
    """The items of a list, from the page that its request names to the end; one page at a time is
    held. After an error it stays where it is: going on asks for the same page again."""

    def __next__(self) -> Item:
        while True:
            for item in self._held:
                return item
            self._held = iter(self._items(next(self._walk)))

    def _held_by(self, make: Callable[[Item], Held]) -> Pages[Page, Held]:
        """The same walk, each of whose items a handle holds."""
        return Pages(self._walk, lambda page: map(make, self._items(page)))


class AsyncPages(_Held[AsyncPageWalk[Page], Page, Item], AsyncIterator[Item], Generic[Page, Item]):
    """The asyncio twin of ``Pages``."""

    async def __anext__(self) -> Item:
        while True:
            for item in self._held:
                return item
            self._held = iter(self._items(await anext(self._walk)))

    def _held_by(self, make: Callable[[Item], Held]) -> AsyncPages[Page, Held]:
        """See ``Pages``."""
        return AsyncPages(self._walk, lambda page: map(make, self._items(page)))
