"""A table of LaTeX, for the package `booktabs`."""

from __future__ import annotations

from keras_rankmetrics.comparing.report import Cell, Report

_MARKS = {"better": "$^{+}$", "worse": "$^{-}$", "": "$^{\\phantom{+}}$"}
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}


def as_latex(report: Report, label: str | None = None) -> str:
    """A `table` with its caption, and the signatures below.

    Args:
        report: what is shown.
        label: of the table, for references; none by default.
    """
    caption = [
        report.about_means() + " The best of each column is bold.",
        report.about_marks("+", "-"),
        *report.notes,
    ]
    signatures = [
        f"{_first(column.name)}: {_breakable(column.signature)}"
        for column in report.columns
    ]
    labelled = [] if label is None else [rf"\label{{{label}}}"]
    names = [_escaped(column.name) for column in report.columns]
    return "\n".join(
        [
            r"% In the preamble: \usepackage{booktabs}",
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_escaped(' '.join(filter(None, caption)))}}}",
            *labelled,
            rf"\begin{{tabular}}{{l{'r' * len(report.columns)}}}",
            r"\toprule",
            " & ".join(["System", *names]) + r" \\",
            r"\midrule",
            *(
                " & ".join([_first(system), *map(_cell, cells)]) + r" \\"
                for system, cells in report.rows()
            ),
            r"\bottomrule",
            r"\end{tabular}",
            r"\par\smallskip",
            r"\raggedright\footnotesize Signatures.",
            *(rf"{line}\\" for line in signatures[:-1]),
            signatures[-1],
            r"\end{table}",
        ]
    )


def _cell(cell: Cell) -> str:
    value = f"{cell.value:.4f}"
    if cell.best:
        value = rf"\textbf{{{value}}}"
    return value + _MARKS[cell.mark] + cell.half_interval(r"$\pm$")


def _first(text: str) -> str:
    r"""Of a line: `\\` reads `[` and `*` that follow it as its own."""
    return ("{}" if text.startswith(("[", "*")) else "") + _escaped(text)


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(letter, letter) for letter in text)


def _breakable(signature: str) -> str:
    """A line may end where a part of the signature does."""
    return r"\textbar\allowbreak{}".join(
        rf"\texttt{{{_escaped(part)}}}" for part in signature.split("|")
    )
