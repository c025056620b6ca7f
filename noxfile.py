"""The project's commands, one verb a session: `nox -s docs`. Words after `--` go to the program behind it.

Plain `nox` runs doctest, docs, tests and lint. https://nox.thea.codes/
"""

import os
import shutil
import time
from pathlib import Path

import nox
from filelock import FileLock

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "venv"
nox.options.reuse_venv = "yes"
nox.options.sessions = ["doctest", "docs", "tests", "lint"]

LANGUAGES = ["en", "zh_CN"]
BUILD = Path("_build")
WORK = BUILD / "work"  # doctrees and unfinished output; deleting it is always safe
SITE = BUILD / "html"
PROJECT = nox.project.load_toml("pyproject.toml")

# -W warnings are errors, --keep-going shows all of them, -n a link without a target is one,
# -j 3 three processes (on two cores: Sphinx writes with one fewer)
SPHINX = ["sphinx-build", "-c", ".", "-W", "--keep-going", "-n", "-j", "3"]


DOCTEST_ENV = {"TF_CPP_MIN_LOG_LEVEL": "2"}  # warnings and errors only


def install(session, *groups):
    """Install dependency groups at the versions that constraints.txt pins."""
    if not list(Path(session.virtualenv.location).glob("**/site-packages/torch")):
        size = "torch, about 200 MB for a CPU" + (", and TensorFlow, about 250 MB" if "tensorflow" in groups else "")
        session.log(f"First run: downloading {size} (README.md says how to take torch's CPU wheel on Linux)")
    session.install("-q", "-c", "constraints.txt", *nox.project.dependency_groups(PROJECT, *groups))


def doctrees(name):
    """Where Sphinx keeps what it has read, one folder a builder and language."""
    return ["-d", str(WORK / "doctrees" / name)]


@nox.session
def docs(session):
    """Build the site in both languages into _build/html. Examples are executed once."""
    install(session, "docs")
    BUILD.mkdir(exist_ok=True)
    with FileLock(BUILD / "docs.lock"):  # a second build waits, or it would publish half of this one's pages
        build_site(session)
    session.log(f"Open {(SITE / 'index.html').resolve().as_uri()}")


def build_site(session):
    """Build each language, then publish both."""
    built = WORK / "html"
    for language in LANGUAGES:
        session.log(f"Building {language}")
        session.run(*SPHINX, "-D", f"language={language}", *doctrees(language), "docs", str(built / language), *session.posargs)
    session.run("python", "docs/_ext/site_root.py", str(built), silent=True)
    publish(built)


def publish(built):
    """Swap the finished site in. Until here the last good one was in its place."""
    new, old = BUILD / "html.new", BUILD / "html.old"
    if old.exists() and not SITE.exists():  # an earlier run was cut short between the two renames below
        old.rename(SITE)
    for folder in (new, old):  # left where an earlier run was cut short
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(built, new, ignore=shutil.ignore_patterns(".buildinfo*"))
    if SITE.exists():
        SITE.rename(old)
    new.rename(SITE)
    shutil.rmtree(old, ignore_errors=True)


@nox.session
def doctest(session):
    """Run every example on every page; `-- --without-tensorflow` leaves out the pages that need it."""
    arguments = [argument for argument in session.posargs if argument != "--without-tensorflow"]
    without = len(arguments) < len(session.posargs)
    install(session, "doctest", *([] if without else ["tensorflow"]))
    options = ["-D", "doctest_without_tensorflow=1"] if without else []
    session.run(*doctest_command(*options), *arguments, env=DOCTEST_ENV)


def doctest_command(*options):
    """Sphinx's doctest builder; pages may follow. The gallery is not executed: the tests compare its output, on the built site."""
    folders = [*doctrees("doctest"), "docs", str(BUILD / "doctest")]
    return [*SPHINX, "-b", "doctest", "-q", "-D", "plot_gallery=0", *options, *folders]


@nox.session
def machines(session):
    """Run every example as other machines would: old processor, 1 and 4 threads, pages in any order; `-- --seed 7` repeats an order."""
    install(session, "doctest", "tensorflow")
    session.run("python", "tests/machines.py", *session.posargs, "--", *doctest_command(), env=DOCTEST_ENV)


@nox.session
def mutate(session):
    """Change every expected output in turn, and see that each change is caught; `-- --seed 7` draws again what really runs."""
    install(session, "doctest", "tensorflow", "test")
    session.run("python", "tests/mutate.py", *session.posargs, "--", *doctest_command(), env=DOCTEST_ENV)


@nox.session
def reproduce(session):
    """Build the site twice from nothing, in different folders and at different times, and compare every byte."""
    install(session, "test")
    session.run("python", "tests/reproduce.py")


@nox.session
def faults(session):
    """Cut the network, kill builds half-way, and build the whole site in odd folders; what takes seconds is in the tests."""
    install(session, "doctest", "tensorflow", "test")
    session.run("pytest", "tests/whole_faults.py", *session.posargs)


@nox.session
def tests(session):
    """Run pytest on the built site: structure, planted faults, and a real browser."""
    install(session, "test")
    if not SITE.exists():
        session.error("There is no site to test in _build/html: run nox -s docs first")
    # A process for each core; a file's tests stay together, since they share what they build
    session.run("pytest", "-n", "auto", "--dist", "loadfile", *session.posargs)


@nox.session
def everypage(session):
    """Open every page in a browser: accessibility, zoom, keyboard, no JavaScript; several minutes."""
    install(session, "test")
    session.run("pytest", "tests/slow/test_every_page.py", *session.posargs)


@nox.session
def notebooks(session):
    """Execute each downloaded notebook and compare what it prints; over a minute."""
    install(session, "notebooks")
    session.run("pytest", "tests/slow/test_notebooks.py", *session.posargs)


@nox.session
def export(session):
    """Write Anki decks, EPUB, PDF, ZIP and JSON of the built site into _build/html/downloads, and open each as its readers do."""
    install(session, "export")
    if not SITE.exists():
        session.error("There is no site to export in _build/html: run nox -s docs first")
    work = WORK / "export"
    shutil.rmtree(work, ignore_errors=True)
    # Everything bears one time: https://reproducible-builds.org/docs/source-date-epoch/
    env = {"SOURCE_DATE_EPOCH": os.environ.get("SOURCE_DATE_EPOCH", str(int(time.time())))}
    session.run("python", "docs/_ext/export_tools.py")
    for language in LANGUAGES:
        for builder in ("questions", "ebook", "book"):
            session.run(
                *SPHINX, "-c", "docs/_export", "-q", "-b", builder, "-D", f"language={language}", *doctrees(f"export-{language}"),
                "docs", str(work / language / builder), env=env,
            )  # fmt: skip
    session.run("python", "docs/_ext/export_all.py", str(work), str(SITE), env=env)
    session.run("pytest", "tests/exports", *session.posargs)
    session.log(f"The downloads are in {(SITE / 'downloads').resolve()}")


@nox.session
def lint(session):
    """Check Python, Markdown, spelling and the Chinese catalogs."""
    install(session, "lint")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("codespell")
    session.run("pymarkdown", "--config", "pyproject.toml", "scan", "README.md", "README.zh.md", "docs", "-r")
    session.run(*SPHINX, "-q", "-E", "-b", "gettext", "-D", "plot_gallery=0", *doctrees("gettext"), "docs", str(BUILD / "gettext"))


@nox.session
def translate(session):
    """Refresh the Chinese catalogs from the English pages; then fill each empty msgstr."""
    install(session, "translate")
    template = str(BUILD / "gettext")
    shutil.rmtree(template, ignore_errors=True)
    # -E read every page afresh: a message left in the cache would stay in the catalog
    session.run(
        *SPHINX, "-q", "-E", "-b", "gettext", "-D", "plot_gallery=0", "-D", "catalogs_check=0", *doctrees("gettext"), "docs", template
    )
    # -w 0 no line wrapping, so that a change of one word is a diff of one line
    session.run("sphinx-intl", "update", "-p", template, "-d", "docs/locale", "-l", "zh_CN", "-w", "0", "--no-obsolete")
    session.run("python", "docs/_ext/recurring_texts.py", "docs/locale/zh_CN")


@nox.session
def preview(session):
    """Serve the site and rebuild it at each change; `-- zh_CN` for Chinese."""
    install(session, "preview")
    language, *arguments = session.posargs or ["en"]
    session.run(
        "sphinx-autobuild", "-c", ".", "-n", "-j", "3", "-D", f"language={language}", *doctrees(f"preview-{language}"),
        "docs", str(BUILD / "preview" / language), "--watch", "examples", "--ignore", "*.mo", "--ignore", "docs/auto_examples/*",
        *arguments,
    )  # fmt: skip


@nox.session
def linkcheck(session):
    """Follow every external link."""
    install(session, "docs")
    session.run(*SPHINX, "-b", "linkcheck", *doctrees("linkcheck"), "docs", str(BUILD / "linkcheck"), *session.posargs)


@nox.session
def bench(session):
    """Print the ratios of the budgets in docs/contribute.md: build times, page weights, what search finds and how fast."""
    install(session, "test")
    session.run("python", "tests/bench.py", *session.posargs)
