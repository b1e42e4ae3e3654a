"""Times as people and learning management systems write them: a day, which means its end, or a day and a time, with Z or an
offset after it, or in this machine's zone."""
import datetime
import re

TIME = re.compile(r"(\d{4})-(\d\d?)-(\d\d?)(?:[T ](\d\d?):(\d\d?)(?::(\d\d?)(?:\.\d*)?)?)? *(?:(Z)|([+-])(\d\d):?(\d\d))?")


def time_read(text):
    """(seconds since 1970, the zone in words), or None."""
    m = TIME.fullmatch(text)
    if not m:
        return None
    zone = datetime.timezone.utc if m[7] else None
    clock = (int(m[4]), int(m[5]), int(m[6] or 0)) if m[4] else (23, 59, 59)
    try:
        if m[8]:
            offset = datetime.timedelta(hours=int(m[9]), minutes=int(m[10]))
            zone = datetime.timezone(-offset if m[8] == "-" else offset)
        t = datetime.datetime(int(m[1]), int(m[2]), int(m[3]), *clock, tzinfo=zone)
        t = t if zone else t.astimezone()
    except (ValueError, OverflowError):
        return None
    minutes = int(t.utcoffset().total_seconds() // 60)
    words = f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
    return (t.timestamp(), words + ("" if zone else " (this machine's zone)")) if t.timestamp() >= 0 else None
