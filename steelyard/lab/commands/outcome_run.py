"""`steelyard lab outcome run`: the experiment on one engine."""

from __future__ import annotations

import os
from typing import Any

import click

from steelyard.lab.commands.studies import require_laboratory, study_options
from steelyard.lab.outcome.engines.prompt import PLAIN, STYLES
from steelyard.lab.outcome.engines.resolve import describe_engines, find_engine_file, resolve_engine
from steelyard.lab.study.study import Option
from steelyard.support.escape import make_visible
from steelyard.support.formatting import format_count
from steelyard.terminal.inputs import check_output
from steelyard.terminal.output import emit, warn
from steelyard.terminal.process import CANNOT

DEMO = "demo"


OPTIONS = (
    Option("--engine", describe_engines(), default="extractive"),
    Option("--queries", "Only the first N queries.", int, minimum=1, metavar="N"),
    Option(
        "--orders",
        "Sources forward and reversed, forward only as in the paper, or every rotation.",
        ("counterbalanced", "single", "latin"),
        "counterbalanced",
    ),
    Option(
        "--levers",
        "Sets or names of arms, with commas: the five levers with a published effect, the paper's three, structure, "
        "freshness, all of these; matched, panel, short, rearranged, dated; own for the texts in QUESTIONS.",
        default="five",
        metavar="ARMS",
    ),
    Option("--canary", "Add an arm with an instruction planted in the target: do answers follow it?", bool, False),
    Option("--words", "Cut every source at this many words.", int, 400, minimum=20),
    Option("--seed", "Seed of the edits.", int, 0),
    Option("--max-calls", "Stop after this many calls, over all sessions of the run.", int, minimum=1),
    Option("--max-tokens", "Stop after this many tokens, over all sessions of the run.", int, minimum=1),
    Option("--answer-tokens", "Longest answer, in tokens.", int, 500, minimum=1),
    Option("--parallel", "Calls at a time, of a served engine.", int, 4, minimum=1),
    Option("--rate", "Calls a minute at most.", float, minimum=0, metavar="N"),
    Option("--timeout", "Seconds for one answer.", float, 120.0, minimum=0, metavar="SECONDS"),
    Option("--engine-seed", "Sent to the engine, if it takes one.", int, 1),
    Option("--temperature", "Of the answers: above 0, another --engine-seed gives another answer.", float, 0.0),
    Option("--key-variable", "The environment variable that holds the key.", default="OPENAI_API_KEY", metavar="NAME"),
    Option("--prompt", "Ask for a few plain sentences, or for several on several aspects.", STYLES, PLAIN),
    Option("--model", "The model that a batch's prompts name.", default="", metavar="NAME"),
    Option("--forced", "Make a local model cite after every sentence.", bool, False),
    Option("--again", "Repeat calls that failed or were never answered; a paid call may be paid twice.", bool, False),
    Option("--force", "Start again and keep nothing of the file.", bool, False),
    Option("--quiet", "No progress.", bool, False),
)


@click.command("run")
@click.argument("questions", default=DEMO)
@click.option(
    "-o", "--output", metavar="FILE", required=True,
    help="The journal: every call and answer; an interrupted run continues from it.",
)  # fmt: skip
@study_options(OPTIONS)
def command(questions: str, output: str, **options: Any) -> int:
    """Ask an engine every query of QUESTIONS with the target as it is, with each lever, and with neutral filler.

    QUESTIONS is the demo's own, GEO-Bench's test.jsonl, a JSONL file of {"query", "sources", "target"}, or the
    journal of an earlier run.

    \b
    Exit codes: 0 all answered, or the prompts of a batch written; 1 some calls failed, are missing from a batch's
    answers, or the budget is used up; 2 could not run or nothing was answered.
    """
    require_laboratory()
    from steelyard.lab.outcome import run as runs
    from steelyard.lab.outcome.arms import list_arms
    from steelyard.lab.outcome.experiment import ExperimentPlan
    from steelyard.lab.outcome.recorded_run import read_run
    from steelyard.lab.outcome.records.questions import load_demo_questions, load_questions
    from steelyard.support.artifacts import hash_file

    engine_file = find_engine_file(options["engine"])
    check_output(output, [questions] if engine_file is None else [questions, engine_file])
    engine = resolve_engine(
        options["engine"], timeout=options["timeout"], rate=options["rate"], parallel=options["parallel"],
        seed=options["engine_seed"], max_tokens=options["answer_tokens"], key_variable=options["key_variable"],
        forced=options["forced"], model=options["model"], style=options["prompt"], temperature=options["temperature"],
    )  # fmt: skip
    asked = (load_demo_questions() if questions == DEMO else load_questions(questions))[: options["queries"]]
    inputs = {} if questions == DEMO else {os.path.basename(questions): hash_file(questions)}
    own = dict.fromkeys(name for question in asked for name, _ in question.arms)
    plan = ExperimentPlan(
        list_arms(options["levers"], tuple(own)),
        options["orders"],
        options["words"],
        options["seed"],
        options["canary"],
    )
    head = runs.make_header(asked, inputs, engine, plan)
    if not options["quiet"]:
        queries, calls = format_count(len(asked), "query", "queries"), runs.count_calls(asked, plan)
        tokens = f", about {runs.estimate_tokens(asked, plan):,} tokens of questions" if engine.paid else ""
        warn(make_visible(f"{engine.name} ({engine.kind}): {queries}, {format_count(calls, 'call')}{tokens}"))
    ran = runs.run(
        asked, engine, plan, output, head,
        budget=runs.Budget(options["max_calls"], options["max_tokens"]), again=options["again"],
        force=options["force"], quiet=options["quiet"],
    )  # fmt: skip
    return report_calls(output, read_run(output).counts, ran)


def report_calls(path: str, counts: Any, ran: Any) -> int:
    """Print what became of the calls, and what to do about the missing ones; return the exit code."""
    failed = sum(counts["failed"].values())
    lines = [
        f"{counts['engine']} ({counts['engine_kind']}): {format_count(counts['answered'], 'answer')} of "
        + format_count(counts["queries"], "query", "queries")
        + (f", {format_count(counts['tokens'], 'token')}" if counts["tokens"] else "")
    ]
    if counts["skipped"]:
        left = format_count(counts["skipped"], "query left out: its", "queries left out: their")
        lines.append(f"{left} target has too little text, or no language of the edits")
    if counts["cut"]:
        cut = format_count(counts["cut"], "answer was cut at its", "answers were cut at their")
        lines.append(f"{cut} longest; give more with --answer-tokens")
    if ran.dropped:
        lines.append(f"the server takes no {', '.join(ran.dropped)}: answers may differ from run to run")
    if failed:
        reasons = ", ".join(f"{reason} {n:,}" for reason, n in counts["failed"].items())
        again = "it" if failed == 1 else "them"
        lines.append(f"{format_count(failed, 'call')} failed ({reasons}); --again repeats {again}")
        lines += [f"  {reason}: {last}" for reason, last in counts["reasons"].items()]
    if lost := counts["lost_in_flight"]:
        sent = f"{format_count(lost, 'call was', 'calls were')} sent and never answered"
        lines.append(f"{sent}, perhaps paid for; --again repeats {'it' if lost == 1 else 'them'}")
    if ran.stopped:
        lines.append(f"stopped at the budget of {ran.stopped}; a larger one continues from here")
    lines += ran.notes
    if counts["answered"]:
        lines.append(f"next: steelyard lab outcome stats {path}")
    emit("".join(f"{make_visible(line)}\n" for line in lines))
    if not (counts["answered"] or failed) and ran.postponed and len(ran.notes) == 1:  # the first half of a batch
        return 0
    trouble = failed or counts["lost_in_flight"] or ran.stopped or ran.notes
    return int(bool(trouble)) if counts["answered"] else CANNOT
