"""Points of a class, by the keys that were written beside its sheets (README.md)."""
import csv
import itertools
import re

from program import write

MISSING = ("", "-", "NA", "N/A", "#N/A", "na", "n/a", "nan", "NaN", "null", "NULL", "None")


def read(path: str) -> list:
    """The lines of a table whose columns are separated by commas, or by the semicolons or tabs of its first line."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        first = file.readline()
        file.seek(0)
        return [line for line in csv.reader(file, delimiter=next((s for s in ",;\t" if s in first), ",")) if line]


def number(path: str, student: str, column: str, field: str):
    """What people write into an exam: a number, with a decimal comma, too, a fraction, or nothing: None."""
    text = field.strip()
    if text in MISSING:
        return None
    parts = re.fullmatch(r"([-+]?[\d.,]+(?:[eE][-+]?\d+)?)(?: */ *([-+]?[\d.,]+))?", text)
    try:
        return float(parts[1].replace(",", ".")) / float((parts[2] or "1").replace(",", "."))
    except (TypeError, ValueError, ZeroDivisionError):
        raise ValueError(f"{path}: row {student}, column {column}: found \"{field[:40]}\"; expected a number") from None


def read_key(path: str, student: str, folder: str, sheet: float) -> dict:
    """The sheet's answers: its right number, None where it is in words, and its points."""
    file = f"{folder}/key-{sheet:.10g}.csv"
    try:
        key = {name: (number(file, name, "right", right), int(points)) for name, right, points in read(file)[1:]}
    except (OSError, ValueError):
        key = {}
    if not key:
        raise ValueError(f"{path}: student {student}: found no key {file}; expected the one that ./gradus exam --seed {sheet:.10g} writes "
                         "beside the sheet")
    return key


def is_right(right: float, found) -> bool:
    """Whole numbers are exact; others within 1 %: three digits, and the error of one rounded number before them. A 0 may have the
    rounding error of the sums that gave it."""
    return found is not None and abs(found - right) <= (0 if right == round(right) else 0.01 * abs(right)) + 1e-9


def points_of(path: str, student: str, answers: dict, key: dict) -> list:
    """The student's points by question: the last number counts for all of its numbers; for an answer in words whoever has read it has
    written its points."""
    for name, found in answers.items():
        if found is not None and name not in key:
            raise ValueError(f"{path}: student {student}, column {name}: found {found:g}; expected nothing: the sheet has no such answer")
    questions = []
    for _, names in itertools.groupby(key, lambda name: re.match(r"\d*", name)[0]):
        own = whole = words = 0
        last = False
        for name in names:
            (right, points), found = key[name], answers.get(name)
            if right is not None:
                last = is_right(right, found)
                whole += points
                own += points if last else 0
            elif found is not None:
                if not 0 <= found <= points or found != round(found):
                    raise ValueError(f"{path}: student {student}, column {name}: found {found:g}; expected the points that you give for an "
                                     f"answer in words, 0 to {points}")
                words += int(found)
        questions.append(words + (whole if last else own))
    return questions


def grade_class(path: str, folder: str) -> None:
    """Writes FOLDER/grades.csv, and prints the mean."""
    (_, *names), *students = read(path) or [[""]]
    if "sheet" not in names or not any(re.search("[^-+.,0-9]", line[0]) for line in students):
        raise ValueError(f"{path}: found no names of students, or no column sheet; expected a first line student,sheet,1a,1b,... and names "
                         "with a letter")
    out, percent = "student,sheet,points,of,questions\n", 0.0
    for row, (student, *fields) in enumerate(students, 1):
        if len(fields) != len(names):
            raise ValueError(f"{path}: row {row}: found {len(fields)} numbers; expected {len(names)}")
        answers = {name: number(path, student, name, field) for name, field in zip(names, fields)}
        sheet = answers.pop("sheet")
        key = read_key(path, student, folder, float("nan") if sheet is None else sheet)
        questions = points_of(path, student, answers, key)
        of = sum(points for _, points in key.values())
        quoted = student.replace('"', '""')
        out += f"\"{quoted}\",{sheet:.0f},{sum(questions)},{of},{','.join(map(str, questions))}\n"
        percent += 100 * sum(questions) / of
    write(f"{folder}/grades.csv", out)
    print(f"{folder}/grades.csv: {len(students)} students; mean {percent / len(students):.0f} %")
