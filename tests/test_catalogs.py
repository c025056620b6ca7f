"""The translation gate names each fault of a Chinese catalog, is content once its advice is followed, and passes what is right.

The pages of the right entries are built too: what the gate lets through, the reader sees in Chinese.
"""

import pickle
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from conftest import Build, TinySite
from recurring_texts import fill

HEADER = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n\n'
GLOSSARY = {"Glossary": "术语表", "leaf tensor": "叶子张量（leaf tensor）", "A tensor without history.": "没有历史的张量。"}

# fault: (English, Chinese, what the gate must say, the Chinese that mends it)
FAULTS = {
    "missing": ("All good things.", "", "not translated: fill its msgstr", "好东西。"),
    "blank": ("All fine things.", " ", "not translated: fill its msgstr", "好。"),
    "repeats": ("All bad things.", "All bad things.", "no Chinese in the msgstr: translate it", "坏东西。"),
    "one_word": ("Decisions", "Decisions", "no Chinese in the msgstr: translate it", "决定"),
    "still_english": ("All old things.", "Old things.", "no Chinese in the msgstr: translate it", "旧东西。"),
    "code_dropped": ("Call `a()` now.", "现在调用。", "the code 'a()' of the English is missing", "现在调用 `a()`。"),
    "code_changed": ("Call `b()` now.", "现在调用 `B()`。", "the code 'B()' is in the Chinese only", "现在调用 `b()`。"),
    "code_once": ("Call `c` and `c`.", "调用 `c`。", "the code 'c' of the English is missing", "调用 `c` 和 `c`。"),
    "code_double": ("Call ``a`b`` now.", "现在调用。", "the code 'a`b' of the English is missing", "现在调用 ``a`b``。"),
    "maths_dropped": ("Take $x + 1$ now.", "现在取它。", "the maths 'x + 1' of the English is missing", "现在取 $x + 1$。"),
    "maths_extra": ("Take it now.", "现在取 $x$。", "the maths 'x' is in the Chinese only", "现在取它。"),
    "maths_changed": ("Take $a_1$ now.", "现在取 $a_2$。", "the maths 'a_1' of the English is missing", "现在取 $a_1$。"),
    "formula_changed": ("$$\ny = \\frac{a}{b}\n$$", "y = \\frac{b}{a}", "a formula on lines of its own is the same", "y = \\frac{a}{b}"),
    "role_dropped": ("See {ref}`right` now.", "现在看。", "the role '{ref} right' of the English is missing", "现在看 {ref}`right`。"),
    "role_extra": ("See it here.", "看 {ref}`right`。", "the role '{ref} right' is in the Chinese only", "看这里。"),
    "role_target": (
        "See {torch}`docs <a.html>`.",
        "见{torch}`文档 <b.html>`。",
        "the role '{torch} a.html' of the English is missing",
        "见{torch}`文档 <a.html>`。",
    ),
    "role_open": ("See {ref}`right` there.", "看那里 {ref}`right。", "the mark ` stays visible", "看那里 {ref}`right`。"),
    "link_dropped": (
        "See [it](https://example.org/a).",
        "见它。",
        "the link 'https://example.org/a' of the English is missing",
        "见[它](https://example.org/a)。",
    ),
    "link_changed": (
        "See [it](https://example.org/b).",
        "见[它](https://example.org/c)。",
        "'https://example.org/c' is in the Chinese only",
        "见[它](https://example.org/b)。",
    ),
    "reference_link": (
        "See [them](https://example.org/d).",
        "见[它们][d]。",
        "the mark ][ stays visible",
        "见[它们](https://example.org/d)。",
    ),
    "number_changed": (
        "It saves 13 of 25 MiB.",
        "它省下 25 MiB 中的 31 MiB。",
        "the number 13 of the English is 31",
        "它省下 25 MiB 中的 13 MiB。",
    ),
    "right_label": ("Right: it is so.", "对了：是这样。", "begins with 正确的说法： in Chinese", "正确的说法：是这样。"),
    "invisible": ("A space of no width.", "没有\u200b宽度的空格。", "an invisible character, '\\u200b'", "没有宽度的空格。"),
    "one_asterisk": ("*Mind:* don't.", "*注意：*不要。", "the mark * stays visible", "*注意*：不要。"),
    "underscores": ("This _one_ here.", "这里_这个_词。", "the mark _ stays visible", "这里*这个*词。"),
    "full_width_code": ("Call `full` here.", "这里调用｀full｀。", "the code 'full' of the English is missing", "这里调用 `full`。"),
    "full_width_maths": ("Take $w$ here.", "这里取＄w＄。", "the maths 'w' of the English is missing", "这里取 $w$。"),
    "full_width_role": (
        "See {ref}`right` or not.",
        "看不看｛ref｝`right`。",
        "the role '{ref} right' of the English",
        "看不看 {ref}`right`。",
    ),
    "full_width_link": (
        "See [one](https://example.org/e).",
        "见[一个]（https://example.org/e）。",
        "the link 'https://example.org/e' of the English is missing",
        "见[一个](https://example.org/e)。",
    ),
    "html_added": ("A break.", "换<br>行。", "the HTML '<br>' is in the Chinese only", "换行。"),
    "like_number": ("One bracket.", "1) 一步。", "is not one paragraph", "一个括号。"),
    "like_star": ("One star.", "* 一步。", "is not one paragraph", "一颗星。"),
    "like_line": ("One line.", "---", "is not one paragraph", "一条线。"),
    "like_fence": ("One fence.", "```\n一步。\n```", "is not one paragraph", "一道栅栏。"),
    "like_code": ("One indent.", "    一步。", "is not one paragraph", "一次缩进。"),
    "like_target": ("One target.", "(one)=\n一步。", "is not one paragraph", "一个目标。"),
    "like_link": ("One address.", "[一]: https://example.org", "is not one paragraph", "一个地址。"),
    "like_html": ("One tag.", "<div>一步。</div>", "is not one paragraph", "一个标签。"),
    "like_table": ("One table.", "| 一 | 二 |\n| - | - |", "is not one paragraph", "一张表。"),
    "like_formula": ("One formula.", "$$一$$", "is not one paragraph", "一个公式。"),
    "like_list": ("One step.", "1. 一步。", "is not one paragraph", "一步。"),
    "like_bullet": ("One dash.", "- 一步。", "is not one paragraph", "一划。"),
    "like_heading": ("One heading.", "# 标题", "is not one paragraph", "标题。"),
    "like_quote": ("One greater.", "> 大于", "is not one paragraph", "大于。"),
    "like_plus": ("One plus.", "+ 加", "is not one paragraph", "加。"),
    "like_comment": ("A percent sign.", "% 百分号", "is not one paragraph", "百分号。"),
    "like_definition": ("A definition.", "定义\n: 是", "is not one paragraph", "定义是。"),
    "two_paragraphs": ("Two of them.", "一段。\n\n两段。", "is not one paragraph", "一段。两段。"),
    "line_break": ("A long line.", "很长\n的一行。", "a line break in Chinese shows as a space", "很长的一行。"),
    "colon_inside": ("**Note:** don't.", "**注意：**不要。", "the mark ** stays visible", "**注意**：不要。"),
    "quotes_inside": ("The **word** here.", "这个**“词”**在这里。", "the mark ** stays visible", "这个“**词**”在这里。"),
    "backtick_open": ("Call `d` here.", "这里调用 `d` 和 `e。", "the mark ` stays visible", "这里调用 `d`。"),
    "implicit_term": (
        "A {term}`leaf tensor` grows.",
        "{term}`leaf tensor`会长。",
        "in Chinese a term names its English target",
        "{term}`叶子张量 <leaf tensor>`会长。",
    ),
    "other_term": (
        "A {term}`leaf <leaf tensor>` falls.",
        "{term}`树叶 <leaf tensor>`会落。",
        "the glossary calls 'leaf tensor' '叶子张量'",
        "{term}`叶子张量 <leaf tensor>`会落。",
    ),
    "other_term_case": (
        "The {term}`leaf <Leaf tensor>` falls.",
        "{term}`树叶 <Leaf tensor>`落了。",
        "the glossary calls 'Leaf tensor' '叶子张量'",
        "{term}`叶子张量 <Leaf tensor>`落了。",
    ),
    "half_width": ("No, it does not.", "不,它不会。", "full-width punctuation beside Chinese, in '不,它不会。'", "不，它不会。"),
    "half_brackets": ("A picture (drawn).", "图片(画的)。", "full-width punctuation beside Chinese", "图片（画的）。"),
    "straight_quotes": ('It is "one".', '它是"一"。', "full-width punctuation beside Chinese", "它是“一”。"),
    "half_stop": ("It is over.", "结束了.", "full-width punctuation beside Chinese", "结束了。"),
    "misspelt": ("A threshold.", "一个阀值。", "'一个阀值。' should be '一个阈值。'", "一个阈值。"),
    "no_space_latin": ("The GPU runs.", "这块GPU在运行。", "'这块GPU在运行。' should be '这块 GPU 在运行。'", "这块 GPU 在运行。"),
    "no_space_code": ("The `x` runs.", "这个`x`在运行。", "'这个`x`在运行。' should be '这个 `x` 在运行。'", "这个 `x` 在运行。"),
    "no_space_maths": ("The $x$ grows.", "这个$x$在变大。", "Chinese typography", "这个 $x$ 在变大。"),
    "no_space_strong": ("**BatchNorm** runs.", "**BatchNorm**在运行。", "Chinese typography", "**BatchNorm** 在运行。"),
}

# The same in example scripts, which are reStructuredText.
REST_FAULTS = {
    "rest_missing": ("All good things.", "", "not translated: fill its msgstr", "好东西。"),
    "rest_code_dropped": ("Call ``a()`` now.", "现在调用。", "the code 'a()' of the English is missing", "现在调用 ``a()``。"),
    "rest_one_backtick": ("Call ``b()`` now.", "现在调用 `b()`。", "the mark ` stays visible", "现在调用 ``b()``。"),
    "rest_maths_dropped": ("Take :math:`x` now.", "现在取它。", "the math 'x' of the English is missing", "现在取 :math:`x`。"),
    "rest_role_target": (
        "See :ref:`it <right>`.",
        "见 :ref:`它 <left>`。",
        "the role '{ref} right' of the English is missing",
        "见 :ref:`它 <right>`。",
    ),
    "rest_link": (
        "See `it <https://example.org/a>`_.",
        "见它。",
        "the link 'https://example.org/a' of the English is missing",
        "见\\ `它 <https://example.org/a>`_。",
    ),
    "rest_markdown": ("Call ``c`` and ``d``.", "调用 `c` 和 ``d``。", "the code 'c' of the English is missing", "调用 ``c`` 和 ``d``。"),
    "rest_term": (
        "A :term:`leaf tensor` grows.",
        ":term:`leaf tensor` 会长。",
        "in Chinese a term names its English target",
        ":term:`叶子张量 <leaf tensor>`\\ 会长。",
    ),
    "rest_list": ("One step.", "1. 一步。", "is not one paragraph", "一步。"),
    "rest_strong_open": ("A **word** here.", "一个**词在这里。", "the mark ", "一个\\ **词**\\ 在这里。"),
    "rest_half_width": ("No, it does not.", "不,它不会。", "full-width punctuation beside Chinese", "不，它不会。"),
}

# English and Chinese that the gate must pass.
RIGHT = {
    "**Mind:** not so.": "**注意**：并非如此。",
    "**It is.** There is more.": "**是的。** 还有更多。",
    "Write `` {term}`x` `` or ``a`b`` there.": "写 `` {term}`x` `` 或 ``a`b``。",
    "See {torch}`Tensor.detach <generated/torch.Tensor.detach.html>`.": "见 {torch}`Tensor.detach <generated/torch.Tensor.detach.html>`。",
    "See {torch}`the manual <index.html>` and {ref}`right`.": "见{torch}`手册 <index.html>`和{ref}`right`。",
    "Set `$HOME` and `a$b`, or pay $x$.": "设置 `$HOME` 和 `a$b`，或者付 $x$。",
    "`x = 1`": "`x = 1`",
    "$x = 1$": "$x = 1$",
    "$$\ny = \\frac{a}{b + c}\n$$": "y = \\frac{a}{b + c}",
    "First `a`, after that `b`.": "`b` 在 `a` 之后。",
    "`a`, `b` and `c(1, 2)`.": "`a`、`b`、`c(1, 2)`。",
    "Read [the manual](https://example.org/x?y=1,2) first.": "先读[手册](https://example.org/x?y=1,2)。",
    "BatchNorm": "BatchNorm",
    "PyTorch 2.13, DDP.": "PyTorch 2.13、DDP。",
    "Batch size": "batch size",
    "3 × 4 = 12": "3 × 4 = 12",
    '"No", it saves 13 % of 25 MiB.': "“不”，它省下 25 MiB 的 13%。",
    "It keeps *most* of it: an all-reduce.": "它保留*大部分*：一次 all-reduce。",
    "Write `你好,世界` there.": "在那里写 `你好,世界`。",
    "A {term}`leaf tensor` (leaf tensor) is a leaf.": "{term}`叶子张量 <leaf tensor>`（leaf tensor）就是叶子。",
    "A \\*star\\* is seen.": "看得见\\*星号\\*。",
    "How long… is it?": "有多长……？",
}
REST_RIGHT = {
    "The *biased* variance of :math:`n = 4` is ``var(x)``.": "*有偏*方差在 :math:`n = 4` 时是 ``var(x)``。",
    "The question: :ref:`right`.": "对应的问题：:ref:`right`。",
    "See :torch:`F.fold <generated/x.html>`; ``a`` too.": "见 :torch:`F.fold <generated/x.html>`，还有 ``a``。",
    "**Mind:** not so.": "**注意：**\\ 并非如此。",
    "running ← 0.9 · running + 0.1 · batch.": "running ← 0.9 · running + 0.1 · batch，如此而已。",
}
# English that no Chinese can stand for: it is the page that must change.
UNTRANSLATABLE = {"1. First things": "1. 首先", "2. Second things": "2. Second things", "+ More things": "更多", "# A heading": "标题"}
# A footnote's mark, dropped: the text below the page would belong to nothing. {name: (English, Chinese, the mark)}
FOOTNOTES = {"faults/footnote": ("A claim.[^note]", "说法。", "note"), "auto_examples/faults/footnote": ("A claim [1]_.", "说法。", "1")}
MENDED = {english: chinese for english, _, _, chinese in FAULTS.values()}
REST_MENDED = {english: chinese for english, _, _, chinese in REST_FAULTS.values()}

BROKEN = {
    "bom": b"\xef\xbb\xbf" + HEADER.encode(),
    "malformed": HEADER.encode() + b'msgid "a\nmsgstr "b"\n',
    "unclosed": HEADER.encode() + 'msgid "a"\nmsgstr "中文\n'.encode(),
    "unescaped": HEADER.encode() + 'msgid "a"\nmsgstr "中"文"\n'.encode(),
    "conflict": HEADER.encode() + b'<<<<<<< HEAD\nmsgid "a"\nmsgstr "b"\n',
    "charset": HEADER.replace("utf-8", "GBK").encode() + 'msgid "a"\nmsgstr "中文"\n'.encode(),
    "gbk": HEADER.encode() + 'msgid "a"\nmsgstr "中文"\n'.encode("gbk"),
    "twice": HEADER.encode() + 'msgid "a"\nmsgstr "甲"\n\nmsgid "a"\nmsgstr "乙"\n'.encode(),
}


def quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def entry(english: str, chinese: str) -> str:
    # Sphinx extracts a formula without its dollar signs.
    return f"msgid {quote(english.strip('$').strip() if english.startswith('$$') else english)}\nmsgstr {quote(chinese)}\n\n"


def write_catalog(site: TinySite, name: str, text: str) -> None:
    path = site.folder / "docs" / "locale" / "zh_CN" / "LC_MESSAGES" / f"{name}.po"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(HEADER + text, "utf-8")


def write_translated(site: TinySite, name: str, entries: dict[str, str]) -> None:
    """A page of these paragraphs, and its complete catalog."""
    site.write(f"docs/{name}.md", f"({name})=\n# Page\n\n" + "\n\n".join(entries) + "\n")
    write_catalog(site, name, entry("Page", "页面") + "".join(entry(*pair) for pair in entries.items()))


def write_script(site: TinySite, name: str, entries: dict[str, str]) -> None:
    """An example script of these paragraphs, and its catalog."""
    site.write(f"examples/topic/{name}.py", "r'''\nScript\n======\n\n" + "\n\n".join(entries) + "\n'''\n\nprint(1)\n")
    write_catalog(site, f"auto_examples/topic/{name}", entry("Script", "脚本") + "".join(entry(*pair) for pair in entries.items()))


@pytest.fixture(scope="module")
def built(tiny_module: TinySite) -> Build:
    """Every fault has a catalog of its own, and all are judged by one build of the Chinese site."""
    for name, (english, chinese, _, _) in FAULTS.items():
        write_catalog(tiny_module, f"faults/{name}", entry(english, chinese))
    for name, (english, chinese, _, _) in REST_FAULTS.items():
        write_catalog(tiny_module, f"auto_examples/{name}", entry(english, chinese))
    for number, (english, chinese) in enumerate(UNTRANSLATABLE.items()):
        write_catalog(tiny_module, f"faults/untranslatable{number}", entry(english, chinese))
    for name, (english, chinese, _) in FOOTNOTES.items():
        write_catalog(tiny_module, name, entry(english, chinese))
    tiny_module.write("docs/notes.md", "# Page\n\nA claim.[^note]\n\n[^note]: A remark.\n")
    write_catalog(
        tiny_module,
        "notes",
        "".join(entry(*pair) for pair in (("Page", "页面"), ("A claim.[^note]", "说法。[^note]"), ("A remark.", "附注。"))),
    )
    write_catalog(tiny_module, "faults/fuzzy", "#, fuzzy\n" + entry("All new things.", "新东西。"))
    write_catalog(tiny_module, "faults/obsolete", "\n".join(f"#~ {line}" for line in entry("Gone.", "没了。").splitlines() if line))
    write_catalog(tiny_module, "sphinx", entry("%(torch)s on %(date)s", "%(torch)s 于某日") + entry("Added in version %s", "%s 新增"))
    for name, content in BROKEN.items():
        (tiny_module.folder / "docs" / "locale" / "zh_CN" / "LC_MESSAGES" / f"{name}.po").write_bytes(content)
    write_translated(tiny_module, "right", RIGHT)
    write_translated(tiny_module, "mended", MENDED)
    write_script(tiny_module, "plot_right", REST_RIGHT)
    write_script(tiny_module, "plot_mended", REST_MENDED)
    tiny_module.write("docs/glossary.md", "# Glossary\n\n:::{glossary}\nleaf tensor\n  A tensor without history.\n:::\n")
    write_catalog(tiny_module, "glossary", "".join(entry(*pair) for pair in GLOSSARY.items()))
    return tiny_module.build("html", "zh_CN", "-q", "-D", "plot_gallery=0")


def test_the_build_fails(built: Build):
    assert built.returncode != 0


@pytest.mark.parametrize("name", FAULTS | REST_FAULTS)
def test_fault_is_named(built: Build, name: str):
    built.line(f"/{name}.po:5: WARNING:", (FAULTS | REST_FAULTS)[name][2])


def test_fuzzy_obsolete_and_placeholder_are_named(built: Build):
    built.line("/fuzzy.po:5: WARNING: marked fuzzy")
    built.line("/obsolete.po:5: WARNING: obsolete: delete the entry")
    built.line("/sphinx.po:5: WARNING: the placeholder '%(date)s' of the English is missing")
    assert "/sphinx.po:8" not in built.output


@pytest.mark.parametrize("number", range(len(UNTRANSLATABLE)))
def test_english_that_cannot_be_translated_is_named(built: Build, number: int):
    """Sphinx reads a message as a page of its own; what it then takes for a list or heading it leaves as it is."""
    built.line(f"/untranslatable{number}.po:5: WARNING: the English begins like a list, a heading or a quotation")


@pytest.mark.parametrize("name", FOOTNOTES)
def test_dropped_footnote_is_named(built: Build, name: str):
    built.line(f"/{name}.po:5: WARNING: the footnote '{FOOTNOTES[name][2]}' of the English is missing in the Chinese")


def test_kept_footnote_is_shown(built: Build):
    page = BeautifulSoup((built.folder / "notes.html").read_text("utf-8"), "html.parser")
    [mark] = page.select("article p a.footnote-reference")
    assert "附注。" in page.select_one(mark["href"]).get_text() and "notes." not in built.output


@pytest.mark.parametrize("name", BROKEN)
def test_unreadable_catalog_is_named(built: Build, name: str):
    built.line(f"/{name}.po:1: WARNING: this catalog can't be read")


@pytest.mark.parametrize("name", ["right", "mended", "plot_right", "plot_mended", "glossary"])
def test_right_entries_pass(built: Build, name: str):
    assert f"/{name}." not in built.output


@pytest.mark.parametrize("name", ["right", "mended", "auto_examples/topic/plot_right", "auto_examples/topic/plot_mended"])
def test_what_passes_is_shown(built: Build, name: str):
    page = BeautifulSoup((built.folder / f"{name}.html").read_text("utf-8"), "html.parser")
    expected = {"right": RIGHT, "mended": MENDED, "plot_right": REST_RIGHT, "plot_mended": REST_MENDED}[name.rpartition("/")[2]]
    shown = [paragraph.get_text() for paragraph in page.select("article h1 ~ p")]
    for chinese in expected.values():
        if words := re.findall(r"[\u4e00-\u9fff]{2,}", re.sub(r"`[^`]+`", "", chinese)):
            assert any(all(word in text for word in words) for text in shown), chinese
    assert not [text for text in shown if "**" in text or "](" in text or "{ref}" in text]


@pytest.fixture(scope="module")
def extracted(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Pages that have moved on while their catalogs stayed."""
    site = TinySite(tmp_path_factory.mktemp("site"))
    for name in ("page", "auto_examples/topic/plot_one"):
        write_catalog(site, name, entry("Page", "页面") + entry("It printed.", "它打印过。"))
    site.write("docs/page.md", "# Page\n\nIt prints now.\n")
    write_translated(site, "current", {"It stays.": "它不变。"})
    site.write("docs/new.md", "# Page\n")
    write_catalog(site, "gone", entry("Page", "页面"))
    write_catalog(site, "sphinx", entry("Language", "语言"))
    # Left by an earlier run, when the page was still there
    site.write("out/gettext/zh_CN/gone.pot", HEADER + entry("Page", ""))
    return site.build("gettext", "zh_CN", "-q", "-D", "plot_gallery=0")


def test_english_that_moved_on_is_named(extracted: Build):
    assert extracted.returncode != 0
    extracted.line("/page.po:1: WARNING: the English is new or has changed: run nox -s translate", "'It prints now.'")
    extracted.line("/page.po:8: WARNING: no page says this any more: run nox -s translate", "'It printed.'")
    extracted.line("/plot_one.po:1: WARNING: the English is new or has changed", "'It prints.'")
    extracted.line("/plot_one.po:8: WARNING: no page says this any more", "'It printed.'")


def test_catalogs_without_page_and_pages_without_catalog_are_named(extracted: Build):
    extracted.line("/new.po:1: WARNING: no Chinese catalog: run nox -s translate")
    extracted.line("/gone.po:1: WARNING: a catalog of a page that is gone: delete it")
    assert "/current.po" not in extracted.output
    assert "/sphinx.po" not in extracted.output


def test_translated_nodes_belong_to_their_page(site: Path):
    """Else the page's doctree holds a document for each paragraph: six times the size, and most of the build's time."""
    doctrees = sorted((site.parent / "work" / "doctrees" / "zh_CN" / "questions").rglob("*.doctree"))
    assert doctrees
    for path in doctrees:
        tree = pickle.loads(path.read_bytes())
        assert not [node for node in tree.findall() if node.document is not tree], path


def test_bare_links_are_filled_in(tmp_path: Path):
    """As a question is given its day in the reading order; a link in a sentence is the translator's."""
    path = tmp_path / "reading-order.po"
    path.write_text(HEADER + entry("{ref}`batchnorm`", "") + entry("See {ref}`batchnorm`.", ""), "utf-8")
    fill(path)
    text = path.read_text("utf-8")
    assert 'msgid "{ref}`batchnorm`"\nmsgstr "{ref}`batchnorm`"' in text
    assert 'msgid "See {ref}`batchnorm`."\nmsgstr ""' in text
