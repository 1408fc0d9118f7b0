"""`ragspine eval`: asks questions whose right answers are known, judges every answer, and compares with a baseline.

`questions` reads them, `asking` asks them, `judging` says what an answer is worth (pure), `tallies` counts, `baseline`
compares, `report` prints. The stack is a black box: nothing here knows how an answer comes about.
"""
