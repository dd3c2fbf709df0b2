"""Code in the documents that is said to come from a file is that file's text, between its [name] marks or whole."""

import pathlib
import re
import sys
import textwrap

root = pathlib.Path(sys.argv[1])
QUOTE = re.compile(r"<!-- (?P<file>[\w./]+)(?: \[(?P<name>\w+)\])? -->\n```\w+\n(?P<text>.*?)```", re.DOTALL)


def original(file, name):
    text = (root / file).read_text(encoding="utf-8")
    if name is None:
        return text
    parts = re.split(rf"^ *(?://|#) \[{name}\]\n", text, flags=re.MULTILINE)
    if len(parts) != 3:
        sys.exit(f"{file}: [{name}] must be there twice, around the snippet; it is there {len(parts) - 1} times")
    return textwrap.dedent(parts[1])


quotes = [(document, quote) for document in [root / "README.md", *(root / "docs").glob("*.md")]
          for quote in QUOTE.finditer(document.read_text(encoding="utf-8"))]
shown = {quote["file"] for _, quote in quotes}
missing = {f"examples/{file.name}" for file in (root / "examples").glob("*.cc")} - shown
if missing:
    sys.exit(f"no document shows {', '.join(sorted(missing))}")
for document, quote in quotes:
    if quote["text"] != original(quote["file"], quote["name"]):
        sys.exit(f"{document}: the code from {quote['file']} [{quote['name']}] is not what that file says now")
print(f"{len(quotes)} snippets are the text of their files")
