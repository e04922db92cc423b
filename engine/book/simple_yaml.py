"""The simplest YAML files, read without the YAML library.

Most profiles are mappings of names to plain values on one line, nested by indentation, with
comments. To import the library takes longer than everything else that is done with such a file.
Whatever looks any different (quotes, lists, flow style, several lines, an empty value, a name said
twice) is left to the library, and so is everything that is wrong.
"""

from __future__ import annotations

from engine.language.patterns import late

_DEEPEST, _LONGEST = 20, 1000  # levels; characters of a line
# What YAML refuses, takes for the end of a line, or treats in ways of its own.
_ODD = late("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_NOTHING = late(r" *(#.*)?")
# In a value of such words no sign of YAML can stand: `: `, ` #`, `- `, quotes and brackets need
# others, at its start or inside.
_WORD = r"[\w.,/+()%，、（）-]"
_VALUE = rf"(?:[^\W_]|[-+.]?[0-9]){_WORD}*(?: +{_WORD}+)*"
_MEMBER = late(rf"( *)([A-Za-z_][\w.]*):(?:( +)({_VALUE}))?(?: +#.*| *)")

Member = tuple[int, int, str, int, str]  # line, indent, name, column and text of the value


def members(text: str) -> list[Member] | None:
    """The members of all mappings of a file in order, lines and columns counted from 1.

    One without a value holds those that follow with a larger indent. None: not so simple a file.
    """
    plain = text.isascii() and text.replace("\n", "").isprintable()
    if not plain and _ODD.search(text):
        return None
    found: list[Member] = []
    names: list[set[str]] = []  # of each open mapping
    indents: list[int] = []
    opened = True  # whether the next member is the first of a mapping
    for number, line in enumerate(text.split("\n"), 1):
        if _NOTHING.fullmatch(line):
            continue
        match = _MEMBER.fullmatch(line) if len(line) <= _LONGEST else None
        if match is None:
            return None
        space, name, gap, value = match.groups()
        indent = len(space)
        if opened:
            if indent <= (indents[-1] if indents else -1) or len(indents) == _DEEPEST:
                return None
            indents.append(indent)
            names.append(set())
        while indents and indent < indents[-1]:
            indents.pop()
            names.pop()
        if not indents or indent != indents[-1] or name in names[-1]:
            return None
        names[-1].add(name)
        opened = value is None
        found.append((number, indent, name, indent + len(name) + 2 + len(gap or ""), value or ""))
    return found if found and not opened else None
