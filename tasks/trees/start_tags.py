"""The start tags of the HTML elements that a section was taken out of: what its observation must not lose."""

from tasks.trees.tree import Tree


class StartTags:
    """Looks up nodes of an HTML `tree` by path, and the start tags around them."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._children: dict[int, dict[str, int]] = {}

    def around(self, path: str, siblings: bool = False) -> list[str]:
        """Start tags as written, outermost first, of the elements around the node at `path`.

        For a sibling group, whose path is that of the parent, the parent's is the last. `KeyError` where the tree has
        no node at `path`.
        """
        node = self.node(path)
        tree = self._tree
        around = [*([node] if siblings else []), *tree.ancestors(node)]
        tags = [tree.text[tree.starts[element] : tree.value_starts[element]] for element in reversed(around)]
        return [tag for tag in tags if tag]  # a page has none

    def node(self, path: str) -> int:
        """The node at `path`, such as `/page[2]/html[1]/body[1]`."""
        node = self._tree.root
        for step in path.split("/"):
            if step:
                node = self._named(node)[step]
        return node

    def _named(self, node: int) -> dict[str, int]:
        if node not in self._children:
            self._children[node] = {str(self._tree.identifiers[child]): child for child in self._tree.children(node)}
        return self._children[node]
