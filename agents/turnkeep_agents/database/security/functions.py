"""The SQLite functions that a statement may call: none reads a file, loads code, or makes much out of nothing. `printf`
is not allowed: one call with a large width runs for seconds, and nothing can stop it."""

_AGGREGATES = "avg count group_concat json_group_array json_group_object max min string_agg sum total"
_WINDOWS = "cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number"
_TIMES = "current_date current_time current_timestamp date datetime julianday strftime time timediff unixepoch"
_NUMBERS = "abs ceil ceiling exp floor ln log log10 log2 mod pow power round sign sqrt trunc"
_TEXTS_AND_VALUES = (
    "coalesce concat concat_ws glob ifnull iif instr json_array json_array_length json_extract json_object json_type"
    " json_valid length like lower ltrim nullif replace rtrim substr substring trim typeof unicode upper -> ->>"
)
_SLOW_ON_LONG_TEXTS = (
    "concat concat_ws glob group_concat instr replace string_agg trim ltrim rtrim json_array json_group_array"
    " json_group_object json_object json_array_length json_extract json_type json_valid -> ->>"
)

FUNCTIONS = frozenset(" ".join((_AGGREGATES, _WINDOWS, _TIMES, _NUMBERS, _TEXTS_AND_VALUES)).split())
SWIFT_FUNCTIONS = FUNCTIONS - set(_SLOW_ON_LONG_TEXTS.split())
