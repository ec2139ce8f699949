"""How an answer ended. Client libraries pass truncated answers on as if they were complete; this check does not."""

import re
from collections.abc import Mapping

from langchain_core.outputs import ChatGeneration

from turnkeep.errors import ModelTruncated
from turnkeep.models.faults import TOO_LONG

REASONING_TOKENS = 4_000  # added to the token limit of models that reason within it

_WHOLE = re.compile(
    r"stop(_sequence|_token|_word)?|eos(_token)?|eot(_token)?|end(_turn|_of_turn|_of_text)?|completed?|finish(ed)?|done"
    r"|tool_(calls?|use)|function_call"
)
_AT_LIMIT = re.compile(r"length|(max|model|context|token)(_output|_completion)?_(tokens?|length|limit)")
_CUT_OFF: Mapping[str, str] = {
    "content_filter": "The provider's content filter cut the answer off.",
    "content_filtered": "The provider's content filter cut the answer off.",
    "guardrail_intervened": "A guardrail of the provider took the answer's place.",
    "model_context_window_exceeded": TOO_LONG,
}


def ending_of(generation: ChatGeneration) -> str:
    """Return the server's word for the end of the answer in lower case, or nothing if it has none."""
    info, metadata = generation.generation_info or {}, generation.message.response_metadata
    word = info.get("finish_reason") or metadata.get("stopReason") or metadata.get("status")
    return "" if word in (None, "null") else str(word).lower()


def check_ending(word: str, *, is_done: bool) -> None:
    """Raise ModelTruncated unless the answer is complete. `is_done` counts where the server has no word for it."""
    if _WHOLE.fullmatch(word) or (is_done and not word):
        return
    if is_at_limit := bool(_AT_LIMIT.fullmatch(word)):
        detail = "The answer ran into its token limit."
    elif re.fullmatch(r"\w{1,40}", word):
        detail = _CUT_OFF.get(word, f"The answer broke off, or its end has a new name: “{word}”.")
    else:
        detail = "The answer broke off before its end."
    raise ModelTruncated(detail, at_limit=is_at_limit)
