"""The figures of the chapters that the library computes:  python3 computed.py LIVE_CALLS

LIVE_CALLS (tests/browser/live_calls.c) has the module's functions as a native program. What they answer to moved controls is
compared with closed forms and with definitions in Python."""
import json
import math
import pathlib
import subprocess
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / folder) for folder in ("browser", "python")]
from philox import Rng
from tap import run_tests

FLOAT = 2.0**-23


def ask(*lines):
    """The last answer to requests "NAME VALUE ..." after numbers (name, [...]) that are given."""
    text = "".join(f"live_given\t{len(line[1])}\t{line[0]}\t{' '.join(map(str, line[1]))}\n" if isinstance(line, tuple) else f"live_computed\t0\t{line}\\n\n"
                   for line in lines)
    out = subprocess.run(sys.argv[1], input=text, capture_output=True, text=True, check=True).stdout
    return json.loads(out.splitlines()[-1])


def marks(answer, kind, drawing=0):
    return {mark["name"]: mark for mark in answer["drawings"][drawing]["marks"] if mark["as"] == kind}


def softmax(scores):
    e = [math.exp(s - max(scores)) for s in scores]
    return [x / sum(e) for x in e]


def near(a, b, by):
    assert len(a) == len(b) and all(abs(x - y) <= by for x, y in zip(a, b)), (a, b, by)


def test_saturation():
    """The weights of one query over 16 keys, whose numbers are Philox's; scores up to 4 sqrt(d) are sums of d roundings."""
    for power, seed in ((0, 1), (4, 1), (8, 2)):
        d, rng = 2**power, Rng(seed, 218)
        q = [rng.normal() for _ in range(d)]
        scores = [sum(x * rng.normal() for x in q) for _ in range(16)]
        found = marks(ask(f"saturation {power} {seed}"), "bars")
        for name, factor in (("softmax(q·k / √d)", d**-0.5), ("softmax(q·k)", 1)):
            near(found[name]["y"], softmax([factor * s for s in scores]), 4 * d**0.5 * d**0.5 * FLOAT)


def kept(i, j, causal, length, window, dilation, tokens):
    gap, everywhere = abs(i - j), window == 0 or i < tokens or j < tokens
    return (not causal or j <= i) and j < length and (everywhere or (gap <= window * dilation and gap % dilation == 0))


def test_masks():
    for n, causal, length, window, dilation, tokens, row in ((16, 0, 16, 0, 1, 0, 1), (16, 1, 16, 0, 1, 0, 6), (16, 1, 11, 0, 1, 0, 16), (20, 0, 32, 3, 2, 0, 8),
                                                             (8, 0, 0, 0, 1, 0, 8), (16, 0, 16, 2, 1, 2, 5), (16, 1, 12, 2, 3, 1, 9), (4, 0, 32, 0, 4, 4, 32)):
        answer = ask(f"masks {n} {causal} {length} {window} {dilation} {tokens} {row}")
        wanted = [kept(i, j, causal, length, window, dilation, tokens) for i in range(n) for j in range(n)]
        found = answer["maps"][0]["numbers"]
        assert [x > 0 for x in found] == wanted, (n, causal, length, window, dilation, tokens)
        row = min(row, n)
        assert [x == 1 for x in found[(row - 1) * n:row * n]] == wanted[(row - 1) * n:row * n] and found.count(1) == sum(wanted[(row - 1) * n:row * n])
        assert answer["fact"].startswith(f"{sum(wanted)} of {n * n} pairs")
    answer = ask("masks 20 0 32 3 2 0 8")["fact"]
    assert answer.startswith("116 of 400") and answer.endswith("= 116.") and "Query 8 sees 7 keys; with equal scores each has weight 0.143" in answer


def test_jobs_reads_what_is_given():
    right = [cut / 256 + kind for cut in range(256) for kind in range(3)]
    found = marks(ask(("jobs/right", right), "jobs 1 0 0 0 0 0 1 1"), "bars")
    assert found["all heads"]["y"] == [0, 1, 2] and found["without those that are cut"]["y"] == [193 / 256 + kind for kind in range(3)]


def test_sinusoids():
    for power, log, channel, position in ((5, 2, 0, 3), (5, 2, 7, 20), (7, 4, 127, 49), (2, 1, 50, 7)):
        d, base = 2**power, 10.0**log
        channel_here = min(channel, d - 1)
        value = lambda p, c: (math.cos if c % 2 else math.sin)(p / base**(2 * (c // 2) / d))
        answer = ask(f"sinusoids {power} {log} {channel} {position}")
        near(answer["maps"][0]["numbers"], [value(p, c) for p in range(50) for c in range(d)], 1e-5)  # six digits
        near(marks(answer, "points")["the table"]["y"], [value(p, channel_here) for p in range(50)], 50 * FLOAT)
        near(marks(answer, "points", 1)["the table"]["y"], [value(position, c) for c in range(d)], 50 * FLOAT)
        wave = marks(answer, "line")["between positions"]
        near(wave["y"], [value(p, channel_here) for p in wave["x"]], 1e-6)
        assert f"it is {marks(answer, 'points')['chosen']['y'][0]:.4f}" in answer["fact"]


def truncated(logits, temperature, k, p):
    """The definition, word by word: the most probable words while fewer than k are kept and their sum is below p."""
    weights = [math.exp(a / temperature) for a in logits]
    order, chosen = sorted(range(len(logits)), key=lambda i: -weights[i])[:k], []
    total = sum(weights[i] for i in order)
    for i in order:
        if p < 1 and sum(weights[j] for j in chosen) >= p * total:
            break
        chosen.append(i)
    return [weights[i] / sum(weights[j] for j in chosen) if i in chosen else 0 for i in range(len(logits))]


def test_truncated():
    logits = [-0.5 * i for i in range(8)]
    for temperature, k, p, seed in ((1, 8, 1, 1), (0.5, 8, 1, 2), (2.5, 5, 1, 3), (1, 8, 0.8, 1), (1.5, 3, 0.6, 4)):
        wanted, rng, counts = truncated(logits, temperature, k, p), Rng(seed, 654), [0] * 8
        for _ in range(200):
            u = rng.uniform()
            counts[next(i for i in range(8) if u < sum(wanted[:i + 1]))] += 1
        found = marks(ask(f"truncated {temperature} {k} {p} 200 {seed}"), "bars")
        near(found["with these settings"]["y"], wanted, 1e-8)  # nine digits
        near(found["share of the draws"]["y"], [count / 200 for count in counts], 1e-9)
        near(found["T = 1"]["y"], softmax(logits), 1e-8)


def test_beam():
    """Greedy search ends with 0.6 / 3, a beam of two finds 0.3 x 0.9; a step keeps as many hypotheses as there are, at most B."""
    assert "“the the”, with probability 0.2000" in ask("tree 1 2")["fact"]
    assert "“a cat”, with probability 0.2700" in ask("tree 2 2")["fact"]
    for B in range(1, 7):
        answer = ask(f"tree {B} 3")
        labels = [mark for mark in answer["drawings"][0]["marks"] if mark["as"] == "label" and mark["name"]]
        assert len(labels) == 1 + sum(min(B, 3**step) for step in (1, 2, 3)), B
        for step in (1, 2, 3):
            shown = [float(label["name"].split()[1]) for label in labels if label["x"] == [step]]
            assert shown == sorted(shown, reverse=True)


def test_em_climbs():
    """No step of EM lowers the mean of log p(x); a small step of gradient ascent rises by rate |gradient|^2 and is far below EM's."""
    for seed in (1, 2):
        lines = marks(ask(f"em 0 0 0.1 {seed}"), "line", 1)
        for name, least in (("EM", -1e-8), ("gradient ascent", -1e-8)):
            y = lines[name]["y"]
            assert len(y) == 41 and all(b - a >= least for a, b in zip(y, y[1:])) and y[40] > y[0] + 0.01, (seed, name, y)
        assert lines["EM"]["y"][0] == lines["gradient ascent"]["y"][0]
        answers = [ask(f"em {step} {way} 0.5 {seed}") for step, way in ((0, 0), (40, 0), (40, 1))]
        for answer in answers:
            groups = marks(answer, "points").values()
            assert sum(len(group["x"]) for group in groups) == 400
        points = [sorted(zip(*[sum((g[axis] for g in marks(a, "points").values()), []) for axis in "xy"])) for a in answers]
        assert points[0] == points[1] == points[2]


def test_manifold_decodes():
    """sigmoid(W relu(V z + b) + c) with weights of the test's own, and the code that is nearest."""
    rng = Rng(3)
    numbers = lambda count, size: [round(size * rng.normal(), 5) for _ in range(count)]
    V, b, W, c = numbers(128, 1), numbers(64, 0.5), numbers(196 * 64, 0.2), numbers(196, 0.5)
    codes, labels, z = numbers(600, 1), [i % 10 for i in range(300)], (0.75, -1.2)
    given = [("manifold/hidden", V), ("manifold/hidden-bias", b), ("manifold/picture", W), ("manifold/picture-bias", c), ("manifold/codes", codes), ("manifold/labels", labels)]
    answer = ask(*given, f"manifold {z[0]} {z[1]}")
    h = [max(0, V[2 * i] * z[0] + V[2 * i + 1] * z[1] + b[i]) for i in range(64)]
    logits = [sum(w * x for w, x in zip(W[64 * i:64 * i + 64], h)) + c[i] for i in range(196)]
    near(answer["maps"][0]["numbers"], [1 / (1 + math.exp(-l)) for l in logits], 1e-5)  # six digits
    nearest = min(range(300), key=lambda i: (codes[2 * i] - z[0])**2 + (codes[2 * i + 1] - z[1])**2)
    assert answer["fact"].endswith(f"that of a {labels[nearest]}.")
    assert len([1 for mark in answer["drawings"][0]["marks"] if mark["as"] == "label"]) == 300


def test_bad_requests_are_errors():
    for request in ("tree 0 1", "tree 1", "nothing 1", "jobs 0 0 0 0 0 0 0 0"):  # jobs: nothing was given
        run = subprocess.run(sys.argv[1], input=f"live_computed\t0\t{request}\\n\n", capture_output=True, text=True, check=False)
        assert run.returncode == 1 and "expected" in run.stderr, (request, run)


sys.exit(run_tests(globals()))
