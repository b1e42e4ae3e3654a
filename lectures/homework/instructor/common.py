"""What the parts of the instructors' program share: errors, names that are safe to print, files, and the C grader."""
import json
import os
import re
import stat
import subprocess
import sys

# Control characters but a line's end and a tab, and those that reverse the direction of text, as in grader/clean.c.
CONTROL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def say(words):
    print(f"grader: {words}", file=sys.stderr, flush=True)


def quit_(words):
    say(words)
    sys.exit(2)


def clean(name):
    """One line of UTF-8 without control characters."""
    text = os.fsencode(name).decode("utf-8", "replace")
    return CONTROL.sub("\ufffd", re.sub("[\n\t\r]", " ", text))


def names(folder):
    return sorted(os.listdir(folder), key=os.fsencode)


def read_bytes(path):
    """The first 16 MB of a regular file; None where there is none. A submission may be a pipe, for which a reader would wait."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None
        with open(path, "rb") as file:
            return file.read(16 << 20)
    except OSError:
        return None


def read(path):
    """The same as text. Bytes that are not UTF-8 become U+FFFD."""
    content = read_bytes(path)
    return None if content is None else content.decode("utf-8", "replace")


def write(path, content):
    """Under another name first, so that nobody ever sees half of it."""
    part = f"{path}.part-{os.getpid()}"
    try:
        with open(part, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode("utf-8", "replace"))
        os.replace(part, path)
    except OSError as error:
        quit_(f"{path} cannot be written: {error.strerror}")


def can_be_written(path):
    """Tried with another name, so that what is there stays as it is. /dev/null and the like are not written over."""
    part = f"{path}.part-{os.getpid()}"
    if os.path.exists(path) and not os.path.isfile(path):
        return False
    try:
        open(part, "wb").close()
        os.remove(part)
        return True
    except OSError:
        return False


def make_folder(path):
    try:
        os.makedirs(path, exist_ok=True)
        return can_be_written(os.path.join(path, "probe"))
    except OSError:
        return False


class Grader:
    """The C grader, and what it says of a homework: its attributes are those of `describe` (grader/main.c)."""
    def __init__(self, command, homework, options):
        self.command, self.called, self.options = command, homework, options
        said = subprocess.run([*command, "describe", homework, *options], stdout=subprocess.PIPE)
        if said.returncode:
            sys.exit(2)
        self.__dict__.update(json.loads(said.stdout))

    def handed_out(self, folder, *options):
        """The text of the hand-out's source, or of the solution (--solution), in a new folder."""
        subprocess.run([*self.command, "handout", self.called, folder, *options], check=True, stdout=subprocess.DEVNULL)
        return read(os.path.join(folder, self.source))
