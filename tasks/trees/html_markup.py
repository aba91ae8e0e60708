"""What HTML markup looks like: where tags, comments and the text of raw elements begin and end."""

import re
from functools import cache

_ATTRIBUTES = (
    r"(?:[\t\n\f\r /]++|[^\t\n\f\r />][^\t\n\f\r />=]*+"
    r"""(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:"[^"]*+"|'[^']*+'|(?=>)|[^\t\n\f\r >"'][^\t\n\f\r >]*+))?+)*+"""
)
tag = re.compile(rf"<(/?)([a-zA-Z][^\t\n\f\r />]*+){_ATTRIBUTES}>").match
unquoted_slash = re.compile(r"""=[\t\n\f\r ]*(?:[^\t\n\f\r >"'][^\t\n\f\r >]*)?/>\Z""").search
markup = re.compile(r"<[a-zA-Z/!?]").search
doctype = re.compile(r"<!doctype", re.IGNORECASE).match
comment_end = re.compile(r"--!?>").search
_script_step = re.compile(r"<!--|-->|<(/?)script(?=[\t\n\f\r />])", re.IGNORECASE).search


@cache
def _raw_end_pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"</{name}(?=[\t\n\f\r />])", re.IGNORECASE)


def raw_end(name: str, text: str, start: int) -> int:
    """Where the end tag `name` begins, or the end of the text."""
    found = _raw_end_pattern(name).search(text, start)
    return found.start() if found else len(text)


def script_end(text: str, start: int) -> int:
    """As `raw_end`. In `<!-- -->` a script may hold `<script></script>`, as in the standard's double escaped state.

    If that would make the script run to the end of the text, its first end tag counts.
    """
    at = start
    escaped = nested = False
    while step := _script_step(text, at):
        if step[0] == "<!--":
            escaped = True
            at = step.start() + 2  # `<!-->` opens and closes
            continue
        at = step.end()
        if step[0] == "-->":
            escaped = nested = False
        elif not step[1]:
            nested = escaped
        elif nested:
            nested = False
        else:
            return step.start()
    return raw_end("script", text, start)
