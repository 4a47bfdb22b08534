"""Text without what is not meant to be read: of agents, of programs, and of files that others wrote."""

import re
from typing import Final

# An unterminated sequence extends to the end of its line: the next line is more likely new text.
_SEQUENCES: Final = r"""
      (?: \x1b [\]PX^_] | [\x90\x98\x9d-\x9f] ) [^\x07\x1b\x9c\n]* (?: \x07 | \x1b\\ | \x9c )?  # OSC, DCS, SOS, PM, APC
    | (?: \x1b \[ | \x9b ) [0-?]* [ -/]* [@-~]?                                                 # CSI
    | \x1b [ -/]* [0-~]?                                                                        # all others
"""

# Control characters; format characters, of which some reorder what is read and others cannot be seen; the separators
# that some programs take for a line's end; halves of surrogate pairs, which cannot be encoded.
_UNFIT: Final = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0001-\U000e007f\ud800-\udfff]"
)


def readable(text: str) -> str:
    """The text in lines; tabs become spaces, and all unreadable characters are removed."""
    if text.isascii() and text.isprintable():
        return text
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    # Compiled when first needed, and cached by `re`: most texts have returned above.
    bare = re.sub(_SEQUENCES, "", lines, flags=re.VERBOSE)
    return re.sub(_UNFIT, "", bare).replace("\t", "    ")
