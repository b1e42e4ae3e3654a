"""What instructors do beyond one report: a whole class, several machines' parts of it, archives, reports for other programs. The C
grader, which grades each submission, starts this:

    python3 instructor GRADER ROOT CACHE grade HW --all DIR --out DIR      (grader/main.c lists all options)
    python3 instructor GRADER ROOT CACHE grade HW FILE.c --format markdown
    python3 instructor GRADER ROOT CACHE gradescope HW OUT.zip
    python3 instructor GRADER ROOT CACHE handout HW OUT.zip"""
import argparse
import json
import os
import subprocess
import sys

import archives
import classes
from common import Grader, can_be_written, make_folder, quit_, read, write
from formats import FORMATS
from submissions import Submission, choose_file
from times import time_read

NAMES = "text, markdown, gradescope, json or classroom"


class Parser(argparse.ArgumentParser):
    def error(self, message):
        quit_(message)


def word(text):
    if not text:
        raise argparse.ArgumentTypeError("expected a value after it, which is not empty")
    return text


def number(low, high):
    def read_number(text):
        if not (text.isascii() and text.isdigit() and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(f"found '{text}'; expected a whole number from {low} to {high}")
        return int(text)
    return read_number


def shard(text):
    own, slash, all_ = text.partition("/")
    if not (slash and own.isdigit() and all_.isdigit() and len(all_) < 10 and 1 <= int(own) <= int(all_)):
        raise argparse.ArgumentTypeError(f"found '{text}'; expected K/N with K from 1 to N")
    return int(own), int(all_)


def due(text):
    time = time_read(word(text))
    if not time:
        raise argparse.ArgumentTypeError(f"found '{text}'; expected a day and perhaps a time and its zone, such as "
                                         "2026-11-20T23:59-05:00 or 2026-11-20T23:59Z")
    return time[0], f"{text[:16]}{'' if len(text) > 10 else ' 23:59:59'}, zone {time[1]}"


PASSED_ON = ["--test", "--function", "--seed", "--case", "--overlay", "--hidden-seed"]  # the C grader reads them


def passed_on(o):
    given = {name: getattr(o, name[2:].replace("-", "_")) for name in PASSED_ON}
    return [word for name, value in given.items() if value for word in (name, value)]


def options_of(words):
    p = Parser(prog="grader", add_help=False, allow_abbrev=False)
    p.add_argument("words", nargs="*")
    for name in [*PASSED_ON, "--all", "--out", "--merge", "--submission", "--roster"]:
        p.add_argument(name, type=word)
    p.add_argument("--format", type=word, default="text")
    p.add_argument("--shard", type=shard)
    p.add_argument("--jobs", type=number(1, 64))
    p.add_argument("--due", type=due)
    p.add_argument("--late-days", type=number(0, 365), default=0)
    p.add_argument("--late-percent", type=number(0, 100), default=0)
    return p.parse_intermixed_args(words)


def refuse_what_does_not_fit(o):
    lateness = o.due or o.roster or o.late_days or o.late_percent
    if o.format not in [*FORMATS, "text", "json"]:
        quit_(f"--format: found '{o.format}'; expected {NAMES}")
    if o.all and o.submission:
        quit_("--submission: found --all beside it; expected one of them")
    if (o.shard or o.merge) and not o.all:
        quit_(f"--{'shard' if o.shard else 'merge'}: expected --all beside it")
    if (lateness or o.jobs) and not o.all:
        quit_("--due, --late-days, --late-percent, --roster, --jobs: expected --all beside them")
    if o.all and o.format != "text":
        quit_("--format: found --all beside it, which writes text and JSON")
    if o.shard and (o.merge or lateness):
        quit_("--shard: found --merge, --roster or a rule for late submissions beside it; expected them in a run of their own, once "
              "all shards are done")
    if o.merge and o.out:
        quit_("--out: found --merge beside it; expected the folder of the shards' results there")
    if o.all and not (o.out or o.merge):
        quit_("--all: expected --out and a folder for the results")
    if o.out and not o.all and not can_be_written(o.out):
        quit_(f"--out: '{o.out}' cannot be written; expected a regular file, or none yet, in a folder")


def grade_one(grader, o):
    """A report in another format than text, or of a submission that is a folder."""
    s = Submission(os.path.basename(o.words[1] if o.words[1:] else o.submission), o.submission or o.words[1])
    if o.submission and os.path.isdir(s.file):
        choose_file(s, grader)
    with classes.Worker(grader) as worker:
        text, report = worker.grade(s)
    if report["failure"]:
        quit_(f"{s.file} could not be graded: {report['failure']}")
    if o.format == "json":
        words = json.dumps(report, indent=1, ensure_ascii=False) + "\n"
    else:
        words = FORMATS[o.format](report) if o.format in FORMATS else text
    if o.out:
        write(o.out, words)
    else:
        print(words, end="")
    return 0 if report["compiled"] and report["score"] >= report["max_score"] else 1


def grade(command, o):
    refuse_what_does_not_fit(o)
    wanted = 1 if o.all or o.submission else 2
    if len(o.words) != wanted:
        quit_(f"found {len(o.words)} words; expected a homework{' and a file' * (wanted - 1)} (--help lists all options)")
    if wanted == 2 and (not os.path.exists(o.words[1]) or os.path.isdir(o.words[1])):
        quit_(f"{o.words[1]}: {'this is a folder' if os.path.isdir(o.words[1]) else 'there is no such file'}; expected a .c file "
              "(--all grades the submissions in a folder, --submission one that is a folder)")
    out = o.merge or o.out
    grader = Grader(command, o.words[0], passed_on(o))
    if o.all and not grader.held:
        quit_("--all: nothing holds the submissions of others in on this system; grade them on Linux or in a container (your own "
              f"file: ./gradus grade {o.words[0]} FILE.c)")
    if not o.all:
        return grade_one(grader, o)
    if not make_folder(out):
        quit_(f"--out: no file can be written in '{out}'; expected a folder, or none yet")
    grader.seed = classes.seed_of(out, grader.seed)
    grader.options += ["--hidden-seed", grader.seed]
    return classes.grade_all(grader, o, out)


def archive(command, kind, o):
    if len(o.words) != 2:
        quit_(f"found {len(o.words)} words; expected a homework and the archive's name")
    if not can_be_written(o.words[1]):
        quit_(f"'{o.words[1]}' cannot be written; expected a regular file in a folder, or nothing yet")
    grader = Grader(command, o.words[0], passed_on(o))
    if kind == "gradescope":
        archives.write_gradescope(grader, o.words[1], o.overlay)
    else:
        archives.write_home(grader, o.words[1])
    return 0


def main(program, root, cache, kind, *words):
    o = options_of(words)
    command = [program, root, cache]
    return grade(command, o) if kind == "grade" else archive(command, kind, o)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
