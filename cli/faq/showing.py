"""Vetted answers in a terminal."""

from collections.abc import Iterable, Iterator, Sequence

from rich.text import Text

from cli.console import command_name, note, out, print_table
from contracts.v1.faq import FaqAudit, FaqImported, FaqSuggestions, FaqSurface, FaqVerdict, StoredFaqItem


def show_list(items: Sequence[StoredFaqItem]) -> None:
    """A line for each item."""
    headings = ("id", "state", "version", "owner", "served", "question")
    print_table(out, headings, [_cells(item) for item in items])


def show_item(item: StoredFaqItem, history: FaqAudit) -> None:
    """An item with its terms, wordings and history."""
    out.print(Text(f"{item.id} · {item.state.value} · version {item.version} · owner {item.owner}", "bold"))
    out.print(Text(f"\n{item.question}\n{item.answer}\n"))
    for name, value in _terms(item):
        out.print(Text.assemble((f"{name}: ", "dim"), value))
    show_surfaces(item)
    entries = history.entries
    rows = [(f"{e.at:%Y-%m-%d %H:%M}", e.who, e.action.value, e.state.value, str(e.version)) for e in entries]
    print_table(out, ("when", "who", "what", "state", "version"), rows)


def show_surfaces(item: StoredFaqItem) -> None:
    """What would be served of an item, and what never."""
    for surface in item.surfaces:
        out.print(_surface(surface))


def show_imported(done: FaqImported) -> None:
    """Counts, then every wording that is not served or that another item has as well."""
    skipped = f", {done.skipped} bad ones left out" if done.skipped else ""
    out.print(Text(f"{done.created} new, {done.changed} changed, {done.unchanged} unchanged{skipped}"))
    for item in done.items:
        for surface in item.surfaces:
            if not surface.is_served or surface.conflicts_with:
                out.print(Text.assemble(f"{item.id}: ", _surface(surface)))


def show_verdict(verdict: FaqVerdict) -> None:
    """Hit or miss, and why."""
    item = f"{verdict.faq_id}, version {verdict.version}" if verdict.faq_id else ""
    if verdict.is_hit:
        out.print(Text.assemble(("hit", "bold green"), f": {item}\n{verdict.answer}"))
        return
    out.print(Text.assemble(("miss", "bold yellow"), f": {verdict.reason}{f' ({item})' if item else ''}"))
    out.print(Text(verdict.detail))


def show_suggestions(found: FaqSuggestions) -> None:
    """What to vet next, or how to find out."""
    if not found.is_on:
        note("nothing is counted: set RAGSPINE_FAQ_SUGGEST_THRESHOLD at the gateway, for example to 5")
        return
    rows = [(str(one.asked), one.question) for one in found.suggestions]
    print_table(out, ("asked", "question"), rows, right="asked")
    if rows:
        note(f'answer one with: {command_name()} faq add ID --question "…" --answer "…" --owner …', style="dim")
    else:
        note(f"no question without a vetted answer was asked {found.threshold} times yet", style="dim")


def _surface(surface: FaqSurface) -> Text:
    if surface.is_served:
        others = ", ".join(surface.conflicts_with)
        conflict = f"  (also a wording of {others}; the one approved first answers)" if others else ""
        return Text.assemble(("  served        ", "green"), surface.text, (conflict, "yellow"))
    return Text.assemble(("  never served  ", "yellow"), surface.text, (f"  ({surface.reason})", "dim"))


def _cells(item: StoredFaqItem) -> tuple[str, ...]:
    served = sum(surface.is_served for surface in item.surfaces)
    of_all = f"{served}/{len(item.surfaces)}" if item.surfaces else "?"
    return (item.id, item.state.value, str(item.version), item.owner, of_all, item.question)


def _terms(item: StoredFaqItem) -> Iterator[tuple[str, str]]:
    depends = ["/".join((d.metric, d.entity or "", d.period or "")).rstrip("/") for d in item.depends_on]
    window = f"{item.valid_from or '…'} to {item.valid_until or '…'}" if item.valid_from or item.valid_until else None
    verified = (
        f"{item.verified_by}, {item.verified_at:%Y-%m-%d %H:%M}" if item.verified_by and item.verified_at else None
    )
    values: Iterable[tuple[str, str | None]] = (
        ("source", item.source),
        ("valid", window),
        ("sensitivity", item.sensitivity or "none, so it is closed"),
        ("locale", item.locale),
        ("depends on", ", ".join(depends)),
        ("digits", "a rule of the company" if item.policy_number else None),
        ("verified", verified),
    )
    yield from ((name, value) for name, value in values if value)
