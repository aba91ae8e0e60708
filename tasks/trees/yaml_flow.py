"""YAML in brackets: `[a, {b: c}]`, nested to any depth."""

import re

from tasks.trees.yaml_nodes import Nodes
from tasks.trees.yaml_scalars import content, flow_plain_end, marker, quoted_end

_blank = re.compile(r"[ \t\r\n]*+(?:(?<=[ \t\r\n])#[^\r\n]*+[ \t\r\n]*+)*+").match
_blank_on_line = re.compile(r"[ \t]*+").match
_line_start = re.compile(r"[\r\n](?:---|\.\.\.)(?=[ \t\r\n]|\Z)").search
# A colon that ends a key whatever the key was, and a question mark that begins one.
_colon = re.compile(r":(?=[ \t\r\n,\[\]{}]|\Z)").match
_question = re.compile(r"\?(?=[ \t\r\n,\[\]{}]|\Z)").match

# What a bracket that is being read will be once it is closed.
_WHOLE, _ELEMENT, _KEY = range(3)
# What is to be read next.
_ENTRY, _AFTER_ENTRY, _CONTENT, _AFTER_KEY = range(4)


def read_flow(nodes: Nodes, at: int, top: int) -> int:
    """Read the bracket that begins at `at` into the children of node `top`; returns its end.

    A pair inside `[]` (`[a: b]`) is an element that is a mapping of one member.
    """
    text = nodes.text
    refuse, add = nodes.refuse, nodes.add
    owners = [top]  # the node that the children of each open bracket belong to
    closers = ["]" if text[at] == "[" else "}"]
    roles = [_WHOLE]
    begins = [at]
    counts = [0]
    state = _ENTRY
    node = role = end = 0  # what is being read, as what, and the end of what was read of it
    adjacent = False  # a colon may follow without a blank
    at += 1
    while True:
        at = _skip(nodes, at)
        closer = closers[-1]
        character = text[at : at + 1]
        if not character:
            refuse(begins[-1], "the bracket is not closed")

        if state == _AFTER_ENTRY:
            if character == ",":
                at += 1
                state = _ENTRY
                continue
            if character != closer:
                refuse(at, f"expected `,` or `{closer}`")
        if state in (_ENTRY, _AFTER_ENTRY):
            if character == closer:
                at += 1
                node, role, begin = owners.pop(), roles.pop(), begins.pop()
                closers.pop()
                counts.pop()
                if not owners:
                    return at
                end, adjacent = at, True
                if role == _ELEMENT:
                    colon = _blank_on_line(text, at).end()  # pyright: ignore[reportOptionalMemberAccess]
                    if text[colon : colon + 1] == ":":
                        nodes.truncate(node + 1)
                        node = add(node, nodes.starts[node], text[begin:at])
                        role = _KEY
                elif role == _KEY:
                    nodes.truncate(node + 1)
                    nodes.identifiers[node] = text[begin:at]
                if role == _KEY:
                    state = _AFTER_KEY
                else:
                    _finish_entry(nodes, node, at, owners[-1])
                    state = _AFTER_ENTRY
                continue
            if character == ",":
                refuse(at, "expected an entry before `,`")
            explicit = _question(text, at) is not None
            if closer == "}":
                node, role = add(owners[-1], at, ""), _KEY
            else:
                node, role = add(owners[-1], at, counts[-1]), _ELEMENT
                counts[-1] += 1
                if explicit:
                    node, role = add(node, at, ""), _KEY
            end = at
            if explicit:
                at = end = at + 1
            state = _CONTENT
            continue

        if state == _AFTER_KEY:
            if character == ":" and (adjacent or _colon(text, at)):
                at = end = at + 1
                state, role = _CONTENT, _WHOLE
            else:
                nodes.value_starts[node] = end
                _finish_entry(nodes, node, end, owners[-1])
                state = _AFTER_ENTRY
            continue

        # The content of an element, a key or a member's value, behind its anchor and tag.
        while character in ("&", "!"):
            end = nodes.property_end(at)
            at = _skip(nodes, end)
            character = text[at : at + 1]
        nodes.value_starts[node] = at
        if character in ("[", "{"):
            owners.append(node)
            closers.append("]" if character == "[" else "}")
            roles.append(role)
            begins.append(at)
            counts.append(0)
            at += 1
            state = _ENTRY
            continue
        begin, adjacent = at, False
        if character in (",", "]", "}") or (character == ":" and _colon(text, at)):
            nodes.value_starts[node] = begin = end
            if role == _ELEMENT and character != ":" and end == nodes.starts[node]:
                refuse(at, f"expected an entry before `{character}`")
        elif character in ('"', "'"):
            at = end = quoted_end(nodes, at)
            adjacent = True
        elif character == "*":
            at = end = nodes.alias_end(at)
        else:
            at = end = flow_plain_end(nodes, at)
        if role == _ELEMENT:
            colon = _blank_on_line(text, end).end()  # pyright: ignore[reportOptionalMemberAccess]
            if text[colon : colon + 1] == ":" and (adjacent or _colon(text, colon)):
                node = add(node, nodes.starts[node], "")
                role = _KEY
        if role == _KEY:
            nodes.identifiers[node] = content(text[begin:end])
            state = _AFTER_KEY
        else:
            _finish_entry(nodes, node, end, owners[-1])
            state = _AFTER_ENTRY


def _finish_entry(nodes: Nodes, node: int, end: int, owner: int) -> None:
    """End a member or element; with the member of a pair in `[]` its element ends as well."""
    nodes.finish(node, end)
    if nodes.parents[node] != owner:
        nodes.finish(nodes.parents[node], end)


def _skip(nodes: Nodes, at: int) -> int:
    """Behind blanks, line ends and comments; the document must not end among them."""
    text = nodes.text
    match = _blank(text, at)
    end = match.end() if match else at
    if end > at and text[end : end + 3] in ("---", "...") and text[end - 1] in "\r\n" and marker(text, end):
        nodes.refuse(end, "the document ends inside a bracket")
    return end
