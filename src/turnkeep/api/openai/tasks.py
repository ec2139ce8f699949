"""What Open WebUI asks beside a chat: titles, tags, follow-ups, search queries. They run no agent and are never kept.

A header says so where its connection sets `X-Turnkeep-Task` to `{{TASK}}`, and then nothing is guessed. Without it, a
call of Open WebUI is taken for one where it is not streamed and holds one message alone, in the form of its templates.
"""

import re
from textwrap import shorten

from starlette.datastructures import Headers

from turnkeep.api.openai.bodies import ChatCompletion
from turnkeep.api.sse import compact
from turnkeep.records import JSON

TASK_HEADER, CHAT_HEADER = "X-Turnkeep-Task", "X-OpenWebUI-Chat-Id"
TITLE_CHARACTERS = 60
_OPENING, _HISTORY = "### Task:", re.compile(r"<chat_history>(.*)</chat_history>", re.DOTALL)
_USER = re.compile(r"^USER: (.*?)(?=^[A-Z]+: |\Z)", re.DOTALL | re.MULTILINE)


def is_task(headers: Headers, body: ChatCompletion) -> bool:
    told = headers.get(TASK_HEADER, (body.metadata or {}).get("task"))
    if told is not None:
        return bool(str(told).strip())
    text = str(body.messages[0].get("content"))
    is_alone = len(body.messages) == 1 and not body.stream and CHAT_HEADER in headers
    return is_alone and text.startswith(_OPENING) and _HISTORY.search(text) is not None


def answer_to_task(message: JSON) -> str:
    """One object for all of them, since each reads its own key; title and query are what the user said last."""
    history = _HISTORY.search(str(message.get("content")))
    said = " ".join("".join(_USER.findall(history[1].strip())[-1:]).split()) if history else ""
    title, queries = shorten(said, TITLE_CHARACTERS, placeholder="…"), [said] if said else []
    return compact({"title": title or "Chat", "tags": [], "follow_ups": [], "queries": queries, "text": ""})
