"""Practising: what is dealt and shown, what the browser remembers, and that nothing of it is ever lost."""
# ruff: noqa: F811

import json
import re
import time
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polib
import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Browser, Locator, Page, expect

from conftest import LANGUAGES, ROOT, Tab, TinySite, question_pages
from practice import TEXTS, sentence
from test_browser import language, violations  # noqa: F401

QUESTION = "questions/autograd/detach"
PRACTICE = "practice.html"
VENDOR = ROOT / "docs" / "_static" / "vendor"


def other(code: str) -> str:
    return next(each for each in LANGUAGES if each != code)


# What is written when the site is built


def parts(site: Path, code: str, docname: str) -> dict:
    """A question's parts, as its file hands them to the page."""
    text = (site / code / "_static" / "practice" / f"{docname}.js").read_text("utf-8")
    head = f'(window.practiceParts ??= {{}})["{code}/{docname}"] = '
    assert text.startswith(head)
    return json.loads(text.removeprefix(head).removesuffix(";\n"))


@pytest.mark.parametrize("docname", question_pages())
def test_a_card_has_what_its_page_has(site: Path, docname: str):
    for code in LANGUAGES:
        page = BeautifulSoup((site / code / f"{docname}.html").read_text("utf-8"), "html.parser").find(id="furo-main-content")
        card = parts(site, code, docname)
        assert BeautifulSoup(card["title"], "html.parser").text == page.h1.text.removesuffix("¶")
        answer = page.select_one(".admonition.answer")
        answer.select_one(".admonition-title").decompose()
        assert BeautifulSoup(card["answer"], "html.parser").text.strip() == answer.text.strip()
        assert "highlight-pycon" in card["why"] and "admonition myth" not in card["why"]
        assert BeautifulSoup(card["strong"], "html.parser").select("li")
        assert len(card["myths"]) == len(page.select(".admonition.myth"))
        assert len(card["followups"]) == len(page.select("details.followup")) >= 2
        for myth in card["myths"]:
            assert myth["claim"] and myth["proof"] and myth["right"]
            for text in (myth["claim"], myth["right"]):
                assert text[0] == text[0].upper(), "a small letter tells what is right from what is claimed"
                assert not re.fullmatch("“[^“”]*”", text), "quotation marks tell what is claimed from what is right"
            assert not re.match(r"Right:|正确的说法", BeautifulSoup(myth["right"], "html.parser").text)
        for each in card["followups"]:
            assert each["question"] and each["answer"]


@pytest.mark.parametrize("docname", question_pages())
def test_links_of_a_card_lead_somewhere(site: Path, docname: str):
    for code in LANGUAGES:
        tree = BeautifulSoup(json.dumps(parts(site, code, docname), ensure_ascii=False).replace('\\"', '"'), "html.parser")
        assert not tree.select("[id], .headerlink, [class*=side-]")
        assert all(element.get("tabindex") == "0" for element in tree.select(".highlight > pre, .table-wrapper"))
        for link in tree.select("[href], [src]"):
            path, _, anchor = (link.get("href") or link.get("src")).partition("#")
            if not re.match(r"[a-z]+:", path):
                target = site / code / path
                assert target.is_file(), link
                assert not anchor or f'id="{anchor}"' in target.read_text("utf-8"), link


def listed(site: Path, code: str) -> dict:
    """What the page knows before it deals."""
    tree = BeautifulSoup((site / code / PRACTICE).read_text("utf-8"), "html.parser")
    return json.loads(tree.select_one(".practice")["data-practice"])


def test_every_question_is_in_the_list(site: Path):
    for code in LANGUAGES:
        data = listed(site, code)
        assert sorted(question["page"] for question in data["questions"]) == question_pages()
        assert {question["level"] for question in data["questions"]} <= data["levels"].keys()
        assert {question["asked"] for question in data["questions"]} <= data["asked"].keys()
        assert {question["topic"] for question in data["questions"]} == data["topics"].keys()
    assert data["topics"]["autograd"] == "自动微分"


def test_every_text_is_translated():
    catalog = {entry.msgid: entry.msgstr for entry in polib.pofile(str(ROOT / "docs/locale/zh_CN/LC_MESSAGES/sphinx.po"))}
    for text in map(str, TEXTS.values()):
        assert re.search(r"[\u4e00-\u9fff]", catalog.get(text, "")), text
        assert sorted(re.findall(r"{\w+}", text)) == sorted(re.findall(r"{\w+}", catalog[text])), text


def test_every_text_is_used():
    script = (ROOT / "docs/_static/practice.js").read_text("utf-8")
    reasons = re.findall(r'FileError\("([a-z-]+)"', (ROOT / "docs/_static/records.js").read_text("utf-8"))
    used = set(re.findall(r"\btexts\.(\w+)", script)) | set(reasons)
    assert used == TEXTS.keys()


def test_practice_knows_which_scheduler_it_has():
    libraries = tomllib.loads((VENDOR / "vendor.toml").read_text("utf-8"))["library"]
    [fsrs] = [library for library in libraries if library["name"] == "ts-fsrs"]
    assert f'"ts-fsrs {fsrs["version"]}"' in (ROOT / "docs/_static/practice.js").read_text("utf-8"), (
        "a new version works out all cards again"
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("“a b”", "A b"),
        ("every x.", "Every x."),
        ("“a” and “b”", "“a” and “b”"),
        ("“say “a” now”", "Say “a” now"),
        ("<b>x</b>", "<b>x</b>"),
    ],
)
def test_looks_do_not_tell_true_from_false(text: str, shown: str):
    assert sentence(text) == shown


def test_former_names(tiny: TinySite):
    """A question may say what it was called; a name that is taken, or is no slug, is a fault with file and line."""
    tiny.question("one", keywords="  en: [one]\n", level="level: 1\nformerly: [first-one]\n")
    built = tiny.build("html", "en", "-q", "-D", "plot_gallery=0")
    assert built.returncode == 0, built.output
    tiny.question("one", level="level: 1\nformerly: First One\n")
    built = tiny.build("html", "en", "-q", "-D", "plot_gallery=0")
    assert built.returncode != 0
    built.line("one.md:3", "formerly must be a list of this question's former slugs")
    tiny.question("one", level="level: 1\nformerly: [one]\n")
    built = tiny.build("html", "en", "-q", "-D", "plot_gallery=0")
    built.line("one.md", "formerly: one is the name of questions/topic/one")


# What a reader does


def start(page: Page) -> None:
    """Begin, and wait for the first question."""
    page.locator(".practice button.primary").click()
    expect(page.locator(".practice-question")).to_be_focused()


def card(page: Page) -> Locator:
    return page.locator(".practice-card")


def only(page: Page, *values: str) -> None:
    """Leave of each group that holds one of the values only those."""
    expect(page.locator(".practice-counts")).not_to_be_empty()
    for group in page.locator(".practice fieldset").all():
        boxes = {box.get_attribute("value"): box for box in group.locator("input").all()}
        if boxes.keys() & set(values):
            for value, box in boxes.items():
                box.set_checked(value in values)


def dealt(page: Page) -> dict:
    """The session as the tab keeps it."""
    return page.evaluate("JSON.parse(sessionStorage.getItem('pytorch-interview:practice'))")


def reviews(page: Page) -> list[dict]:
    return page.evaluate("records.reviews()")


def until(page: Page, condition: str, argument: object = None, seconds: float = 30) -> None:
    """Wait for an asynchronous condition, a JavaScript function; Playwright's own waiting takes its promise for true."""
    end = time.monotonic() + seconds
    while not page.evaluate(condition, argument):
        assert time.monotonic() < end, f"not within {seconds} s: {condition}"
        time.sleep(0.05)


def test_a_question_is_shown_first_and_graded_by_keys(tab: Tab, language: str):
    page = tab()
    page.goto(f"/{language}/{PRACTICE}")
    start(page)
    heading = page.locator(".practice-question")
    expect(heading).to_be_focused()
    first = heading.inner_text()
    expect(page.locator(".practice-answer")).to_be_empty()
    page.keyboard.press("Space")
    expect(page.locator(".practice-answer .answer")).to_be_visible()
    expect(page.locator(".practice-grades button")).to_have_count(4)
    page.keyboard.press("3")
    expect(heading).not_to_have_text(first)
    expect(heading).to_be_focused()
    name = dealt(page)["dealt"][0]
    assert [(review["question"], review["rating"]) for review in reviews(page)] == [(name, 3)]
    page.keyboard.press("u")
    expect(heading).to_have_text(first)
    assert reviews(page) == []
    page.keyboard.press("s")
    expect(heading).not_to_have_text(first)
    page.keyboard.press("Escape")
    expect(page.locator(".practice h2").first).to_be_focused()
    expect(card(page)).to_have_count(0)


def test_keys_leave_the_readers_own_alone(tab: Tab):
    """Space on a button or a folded answer is theirs; with a modifier, or in a field, no key grades."""
    page = tab()
    page.goto(f"/en/{PRACTICE}")
    start(page)
    page.locator(".practice-bar .primary").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".practice-grades button")).to_have_count(4)
    proof = page.locator(".practice-answer > details").first
    proof.locator("summary").first.focus()
    page.keyboard.press("Space")
    expect(proof).to_have_attribute("open", "")
    page.keyboard.press("Control+3")
    page.locator(".sidebar-search").focus()
    page.keyboard.press("3")
    assert reviews(page) == []


def test_it_deals_what_was_chosen(tab: Tab, site: Path):
    facts = {question["page"].split("/")[-1]: question for question in listed(site, "en")["questions"]}
    page = tab()
    page.goto(f"/en/{PRACTICE}")
    only(page, "autograd", "modules", "1", "2", "often")
    page.locator("input[type=number]").fill("4")
    page.locator("input[type=number]").blur()
    wanted = {name for name, q in facts.items() if q["topic"] in ("autograd", "modules") and q["level"] in "12" and q["asked"] == "often"}
    expect(page.locator(".practice-counts")).to_contain_text(f"Matching: {len(wanted)}.")
    page.reload()
    expect(page.locator(".practice-counts")).to_contain_text(f"Matching: {len(wanted)}.")
    start(page)
    expect(card(page)).to_be_visible()
    names = dealt(page)["dealt"]
    assert len(names) == len(set(names)) == min(4, len(wanted))
    assert set(names) <= wanted


def test_nothing_matches(tab: Tab, language: str):
    page = tab()
    page.goto(f"/{language}/{PRACTICE}")
    page.locator(".practice select").first.select_option("due")
    page.locator(".practice button.primary").click()
    expect(page.locator(".practice-status")).to_contain_text({"en": "No question matches", "zh_CN": "没有符合条件的题"}[language])


def test_a_reload_keeps_the_session(tab: Tab):
    page = tab()
    page.goto(f"/en/{PRACTICE}")
    start(page)
    page.keyboard.press("s")
    expect(page.locator(".practice-place")).to_contain_text("Question 2 of 10")
    page.keyboard.press("s")
    expect(page.locator(".practice-place")).to_contain_text("Question 3 of 10")
    third = page.locator(".practice-question").inner_text()
    page.reload()
    expect(page.locator(".practice-question")).to_have_text(third)
    page.keyboard.press("Escape")
    page.reload()
    expect(page.locator(".practice-form")).to_be_visible()


def test_thirty_seconds(tab: Tab):
    page = tab()
    page.clock.install()
    page.goto(f"/en/{PRACTICE}")
    page.get_by_label("Thirty seconds").check()
    start(page)
    expect(page.locator(".practice-clock")).to_have_text("30 s left")
    page.clock.run_for(12_000)
    expect(page.locator(".practice-clock")).to_have_text("18 s left")
    page.clock.run_for(18_000)
    expect(page.locator(".practice-clock")).to_have_text("Time is up.")
    expect(page.locator(".practice-answer")).to_be_empty()
    page.keyboard.press("Space")
    expect(page.locator(".practice-clock")).to_be_hidden()


@pytest.mark.parametrize(("asking", "answering"), [("en", "zh_CN"), ("zh_CN", "en")])
def test_asked_in_one_language_and_answered_in_the_other(tab: Tab, language: str, asking: str, answering: str):
    tags = {"en": "en", "zh_CN": "zh-CN"}
    page = tab()
    page.goto(f"/{language}/{PRACTICE}")
    page.locator(".practice select").nth(1).select_option(asking)
    page.locator(".practice select").nth(2).select_option(answering)
    start(page)
    page.keyboard.press("Space")
    question, answer = page.locator(".practice-question"), page.locator(".practice-answer .answer")
    expect(question).to_have_attribute("lang", tags[asking])
    expect(answer).to_have_attribute("lang", tags[answering])
    assert bool(re.search(r"[\u4e00-\u9fff]", question.inner_text())) == (asking == "zh_CN")
    assert bool(re.search(r"[\u4e00-\u9fff]", answer.inner_text())) == (answering == "zh_CN")


def test_a_formula_brings_its_stylesheet(tab: Tab, site: Path):
    """It is loaded with the first card that holds a formula, and the font with it."""
    sheet = "link[href*='maths.css']"
    page = tab()
    page.goto(f"/en/{PRACTICE}#questions=cross-entropy")
    expect(page.locator(".practice-question")).to_be_focused()
    assert "<math" in json.dumps(parts(site, "en", "questions/losses/cross-entropy"))
    expect(page.locator(sheet)).to_have_count(1)
    page.keyboard.press("Space")
    page.evaluate("for (const box of document.querySelectorAll('details')) box.open = true")
    expect(page.locator(".practice-card math").first).to_be_visible()
    assert "Site Maths" in page.locator(".practice-card math").first.evaluate("math => getComputedStyle(math).fontFamily")
    page.keyboard.press("Escape")
    page.goto(f"/en/{PRACTICE}")
    expect(page.locator(sheet)).to_have_count(0)


def test_true_or_false(tab: Tab, site: Path):
    """Both a myth and what is right are dealt; the verdict goes by which it was."""
    page = tab()
    page.goto(f"/en/{PRACTICE}")
    only(page, "autograd")
    start(page)
    seen = set()
    for _ in range(40):
        page.reload()
        expect(page.locator(".practice-question")).to_be_focused()
        page.keyboard.press("Space")
        box = page.locator(".practice-claim").first
        claim = box.locator("> p").text_content()
        card_parts = parts(site, "en", next(name for name in question_pages() if name.endswith("/" + dealt(page)["dealt"][0])))
        rights = [BeautifulSoup(myth["right"], "html.parser").text for myth in card_parts["myths"]]
        holds = "".join(claim.split()) in ["".join(right.split()) for right in rights]
        page.keyboard.press("t")
        verdict = box.get_by_role("status")
        expect(verdict).to_contain_text("Correct. This is right." if holds else "Not so. This is repeated often, and wrong.")
        expect(box.locator("button").first).to_be_disabled()
        assert (box.locator(".practice-right").count() == 1) == (not holds)
        seen.add(holds)
        if len(seen) == 2:
            break
    assert seen == {True, False}


def test_by_thumb(tab: Tab, language: str):
    """On a phone every button of the bar is big enough, within reach, and answers a tap."""
    page = tab(375, has_touch=True, is_mobile=True)
    page.goto(f"/{language}/{PRACTICE}")
    page.locator(".practice button.primary").tap()
    page.locator(".practice-bar .primary").tap()
    grades = page.locator(".practice-grades button")
    expect(grades).to_have_count(4)
    for box in [each.bounding_box() for each in grades.all()]:
        assert box["height"] >= 44 and box["width"] >= 44
        assert box["y"] + box["height"] <= 800, "the bar stays in sight below a long answer"
    page.locator(".practice-answer > details summary").first.tap()
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 375
    grades.nth(2).tap()
    expect(page.locator(".practice-place")).to_contain_text({"en": "Question 2", "zh_CN": "第 2 题"}[language])
    assert len(reviews(page)) == 1


def test_mock_interview(tab: Tab, site: Path):
    facts = {question["page"].split("/")[-1]: question for question in listed(site, "en")["questions"]}
    page = tab()
    page.clock.install()
    page.goto(f"/en/{PRACTICE}")
    page.get_by_role("button", name="Mock interview").click()
    expect(page.locator(".practice-clock")).to_have_text("Time left: 45:00")
    names = dealt(page)["dealt"]
    assert len(names) == 6 == len({facts[name]["topic"] for name in names})
    levels = [facts[name]["level"] for name in names]
    assert levels == sorted(levels)
    page.clock.run_for(60_000)
    expect(page.locator(".practice-clock")).to_have_text("Time left: 44:00")
    page.keyboard.press("Space")
    points = page.locator(".practice-answer details[open] li > p > input")
    total = points.count()
    assert total >= 2
    points.first.check()
    page.reload()
    expect(page.locator(".practice-question")).to_be_focused()
    page.keyboard.press("Space")
    expect(points.first).to_be_checked()
    page.clock.run_for(44 * 60_000)
    expect(page.locator(".practice-clock")).to_have_text("Time is up.")
    page.keyboard.press("n")
    page.keyboard.press("Escape")
    expect(page.locator(".practice li").first).to_contain_text(f"Points made: 1 of {total}")
    assert reviews(page) == []
    shared = page.get_by_role("link", name="Link to these questions").get_attribute("href")
    page.goto("about:blank")
    page.goto(f"/zh_CN/{PRACTICE}{shared}")
    expect(card(page)).to_be_visible()
    assert dealt(page)["dealt"] == names


# What is remembered


def answer(page: Page, grade: str) -> str:
    """Show the answer, grade it, and wait until the grade is kept; the question's slug."""
    session = dealt(page)
    count = len(reviews(page))
    page.keyboard.press("Space")
    expect(page.locator(".practice-grades button")).to_have_count(4)
    page.keyboard.press(grade)
    until(page, "count => records.reviews().then(all => all.length > count)", count)
    return session["dealt"][session["position"]]


def counts(page: Page, text: str) -> None:
    expect(page.locator(".practice-counts")).to_contain_text(text)


def test_what_is_due_when(tab: Tab):
    """A clock moved by days: three days after "Well" the question is due, in the practice and on the list."""
    begin = datetime(2027, 3, 1, 9, tzinfo=UTC)
    page = tab(timezone_id="Asia/Shanghai")
    page.clock.install(time=begin)
    page.goto(f"/en/{PRACTICE}")
    start(page)
    name = answer(page, "3")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Choose again").click()
    counts(page, "Due today: 0. New: 29. Reviewed today: 1.")
    page.clock.set_fixed_time(begin + timedelta(days=2))
    page.reload()
    counts(page, "Due today: 0. New: 29. Reviewed today: 0.")
    # Midnight in Shanghai, eight hours after the review's time of day
    page.clock.set_fixed_time(begin + timedelta(days=2, hours=7, minutes=1))
    page.reload()
    counts(page, "Due today: 1.")
    page.goto("/en/index.html")
    mark = page.locator(f"ul.questions li:has(a[href$='/{name}.html']) .mark-due")
    expect(mark).to_have_text("due today")
    expect(page.locator(".mark-due")).to_have_count(1)
    page.goto(f"/en/{PRACTICE}")
    start(page)
    assert dealt(page)["dealt"][0] == name, "what is due comes first"
    answer(page, "3")
    interval = page.evaluate("records.cards().then(([card]) => (card.due - card.last) / 86400000)")
    assert interval > 3


def test_what_was_not_known_comes_again(tab: Tab):
    page = tab()
    page.goto(f"/en/{PRACTICE}")
    page.locator("input[type=number]").fill("2")
    page.locator("input[type=number]").blur()
    start(page)
    first = answer(page, "1")
    expect(page.locator(".practice-place")).to_contain_text("Question 2 of 3")
    answer(page, "4")
    assert dealt(page)["dealt"][2] == first
    answer(page, "3")
    expect(page.locator(".practice-stage")).to_contain_text("Answered: 3. Known well or easily: 2.")
    assert sorted(review["rating"] for review in reviews(page)) == [1, 3, 4]


def test_marks_on_a_page_and_on_lists(tab: Tab, language: str):
    page = tab()
    page.goto(f"/{language}/{QUESTION}.html")
    read, later = page.locator("[data-mark=read]"), page.locator("[data-mark=later]")
    read.click()
    later.click()
    expect(later).to_have_attribute("aria-pressed", "true")
    page.reload()
    expect(read).to_have_attribute("aria-pressed", "true")
    item = f"ul.questions li:has(a[href$='{QUESTION.split('/')[-1]}.html'])"
    for path in ("index.html", "questions/autograd/index.html"):
        page.goto(f"/{language}/{path}")
        expect(page.locator(f"{item} .mark-read")).to_have_text({"en": "read", "zh_CN": "已读"}[language])
        expect(page.locator(f"{item} .mark-later")).to_be_visible()
        expect(page.locator(".marks")).to_have_count(1)
    second = page.context.new_page()
    second.goto(f"/{other(language)}/{QUESTION}.html")
    second.locator("[data-mark=later]").click()
    expect(page.locator(".mark-later")).to_have_count(0)
    page.goto(f"/{language}/{PRACTICE}")
    page.locator(".practice select").first.select_option("later")
    page.locator(".practice button.primary").click()
    expect(page.locator(".practice-status")).not_to_be_empty()


def test_two_tabs_lose_no_review(tab: Tab):
    """Both grade at once, the same question too, and each knows of the other's."""
    first = tab()
    first.goto(f"/en/{PRACTICE}")
    second = first.context.new_page()
    second.goto(f"/zh_CN/{PRACTICE}")
    burst = """async (names) => {
        const scheduler = (reviews) => ({due: reviews.length, last: reviews.at(-1).time, reviews: reviews.length, scheduler: "test"})
        const now = Date.UTC(2027, 1)
        await Promise.all(names.flatMap((name) => [...Array(20).keys()].map((i) => records.add(name, 3, now + i % 5, scheduler))))
    }"""
    # Started in both before either ends
    first.evaluate(f"void (window.going = ({burst})(['detach', 'backward']))")
    second.evaluate(f"({burst})(['detach', 'variable'])")
    first.evaluate("going")
    kept = reviews(second)
    assert {name: sum(review["question"] == name for review in kept) for name in ("detach", "backward", "variable")} == {
        "detach": 40, "backward": 20, "variable": 20,
    }  # fmt: skip
    assert {card["question"]: card["reviews"] for card in second.evaluate("records.cards()")} == {
        "detach": 40,
        "backward": 20,
        "variable": 20,
    }
    expect(first.locator(".practice-data")).to_contain_text("Reviews kept: 80, of 3 questions")
    expect(second.locator(".practice-data")).to_contain_text("3 道题的 80 次")


def test_a_tab_learns_of_the_others_grade(tab: Tab):
    first = tab()
    first.goto(f"/en/{PRACTICE}")
    second = first.context.new_page()
    second.goto(f"/en/{PRACTICE}")
    start(second)
    answer(second, "3")
    counts(first, "New: 29. Reviewed today: 1.")


NOW = 1_796_000_000_000  # November 2026


def practice_file(**changes: object) -> dict:
    reviews = [{"question": "detach", "time": NOW, "rating": 3}, {"question": "gone-since", "time": NOW + 1, "rating": 1}]
    marks = [{"question": "backward", "read": True, "later": False, "time": NOW}]
    return {
        "format": "pytorch-interview-practice",
        "version": 2,
        "exported": "2026-11-30T00:00:00Z",
        "reviews": reviews,
        "marks": marks,
    } | changes


@pytest.fixture
def bring(tmp_path: Path) -> Callable[[Page, object], None]:
    """Hands a file to the page."""

    def hand_over(page: Page, contents: object) -> None:
        path = tmp_path / "practice.json"
        path.write_text(contents if isinstance(contents, str) else json.dumps(contents), "utf-8")
        page.locator(".practice input[type=file]").set_input_files(path)

    return hand_over


def status(page: Page) -> Locator:
    return page.locator(".practice-status")


def test_a_file_goes_to_another_browser(tab: Tab, bring: Callable):
    page = tab()
    page.goto(f"/en/{PRACTICE}")
    only(page, "autograd")
    start(page)
    name = answer(page, "4")
    page.evaluate("records.mark('backward', {later: true})")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Choose again").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a file").click()
    assert re.fullmatch(r"pytorch-interview-\d{4}-\d\d-\d\d\.json", download.value.suggested_filename)
    saved = Path(download.value.path()).read_text("utf-8")
    second = tab()
    second.goto(f"/zh_CN/{PRACTICE}")
    only(second, "layers")  # another question
    start(second)
    own = answer(second, "2")
    second.keyboard.press("Escape")
    second.get_by_role("button", name="重新选题").click()
    bring(second, saved)
    expect(status(second)).to_have_text("已从文件导入 1 条这里没有的记录。")
    assert sorted(review["question"] for review in reviews(second)) == sorted([name, own])
    assert second.evaluate("records.marks().then(marks => marks.map(mark => mark.question))") == ["backward"]
    assert page.evaluate("records.cards()")[0] in second.evaluate("records.cards()"), "the same dates in both"
    bring(second, saved)
    expect(status(second)).to_have_text("已从文件导入 0 条这里没有的记录。")
    assert len(reviews(second)) == 2


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        ("no JSON", "it can't be read as JSON"),
        ("", "it can't be read as JSON"),
        ({"decks": []}, "was not written by this page"),
        ([], "was not written by this page"),
        ("null", "was not written by this page"),
        (practice_file(version=0), "was not written by this page"),
        (practice_file(version=3), "written by a newer version of this site (format 3)"),
        (practice_file(reviews={}), "damaged at reviews"),
        (practice_file(reviews=[{"question": "detach", "time": NOW, "rating": 5}]), "damaged at reviews[0]"),
        (practice_file(reviews=[{"question": "detach", "time": "2026", "rating": 3}]), "damaged at reviews[0]"),
        (practice_file(reviews=[{"question": "detach", "time": NOW * 2, "rating": 3}]), "damaged at reviews[0]"),
        (practice_file(reviews=[{"question": "<img>", "time": NOW, "rating": 3}]), "damaged at reviews[0]"),
        (practice_file(marks=[{"question": "detach", "time": NOW, "read": 1, "later": False}]), "damaged at marks[0]"),
        (practice_file(marks=None), "damaged at marks"),
    ],
)
def test_a_bad_file_is_refused_whole(tab: Tab, bring: Callable, contents: object, message: str):
    page = tab()
    page.goto(f"/en/{PRACTICE}")
    bring(page, practice_file())
    expect(status(page)).to_contain_text("2 reviews that were not here yet")
    before = page.evaluate("records.write()")
    bring(page, contents)
    expect(status(page)).to_contain_text(message)
    expect(status(page)).to_contain_text("Nothing was changed.")
    kept, was = json.loads(page.evaluate("records.write()")), json.loads(before)
    assert (kept["reviews"], kept["marks"]) == (was["reviews"], was["marks"])


def test_a_file_of_the_first_format_is_taken(tab: Tab, bring: Callable):
    page = tab()
    page.goto(f"/en/{PRACTICE}")
    old = practice_file(version=1)
    del old["marks"]
    bring(page, old)
    expect(status(page)).to_contain_text("2 reviews that were not here yet")
    assert len(reviews(page)) == 2


def test_a_question_that_is_gone_keeps_the_rest(tab: Tab, bring: Callable):
    page = tab()
    page.goto(f"/en/{PRACTICE}")
    bring(page, practice_file())
    expect(page.locator(".practice-data")).to_contain_text("the reviews of 1 questions that this site no longer has")
    start(page)
    expect(card(page)).to_be_visible()
    page.reload()
    expect(card(page)).to_be_visible()
    assert {review["question"] for review in reviews(page)} == {"detach", "gone-since"}


def test_a_question_that_is_renamed_keeps_its_reviews(tab: Tab, bring: Callable):
    """The site comes back with the question under another name, which says what it was called."""
    page = tab()
    # No worker, or it would fetch what is planted here
    page.add_init_script("localStorage.setItem('pytorch-interview:offline', 'off')")
    page.goto(f"/en/{PRACTICE}")
    bring(page, practice_file())
    expect(status(page)).to_contain_text("2 reviews")
    due = page.evaluate("records.cards().then(cards => cards.find(card => card.question == 'gone-since').due)")

    def renamed(route: object) -> None:
        text = route.fetch().text()
        before = "&quot;page&quot;:&quot;questions/autograd/variable&quot;"
        assert before in text
        at = text.index(before)
        route.fulfill(body=text[:at] + text[at:].replace("&quot;formerly&quot;:[]", "&quot;formerly&quot;:[&quot;gone-since&quot;]", 1))

    page.route(f"**/{PRACTICE}", renamed)
    page.reload()
    expect(page.locator(".practice-data")).not_to_contain_text("no longer has")
    assert {review["question"] for review in reviews(page)} == {"detach", "variable"}
    assert page.evaluate("records.cards().then(cards => cards.find(card => card.question == 'variable').due)") == due


def test_a_new_scheduler_works_everything_out_again(tab: Tab, bring: Callable):
    page = tab()
    page.goto(f"/en/{PRACTICE}")
    bring(page, practice_file())
    expect(status(page)).to_contain_text("2 reviews")
    good = page.evaluate("records.cards()")
    page.evaluate("records.reschedule(reviews => ({due: 0, last: 0, reviews: reviews.length, scheduler: 'older'}))")
    page.reload()
    counts(page, "Matching: 30")
    until(page, "() => records.cards().then(cards => cards.every(card => card.scheduler != 'older'))")
    assert page.evaluate("records.cards()") == good


SCHEMA_1 = """() => new Promise((resolve) => {
    const request = indexedDB.open("pytorch-interview", 1)
    request.onupgradeneeded = () => {
        const store = request.result.createObjectStore("reviews", {keyPath: ["question", "time"]})
        store.add({question: "detach", time: 1796000000000, rating: 3})
        request.result.createObjectStore("cards", {keyPath: "question"})
    }
    request.onsuccess = () => { request.result.close(); resolve() }
})"""
SCHEMA_99 = """() => new Promise((resolve) => {
    const request = indexedDB.open("pytorch-interview", 99)
    request.onupgradeneeded = () => request.result.createObjectStore("of-the-future")
    request.onsuccess = () => { request.result.close(); resolve() }
})"""


def test_an_older_database_is_migrated(tab: Tab):
    page = tab()
    page.goto("/en/glossary.html")
    page.evaluate(SCHEMA_1)
    page.goto(f"/en/{PRACTICE}")
    expect(page.locator(".practice-data")).to_contain_text("Reviews kept: 1, of 1 questions")
    counts(page, "New: 29.")
    page.evaluate("records.mark('detach', {read: true})")
    assert len(page.evaluate("records.marks()")) == 1


def test_a_site_that_went_back_reads_a_newer_database(tab: Tab, bring: Callable):
    page = tab()
    page.goto(f"/en/{PRACTICE}")
    bring(page, practice_file())
    expect(status(page)).to_contain_text("2 reviews")
    page.goto("/en/glossary.html")
    page.evaluate(SCHEMA_99)
    page.goto(f"/en/{PRACTICE}")
    expect(page.locator(".practice-data")).to_contain_text("Reviews kept: 2, of 2 questions")
    start(page)
    answer(page, "3")
    assert len(reviews(page)) == 3


def test_a_browser_that_keeps_nothing(tab: Tab):
    """Practising works, and the reader is told that it is forgotten."""
    page = tab()
    page.add_init_script("""
        IDBFactory.prototype.open = () => { throw new DOMException("denied", "SecurityError") }
        for (const name of ["localStorage", "sessionStorage"])
            Object.defineProperty(window, name, {get() { throw new DOMException("denied", "SecurityError") }})
    """)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.route("**/furo.js*", lambda route: route.fulfill(body="", content_type="text/javascript"))
    page.route(
        re.compile(r"documentation_options|doctools|sphinx_highlight"), lambda route: route.fulfill(body="", content_type="text/javascript")
    )
    page.route(
        f"**/{PRACTICE}", lambda route: route.fulfill(body=re.sub(r"<script>.*?</script>", "", route.fetch().text(), flags=re.DOTALL))
    )
    page.route(re.compile(r"copybutton\.js|translations\.js"), lambda route: route.fulfill(body="", content_type="text/javascript"))
    page.goto(f"/en/{PRACTICE}")
    expect(page.locator(".practice-data")).to_contain_text("This browser keeps nothing for this site")
    start(page)
    page.keyboard.press("Space")
    expect(page.locator(".practice-grades button")).to_have_count(4)
    page.keyboard.press("3")
    expect(page.locator(".practice-place")).to_contain_text("Question 2")
    assert errors == []


def test_everything_can_be_deleted(tab: Tab, bring: Callable):
    page = tab()
    page.goto(f"/en/{PRACTICE}")
    bring(page, practice_file())
    expect(status(page)).to_contain_text("2 reviews")
    page.once("dialog", lambda dialog: dialog.dismiss())
    page.get_by_role("button", name="Delete everything").click()
    assert len(reviews(page)) == 2
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Delete everything").click()
    expect(status(page)).to_have_text("Everything was deleted.")
    assert reviews(page) == []


def test_practice_from_disk(tab: Tab, site: Path, language: str):
    page = tab()
    page.goto((site / language / PRACTICE).as_uri())
    start(page)
    answer(page, "3")
    expect(page.locator(".practice-place")).to_contain_text(re.compile("Question 2|第 2 题"))
    page.reload()
    assert len(reviews(page)) == 1


def test_a_question_that_cannot_be_loaded(browser: Browser, address: str):
    page = browser.new_page(base_url=address, service_workers="block")
    page.goto(f"/en/{PRACTICE}")
    page.route("**/_static/practice/**", lambda route: route.abort())
    start(page)
    expect(status(page)).to_contain_text("could not be loaded")
    expect(page.locator(".practice-question")).not_to_be_empty()
    expect(page.locator(".practice-bar .primary")).to_have_count(0)
    page.keyboard.press("s")
    expect(page.locator(".practice-place")).to_contain_text("Question 2")
    page.close()


@pytest.mark.parametrize("width", [1280, 375])
def test_accessibility_of_practice(tab: Tab, language: str, width: int):
    page = tab(width)

    def check(what: str) -> None:
        page.emulate_media(color_scheme="light")
        assert violations(page, {}) == [], what
        page.emulate_media(color_scheme="dark")
        assert violations(page, {"runOnly": ["color-contrast"]}) == [], what
        assert page.evaluate("document.scrollingElement.scrollWidth") <= width

    page.goto(f"/{language}/{PRACTICE}")
    expect(page.locator(".practice-counts")).not_to_be_empty()
    check("the choices")
    start(page)
    expect(page.locator(".practice-question")).to_be_visible()
    check("the question")
    page.keyboard.press("Space")
    expect(page.locator(".practice-grades button")).to_have_count(4)
    page.keyboard.press("t")
    page.evaluate("for (const box of document.querySelectorAll('details')) box.open = true")
    check("the answer")
    page.keyboard.press("3")
    expect(page.locator(".practice-place")).to_contain_text("2")
    page.keyboard.press("Escape")
    check("the end")
    page.goto(f"/{language}/{QUESTION}.html")
    page.locator("[data-mark=read]").click()
    expect(page.locator("[data-mark=read]")).to_have_attribute("aria-pressed", "true")
    page.goto(f"/{language}/index.html")
    expect(page.locator(".mark-read")).to_be_visible()
    check("a list with marks")


def test_without_javascript(tab: Tab, language: str):
    page = tab(java_script_enabled=False)
    page.goto(f"/{language}/{PRACTICE}")
    page.locator(".practice a").click()
    page.locator(f"ul.questions a[href='{QUESTION}.html']").click()
    expect(page.locator(".admonition.answer p").last).to_be_visible()
    expect(page.locator(".study-tools button").first).to_be_hidden()
