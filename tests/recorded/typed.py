"""What is typed, requested and called in the three recorded projects, line by line.

`!` begins a line of the shell, which is not recorded.
"""

from typing import Final

NEW: Final = """\
init --print
init --prd --print
status
status --json
doctor --help
plan prd.json --json
run prd.json --dry-run
run prd.json --dry-run --json
import prd.json --dry-run
trust --show
trust --gate test --show
workflow list
workflow show ralph --expanded
workflow validate ralph
workflow graph ralph
workflow show nothing
config list
config get limits.run_usd
config explain limits.run_usd
config set limits.run_usd 50
config set limits.run_usd many
config set limit.run_usd 5
config unset limits.run_usd
config validate
!printf '[landing]\\nprof = "tip"\\n[limits]\\nrun_usd = "much"\\n' >> shiftwork.toml
config validate
config validate --json
run "Add hello.txt" --workflow ralph
!git checkout -q shiftwork.toml
token create --name laptop --json
token list
token revoke laptop
serve --status
schema run
help
run
run --paralel 3 x
run missing.json
stauts
diff
"""
"""Typed in a repository in which nothing has been run."""

ASKING: Final = """\
run prd.json --workflow ralph --parallel 1 --keep-going
status
status --json
stories
stories --json
logs --story US-002
logs --story US-002 --gates
diff US-002
diff US-002 --stat --json
proof
proof --json
proof --verify
report
notes
export
steps show US-001
steps add US-001 review twice
steps skip US-001 step-001 --because no
edit US-003 --title Other
answer US-001 tabs --json
answer US-001 tabs
answer US-009 tabs
status
retry US-003
undo US-002
resume
status --json
check
landing
gc
"""
"""Typed in a project of three stories: the first asks, the third fails, and the second lands."""

REPAIRED: Final = """\
run "Make total add up" --workflow ralph
run "Make total add up" --workflow ralph --json
status
proof
logs --gates
report
undo
status --json
"""
"""Typed in a project whose agent needs one repair."""

REQUESTS: Final = """\
GET /runs
GET /runs?limit=1
GET /runs/RUN
GET /runs/RUN?steps=true
GET /runs/none
GET /runs/RUN/stories
GET /runs/RUN/stories/US-001
GET /runs/RUN/stories/US-002
GET /runs/RUN/stories/US-009
GET /runs/RUN/stories/US-002/steps
GET /runs/RUN/stories/US-002/gates
GET /runs/RUN/stories/US-002/proof
GET /runs/RUN/stories/US-003/proof
GET /runs/RUN/stories/US-002/diff
GET /runs/RUN/stories/US-002/certificate
GET /runs/RUN/stories/US-002/steps/step-001/attempts/1/log
GET /runs/RUN/stories/US-002/steps/step-001/attempts/1/prompt
GET /runs/RUN/stories/US-002/activity
GET /runs/RUN/activity
GET /runs/RUN/timeline
GET /runs/RUN/attempts
GET /runs/RUN/stories/US-002/attempts
GET /runs/RUN/report
GET /needs-you
GET /session
GET /settings
GET /agents
GET /costs?runs=3
GET /landing
GET /tokens
POST /runs {}
POST /runs {"spec": "missing.json"}
POST /runs/RUN/pause {}
POST /runs/RUN/resume {}
POST /runs/RUN/limits {"run_usd": -1}
POST /runs/RUN/stories/US-002/answer {"text": "yes"}
POST /runs/RUN/stories/US-002/approve {}
POST /runs/RUN/stories/US-002/retry {}
PATCH /runs/RUN/stories/US-002 {"title": "Other"}
POST /runs/RUN/order {"stories": ["US-009"]}
POST /runs/RUN/stories/US-002/steps {"operations": []}
POST /runs/RUN/cancel {}
"""
"""Sent by an administrator, after the commands of `ASKING`."""

CALLS: Final = """\
plan {"spec": "prd.json"}
plan {"spec": "missing.json"}
start {}
start {"spec": "../prd.json"}
start {"request": "prd.json"}
start {"request": "Do it", "workflow": "nothing"}
status {}
status {"run": "RUN"}
wait {"run": "RUN", "seconds": 1}
answer {"story": "US-002", "text": "yes", "run": "RUN"}
cancel {"run": "RUN"}
cancel {"run": "none"}
"""
"""Calls of the tools of `shiftwork mcp`, after these requests."""
