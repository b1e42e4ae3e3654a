"""Tests what an editor does with a program under a debugger:  python3 editors.py SOURCE STEPPING

.vscode has a task and two launch configurations for each example and each stepping guide: `editors.py SOURCE --write` makes them
from the folders. A session by the debug adapter protocol (lldb-vscode) and one by gdb's machine interface, which the extensions
of VS Code speak, stop in softmax_backward, open a tensor and step into the loop. Printed as TAP."""
import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys


# ---- the files of VS Code ------------------------------------------------------------------------


def programs(source):
    """Of each example and guide: its name, the target that builds it, and the program's arguments."""
    found = [(p.name, f"example-{p.name}", []) for p in sorted(source.glob("examples/*"))
             if (p / "README.md").exists() and (p / f"{p.name}.c").exists()]
    for guide in sorted(source.glob("lectures/*/stepping*.md")):
        typed = re.search(r"^\./gradus debug (\S+)(.*)$", guide.read_text(encoding="utf-8"), re.M)
        found.append((guide.stem, f"lectures/{typed[1]}", typed[2].split()))
    return found


def tasks(source):
    return {"version": "2.0.0", "tasks": [
        {"label": f"build {name}", "type": "shell", "command": "./gradus", "args": ["--debug", "build", target], "problemMatcher": ["$gcc"],
         "presentation": {"reveal": "silent"}} for name, target, _ in programs(source)]}


def launches(source):
    found = []
    here = "${workspaceFolder}"
    for name, target, arguments in programs(source):
        maps = ["keep-maps"] if target.startswith("example-") else []
        common = {"request": "launch", "program": f"{here}/build-debug/{target}", "args": arguments, "cwd": here,
                  "preLaunchTask": f"build {name}"}
        found.append({"name": f"{name} (lldb)", "type": "lldb", **common, "env": {"GRADUS_GDB": "yes"},
                      "initCommands": [f"command script import '{here}/tensor/gradus_lldb.py'"],
                      **({"preRunCommands": maps} if maps else {})})
        setup = ["-enable-pretty-printing", f"source {here}/tensor/gradus-gdb.py", "set print tensor-children on", *maps]
        found.append({"name": f"{name} (gdb)", "type": "cppdbg", "MIMode": "gdb", **common,
                      "environment": [{"name": "GRADUS_GDB", "value": "yes"}],
                      "setupCommands": [{"text": text} for text in setup]})
    return {"version": "0.2.0", "configurations": found}


FILES = {"tasks.json": tasks, "launch.json": launches,
         "extensions.json": lambda source: {"recommendations": ["vadimcn.vscode-lldb", "ms-vscode.cpptools"]}}


def text_of(made):
    """A member a line, and of a list of objects an object a line."""
    def text(value):
        lines = ",\n        ".join(json.dumps(part, ensure_ascii=False) for part in value) if isinstance(value, list) else ""
        return f"[\n        {lines}\n    ]" if lines.startswith("{") else json.dumps(value)
    return "{\n" + ",\n".join(f"    {json.dumps(name)}: {text(value)}" for name, value in made.items()) + "\n}\n"


def test_vscode_has_each_example_and_guide(source, _):
    assert len(programs(source)) >= 17, programs(source)
    for name, make in FILES.items():
        there = (source / ".vscode" / name).read_text(encoding="utf-8")
        assert there == text_of(make(source)), f"{name}: run python3 tests/autograd/editors.py . --write"


def test_each_target_is_one_of_meson(source, _):
    meson = (source / "lectures/meson.build").read_text(encoding="utf-8")
    for name, target, _ in programs(source):
        guide = target.removeprefix("lectures/")
        assert target.startswith("example-") or f"'{guide}': '" in meson, (name, target)


def test_the_devcontainer_has_the_tools(source, _):
    container = json.loads((source / ".devcontainer/devcontainer.json").read_text(encoding="utf-8"))
    assert container["build"]["dockerfile"] == "Dockerfile"
    assert container["customizations"]["vscode"]["extensions"] == FILES["extensions.json"](source)["recommendations"]


# ---- a session by the debug adapter protocol -----------------------------------------------------


class Adapter:
    """Messages to and from lldb-vscode."""

    def __init__(self, command, source):
        self.process = subprocess.Popen(["sh", "-c", '. "$0"; lldb_has_python; exec "$1"', source / ".launcher/debugger.sh", command],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.number, self.events = 0, []

    def read(self):
        signal.alarm(60)  # ends the test where the adapter says nothing
        length = 0
        while line := self.process.stdout.readline().strip():
            length = int(line.removeprefix(b"Content-Length: "))
        assert length, "the adapter has ended"
        return json.loads(self.process.stdout.read(length))

    def send(self, command, **arguments):
        self.number += 1
        body = json.dumps({"seq": self.number, "type": "request", "command": command, "arguments": arguments}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()
        return self.number

    def ask(self, command, **arguments):
        number = self.send(command, **arguments)
        while True:
            message = self.read()
            if message["type"] == "response" and message["request_seq"] == number:
                assert message["success"], message
                return message.get("body", {})
            self.events.append(message)

    def wait(self, event):
        while not any(m.get("event") == event for m in self.events):
            self.events.append(self.read())
        found = next(m for m in self.events if m.get("event") == event)
        self.events.remove(found)
        return found["body"] if "body" in found else {}


def adapter_command():
    names = ["lldb-dap", "lldb-vscode", *(f"{name}-{n}" for n in range(30, 10, -1) for name in ("lldb-dap", "lldb-vscode"))]
    return next((shutil.which(name) for name in names if shutil.which(name)), None)


def opened(adapter, reference):
    """The variables below one: names to them."""
    return {v["name"]: v for v in adapter.ask("variables", variablesReference=reference)["variables"]}


def test_a_session_of_lldb_stops_opens_a_tensor_and_steps(source, program):
    command = adapter_command()
    if not command:
        return "there is no lldb-dap or lldb-vscode"
    launch = next(c for c in launches(source)["configurations"] if c["name"] == "stepping (lldb)")
    adapter = Adapter(command, source)
    try:
        adapter.ask("initialize", adapterID="lldb", pathFormat="path", linesStartAt1=True, columnsStartAt1=True)
        adapter.ask("launch", program=program, args=launch["args"], cwd=str(source), disableASLR=False,
                    initCommands=[text.replace("${workspaceFolder}", str(source)) for text in launch["initCommands"]])
        adapter.wait("initialized")
        adapter.ask("setFunctionBreakpoints", breakpoints=[{"name": "softmax_backward"}])
        adapter.ask("configurationDone")
        thread = adapter.wait("stopped")["threadId"]
        frame = adapter.ask("stackTrace", threadId=thread, levels=8)["stackFrames"]
        assert frame[0]["name"].startswith("softmax_backward") and frame[0]["source"]["name"] == "softmax.c", frame[0]
        outer = next(f for f in frame if f["name"].startswith("three_tokens"))
        scope = adapter.ask("scopes", frameId=outer["id"])["scopes"][0]
        A = opened(adapter, scope["variablesReference"])["A"]
        assert "Tensor 'A' (3, 3), from masked_softmax at stepping.c:33" in A["value"], A
        inside = opened(adapter, A["variablesReference"])
        assert list(inside) == ["shape", "node", "values", "gradient"] and "(3, 3)" in inside["shape"]["value"], inside
        assert "masked_softmax: (3, 3) - - -> 'A' (3, 3), at stepping.c:33" in inside["node"]["value"], inside
        for name, first_row in ("values", [0.4, 0.2, 0.4]), ("gradient", [10, 0, 10]):
            row = opened(adapter, inside[name]["variablesReference"])["[0]"]
            numbers = [float(v["value"]) for v in opened(adapter, row["variablesReference"]).values()]
            assert all(abs(x - y) < 1e-5 for x, y in zip(numbers, first_row)) and len(numbers) == 3, (name, numbers)
        for _ in range(20):
            adapter.ask("stepIn", threadId=thread)
            adapter.wait("stopped")
            top = adapter.ask("stackTrace", threadId=thread, levels=1)["stackFrames"][0]
            if "kernels/ref" in top["source"]["path"]:
                break
        assert top["name"].startswith("ref_softmax_backward"), top
        adapter.send("disconnect", terminateDebuggee=True)
    finally:
        adapter.process.kill()
        adapter.process.wait()


# ---- a session by gdb's machine interface --------------------------------------------------------


def test_a_session_of_gdb_stops_and_opens_a_tensor(source, program):
    if not shutil.which("gdb"):
        return "there is no gdb"
    launch = next(c for c in launches(source)["configurations"] if c["name"] == "stepping (gdb)")
    setup = [c["text"].replace("${workspaceFolder}", str(source)) for c in launch["setupCommands"]]
    typed = [*setup, "-break-insert softmax_backward", "-exec-run", "-thread-info", "-stack-select-frame 5", "-var-create A * A",
             "-var-list-children --all-values A", "-var-list-children --all-values A.values", "-var-list-children --all-values A.values.0",
             "-gdb-exit"]
    gdb = subprocess.Popen(["gdb", "-nx", "-q", "--interpreter=mi2", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True)
    said = ""
    for line in typed:
        gdb.stdin.write(line + "\n")
        gdb.stdin.flush()
        wanted = "*stopped" if line == "-exec-run" else "(gdb)"
        while gdb.poll() is None:
            answer = gdb.stdout.readline()
            said += answer
            if not answer or answer.startswith(wanted) and (wanted != "(gdb)" or said.count("^") > 0):
                break
    said += gdb.communicate()[0]
    if "ptrace" in said:
        return "gdb cannot run a program here (ptrace)"
    for part in ('exp="shape"', 'value="(3, 3)"', 'exp="node"', "masked_softmax: (3, 3) - - -> 'A' (3, 3), at stepping.c:33",
                 'exp="values"', 'exp="gradient"', 'exp="1",numchild="0",value="0.200000'):
        assert part in said, (part, said[-6000:])


def main(source, program):
    source = pathlib.Path(source).resolve()
    if program == "--write":
        for name, make in FILES.items():
            (source / ".vscode" / name).write_text(text_of(make(source)), encoding="utf-8")
        return 0
    tests = [(name, function) for name, function in globals().items() if name.startswith("test_")]
    print(f"1..{len(tests)}")
    failed = 0
    for i, (name, function) in enumerate(tests, 1):
        title = name[5:].replace("_", " ")
        try:
            skipped = function(source, program)
            print(f"ok {i} - {title}" + (f" # SKIP {skipped}" if skipped else ""), flush=True)
        except Exception as error:  # the others are run all the same
            failed += 1
            print(f"not ok {i} - {title}", flush=True)
            print(f"{title}: {type(error).__name__} {error}", file=sys.stderr)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
