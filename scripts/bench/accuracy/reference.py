"""What Python's own parser sees in Python files, by the entry rules of the outline.

Reads paths from standard input, one a line, and prints a JSON line for each:
{"path": P, "entries": [[kind, receiver, name, line, line_end], ...]}, entries null where the
file is no Python of this version.
"""

import ast
import json
import sys
import tokenize
import warnings

warnings.simplefilter("ignore")


def targets(node):
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, (ast.Tuple, ast.List)):
        for element in node.elts:
            yield from targets(element)
    elif isinstance(node, ast.Starred):
        yield from targets(node.value)


def span(node):
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(d.lineno for d in decorators)]), node.end_lineno


def entries(tree):
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    for node in tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield "import", "", alias.asname or alias.name.split(".")[0], *span(node)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name != "*":
                    yield "import", "", alias.asname or alias.name, *span(node)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                for name in targets(target):
                    yield "variable", "", name, *span(node)
        elif isinstance(node, ast.AnnAssign):
            for name in targets(node.target):
                yield "variable", "", name, *span(node)
        elif isinstance(node, functions):
            yield "function", "", node.name, *span(node)
        elif isinstance(node, ast.ClassDef):
            yield "class", "", node.name, *span(node)
            for member in node.body:
                if isinstance(member, functions):
                    yield "method", node.name, member.name, *span(member)
        elif type(node).__name__ == "TypeAlias":
            yield "type", "", node.name.id, *span(node)


for line in sys.stdin:
    path = line.rstrip("\n")
    found = None
    try:
        with open(path, "rb") as file:
            source = file.read()
        # Python normalises names to NFKC; the outline has them as written.
        found = list(entries(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    print(json.dumps({"path": path, "entries": found}))
