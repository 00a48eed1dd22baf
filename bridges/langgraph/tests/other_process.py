"""A graph whose checkpoints are in a file: `start` leaves it at an interrupt, `resume` ends it, each in a process of its own."""

import json
import os
import sys

from conftest import call, graph, turn
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command
from toolgate_langgraph import MCPToolNode

file, word = sys.argv[1:]
config = {"configurable": {"thread_id": "elsewhere"}}
with SqliteSaver.from_conn_string(file) as saver:
    app = graph(MCPToolNode(os.environ["TOOLGATE_URL"], os.environ["AGENT_TOKEN"]), saver)
    if word == "start":
        paused = app.invoke(turn(call("note", "1", text="elsewhere"), call("send", "2", text="elsewhere")), config)
        print(json.dumps({"approval": paused["__interrupt__"][0].value["toolgate"]["items"][0]["id"]}))
    else:
        said = app.invoke(Command(resume="look"), config)
        print(json.dumps({"statuses": [made.status for made in said["messages"][1:]]}))
