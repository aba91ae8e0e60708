import pytest

from tasks.reporting import labels


@pytest.mark.parametrize(
    ("tokens", "written"),
    [(8192, "8K"), (1 << 20, "1M"), (512 * 1024, "512K"), (1024, "1K"), (1500, "1500"), (512, "512")],
)
def test_lengths(tokens, written):
    assert labels.length(tokens) == written


def test_unknown_ids_are_their_own_labels():
    assert labels.label("agent", "memagent") == "MemAgent"
    assert labels.label("agent", "mine") == "mine"
    assert labels.label("anything", "x") == "x"


def test_lists_in_sentences():
    assert labels.listed([]) == ""
    assert labels.listed(["a"]) == "a"
    assert labels.listed(["a", "b", "c"]) == "a, b and c"
