"""The commands of the lectures that need no numbers of their own:  python3 commands.py PROGRAM COMMAND [words]

PROGRAM is that of the chapters, build/lectures/lectures, which calls this file for ask, exam and steps."""
import importlib
import pathlib
import sys

LECTURES = pathlib.Path(__file__).resolve().parents[1]
sys.path[1:1] = [str(LECTURES / folder) for folder in ("exams", "steps")]

if __name__ == "__main__":
    from program import Program

    try:
        status = importlib.import_module(sys.argv[2]).main(Program(sys.argv[1]), sys.argv[3:])
    except KeyboardInterrupt:
        status = 130
    except (OSError, ValueError) as problem:
        print(f"./gradus {sys.argv[2]}: {problem}", file=sys.stderr)
        status = 1
    sys.exit(status)
