"""What the README shows is what is run."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def test_the_quick_start_of_the_readme_is_the_one_that_is_run() -> None:
    _, shown, _ = (ROOT / "examples/quickstart.py").read_text().split("# [quickstart]\n")
    assert f"```python\n{shown}```" in README
    twin = (
        shown.replace("import riposte_sdk", "import riposte_sdk.aio")
        .replace("riposte_sdk.from", "riposte_sdk.aio.from")
        .replace("for x", "async for x")
    )
    for call in ("s.comment(", "p.like("):
        twin = twin.replace(call, f"await {call}")
    assert f"```python\n{twin}```" in README


def test_all_code_of_the_readme_can_be_parsed() -> None:
    blocks = [block.partition("```")[0] for block in README.split("```python\n")[1:]]
    assert len(blocks) >= 5
    for block in blocks:
        compile(block, "README.md", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
