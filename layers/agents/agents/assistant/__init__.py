"""The assistant: answers questions of every day, looks things up on the web, knows the date where the person is."""

from agents.catalogue import ASSISTANT
from agents.prompt_files import PromptFiles
from lanekeeper.limits import Limits
from lanekeeper.tools import Agent, Toolset

TOOLS = ("clock_now", "memory_forget", "memory_remember", "people_handoff", "web_search")


def assistant(tools: Toolset, limits: Limits) -> Agent:
    """The agent, with its subset of all tools.

    Raises:
        KeyError: one of its tools does not exist.
        ValueError: its prompt passes its byte budget.
    """
    prompts = PromptFiles(__file__, limits)
    return Agent(
        id=ASSISTANT.id,
        name=ASSISTANT.name,
        prompt=prompts.newest,
        find_prompt=prompts.find,
        tools=tools.subset(TOOLS),
    )
