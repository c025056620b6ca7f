"""questions.json by a schema validator, and llms.txt: complete, right, and the same questions as on the site."""

import copy
import json
import re

import jsonschema
import pytest

from conftest import LANGUAGES, SITE, question_pages
from downloads import llms
from made import answer, counts, made, page, squeezed, title

BATCHNORM = "questions/layers/batchnorm"


def data(language: str) -> dict:
    return json.loads(made(f"questions-{language}.json").read_text("utf-8"))


def validator() -> jsonschema.Draft202012Validator:
    schema = json.loads(made("questions.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_schema_holds(language: str):
    assert [error.message for error in validator().iter_errors(data(language))] == []


@pytest.mark.parametrize(
    ("part", "value"),
    [("answer", ""), ("level", 4), ("asked", "never"), ("id", "No Slug"), ("myths", [{"id": "myth-x", "claim": "a"}]), ("surprise", 1)],
)
def test_the_schema_refuses(part: str, value: object):
    broken = copy.deepcopy(data("en"))
    broken["questions"][0][part] = value
    assert list(validator().iter_errors(broken))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_question_is_in_it(language: str):
    questions = data(language)["questions"]
    assert sorted(question["url"].rpartition(f"{language}/")[2] for question in questions) == sorted(
        f"{name}.html" for name in question_pages()
    )
    found = {
        "answer": len(questions),
        "myth": sum(len(q["myths"]) for q in questions),
        "followup": sum(len(q["followups"]) for q in questions),
    }
    assert found == counts(language)
    rights = [myth["right"] for question in questions for myth in question["myths"]]
    assert not [right for right in rights if right.startswith(("Right", "正确"))], "RIGHT in question.py takes the label off"
    assert all(question["verified"]["torch"] == data(language)["torch"] for question in questions)


def test_both_languages_have_the_same_ids():
    def ids(language: str) -> list[list[str]]:
        return [[q["id"], *(m["id"] for m in q["myths"]), *(f["id"] for f in q["followups"])] for q in data(language)["questions"]]

    assert ids("en") == ids("zh_CN")


@pytest.mark.parametrize("language", LANGUAGES)
def test_links_lead_to_pages_and_anchors(language: str):
    for question in data(language)["questions"]:
        docname = f"questions/{question['topic']['id']}/{question['id']}"
        anchors = {element["id"] for element in page(language, docname).select("[id]")}
        assert {box["id"] for box in question["myths"] + question["followups"]} <= anchors
        assert set(question["related"]) <= {q["id"] for q in data(language)["questions"]}


@pytest.mark.parametrize("language", LANGUAGES)
def test_text_code_and_formulas_are_intact(language: str):
    [batchnorm] = [question for question in data(language)["questions"] if question["id"] == "batchnorm"]
    assert r"$\gamma$" in batchnorm["answer"] and r"$\beta$" in batchnorm["answer"]
    assert (
        "```pycon\n>>> def running_mean(momentum):\n...     layer = nn.BatchNorm1d(1, momentum=momentum)\n"
        in batchnorm["myths"][0]["proof"]
    )
    chinese = {"en": 0, "zh_CN": 100}[language]
    assert len(re.findall(r"[\u4e00-\u9fff]", batchnorm["answer"])) >= chinese
    detach = next(question for question in data(language)["questions"] if question["id"] == "detach")
    plain = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", detach["answer"]).replace("`", "")
    assert squeezed(plain) == answer(language, "questions/autograd/detach")


@pytest.mark.parametrize("language", LANGUAGES)
def test_llms_txt(language: str):
    """A title, a summary, and under each topic its questions, as https://llmstxt.org/ says; the links lead somewhere."""
    text = (SITE / llms(language)).read_text("utf-8")
    lines = text.splitlines()
    assert lines[0].startswith("# ") and lines[2].startswith("> ")
    addresses = re.findall(r"^- \[.+?\]\(([^)]+)\)", text, re.MULTILINE)
    local = [address.rpartition(f"{language}/")[2] for address in addresses if address.endswith(".html")]
    assert {name for name in local if name.startswith("questions/")} == {f"{docname}.html" for docname in question_pages()}
    assert all((SITE / address).exists() for address in addresses if address.endswith(".txt"))
    assert llms(language, full=True) in addresses


@pytest.mark.parametrize("language", LANGUAGES)
def test_llms_full_txt(language: str):
    """Each question with its whole page: the headings, and every line of code."""
    text = (SITE / llms(language, full=True)).read_text("utf-8")
    whole = squeezed(text.replace("`", "").replace("\\", ""))
    for docname in question_pages():
        assert title(language, docname) in whole, docname
        for block in page(language, docname).select("div.highlight-pycon pre"):
            code = block.get_text().rstrip("\n")
            assert f"```pycon\n{code}\n```" in text, f"{docname}: {code}"
