"""The pages of MiniWoB++ (PyPI miniwob 1.1.0, `html/miniwob`), and which of them need a picture, with the reason.

This was decided by reading each page's source, before anything was scored. A task needs a picture if what it asks for is told by
colour, shape, size, movement or place in a drawing, or by an image without a text beside it.
"""

import pathlib

import policy

NEEDS_PICTURE = {
    "ascending-numbers": "the numbers become blank squares after the first click: their places must be remembered",
    "bisect-angle": "a point is to be set in a drawing",
    "chase-circle": "the mouse must follow a moving circle",
    "circle-center": "a point is to be set in a drawing",
    "click-color": "boxes differ by colour alone",
    "click-menu-2": "half of the tasks show an icon instead of a word",
    "click-shades": "boxes differ by colour alone",
    "click-shape": "colour, shape and size of drawn things",
    "count-shape": "colour, shape and size of drawn things",
    "count-sides": "a polygon on a canvas",
    "drag-circle": "a drawn shape is to be moved by some distance",
    "drag-cube": "the side of a cube that faces the viewer",
    "drag-shapes": "shapes in a drawing",
    "drag-shapes-2": "shapes and colours in a drawing",
    "drag-single-shape": "a drawn shape is to be moved by some distance",
    "draw-circle": "a line is to be drawn",
    "draw-line": "a line is to be drawn",
    "find-midpoint": "a point is to be set in a drawing",
    "grid-coordinate": "points of a drawn grid, told by their place",
    "hot-cold": "a point is to be found in an empty area",
    "hover-shape": "squares differ by colour, which changes with time",
    "identify-shape": "a drawn shape",
    "moving-items": "moving circles",
    "number-checkboxes": "the pattern is an image without text",
    "right-angle": "a point is to be set in a drawing",
    "simon-says": "buttons light up for a moment",
    "text-editor": "a fourth of the tasks wants a colour out of swatches without names",
    "tic-tac-toe": "the marks are images without text",
    "use-colorwheel-2": "the colour is shown, not named",
    "visual-addition": "blocks are to be counted",
}


def all_tasks(miniwob_html):
    return sorted(path.stem for path in (pathlib.Path(miniwob_html) / "miniwob").glob("*.html"))


def without_picture(names):
    return [name for name in names if name not in NEEDS_PICTURE]


def unknown(names):
    """Tasks that need no picture and have no strategy: they count as failed."""
    return [name for name in without_picture(names) if name not in policy.STRATEGIES]
