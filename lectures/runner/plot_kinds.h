/* plot_kinds.h: the kinds of pictures that `./gradus plot` draws (internal).
 *
 * KIND(name, "files", "what is drawn", options), where COMMON and MAP are sets of options of
 * plot.c. ../../gradus prints `plot --help` from these lines, without building anything. */
KIND(heatmap, "FILE...", "the numbers of an array as colours", COMMON MAP "head ")
KIND(heads, "FILE", "all heads of a layer (H, T, S), or of a model (L, H, T, S)", COMMON MAP)
KIND(arcs, "FILE...", "from one word to those it attends to", COMMON "labels row item head ")
KIND(links, "FILE", "from words at the left to words at the right, a line for each weight",
     COMMON LINKS)
KIND(bars, "FILE...", "named numbers (n), or several for each name (n, k)", COMMON BARS)
KIND(curves, "FILE...", "columns of a table, or arrays, over x", COMMON CURVES)
KIND(page, "FILE...", "attention maps as a page for a browser", PAGE)
