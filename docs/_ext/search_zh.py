"""Search in Chinese without a dictionary: overlapping pairs of characters, in the index and in the query.

Sphinx 9.0's own Chinese search throws in the browser, and the dictionary behind it knows no compounds such as 反向传播.
Pairs find every word: 反向传播 is indexed and asked for as 反向, 向传, 传播. ``snake_case`` names are
indexed whole and in parts.
"""

import re
import unicodedata

from sphinx.application import Sphinx
from sphinx.search import SearchLanguage

CHINESE = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
RUN = re.compile(rf"[{CHINESE}]+|\w+?(?=[{CHINESE}]|\b)")


class SearchChinese(SearchLanguage):
    """Cuts text into words for the index; ``js_splitter_code`` does the same to the query in the browser."""

    lang = "zh"
    language_name = "Chinese"
    stopwords = frozenset()
    js_splitter_code = r"""
function splitQuery(query) {
  const words = [];
  const chinese = "\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff", word = "\\p{L}\\p{N}_";
  const pair = new RegExp(`^[${chinese}]{2}`), any = new RegExp(`[${chinese}]+|[${word}]+?(?=[${chinese}]|[^${word}]|$)`, "gu");
  const runs = query.normalize("NFKC").match(any) || [];
  for (const run of runs) {
    if (!pair.test(run)) words.push(run);
    else for (let i = 0; i + 1 < run.length; i++) words.push(run.slice(i, i + 2));
  }
  return words;
}
"""

    def split(self, input: str) -> list[str]:
        """Words of a text: Chinese in pairs, a name with underscores whole and in parts."""
        words = []
        for run in RUN.findall(unicodedata.normalize("NFKC", input)):
            if re.match(rf"[{CHINESE}]{{2}}", run):
                words += [run[i : i + 2] for i in range(len(run) - 1)]
            else:
                words.append(run)
                words += [part for part in run.split("_") if part and part != run]
        return words

    def stem(self, word: str) -> str:
        """English is not stemmed here: names matter more than inflections."""
        return word.lower()

    def word_filter(self, word: str) -> bool:
        return bool(word) and not word.isdigit()


def setup(app: Sphinx) -> dict:
    app.add_search_language(SearchChinese)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
