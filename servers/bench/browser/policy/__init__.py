"""The scripted policy: one strategy for each task of MiniWoB++ that needs no picture.

It sees what a model would see: snapshots, and the answers of the tools. It acts by refs and by our tools alone. It reads no page
source, runs no script in the page, and does not know the seed or the reward. Whoever wrote it did read the sources: the words of
tasks, the order of icons and the like stand in it as patterns, where a model would understand them by itself.
"""

from policy import drags, forms, lists, mail, menus, pickers, reading, simple, sites

STRATEGIES = {
    **simple.STRATEGIES,
    **forms.STRATEGIES,
    **reading.STRATEGIES,
    **lists.STRATEGIES,
    **menus.STRATEGIES,
    **pickers.STRATEGIES,
    **mail.STRATEGIES,
    **sites.STRATEGIES,
    **drags.STRATEGIES,
}
