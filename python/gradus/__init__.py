"""gradus in a notebook: attention maps, generated text and training steps as pages inside a cell; pretrained models;
the lectures' claims and questions. A thin layer over the C library, which computes everything."""
from ._c import Error
from .lectures import ask, claims, figure, load_ipython_extension
from .models import Edit, Model, Run, load
from .pages import Attention, Page, Picture, arcs, attention, generation, heatmap, links, look, tape

__all__ = ["Attention", "Edit", "Error", "Model", "Page", "Picture", "Run", "arcs", "ask", "attention", "claims", "figure",
           "generation", "heatmap", "links", "load", "load_ipython_extension", "look", "tape"]
