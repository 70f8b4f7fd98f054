"""`steelyard outcome run`: the experiment on one engine."""

from __future__ import annotations

import os
from typing import Any

import click

from steelyard.cli.options import Known
from steelyard.cli.output import emit, warn
from steelyard.cli.studies import needs_laboratory
from steelyard.support.escape import visible
from steelyard.support.wording import counted

DEMO = "demo"
CANNOT = 2


@click.command("run")
@click.argument("questions", default=DEMO)
@click.option(
    "--engine",
    "spec",
    default="extractive",
    show_default=True,
    help="extractive, openai:MODEL@ADDRESS or llama:FILE.gguf.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    required=True,
    help="The journal: every call and answer; an interrupted run goes on from it.",
)
@click.option("--queries", type=click.IntRange(min=1), help="The first so many queries only.")
@click.option(
    "--orders",
    type=Known("orders", ("counterbalanced", "single", "latin")),
    default="counterbalanced",
    show_default=True,
    help="Sources forward and reversed, forward only as in the paper, or every rotation.",
)
@click.option(
    "--canary",
    is_flag=True,
    help="One more arm: an instruction planted in the target, to see how many answers follow it.",
)
@click.option(
    "--words", type=click.IntRange(min=20), default=400, show_default=True, help="Cut every source at so many words."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the edits.")
@click.option("--max-calls", type=click.IntRange(min=1), help="Stop after so many calls, over all sessions of the run.")
@click.option(
    "--max-tokens", type=click.IntRange(min=1), help="Stop after so many tokens, over all sessions of the run."
)
@click.option("--answer-tokens", type=click.IntRange(min=1), default=500, show_default=True, help="Longest answer.")
@click.option(
    "--parallel", type=click.IntRange(min=1), default=4, show_default=True, help="Calls at a time, of a served engine."
)
@click.option("--rate", type=click.FloatRange(min=0, min_open=True), metavar="N", help="Calls a minute at most.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=120.0,
    show_default=True,
    metavar="S",
    help="Seconds for one answer.",
)
@click.option("--engine-seed", type=int, default=1, show_default=True, help="Sent to the engine, if it takes one.")
@click.option(
    "--key-variable",
    default="OPENAI_API_KEY",
    show_default=True,
    metavar="NAME",
    help="The environment variable that holds the key.",
)
@click.option("--forced", is_flag=True, help="Make a local model cite after every sentence.")
@click.option(
    "--again", is_flag=True, help="Repeat calls that failed or were never answered; a paid call may be paid twice."
)
@click.option("--force", is_flag=True, help="Begin anew and keep nothing of the file.")
@click.option("--quiet", is_flag=True, help="No progress.")
def command(questions: str, spec: str, output: str, **options: Any) -> int:
    """Ask an engine every query of QUESTIONS with the target as it is, with each lever, and with neutral filler.

    QUESTIONS is the demo's own, GEO-Bench's test.jsonl, a JSONL file of {"query", "sources", "target"}, or the
    journal of an earlier run.

    \b
    Exit codes: 0 all answered, 1 some calls failed or the budget is used up, 2 could not run or nothing was answered.
    """
    needs_laboratory()
    from steelyard.lab.outcome import run as runs
    from steelyard.lab.outcome.engines.resolve import Options, resolve
    from steelyard.lab.outcome.experiment import Plan
    from steelyard.lab.outcome.records import questions as sets
    from steelyard.lab.outcome.replay import replay
    from steelyard.support.artifacts import sha256_of

    engine = resolve(
        spec,
        options=Options(
            options["timeout"], options["rate"], options["parallel"], options["engine_seed"], options["answer_tokens"],
            options["key_variable"], options["forced"],
        ),
    )  # fmt: skip
    asked = (sets.demo() if questions == DEMO else sets.load(questions))[: options["queries"]]
    inputs = {} if questions == DEMO else {os.path.basename(questions): sha256_of(questions)}
    plan = Plan(orders=options["orders"], words=options["words"], seed=options["seed"], canary=options["canary"])
    head = runs.header(asked, inputs, engine, plan)
    if not options["quiet"]:
        tokens = f", about {counted(runs.estimated_tokens(asked, plan), 'token')} of questions" if engine.paid else ""
        queries, calls = counted(len(asked), "query", "queries"), counted(runs.expected(asked, plan), "call")
        warn(f"{engine.name} ({engine.kind}): {queries}, {calls}{tokens}")
    ran = runs.run(
        asked, engine, plan, output, head,
        budget=runs.Budget(options["max_calls"], options["max_tokens"]), again=options["again"],
        force=options["force"], quiet=options["quiet"],
    )  # fmt: skip
    return told(output, replay(output).counts, ran)


def told(path: str, counts: Any, ran: Any) -> int:
    """What became of the calls, and what to do about those that are missing."""
    failed = sum(counts["failed"].values())
    lines = [
        f"{counts['engine']} ({counts['engine_kind']}): {counted(counts['answered'], 'answer')} of "
        + counted(counts["queries"], "query", "queries")
        + (f", {counted(counts['tokens'], 'token')}" if counts["tokens"] else "")
    ]
    if counts["skipped"]:
        left = counted(counts["skipped"], "query left out: its", "queries left out: their")
        lines.append(f"{left} target has too little text, or no language of the edits")
    if counts["cut"]:
        cut = counted(counts["cut"], "answer was cut at its", "answers were cut at their")
        lines.append(f"{cut} longest; give more with --answer-tokens")
    if ran.dropped:
        lines.append(f"the server takes no {', '.join(ran.dropped)}: answers may differ from run to run")
    if failed:
        reasons = ", ".join(f"{reason} {n:,}" for reason, n in counts["failed"].items())
        lines.append(f"{counted(failed, 'call')} failed ({reasons}); --again repeats {'it' if failed == 1 else 'them'}")
        lines += [f"  {reason}: {visible(last)}" for reason, last in counts["reasons"].items()]
    if counts["lost_in_flight"]:
        lost, it = counts["lost_in_flight"], "it" if counts["lost_in_flight"] == 1 else "they"
        sent = f"{counted(lost, 'call was', 'calls were')} sent and never answered"
        lines.append(f"{sent}; {it} may have been paid for, and --again repeats {it.replace('they', 'them')}")
    if ran.stopped:
        are = "is" if ran.stopped.startswith("1 ") else "are"
        lines.append(f"stopped: {ran.stopped} {are} used up; a larger budget goes on from here")
    if counts["answered"]:
        lines.append(f"next: steelyard outcome stats {visible(path)}")
    emit("\n".join(lines) + "\n", None)
    return int(bool(failed or counts["lost_in_flight"] or ran.stopped)) if counts["answered"] else CANNOT
