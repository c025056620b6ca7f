"""Search: what people type is found, and what the site lacks is said to be lacking. The engine is the browser's, in mini-racer."""

import json
import shutil
import tomllib
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from conftest import ROOT, TinySite, question_pages
from search import SITES, Query, Search, answered, queries, recall

BAR = 0.95  # of the queries have a page that answers among the first three
VENDOR = ROOT / "docs" / "_static" / "vendor"


@pytest.fixture(scope="module")
def searches(site: Path) -> Iterator[dict[str, Search]]:
    """The search of each site, by the language of its queries."""
    opened = {language: Search(site / folder) for language, folder in SITES.items()}
    yield opened
    for search in opened.values():
        search.close()


@pytest.fixture(params=SITES)
def language(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def search(searches: dict[str, Search], language: str) -> Search:
    return searches[language]


# The set of queries


def test_the_set_is_large_and_in_both_languages():
    asked = queries()
    assert len(asked) >= 120
    assert abs(sum(query.language == "zh" for query in asked) / len(asked) - 0.5) < 0.05
    assert {query.half for query in asked} == {"tune", "held"}
    assert len({(query.text, query.language) for query in asked}) == len(asked)


def test_the_set_names_pages_that_exist(site: Path):
    assert [page for query in queries() for page in query.pages if not (site / "en" / f"{page}.html").exists()] == []


@pytest.mark.parametrize("half", ["tune", "held"])
def test_the_page_that_answers_is_among_the_first_three(search: Search, language: str, half: str):
    found = recall(search, answered(language, half))
    # Those of the held half are not shown, so that nobody mends them one by one.
    assert found.share() >= BAR, f"{found.third} of {found.total}" + (f"; not found: {found.missed}" if half == "tune" else "")


@pytest.mark.parametrize("half", ["tune", "held"])
def test_the_language_of_the_query_decides_nothing(searches: dict[str, Search], language: str, half: str):
    """Typed on the other language's site, whose index has titles, answers, headings and keywords of this one, not all its text."""
    other = next(code for code in SITES if code != language)
    found = recall(searches[other], answered(language, half))
    assert found.share() >= BAR, f"{found.third} of {found.total}"


def test_what_no_page_is_about_is_admitted(search: Search, language: str):
    """Of the queries that nothing answers most are owned up to, and the nearest pages are offered; of the others hardly any are."""
    asked = [query for query in queries() if query.language == language and query.half == "tune"]
    lacking = [search(query.text)["weak"] for query in asked if not query.pages]
    doubted = [query.text for query in asked if query.pages and search(query.text)["weak"]]
    assert sum(lacking) >= len(lacking) * 2 / 3
    assert len(doubted) <= len(asked) / 30, doubted
    assert search("FlashAttention tiling")["results"]


def test_nonsense_finds_nothing(search: Search):
    for text in ("qqxzzk", "", "   ", "??", "。"):
        assert search(text)["results"] == [], text


# One meaning, many spellings: each finds the page first

SPELLINGS = {
    "questions/training/missing-zero-grad": [
        "zero_grad",
        "zero grad",
        "zerograd",
        "ZERO_GRAD",
        "optimizer.zero_grad()",
        "梯度清零",
        "梯度 清零",
    ],
    "questions/layers/batchnorm": [
        "BatchNorm",
        "batch norm",
        "batch_norm",
        "ＢａｔｃｈＮｏｒｍ",
        "batchnrom",
        "批归一化",
        "BatchNorm2d 归一化",
    ],
    "questions/autograd/detach": [
        "detach",
        "detach()",
        "x.detach()",
        "DETACH",
        "detahc",
        "detach 之后还能反向传播吗",
        "what does detach() do?",
    ],
    "questions/tensors/gather-scatter": ["torch.gather", "scatter_", "gather vs scatter", "gather和scatter的区别"],
    "questions/distributed/dp-vs-ddp": ["DDP vs DP", "DistributedDataParallel vs DataParallel", "dp ddp 区别"],
    "questions/modules/train-vs-eval": ["model.eval()", "train() vs eval()", "推理模式", "train 和 eval 有什么区别？"],
    "questions/losses/cross-entropy": ["cross entropy", "CrossEntropyLoss", "crossentropy", "交叉熵", "nn.CrossEntropyLoss()"],
}


@pytest.mark.parametrize("page", SPELLINGS)
def test_spelling_does_not_matter(search: Search, page: str):
    assert {text: found[:1] for text in SPELLINGS[page] if (found := search.pages(text))[:1] != [page]} == {}


def test_unfinished_words_find(search: Search):
    """What is typed so far: the results come while typing."""
    for text in ("deta", "batchn", "梯度累", "cross ent"):
        assert search.pages(text), text
    assert "questions/autograd/detach" in search.pages("deta")[:3]


def test_a_pasted_traceback_finds_its_page(search: Search):
    text = """Traceback (most recent call last):
  File "/home/me/train.py", line 31, in <module>
    loss.backward()
RuntimeError: Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed)."""
    assert "questions/autograd/backward" in search.pages(text)[:3]
    shapes = "RuntimeError: Expected target size [16, 77], got [16, 5] at 0x7f3a2c1b"
    assert "questions/losses/cross-entropy" in search.pages(shapes)[:3]


def test_keywords_of_both_languages_reach_both_sites(search: Search):
    """Each keyword of a question's front matter finds the question among the first five."""
    index = search.records()
    pages = [page for page in index["pages"] if page["kind"] == "question"]
    assert len(pages) == len(question_pages())
    asked = [(word, page["url"].removesuffix(".html")) for page in pages for word in page["keywords"]]
    missed = [(word, page) for word, page in asked if page not in search.pages(word)[:5]]
    assert len(missed) / len(asked) < 0.02, missed


# What a result shows


def test_a_result_names_its_section_and_marks_the_hit(search: Search, language: str):
    result = next(one for one in search("version counter" if language == "en" else "版本计数器")["results"] if "detach" in one["url"])
    assert result["url"] == "questions/autograd/detach.html#the-storage-is-shared"
    assert "".join(part["text"] for part in result["section"]) == {"en": "The storage is shared", "zh": "存储是共享的"}[language]
    marked = [part["text"] for part in result["excerpt"] if part.get("hit")]
    assert {"en": "counter", "zh": "版本计数器"}[language] in marked


def test_filters(search: Search):
    found = search("gradient")
    for kind in ("question", "example", "myth"):
        narrowed = search("gradient", kind=kind)
        assert 0 < narrowed["total"] == found["counts"][kind]
        kinds = {one["record"]["kind"] if kind == "myth" else one["page"]["kind"] for one in narrowed["results"]}
        assert kinds == {kind}
    losses = search("gradient", topic="losses")["results"]
    assert losses and {one["page"]["topic"] for one in losses} == {"losses"}
    assert search("叶子张量 leaf tensor", kind="term")["results"][0]["url"] == "glossary.html#term-leaf-tensor"
    assert search("does not require grad", kind="error")["results"][0]["record"]["kind"] == "error"


def test_every_result_leads_to_a_place_that_exists(site: Path, search: Search, language: str):
    missing = []
    for page in search.records()["pages"]:
        tree = BeautifulSoup((site / SITES[language] / page["url"]).read_text("utf-8"), "html.parser")
        ids = {element["id"] for element in tree.select("[id]")}
        missing += [f"{page['url']}#{record['anchor']}" for record in page["records"] if record.get("anchor", "") not in ids | {""}]
    assert missing == []


# The files


def test_the_index_is_small(search: Search):
    assert search.size() < 300_000


def altered(vendor: Path) -> list[str]:
    """What is wrong with the vendored libraries of a folder, by its vendor.toml."""
    faults = []
    for library in tomllib.loads((vendor / "vendor.toml").read_text("utf-8"))["library"]:
        path = vendor / library["file"]
        if sha256(path.read_bytes()).hexdigest() != library["sha256"]:
            faults.append(f"{library['file']} is not {library['source']} {library['version']} as published: npm pack it again")
        if not (path.parent / "LICENSE.txt").exists():
            faults.append(f"{library['file']} has no LICENSE.txt beside it")
    return faults


def test_vendored_libraries_are_as_published():
    assert (VENDOR / "minisearch" / "minisearch.js").exists()
    assert altered(VENDOR) == []


def test_an_altered_library_is_noticed(tmp_path: Path):
    vendor = Path(shutil.copytree(VENDOR, tmp_path / "vendor"))
    with (vendor / "minisearch" / "minisearch.js").open("a") as file:
        file.write("// changed")
    (vendor / "minisearch" / "LICENSE.txt").unlink()
    assert [fault.partition(" ")[0] for fault in altered(vendor)] == ["minisearch/minisearch.js"] * 2


def test_a_page_that_is_not_found_is_counted(search: Search, language: str):
    """The measure itself: a query whose right page comes far down, and one that finds nothing."""
    asked = [
        Query("detach", language, "planted", (page,), "tune") for page in ("questions/autograd/detach", "questions/losses/cross-entropy")
    ]
    asked.append(Query("qqxzzk", language, "planted", ("glossary",), "tune"))
    assert recall(search, asked)[:4] == (1, 1, 3, ["detach", "qqxzzk"])


def test_a_build_gives_the_same_index_again_and_forgets_what_is_gone(tiny: TinySite):
    """Sphinx's own index is not built."""
    tiny.question("one")
    page = tiny.question("two", answer_text="Two is what comes after xylophone.")

    def index() -> str:
        built = tiny.build("html", "en", "-q", "-D", "plot_gallery=0")
        assert built.returncode == 0, built.output
        assert not (built.folder / "searchindex.js").exists() and not (built.folder / "_static" / "searchtools.js").exists()
        return (built.folder / "_static" / "search-index.js").read_text("utf-8")

    first = index()
    assert index() == first
    pages = {page["url"]: page for page in json.loads(first.partition("window.SEARCH_INDEX = ")[2].rstrip(";\n"))["pages"]}
    two = pages["questions/topic/two.html"]
    assert two["keywords"] == ["one", "一"]
    assert [record["kind"] for record in two["records"]] == ["page", "answer", "section", "myth", "section", "followup", "followup"]
    assert two["records"][1]["text"] == "Two is what comes after xylophone."
    page.write_text(page.read_text("utf-8").replace("xylophone", "zither"), "utf-8")
    changed = index()
    assert "xylophone" not in changed and "zither" in changed
    page.unlink()
    assert "zither" not in index()
