"""Tables for a paper: LaTeX with the booktabs package, one file a table, to be included as it is."""

from tasks.reporting.cells import Column
from tasks.reporting.tables import Table

LONG = 50
"""Tables of more rows run over several pages (longtable)."""

_SIGNS = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "\N{MINUS SIGN}": "$-$", "\N{EN DASH}": "--", "\N{NO-BREAK SPACE}": "~", "\N{PLUS-MINUS SIGN}": r"$\pm$",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'", "\N{MIDDLE DOT}": r"$\cdot$", "|": r"\textbar{}",
    "\N{MULTIPLICATION SIGN}": r"$\times$", "\N{RIGHTWARDS ARROW}": r"$\to$", "\N{LESS-THAN OR EQUAL TO}": r"$\leq$",
    "\N{GREATER-THAN OR EQUAL TO}": r"$\geq$", "\N{DEGREE SIGN}": r"$^\circ$", "\N{MICRO SIGN}": r"$\mu$",
    "\N{BULLET}": r"$\bullet$", "\N{HORIZONTAL ELLIPSIS}": r"\ldots{}",
}  # fmt: skip


def escaped(text: str) -> str:
    """Text as LaTeX prints it; what cannot be printed is a blank."""
    return "".join(_SIGNS.get(sign, sign if sign.isprintable() else " ") for sign in text)


def table(shown: Table) -> str:
    """The table with caption and label; what sums up the rows above stands below a rule of its own."""
    spec = "".join("r" if column.numeric else "l" for column in shown.columns)
    caption = f"{shown.query.title}. {shown.query.what}" + (" Sample data: supports no claims." if shown.sample else "")
    caption += f" {shown.warning}" if shown.warning else ""
    head = [*_groups(shown), _line([_head(column) for column in shown.columns])]
    rows = [_line([escaped(cell.text) for cell in row]) for row in shown.rows]
    if shown.tail:
        rows.insert(len(rows) - shown.tail, r"\midrule")
    label = f"\\caption{{{escaped(caption)}}}\\label{{tab:{shown.query.name.replace('_', '-')}}}"
    # pdfLaTeX knows the letters of Latin Extended-A, which end at U+017F, and common punctuation.
    foreign = any(sign > "\u017f" and not "\u2010" <= sign <= "\u2026" for row in rows for sign in row)
    engine = "XeLaTeX or LuaLaTeX for letters beyond Latin, " if foreign else ""
    note = f"% {shown.query.title}: sql/reports/{shown.query.name}.sql; needs {engine}\\usepackage{{booktabs"
    if len(shown.rows) > LONG:
        lines = [
            note + ",longtable}", rf"\begin{{longtable}}{{{spec}}}", label + r"\\", r"\toprule", *head, r"\midrule",
            r"\endfirsthead", r"\toprule", *head, r"\midrule", r"\endhead", *rows, r"\bottomrule",
            r"\end{longtable}",
        ]  # fmt: skip
    else:
        lines = [
            note + "}", r"\begin{table}", r"\centering", label, rf"\begin{{tabular}}{{{spec}}}", r"\toprule", *head,
            r"\midrule", *rows, r"\bottomrule", r"\end{tabular}", r"\end{table}",
        ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _line(cells: list[str]) -> str:
    text = " & ".join(cells) + r" \\"
    return "{}" + text if text.startswith(("[", "*")) else text  # what the \\ of the line above would take for its own


def _head(column: Column) -> str:
    return escaped(column.head)


def _groups(shown: Table) -> list[str]:
    """Headings over several columns, with a rule below each."""
    cells, rules, place = [], [], 1
    for name, width in shown.groups:
        cells.append(rf"\multicolumn{{{width}}}{{c}}{{{escaped(name)}}}")
        if name:
            rules.append(rf"\cmidrule(lr){{{place}-{place + width - 1}}}")
        place += width
    return [_line(cells), " ".join(rules)] if cells else []
