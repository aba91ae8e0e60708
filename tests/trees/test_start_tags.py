"""Start tags around a section."""

import pytest

from tasks.trees.html_tree import parse
from tasks.trees.start_tags import StartTags

PAGE = '<!doctype html>\n<html lang=en><body class="a>b"><TABLE\nid=t><tr><td>1<td>2<tr><td>3</table><p>x</html>'


@pytest.mark.parametrize(
    ("path", "siblings", "tags"),
    [
        ("/", False, []),
        ("/", True, []),
        ("/html[1]", False, []),
        ("/html[1]/body[1]/table[1]/tr[1]", False, ["<html lang=en>", '<body class="a>b">', "<TABLE\nid=t>"]),
        ("/html[1]/body[1]/table[1]", True, ["<html lang=en>", '<body class="a>b">', "<TABLE\nid=t>"]),
        ("/html[1]/body[1]/p[1]/text()[1]", False, ["<html lang=en>", '<body class="a>b">', "<p>"]),
    ],
)
def test_of_one_page(path: str, siblings: bool, tags: list[str]) -> None:
    assert StartTags(parse(PAGE)).around(path, siblings) == tags


def test_of_a_stream() -> None:
    tags = StartTags(parse(PAGE + "\n" + PAGE))
    assert tags.around("/page[2]/html[1]/body[1]/p[1]") == ["<html lang=en>", '<body class="a>b">']
    with pytest.raises(KeyError):
        tags.around("/html[1]")
