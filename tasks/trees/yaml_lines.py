"""From the end of a YAML value to the next line that holds something."""

import re

from tasks.trees.yaml_nodes import Nodes
from tasks.trees.yaml_scalars import marker

spaces = re.compile(r"[ \t]*+").match
_next_line = re.compile(
    r"[ \t]*+(?:#[^\r\n]*+)?(?:\r\n?|\n|\Z)(?:[ \t]*+(?:#[^\r\n]*+)?(?:\r\n?|\n))*+( *+)(?:[ \t]*+(?:#[^\r\n]*+)?\Z)?"
).match


class Lines:
    """`line` and `indent` describe the next line that holds something."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.text = nodes.text
        self.line = 0
        self.indent = 0

    def line_end(self, at: int) -> int:
        """Check that nothing but a comment follows on the line; returns the start of the next line with content."""
        self.advance(at)
        return self.line

    def advance(self, at: int) -> None:
        """Go from the end of a value to the next line that holds something; `indent` is -1 at the end of a document."""
        text = self.text
        gap = end_of(spaces(text, at))
        character = text[gap : gap + 1]
        if character not in ("\n", "\r", "") and (character != "#" or gap == at):
            self.nodes.refuse(
                gap,
                "a key cannot begin here, inside another value" if character == ":" else "expected the end of the line",
            )
        self.next_line(gap)

    def next_line(self, at: int) -> None:
        """As `advance`, from a line end or a comment."""
        text = self.text
        match = _next_line(text, at)
        assert match is not None
        self.line = match.start(1)
        self.indent = match.end(1) - self.line
        if match.end() == len(text):
            self.line, self.indent = len(text), -1
        elif not self.indent and text[self.line] in "-." and marker(text, self.line):
            self.indent = -1


def end_of(match: re.Match[str] | None) -> int:
    """Where a pattern that matches everywhere has matched up to."""
    assert match is not None
    return match.end()
