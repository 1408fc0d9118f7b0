"""What `ragspine faq COMMAND --help` says, with examples that work as they are."""

LIST_HELP = """List vetted answers: state, version, owner, and which wordings are served.

\b
Examples:
  ragspine faq list --state stale
  ragspine faq list --text 食堂
"""
SHOW_HELP = """Show one item: text, terms, what would be served of it, and who changed it when.

\b
Example:
  ragspine faq show canteen
"""
ADD_HELP = """Add an item as a draft, or change one. Says at once what could never be served, and why.

\b
An answer with digits names the facts they come from (--depends-on METRIC[/ENTITY[/PERIOD]], repeatable), or is
marked with --policy-number as a rule of the company that no fact can change.

\b
Examples:
  ragspine faq add canteen --question "食堂在哪？" --answer "三楼。" --alias "餐厅在哪里" --owner facilities
  ragspine faq add leave --question "How many days of leave?" --answer "25 days." --policy-number --owner hr --approve
  ragspine faq add canteen --replace --question "食堂在哪？" --answer "四楼。" --owner facilities
"""
APPROVE_HELP = """Serve an item from now on, as it is stored at this moment.

\b
Example:
  ragspine faq approve canteen
"""
DISABLE_HELP = """Serve an item no more.

\b
Example:
  ragspine faq disable canteen
"""
DELETE_HELP = """Delete an item. Its history stays.

\b
Example:
  ragspine faq delete canteen
"""
IMPORT_HELP = """Import items from JSON, all or none. Importing the same file again changes nothing.

\b
The file is {"items": [{"id": …, "question": …, "answer": …, "owner": …}]}, as `faq export` writes it.
An item that went stale stays so until it is approved again or its text changes.

\b
Examples:
  ragspine faq import faq.json
  ragspine faq import faq.json --skip-bad
"""
EXPORT_HELP = """Write all items as JSON, ready to be imported again.

\b
Examples:
  ragspine faq export > faq.json
  ragspine faq export --state approved --output faq.json
"""
TEST_HELP = """Say whether a vetted answer would be served for a question, or exactly why not.

\b
Exit codes: 0 hit, 3 miss.

\b
Examples:
  ragspine faq test "食堂在哪"
  ragspine faq test "食堂在哪" --reference-date 2025-12-31
"""
SUGGEST_HELP = """List questions that were asked often and have no vetted answer.

RAGSPINE_FAQ_SUGGEST_THRESHOLD, at the gateway, switches it on.

\b
Example:
  ragspine faq suggest
"""
