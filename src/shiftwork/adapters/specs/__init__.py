"""Spec files that users already have. The modules, by what they are about:

The port and the formats:
    opening                      which format a file has; the one reader and writer of all of them
    prd_json                     ralph's, ralph-tui's and codetether's
    markdown, openspec, speckit  plans; change folders; tasks by user story

JSON:
    _json, _fields               values with their places; taken out by name, and what was not taken
    _checks, _verification       the checks of the whole; the verification steps of a story

Markdown:
    _markdown, _needs, _ticks    blocks with their places, and which were not read; lines with a key; boxes
    _offer                       texts beside the file, offered or left out

All formats:
    _draft, _document, _files    what was found; mistakes and changes by their places; the file on disk
"""
