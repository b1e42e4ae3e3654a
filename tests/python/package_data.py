"""Arrays and texts that both tests of the package show."""
import array

WORDS = ["the", "<b>&\"", "\u00e9t\u00e9 \u732b", "x"]


def floats(shape, first=0.0):
    """Numbers first, first + 1/64, ... of that shape, as a buffer."""
    count = 1
    for n in shape:
        count *= n
    return as_shape(array.array("f", (first + i / 64 for i in range(count))), shape)


def as_shape(flat, shape):
    return memoryview(flat).cast("B").cast("f", list(shape))
