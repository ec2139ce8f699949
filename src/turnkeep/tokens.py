"""Token estimates for models that report no usage; tiktoken would fetch its tables from the internet.

Up to six Latin letters, three digits, three letters of another script, two ASCII signs, or one Chinese, Japanese or
Korean character cost a token. Against o200k_base: English prose 1.1 to 1.2 times the true count, Italian 0.9 to 1.0,
Python, SQL and CSV 1.0 to 1.1, other scripts up to 1.9. Good for budgets, not for bills.
"""

import re

_PIECES = re.compile(  # the preceding blank is included: half the places to begin at
    r"\s?(?:[A-Za-z\u00c0-\u024f]{1,6}|\d{1,3}|[\u3040-\u9fff\uac00-\ud7a3]|[^\W\d_]{1,3}|[!-/:-@\[-`{-~]{1,2}|[^\w\s])"
)


def estimate_tokens(text: str) -> int:
    return len(_PIECES.findall(text))
