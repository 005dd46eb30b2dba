"""The diagnoses: what is wrong, by what proof, at which line, and what to do about it."""

from pageside.audit.report.figures import quantity
from pageside.audit.report.html import Html, el, foreign, join
from pageside.audit.report.visible import clip
from pageside.audit.result import Blame, Diagnosis

_PROOFS_MOST = 12
_BLAME_MOST = 8


def diagnosis_card(diagnosis: Diagnosis) -> Html:
    proof = [el("li", foreign(sentence, 600)) for sentence in diagnosis.proof[:_PROOFS_MOST]]
    return el(
        "article",
        el(
            "h3",
            el("span", el("span", "Fault ", class_="unseen"), diagnosis.fault, class_="letter"),
            el(
                "span",
                foreign(diagnosis.title, 200),
                " ",
                el("span", foreign(diagnosis.scenario, 80), class_="where"),
            ),
        ),
        el("h4", "Proof"),
        el("ul", *proof),
        _blamed(diagnosis),
        join(el("h4", "What to do"), el("p", foreign(diagnosis.advice, 1200)))
        if diagnosis.advice
        else None,
        class_="fault",
    )


def _blamed(diagnosis: Diagnosis) -> Html | None:
    if not diagnosis.blame:
        return None
    return join(
        el("h4", "Where"),
        el("ol", *map(_place, diagnosis.blame[:_BLAME_MOST]), class_="blame"),
    )


def _place(blame: Blame) -> Html:
    """`where.js:12:5 name 3.1 ms CPU`, with the line beside the end of a long address."""
    return el(
        "li",
        el("code", foreign(clip(blame.url, 160)), f":{blame.line}:{blame.column}"),
        " ",
        el("code", foreign(blame.function or "(anonymous)", 120), class_="function"),
        el("span", f"{quantity(blame.cpu_ms, 'ms')} CPU", class_="number"),
    )
