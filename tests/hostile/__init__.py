"""Bad and hostile input: profiles, policies, command lines, environments, rule files.

Every case ends with status 2 and says what, where and what to do; nothing of it reaches a terminal
raw, and no answer is printed beside it.
"""
