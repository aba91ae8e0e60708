"""What holds for every tree, checked from the spans alone."""

from tasks.trees.tree import Tree


def check_spans(tree: Tree) -> None:
    """Children lie inside their parent, in order, without overlap; paths are distinct."""
    assert tree.parents[0] == -1
    assert 0 <= tree.starts[0] <= tree.ends[0] <= len(tree.text)
    for node in range(len(tree)):
        reached = tree.starts[node]
        for child in tree.children(node):
            assert tree.parents[child] == node
            assert reached <= tree.starts[child] <= tree.ends[child] <= tree.ends[node]
            assert tree.starts[child] <= tree.value_starts[child] <= tree.value_end(child) <= tree.ends[child]
            reached = tree.ends[child]
        steps = [(tree.identifiers[child]) for child in tree.children(node)]
        positions = [step for step in steps if isinstance(step, int)]
        assert len(set(positions)) == len(positions)


def wrapper(tree: Tree) -> str:
    """All characters that no leaf holds."""
    kept = []
    at = 0
    for node in range(len(tree)):
        if tree.leaf(node):
            kept.append(tree.text[at : tree.starts[node]])
            at = tree.ends[node]
    return "".join(kept) + tree.text[at:]


def outline(tree: Tree) -> list[tuple[str, str]]:
    """Path and source of every node."""
    return [(tree.path(node), tree.source(node)) for node in range(len(tree))]
