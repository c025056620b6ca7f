"""Each rule of a question's page is broken on a page of its own, and the build must name file and line."""

import pytest

from conftest import Build, TinySite

# what is replaced on a right page, by what, and what the build must say; {line} where it is known
FAULTS = {
    "no_level": ({"level": ""}, "level must be one of 1, 2, 3, not None"),
    "bad_level": ({"level": "level: 4\n"}, ":2: WARNING: front matter: level must be one of 1, 2, 3, not '4'"),
    "bad_asked": ({"asked": "asked: A\n"}, ":3: WARNING: front matter: asked must be one of often, sometimes, rarely"),
    "no_english_keywords": ({"keywords": ""}, "keywords must hold a list of texts under 'en'"),
    "unknown_key": ({"level": "level: 1\nlevle: 2\n"}, ":3: WARNING: front matter: 'levle' is not a key"),
    "malformed": ({"level": "level: [1\n"}, "Malformed YAML"),
    "no_answer": ({"answer": ""}, "a question has one {answer}, this page has 0"),
    "long_answer": ({"answer_text": "word " * 81}, ":12: WARNING: the {answer} has 81 words"),
    "late_answer": ({"answer": "## Early\n\n:::{answer}\n\nOne.\n\n:::\n"}, "the {answer} comes first"),
    "no_proof": ({"proof": ""}, "a {myth} needs its proof"),
    "no_right": ({"right": "So there."}, "a {myth} ends with what to say instead"),
    "one_followup": ({"followup": ""}, "two to four {followup} boxes, this page has 1"),
    "no_section": ({"adds": "## More\n"}, "the section '## What a strong answer adds' is missing"),
    "no_see_also": ({"see_also": "## More\n"}, "the section '## See also' is missing"),
    "dead_reference": ({"right": "Right: see {ref}`nowhere`."}, "undefined label: 'nowhere'"),
    "dead_term": ({"right": "Right: {term}`nothing`."}, "term not in glossary: 'nothing'"),
    "empty_myth": ({"proof": ":::\n\n:::{myth} Empty\n:::\n\n:::{myth} x\n\n```pycon\n>>> 1\n1\n```\n"}, "Content block expected"),
}


@pytest.fixture(scope="module")
def built(tiny_module: TinySite) -> Build:
    for name, (changes, _) in FAULTS.items():
        tiny_module.question(name.replace("_", "-"), **changes)
    tiny_module.question("label-here").write_text(
        tiny_module.question("label-here").read_text("utf-8").replace("(label-here)=", "(another)="), "utf-8"
    )
    tiny_module.question("right")
    return tiny_module.build("html", "en", "-q")


def test_the_build_fails(built: Build):
    assert built.returncode != 0


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_named(built: Build, name: str):
    built.line(f"{name.replace('_', '-')}.md", FAULTS[name][1])


def test_label_must_be_the_name_of_the_file(built: Build):
    built.line("label-here.md:9: WARNING:", "the label above the title must be the file's name: (label-here)=")


def test_right_page_passes(built: Build):
    assert "/right.md" not in built.output
