"""The vocabulary of the product: words that texts and names avoid, and the few places that may use them.

A phrase is a regular expression for whole words, in any case. What to write instead stands beside it.
"""

PHRASES = {
    r"tell|tells|told|writeback": "report, notify, show, say",
    r"hear of|hears of|heard of|unheard": "receive, learn of; undelivered",
    r"mend|mends|mended|mending": "repair, fix",
    r"another go|afresh|anew": "retry, from scratch, again",
    r"afoot|flying|under way": "in progress",
    r"set aside|sets aside|setting aside|booked": "reserve, record",
    r"foresee|foresees|foreseen|judging by": "estimated, forecast; from",
    r"plays? (?:a|the|every|this|its) role|casting|who plays|played by": "assigned profile",
    r"pen|conduct": "recorder; policy",
    r"desks?|outbox": "attempt folder; outputs",
    r"bells?": "wake-up",
    r"vouch|vouches|vouched": "confirm",
    r"circles?|longest way|doubts?": "cycle; critical path; warning",
    r"ticks?|ticked|ticking": "mark as done",
    r"radar|clash|clashes|clashing": "conflict forecast; conflict",
    r"calls? off|called off|calling off": "cancel",
    r"takes? back|took back|taken back|taking back": "revert, withdraw",
    r"waits? for you": "needs your answer, approval or a higher limit",
    r"standing|pulse": "status; activity",
    r"asks? to land": "ready to merge",
    r"tests of the base": "your original tests against the new code",
    r"nobody knows|whoever|in vain": "unknown; the caller, the user; failed",
}
"""What no docstring, comment, text for users or page of the documentation says, and what they say instead."""

USER_PHRASES = {
    r"rungs?": "access level",
    r"hubs?": "Shiftwork's repository; bottleneck",
    r"candidates?": "the change, the commit that would land",
    r"frames?": "run steps",
    r"on hold|(?:a|the|in) hold": "needs you",
    r"(?:by|the|a) harness": "Shiftwork",
}
"""Words of our own that users do not read: neither in texts of the terminal, nor on the board, nor in the docs."""

FOR_AGENTS = ("src/shiftwork/prompts/", "src/shiftwork/adapters/specs/", "src/shiftwork/entrypoints/mcp/")
"""Texts for agents, who know what started them as the harness: its name means nothing to them."""

FOR_ENGINEERS = ("docs/decisions/", "src/shiftwork/failpoints.py", "src/shiftwork/testing/")
"""Texts about the code, which use its names."""

NAMES = {
    *("tell", "tells", "told", "telling", "hear", "hears", "heard", "hearing", "unheard"),
    *("mend", "mends", "mended", "mending", "go", "afresh", "anew", "afoot", "flying", "aside"),
    *("booked", "unbooked", "foresee", "foreseen", "plays", "played", "player", "players", "casting"),
    *("pen", "page", "pages", "world", "worlds", "conduct", "desk", "desks", "outbox", "mail", "mailbox", "letters"),
    *("beat", "beats", "alarm", "bell", "vouch", "vouched", "circle", "doubt", "doubts"),
    *("tick", "ticks", "ticked", "ticking", "radar", "clash", "clashes", "standing", "pulse", "whoever", "nobody"),
}
"""Words of which no module, class, function, method, field or constant is made."""

PAIRS = {("called", "off"), ("call", "off"), ("taken", "back"), ("take", "back"), ("under", "way")}
"""Neighbouring words of which no name is made."""

NAME_EXCEPTIONS = {
    **dict.fromkeys(("go", "of_go", "_go", "GO", "_GO"), "the programming language"),
    "r0002_played": "a migration keeps its name",
    "r0009_unheard": "a migration keeps its name",
}
"""A name that uses one of the words, and why."""

TEXT_EXCEPTIONS = {
    "docs/howto/steer-a-run.md": {"tell": "the title of a user's story"},
    "src/shiftwork/adapters/store/migrations/versions/r0009_unheard.py": {"unheard": "a column of an old schema"},
    "src/shiftwork/adapters/store/migrations/versions/r0016_names.py": {"unheard": "a column of an old schema"},
}
"""A file, a phrase that it may contain, and why."""
