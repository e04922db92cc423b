"""Wrong results of other calculators, and what each teaches: one test per lesson.

Every test is a sentence; its docstring names the tool, what it said, what was right, and the
thread. Lessons that do not touch this project have no test:

| tool and thread | lesson | why it does not touch us |
|---|---|---|
| dstack offers, dstackai/dstack#1553 | the price of a machine lacks its system disk | options are \
priced as machines and say so in `cost.scope`; disks are a figure of their own, never added in \
silence |
| SkyPilot, skypilot-org/skypilot#1644 | a stopped cluster is shown as free | nothing here runs \
machines; that disks outlive them is a fact the profile states |
"""
