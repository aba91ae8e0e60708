"""YAML 1.2 to a tree: documents and block collections here; keys, brackets, scalars and line ends in `yaml_*.py`.

An own reader: libyaml gives marks that run over trailing comments and refuses 1,000 levels, tree-sitter counts
bytes and keeps at most 1,024 bytes of open indentations. Choices where the contract leaves room:

* A member with an explicit key begins at its `?`. A document of a stream begins at its directives or `---`, and ends
  with its value (`...` and comments belong to no document). The root of a single document is its value alone.
* A key is named by what it says (escapes decoded); a collection, an alias or a block scalar as a key by its source.
* A block scalar ends behind its last character that is no blank. An empty value is a leaf that ends
  with its `:` or `-`.
* Empty text is one empty document, a leaf without characters.
"""

import re

from tasks.trees.tree import Tree
from tasks.trees.yaml_flow import read_flow
from tasks.trees.yaml_keys import Key, blank_colon, bracket_key_at, broken, key_at
from tasks.trees.yaml_lines import Lines, end_of, spaces
from tasks.trees.yaml_nodes import FORBIDDEN, Nodes
from tasks.trees.yaml_scalars import block_scalar_end, content, marker, plain_end, quoted_end

_SEQUENCE, _MAPPING = range(2)

_indentation = re.compile(" *+").match
_document_prefix = re.compile(r"\ufeff?(?:[ \t]*+(?:#[^\r\n]*+)?(?:\r\n?|\n))*+(?:[ \t]*+(?:#[^\r\n]*+)?\Z)?").match
_directive = re.compile(
    r"%([^ \t\r\n]++)(?:[ \t]++([^ \t\r\n#][^ \t\r\n]*+))?(?:[ \t]++([^ \t\r\n#][^ \t\r\n]*+))?"
).match
_rest_of_line = re.compile(r"[^\r\n]*+").match
_dash = re.compile(r"-(?=[ \t\r\n]|\Z)").match
_question = re.compile(r"\?(?=[ \t\r\n]|\Z)").match
_colon = re.compile(r":(?=[ \t\r\n]|\Z)").match


def parse(text: str) -> Tree:
    """The tree of a YAML stream; `UserError` with line and column where it does not parse."""
    forbidden = FORBIDDEN(text)
    nodes = Nodes(text)
    if forbidden:
        nodes.refuse(forbidden.start(), f"the control character {forbidden[0]!r} is not allowed")
    nodes.add(-1, 0, "")
    reader = _Reader(nodes)
    at = 0
    while at < len(text) or len(nodes.starts) == 1:
        at = reader.document(at)
    if nodes.stops[1] != len(nodes.starts):
        nodes.starts[0] = nodes.value_starts[0] = nodes.starts[1]
        nodes.finish(0, reader.end)
    else:
        nodes.starts[1] = reader.value_start
    return nodes.tree()


class _Reader(Lines):
    """Reads document after document."""

    def __init__(self, nodes: Nodes) -> None:
        super().__init__(nodes)
        self.documents = 0
        self.at = 0  # where in its line an opened collection begins
        self.end = 0
        self.value_start = 0

    def document(self, at: int) -> int:
        """Read the document at `at`, if one is there; returns where the next may begin."""
        nodes, text = self.nodes, self.text
        at = begin = end_of(_document_prefix(text, at))
        nodes.handles.clear()
        nodes.anchors.clear()
        versions = 0
        while text[at : at + 1] == "%":
            versions += text.startswith("%YAML", at)
            if versions > 1:
                nodes.refuse(at, "a document has one %YAML line at most")
            at = self._directive(at)
        marked = marker(text, at)
        if begin < at and not (marked and text[at] == "-"):
            nodes.refuse(min(at, len(text)), "a directive must be followed by a document that begins with `---`")
        if marked and text[at] == ".":
            return self.line_end(at + 3)
        if at == len(text) and self.documents:
            return at
        if marked:
            line, at = at, at + 3
        else:
            line = at
            begin = at = end_of(_indentation(text, at))
        root = nodes.add(0, begin, self.documents)
        self.documents += 1
        self.value_start = begin
        self._read(root, line, at, marked is None)
        at = self.line
        if at < len(text) and text[at] == ".":
            return self.line_end(at + 3)
        return at

    def _directive(self, at: int) -> int:
        """Check the directive line at `at`; returns the next line that holds something."""
        match = _directive(self.text, at)
        if match is None:
            self.nodes.refuse(at, "a directive needs a name")
        name, first, second = match.groups()
        if name == "YAML" and not (first and first.startswith("1.") and first[2:].isdigit() and second is None):
            self.nodes.refuse(at, "only YAML 1.x is known")
        if name == "TAG":
            if second is None:
                self.nodes.refuse(at, "a %TAG line needs a handle and a prefix")
            self.nodes.handles.add(first)
        if name in ("YAML", "TAG"):
            return self.line_end(match.end())
        self.next_line(end_of(_rest_of_line(self.text, at)))
        return self.line

    def _read(self, root: int, line: int, at: int, compact: bool) -> None:
        """Read the value of `root`, which stands at `at` or later; `line` is the start of the line of `at`.

        `compact` says whether a block collection may begin on this line. Open collections lie on a stack.
        """
        nodes, text = self.nodes, self.text
        kinds: list[int] = []
        indents: list[int] = []
        owners: list[int] = []
        counts: list[int] = []
        explicit: list[int] = []  # the member whose explicit key was begun, or 0
        node, outer, beside = root, -1, False  # beside: a sequence may be indented as its key
        last = at  # end of the last token read
        while True:
            opened, key = self._value(node, line, at, outer, compact, beside)
            if opened >= 0:
                line, at = self.line, self.at
                outer = at - line
                kinds.append(opened)
                indents.append(outer)
                owners.append(node)
                counts.append(0)
                explicit.append(0)
            else:
                last = self.end
                line, outer = self.line, self.indent
                while indents and (indents[-1] > outer or self._ends_beside(kinds, indents, line + outer)):
                    indents.pop()
                    kinds.pop()
                    counts.pop()
                    member = explicit.pop()
                    if member:
                        self._lone_key(member, last)
                    nodes.finish(owners.pop(), last)
                if not indents:
                    if outer >= 0:
                        nodes.refuse(line + outer, "expected the end of the document, or a line indented otherwise")
                    return
                at = line + outer
                if outer != indents[-1]:
                    nodes.refuse(at, "this indentation matches no line above")
            if kinds[-1] == _SEQUENCE:
                if not _dash(text, at):
                    nodes.refuse(at, "expected `- ` as in the lines above")
                node = nodes.add(owners[-1], at, counts[-1])
                counts[-1] += 1
                at += 1
                compact, beside = True, False
                continue
            member, explicit[-1] = explicit[-1], 0
            if member and _colon(text, at):
                self._name(member, last)
                node = member
                at += 1
                compact = beside = True
                continue
            if member:
                self._lone_key(member, last)
            if _question(text, at):
                node = explicit[-1] = nodes.add(owners[-1], at, "")
                at += 1
                compact = beside = True
                continue
            key = key or key_at(nodes, at) or bracket_key_at(nodes, at)
            if key is None:
                nodes.refuse(at, "expected a key and `:`" if text[at] != "\t" else "a tab cannot indent a line")
            node = nodes.add(owners[-1], at, key.name)
            at = key.end
            compact, beside = False, True

    def _ends_beside(self, kinds: list[int], indents: list[int], at: int) -> bool:
        """Whether the innermost collection is a sequence indented as its key, and the line at `at` the next key."""
        return (
            kinds[-1] == _SEQUENCE
            and len(kinds) > 1
            and indents[-2] == indents[-1] == at - self.line
            and not _dash(self.text, at)
        )

    def _value(self, node: int, line: int, at: int, outer: int, compact: bool, beside: bool) -> tuple[int, Key | None]:
        """Read the value of `node` behind its indicator at `at`, in a collection indented by `outer`.

        A scalar or bracket is read whole: -1. Where a block collection begins, its kind comes back, with `line` and
        `at` saying where, and its first key if that was read already.
        """
        nodes, text = self.nodes, self.text
        end = at
        seen = earlier = ""  # `&` and `!` met on this line, and on lines before it
        head = -1  # where the key would begin if the bracket behind these anchors and tags is one
        while True:
            gap = end_of(spaces(text, at))
            tabbed = gap > at and "\t" in text[at:gap]
            character = text[gap : gap + 1]
            if character in ("\n", "\r", "") or (character == "#" and gap > at):
                self.next_line(gap)
                indent = self.indent
                if indent > outer or (indent == outer >= 0 and beside and _dash(text, self.line + indent)):
                    line = self.line
                    at = line + indent
                    compact, head = True, -1
                    seen, earlier = "", earlier + seen
                    continue
                nodes.value_starts[node] = self.end = end
                nodes.finish(node, end)
                return -1, None
            at = gap
            if outer < 0 and not seen and not earlier:
                self.value_start = at
            if compact and not tabbed:
                opened, key = -1, None
                if character == "-" and _dash(text, at):
                    opened = _SEQUENCE
                elif (character == "?" and _question(text, at)) or (key := key_at(nodes, at)):
                    opened = _MAPPING
                if opened >= 0:
                    return self._open(node, line, at, opened, key)
            if character in ("&", "!"):
                if character in seen:
                    nodes.refuse(at, "a value has one anchor and one tag at most")
                seen += character
                if compact and not tabbed:
                    head = at
                end = at = nodes.property_end(at)
                compact = False
                continue
            nodes.value_starts[node] = begin = at
            if character in ("[", "{"):
                at = read_flow(nodes, at, node)
                colon = blank_colon(text, at)
                if colon and ((compact and not tabbed) or head >= 0) and not broken(text, begin, at):
                    nodes.truncate(node + 1)
                    key = Key(text[begin:at], colon.end())
                    return self._open(node, line, head if head >= 0 else begin, _MAPPING, key)
            elif character in ('"', "'"):
                at = quoted_end(nodes, at)
            elif character in ("|", ">"):
                at = block_scalar_end(nodes, at, outer)
                nodes.atomics[node] = 1
            elif character == "*":
                if seen or earlier:
                    nodes.refuse(at, "an alias has neither anchor nor tag")
                at = nodes.alias_end(at)
            else:
                at = plain_end(nodes, at, outer)
            if seen and earlier and set(seen) & set(earlier):
                nodes.refuse(begin, "a value has one anchor and one tag at most")
            nodes.finish(node, at)
            self.end = at
            self.advance(at)
            return -1, None

    def _open(self, node: int, line: int, at: int, kind: int, key: Key | None) -> tuple[int, Key | None]:
        """A block collection begins at `at`: it is the value of `node`."""
        self.nodes.value_starts[node] = at
        self.line, self.at = line, at
        return kind, key

    def _name(self, member: int, last: int) -> None:
        """Name `member` after its explicit key, which ends at `last` and gives no nodes."""
        nodes = self.nodes
        source = self.text[nodes.value_starts[member] : last]
        plain = len(nodes.starts) == member + 1 and source[:1] not in ("[", "{", "|", ">", "*")
        nodes.truncate(member + 1)
        nodes.identifiers[member] = content(source) if plain else source
        nodes.atomics[member] = 0

    def _lone_key(self, member: int, last: int) -> None:
        """The explicit key of `member` has no value."""
        self._name(member, last)
        self.nodes.value_starts[member] = last
        self.nodes.finish(member, last)
