"""Pages and pictures of one's own numbers: what plot/plot.h and plot/pages.h draw, as objects that a notebook shows.

An array is NumPy's, PyTorch's, or anything that NumPy can read. B batch, L layers, H heads, T queries, S keys."""
import base64
import contextlib
import ctypes
import html
import pathlib
import tempfile
import warnings
from typing import Any, Callable, Iterator, Optional, Sequence

from ._c import C, Error, LabelError, ids, tensor, text, texts

SETTLED = 50_000  # the most weights of which the static picture shows every head; above it, the mean of the last layer


def look(size: str = "slide", theme: str = "light") -> None:
    """Sets the look of all pictures. size: slide, column or page. theme: light, dark or print."""
    chosen = [(size, "slide column page"), (theme, "light dark print")]
    for value, known in chosen:
        if value not in known.split():
            raise Error(f"look: found \"{value}\"; expected one of {known}")
    C.plot_set_look(ctypes.byref(C.PlotLook(*(getattr(C, f"PLOT_{value.upper()}") for value, _ in chosen))))


def _labels(labels, length: int, what: str):
    """Texts for an axis, one for each position."""
    if labels is None:
        return None
    labels = labels.tokens() if callable(getattr(labels, "tokens", None)) else labels  # transformers' BatchEncoding
    if isinstance(labels, str) or len(labels) != length:
        told = "; a tokenizer's tokenize() leaves out [CLS] and [SEP]: convert_ids_to_tokens(input_ids) has them" \
            if not isinstance(labels, str) and 0 < length - len(labels) <= 2 else ""
        raise LabelError(f"{what}: found {len(labels)} ({type(labels).__name__}) for {length} positions; expected a list of {length} "
                         f"texts, as the map has{told}")
    return texts(labels)


def _axes(map, rows, columns) -> tuple:
    """The tensor of a map, and the members of PlotHeatmap and PlotPageAttention that label it."""
    t = tensor(map)
    if t.shape.rank < 2:
        raise Error(f"map: found {t.shape.rank} axes; expected (T, S), (H, T, S) or (B, H, T, S)")
    T, S = t.shape.dim[t.shape.rank - 2:t.shape.rank]
    columns = rows if columns is None and T == S else columns
    return t, dict(rows=_labels(rows, T, "labels of rows"), columns=_labels(columns, S, "labels of columns"))


def _head(head: Optional[int]) -> int:
    return C.PLOT_MEAN if head is None else head - 1


class Drawn(bytes):
    """The bytes of a picture's file; a cell that ends with them shows the picture."""

    def __repr__(self) -> str:
        return f"<{self.picture!r} as {self.format}, {len(self)} bytes>"

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        return {**self.picture._repr_mimebundle_(), "text/plain": repr(self)}


class Picture:
    """A picture that gnuplot draws. draw: called with a stem and the format."""

    def __init__(self, name: str, draw: Callable[[bytes, int], Any]):
        self.name, self._draw = name, draw

    def figure(self, format: str = "pdf", path=None) -> bytes:
        """The picture's bytes, which are also written to `path` if it is given. format: png, svg or pdf."""
        if format not in ("png", "svg", "pdf"):
            raise Error(f"figure: found format \"{format}\"; expected png, svg or pdf")
        if not C.plot_has_gnuplot():
            raise Error("figure: found no gnuplot in PATH; expected it for pictures (apt-get install gnuplot-nox)")
        with tempfile.TemporaryDirectory() as folder:
            stem = pathlib.Path(folder) / "picture"
            self._draw(text(stem), getattr(C, f"PLOT_{format.upper()}"))
            if notes := C.plot_notes():
                warnings.warn(f"{self.name}: " + notes.decode("utf-8", "replace").strip(), stacklevel=2)
            data = Drawn(stem.with_suffix(f".{format}").read_bytes())
        data.picture, data.format = self, format
        if path is not None:
            pathlib.Path(path).write_bytes(data)
        return data

    def svg(self) -> str:
        return self.figure("svg").decode("utf-8")

    def save(self, path) -> None:
        """Writes the picture in the format in which the path ends."""
        self.figure(pathlib.Path(path).suffix[1:], path)

    def __repr__(self) -> str:
        return f"<gradus {self.name}>"

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        return {"text/plain": repr(self), "image/png": base64.b64encode(self.figure("png")).decode()}


class Page:
    """A page for a browser. A cell shows it in a frame, out of the notebook's own file; where frames or scripts are not shown, a
    static picture stands in its place, or `plain`. write: called with the path of the page."""

    def __init__(self, name: str, write: Callable[[bytes], Any], still: Optional[Picture] = None, plain: str = ""):
        self.name, self._write, self._still, self.text, self.height = name, write, still, plain or f"<gradus {name}>", 640

    def save(self, path) -> None:
        """Writes the page, one .html file that loads nothing."""
        self._write(text(path))

    def html(self) -> str:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "page.html"
            self.save(path)
            return path.read_text("utf-8")

    def __repr__(self) -> str:
        return f"<gradus {self.name}>"

    def _repr_html_(self) -> str:
        return self._repr_mimebundle_()["text/html"]

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        bundle, still = {"text/plain": self.text}, f"<pre>{html.escape(self.text)}</pre>"
        if self._still and C.plot_has_gnuplot():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the page shows what this picture leaves out
                bundle["image/png"] = base64.b64encode(self._still.figure("png")).decode()
            still = f'<img alt="{html.escape(repr(self))}" style="max-width:100%" src="data:image/png;base64,{bundle["image/png"]}">'
        page = self.html().replace("&", "&amp;").replace('"', "&quot;")
        bundle["text/html"] = (
            f'<div style="position:relative;min-height:{self.height}px;overflow:hidden">{still}<iframe '
            f'title="{html.escape(repr(self))}" sandbox="allow-scripts allow-downloads" srcdoc="{page}" '
            'style="position:absolute;left:0;top:0;width:100%;height:100%;border:0"></iframe></div>')
        return bundle


def _layers(maps) -> list:
    """A tensor a layer, of a list of layers or of one array (L, H, T, S), (H, T, S) or (T, S)."""
    if isinstance(maps, (list, tuple)):
        if any(isinstance(m, (list, tuple)) and m and hasattr(m[0], "shape") for m in maps):
            raise Error("attention: found maps of several steps, as generate() returns them; expected those of one forward pass of "
                        "the whole text with output_attentions=True")
        if any(m is None for m in maps):
            raise Error("attention: found None in place of maps; expected a model loaded with attn_implementation=\"eager\"")
        return [tensor(m) for m in maps]
    return [] if maps is None else [tensor(m) for m in maps] if len(maps.shape) > 3 else [tensor(maps)]


def _parts(weights) -> list:
    """Name and maps of each attention, and which texts its rows and its columns have; transformers' outputs are known."""
    known = [("attentions", "self-attention", 0, 0), ("encoder_attentions", "encoder self-attention", 0, 0),
             ("decoder_attentions", "decoder self-attention", 1, 1), ("cross_attentions", "cross-attention", 1, 0)]
    found = [(name, getattr(weights, key), r, c) for key, name, r, c in known if getattr(weights, key, None)]
    if not found and (hasattr(weights, "last_hidden_state") or hasattr(weights, "logits")):
        raise Error("attention: found a model's output without maps; expected output_attentions=True, of a model loaded with "
                    "attn_implementation=\"eager\" (sdpa and flash attention compute none)")
    return found or ([(name, maps, 0, 0) for name, maps in weights.items()] if isinstance(weights, dict) else
                     [(None, weights, 0, 0)])


class Attention(Page):
    """The page on attention maps; see attention()."""

    def __init__(self, title: Optional[str], inputs: list):
        self._title, self._inputs = title, inputs
        maps = inputs[0][1][0]["maps"]
        shape = maps[0].shape.dim[:maps[0].shape.rank]
        self.layers, self.heads = len(maps), shape[-3] if len(shape) > 2 else 1
        settled = self.layers * self.heads * shape[-2] * shape[-1] <= SETTLED
        super().__init__(f"attention: {self.layers} layers, {self.heads} heads, {shape[-2]} x {shape[-1]} tokens", self._page,
                         self._one() if settled else self._one(self.layers))

    def _page(self, path: bytes) -> None:
        inputs = (C.PlotPageInput * len(self._inputs))()
        for i, (title, attentions, loss) in zip(inputs, self._inputs):
            found = (C.PlotPageAttention * len(attentions))()
            for a, part in zip(found, attentions):
                layers = (C.PlotPageLayer * len(part["maps"]))()
                for member, tensors in (("map", "maps"), ("gradient", "gradients"), ("q", "q"), ("k", "k")):
                    for layer, t in zip(layers, part[tensors]):
                        setattr(layer, member, ctypes.pointer(t))
                a.name, a.layers, a.layer_count = text(part["name"]), layers, len(layers)
                for member, value in part["axes"].items():
                    setattr(a, member, value)
                if part["picture"][0] is not None:
                    a.picture = C.PlotPagePicture(ctypes.pointer(part["picture"][0]), *part["picture"][1:])
            i.title, i.loss, i.attentions, i.attention_count = text(title), text(loss), found, len(found)
        C.plot_page_attention(path, ctypes.byref(C.PlotPage(text(self._title), inputs, len(inputs))))

    def _one(self, layer: Optional[int] = None, head: Optional[int] = None, attention: int = 1) -> Picture:
        parts = self._inputs[0][1]
        part = parts[attention - 1] if 1 <= attention <= len(parts) else None
        if not part or layer is None and head is not None or layer is not None and not 1 <= layer <= len(part["maps"]) or \
                head is not None and not 1 <= head <= self.heads:
            raise Error(f"figure: found layer {layer}, head {head}, attention {attention}; expected 1 to {self.layers}, 1 to "
                        f"{self.heads} and 1 to {len(parts)}")
        if layer is None:
            maps = (ctypes.POINTER(C.Tensor) * len(part["maps"]))(*map(ctypes.pointer, part["maps"]))
            grid = C.PlotGrid(layers=maps, layer_count=len(maps), title=text(self._title), **part["axes"])
            return Picture("attention", lambda stem, formats: C.plot_grid(stem, ctypes.byref(grid), formats))
        title = f"layer {layer}, " + (f"head {head}" if head else "mean of the heads")
        one = C.PlotHeatmap(map=ctypes.pointer(part["maps"][layer - 1]), head=_head(head), title=text(title), **part["axes"])
        return Picture("attention", lambda stem, formats: C.plot_heatmap(stem, ctypes.byref(one), formats))

    def svg(self, layer: Optional[int] = None, head: Optional[int] = None, attention: int = 1) -> str:
        """A picture of one head, of a layer's mean, or of all heads, as SVG. All are counted from 1."""
        return self._one(layer, head, attention).svg()

    def figure(self, format: str = "pdf", path=None, layer: Optional[int] = None, head: Optional[int] = None,
               attention: int = 1) -> bytes:
        """The same as png, svg or pdf, also written to `path` if it is given."""
        return self._one(layer, head, attention).figure(format, path)

    def beside(self, other: "Attention") -> "Attention":
        """A page with the inputs of both, which can be seen side by side."""
        return Attention(self._title, self._inputs + other._inputs)


def attention(weights, tokens=None, columns=None, *, gradients=None, q=None, k=None, title: Optional[str] = None,
              loss: Optional[str] = None, image=None, patch: int = 0, first: int = 1, item: int = 1) -> Attention:
    """The attention maps of a model as a page.

    weights: an array (T, S), (H, T, S) or (L, H, T, S); a list of layers, each (H, T, S) or (B, H, T, S); a dict of such by the
    name of each attention; or what a model of transformers returns with output_attentions=True, also an encoder-decoder.
    tokens: (T) texts of the rows; of an encoder-decoder a pair, source and target. columns: (S) texts of the columns; without
    them those of the rows, if T = S. A text for each position: with padding, cut the maps, too (maps[..., :n, :n]).
    gradients: dL/dA in the form of weights; loss: what L is. q, k: lists of (H, T, d) and (H, S, d), one a layer.
    image: (h, w) or (3, h, w) from 0 to 1, cut into patches of `patch` pixels, before which stand `first` tokens.
    item: which of the batch, from 1."""
    attentions, parts = [], _parts(weights)
    pair = any(r for _, _, r, _ in parts) and tokens is not None
    for name, maps, r, c in parts:
        layers = _layers(maps)
        if not layers:
            raise Error("attention: found no layers; expected at least one map")
        axes = _axes(layers[0], tokens[r] if pair else tokens, tokens[c] if pair else columns)[1]
        attentions.append(dict(name=name, maps=layers, gradients=_layers(gradients), q=_layers(q), k=_layers(k),
                               axes=dict(axes, item=item - 1), picture=(None if image is None else tensor(image), patch, first)))
    return Attention(title, [(title, attentions, loss)])


def generation(vocabulary: Sequence[str], logits, tokens: Sequence[int], prompt: str = "", *, temperature: float = 1,
               top_k: Optional[int] = None, top_p: float = 1, drawn: bool = False, seed: int = 1, end: int = -1,
               title: Optional[str] = None, beam: Any = None) -> Page:
    """How a text was generated: the distribution of each step. vocabulary: (V) texts; logits: (steps, V); tokens: (steps), those that
    were chosen, by nn_sample with these settings if `drawn`, else the likeliest. beam: the BeamTree of decode.h; see Model.generate."""
    t = tensor(logits)
    if t.shape.rank != 2 or (len(tokens), len(vocabulary)) != tuple(t.shape.dim[:2]):
        raise Error(f"generation: found logits {tuple(t.shape.dim[:t.shape.rank])} of {len(tokens)} tokens and {len(vocabulary)} "
                    "words; expected (steps, V)")
    g = C.PlotPageGeneration(text(title), texts(vocabulary), len(vocabulary), text(prompt), ctypes.pointer(t), ids(tokens),
                             temperature, top_k or len(vocabulary), top_p, drawn, C.Rng(seed, 0, 0),
                             ctypes.pointer(beam) if beam else None, end)
    return Page(f"generation: {len(tokens)} tokens", lambda path: C.plot_page_generation(path, ctypes.byref(g)),
                plain=prompt + "".join(vocabulary[i] for i in tokens))


@contextlib.contextmanager
def tape(title: str = "A training step", notation: str = "") -> Iterator[Page]:
    """Records the first step with a backward pass inside the `with` as a page on which a reader goes op by op:

        with gradus.tape("a text") as page:
            model.run(text, gradients=True)

    notation: the lecture whose symbols are shown first, V, B, H, Z or J."""
    kept: list = []

    def write(path: bytes) -> None:
        if not kept:
            raise Error("tape: found no step with a backward pass; expected one inside the `with`, which has ended")
        pathlib.Path(path.decode()).write_bytes(kept[0])

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "tape.html"
        C.library.tape_page_begin(text(path), text(title), text(notation))
        C.check()
        try:
            yield Page(f"tape: {title}", write)
        finally:
            C.library.tape_page_end()
            kept += [path.read_bytes()] if path.exists() else []


def heatmap(map, rows=None, columns=None, *, title: Optional[str] = None, x: str = "key", y: str = "query", range: Optional[tuple] = None,
            diverging: bool = False, legend: Optional[str] = None, values: bool = False, head: Optional[int] = None,
            item: int = 1) -> Picture:
    """A map (T, S), one head of (H, T, S) or (B, H, T, S), both counted from 1, or the mean of its heads. x, y: the names of its
    columns and rows; range: (low, high), without it that of the numbers. What lies outside is marked, and a warning says so."""
    t, axes = _axes(map, rows, columns)
    scale = C.PlotScale(*(range or (0, 0)), numbers=range is None, diverging=diverging, name=text(legend))
    h = C.PlotHeatmap(map=ctypes.pointer(t), item=item - 1, head=_head(head), title=text(title), row_name=text(y),
                      column_name=text(x), scale=scale, values=values, **axes)
    return Picture("heatmap", lambda stem, formats: C.plot_heatmap(stem, ctypes.byref(h), formats))


def _row(row, labels, count: int) -> int:
    """A row's index: of its number, from 1, or of its label."""
    found = labels.index(row) + 1 if isinstance(row, str) and labels is not None and row in labels else row
    if not isinstance(found, int) or not 1 <= found <= count:
        raise Error(f"row: found {row!r}; expected 1 to {count}, or a label")
    return found - 1


def arcs(map, tokens: Sequence[str], row, *, head: Optional[int] = None, item: int = 1, title: Optional[str] = None) -> Picture:
    """(S) tokens in a line, with an arc from that of `row` (its number, from 1, or the token) to each, as wide as its weight in that
    row of the map."""
    t, axes = _axes(map, None, tokens)
    a = C.PlotArcs(axes["columns"], 0, ctypes.pointer(t), item - 1, _head(head), _row(row, list(tokens), t.shape.dim[t.shape.rank - 2]),
                   text(title))
    return Picture("arcs", lambda stem, formats: C.plot_arcs(stem, ctypes.byref(a), 1, None, formats))


def links(map, rows, columns=None, row=None, *, head: Optional[int] = None, item: int = 1, title: Optional[str] = None) -> Picture:
    """(T) queries at the left, (S) keys at the right, and a line for each weight of the map, or of one `row`, as in arcs()."""
    t, axes = _axes(map, rows, columns)
    h = C.PlotHeatmap(map=ctypes.pointer(t), item=item - 1, head=_head(head), title=text(title), **axes)
    start = -1 if row is None else _row(row, rows and list(rows), t.shape.dim[t.shape.rank - 2])
    return Picture("links", lambda stem, formats: C.plot_links(stem, ctypes.byref(h), start, formats))
