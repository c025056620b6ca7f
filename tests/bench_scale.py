"""What a page more costs: the site with its questions repeated until there are as many pages as asked, ``nox -s bench -- --pages 100 500``.

Each copy is a real page under another slug, with its catalog, so it has the examples, formulas and boxes of a question. Scripts are
not executed. One run each, on a machine that should have nothing else to do.
"""

import gzip
import json
import math
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from conftest import ROOT, question_pages
from search import Search, queries

LEFT_OUT = (".git", ".nox", ".venv", "_build", "auto_examples", "*.mo", "__pycache__", ".*_cache")
STAGES = ("read", "resolve", "write", "finish", "total", "peak")
COPY = "-copy-"
EXPONENT = 1.1  # bar: see "Budgets" in docs/contribute.md


def enlarge(folder: Path, count: int) -> Path:
    """A copy of the repository with ``count`` questions, and no fewer than it has."""
    root = folder / str(count)
    shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(*LEFT_OUT))
    originals = question_pages()
    for number in range(count - len(originals)):
        page = originals[number % len(originals)]
        repeat(root, page, f"{page.rpartition('/')[2]}{COPY}{number // len(originals) + 1}")
    return root


def repeat(root: Path, page: str, slug: str) -> None:
    """Add a copy of a question under another slug: its page, its catalog, its place in the topic's table of contents."""
    topic, _, original = page.rpartition("/")
    text = (root / "docs" / f"{page}.md").read_text("utf-8").replace(f"({original})=", f"({slug})=", 1)
    (root / "docs" / topic / f"{slug}.md").write_text(text, "utf-8")
    catalogs = root / "docs" / "locale" / "zh_CN" / "LC_MESSAGES" / topic
    shutil.copy(catalogs / f"{original}.po", catalogs / f"{slug}.po")
    index = root / "docs" / topic / "index.md"
    index.write_text(re.sub(rf"^{original}$", rf"{original}\n{slug}", index.read_text("utf-8"), count=1, flags=re.MULTILINE), "utf-8")


def stages(root: Path, builder: str, language: str) -> dict[str, float]:
    """What one build took: see ``stages.py``."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "stages.py"), builder, language, str(root)], capture_output=True, text=True, cwd=root
    )
    if done.returncode:
        sys.exit(f"{root} does not build, so there is nothing to measure:\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def exponent(costs: dict[int, float]) -> float:
    """The slope of the cost over the number of pages, both logarithmic: 1 is linear."""
    xs, ys = [math.log(pages) for pages in costs], [math.log(max(cost, 1e-9)) for cost in costs.values()]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / sum((a - x) ** 2 for a in xs)


def runs(root: Path) -> dict[str, dict[str, float]]:
    """Every build of a site that is measured, in the order of a day's work."""
    found = {}
    for language in ("en", "zh_CN"):
        found[f"html {language}, cold"] = stages(root, "html", language)
        found[f"html {language}, no change"] = stages(root, "html", language)
        page = root / "docs" / f"{question_pages()[0]}.md"
        page.write_text(page.read_text("utf-8").rstrip() + "\n", "utf-8")
        with page.open("a", encoding="utf-8") as file:
            file.write("\n")
        found[f"html {language}, one page changed"] = stages(root, "html", language)
    found["gettext"] = stages(root, "gettext", "en")
    found["doctest"] = stages(root, "doctest", "en")
    return found


def search_costs(root: Path) -> dict[str, float]:
    """Of the English search: the index's kB as served, the ms that a reader's browser takes to take it in, the ms of a query (medians).

    Copies of a page all but vanish when they are compressed. So the index is taken to be as dense as that of the pages copied.
    """
    site = root / "_build" / "html-en" / "out"
    start = time.monotonic()
    search = Search(site)
    ready = 1000 * (time.monotonic() - start)
    times = []
    for query in queries()[::5]:
        start = time.monotonic()
        search(query.text)
        times.append(1000 * (time.monotonic() - start))
    pages = search.records()["pages"]
    search.close()
    real = json.dumps([page for page in pages if COPY not in page["url"]], ensure_ascii=False).encode()
    density = len(gzip.compress(real, 6)) / len(real)
    return {"kB": search.index.stat().st_size * density / 1000, "ready": ready, "query": statistics.median(times)}


def measure_scale(sizes: list[int]) -> None:
    """Print the seconds and MiB of each stage at each size, and how they grow."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        table: dict[str, dict[int, dict[str, float]]] = {}
        for size in sizes:
            root = enlarge(Path(folder), size)
            for name, found in runs(root).items():
                table.setdefault(name, {})[size] = found
                print(f"{size:5} pages  {name:28}", *(f"{stage} {found[stage]:.1f}" for stage in STAGES), sep="  ", flush=True)
            cost = search_costs(root)
            found = f"{cost['kB']:.0f} kB gz, ready in {cost['ready']:.0f} ms, a query {cost['query']:.0f} ms"
            print(f"{size:5} pages  search: {found}", flush=True)
            shutil.rmtree(root)
    if len(sizes) > 1:
        print(f"\nGrowth exponent over {sizes} pages (bar for the total of cold builds: {EXPONENT})")
        for name, found in table.items():
            grown = {stage: exponent({size: found[size][stage] for size in sizes}) for stage in STAGES}
            print(f"{name:28}", *(f"{stage} {value:.2f}" for stage, value in grown.items()), sep="  ")
