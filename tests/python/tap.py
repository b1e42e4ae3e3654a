"""A test program in Python, printed as TAP: each function test_... of a module is one test, with these arguments."""
import traceback


class Skip(Exception):
    """A test raises it with the reason why it cannot run here."""


def raises(kind, call):
    """The exception of this kind that the call raises."""
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__} was raised")


def run_tests(names, *arguments) -> int:
    tests = [(name, test) for name, test in names.items() if name.startswith("test_") and callable(test)]
    failures = 0
    for number, (name, test) in enumerate(tests, 1):
        title = f"{number} - {name[5:].replace('_', ' ')}"
        try:
            test(*arguments)
            print(f"ok {title}", flush=True)
        except Skip as reason:
            print(f"ok {title} # SKIP {reason}", flush=True)
        except Exception:  # the next test is run, too
            failures += 1
            print(f"not ok {title}", flush=True)
            traceback.print_exc()
    print(f"1..{len(tests)}")
    return 1 if failures else 0
