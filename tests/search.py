"""The site's own search, run outside a browser: the very files that a reader's browser loads, in mini-racer. Not a test."""

import gzip
import json
import tomllib
from pathlib import Path
from typing import NamedTuple

from py_mini_racer import MiniRacer

HERE = Path(__file__).parent
STATIC = HERE.parent / "docs" / "_static"
SITES = {"en": "en", "zh": "zh_CN"}  # a query's language, and the folder of its site


class Query(NamedTuple):
    """A query of ``search_queries.toml``: what is typed, where, and the pages that answer it (none where no page does)."""

    text: str
    language: str
    kind: str
    pages: tuple[str, ...]
    half: str


def queries() -> list[Query]:
    table = tomllib.loads((HERE / "search_queries.toml").read_text("utf-8"))["query"]
    return [Query(**one | {"pages": tuple(one["pages"])}) for one in table]


class Search:
    """The engine with one language's index. Close it, or Python waits for its thread for ever."""

    def __init__(self, site: Path):
        self.index = site / "_static" / "search-index.js"
        self.js = MiniRacer()
        self.js.eval("var window = globalThis")
        for path in (STATIC / "vendor" / "minisearch" / "minisearch.js", STATIC / "search-engine.js", self.index):
            self.js.eval(path.read_text("utf-8"))
        self.js.eval("var engine = new SearchEngine.Engine(SEARCH_INDEX); 0")

    def __call__(self, query: str, **state: object) -> dict:
        """What the browser shows for a query: ``results``, ``counts``, ``weak``, ``missing`` …"""
        return json.loads(self.js.eval(f"JSON.stringify(engine.search({json.dumps(query)}, {json.dumps(state)}))"))

    def pages(self, query: str, **state: object) -> list[str]:
        """The pages found, best first."""
        return [result["page"]["url"].removesuffix(".html") for result in self(query, **state)["results"]]

    def records(self) -> dict:
        """The index as written."""
        return json.loads(self.js.eval("JSON.stringify(SEARCH_INDEX)"))

    def size(self) -> int:
        """Bytes of the index as servers send it."""
        return len(gzip.compress(self.index.read_bytes(), 6))

    def close(self) -> None:
        self.js.close()


class Recall(NamedTuple):
    """How many queries have a right page first, and among the first three; how many there are; and those that have none there."""

    first: int
    third: int
    total: int
    missed: list[str]

    def share(self) -> float:
        return self.third / self.total


def recall(search: Search, asked: list[Query]) -> Recall:
    first = third = 0
    missed = []
    for query in asked:
        place = next((place for place, page in enumerate(search.pages(query.text)) if page in query.pages), 99)
        first, third = first + (place < 1), third + (place < 3)
        if place >= 3:
            missed.append(query.text)
    return Recall(first, third, len(asked), missed)


def answered(language: str, half: str) -> list[Query]:
    """The queries of a language and half that some page answers."""
    return [query for query in queries() if (query.language, query.half) == (language, half) and query.pages]
