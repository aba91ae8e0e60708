"""Which HTML element ends which: the names that the HTML standard's tree construction lists (sections 13.1.2, 13.2)."""

from typing import NamedTuple

VOID = frozenset(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr".split()
)
# Elements whose content is text up to their own end tag.
RAW = frozenset("iframe noembed noframes script style textarea title xmp".split())
ATOMIC = frozenset(("script", "style"))

HEAD_CONTENT = frozenset("base basefont bgsound link meta noframes noscript script style template title".split())
HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
# Start tags before which an open paragraph ends.
CLOSES_PARAGRAPH = HEADINGS | frozenset(
    "address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form"
    " header hgroup hr li listing main menu nav ol p plaintext pre search section summary table ul xmp".split()
)
CELLS = frozenset(("td", "th"))
ROW_GROUPS = frozenset(("tbody", "thead", "tfoot"))
TABLE_PARTS = CELLS | ROW_GROUPS | frozenset(("caption", "col", "colgroup", "tr"))
RUBY_PARTS = frozenset(("rb", "rp", "rt", "rtc"))
IMPLIED_BEFORE_RUBY = frozenset("dd dt li optgroup option p rb rp rt".split())
# Start tags that end something, or that may be ignored.
RULED = (
    CLOSES_PARAGRAPH
    | TABLE_PARTS
    | RUBY_PARTS
    | frozenset("a body button head html nobr optgroup option select".split())
)

SPECIAL = (
    VOID - {"bgsound"}
    | RAW
    | HEADINGS
    | TABLE_PARTS
    | frozenset(
        "address applet article aside bgsound blockquote body button center dd details dir div dl dt fieldset"
        " figcaption figure footer form frameset head header hgroup html li listing main marquee menu nav noscript"
        " object ol p plaintext pre search section select summary table template ul".split()
    )
)
# Foreign elements whose content is HTML again.
INTEGRATION = frozenset("annotation-xml desc foreignobject mi mn mo ms mtext title".split())
FOREIGN = frozenset(("math", "svg"))
# Start tags that cannot stand in SVG or MathML: these end there.
BREAKOUT = HEADINGS | frozenset(
    "b big blockquote body br center code dd div dl dt em embed head hr i img li listing menu meta nobr ol p pre ruby s"
    " small span strong strike sub sup table tt u ul var".split()
)

_SCOPE = frozenset("applet caption html marquee object table td template th".split())


class Bars(NamedTuple):
    """What an element bars: whether a search among the open elements around it, or an implied end, stops at it.

    On the stack, the same fields hold the index of the nearest open element that bars.
    """

    scope: int
    button: int
    items: int
    table: int
    item: int
    term: int
    special: int
    foreign: int = 0  # whether the content is SVG or MathML


BARS = {
    name: Bars(
        scope=name in _SCOPE,
        button=name in _SCOPE or name == "button",
        items=name in _SCOPE or name in ("ol", "ul"),
        table=name in ("html", "table", "template"),
        item=name not in ("address", "div", "p", "li"),
        term=name not in ("address", "div", "p", "dd", "dt"),
        special=True,
    )
    for name in SPECIAL
}
FOREIGN_BARS = Bars(0, 0, 0, 0, 0, 0, 0, foreign=1)
INTEGRATION_BARS = Bars(1, 1, 1, 0, 1, 1, 1)
NO_BARS = Bars(0, 0, 0, 0, 0, 0, 0)
