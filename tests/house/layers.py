"""The rules of the house that a machine can check: who includes whom, sizes of files, a README in each folder."""

import re
from pathlib import Path

FOLDER = re.compile(r"^lmw_folder\(([^)]*)\)", re.MULTILINE)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
KEYWORDS = {"USES", "LIBS", "TEST_LIBS"}
ASIO = re.compile(r"^(boost/)?asio(\.hpp|/)")
# Pure: no I/O. They must not even see the library that does it.
PURE = {"base", "wire", "routing", "replica", "workload"}
MAX_LINES = 600


def declared(cmake_text):
    """{folder: the folders it may include}, from the lmw_folder(...) of src/CMakeLists.txt."""
    text = re.sub(r"#.*", "", cmake_text)
    folders = {}
    for match in FOLDER.finditer(text):
        words = match[1].split()
        uses, section = set(), None
        for word in words[1:]:
            if word in KEYWORDS:
                section = word
            elif section == "USES":
                uses.add(word)
        folders[words[0]] = uses
    return folders


def sources(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in (".hpp", ".cpp", ".h", ".cc"))


def check_includes(name, text, uses, folders):
    for kind, target in INCLUDE.findall(text):
        if ASIO.match(target) and name in PURE:
            yield f"includes {target}, and {name} is pure"
        other = target.partition("/")[0]
        if kind == '"' and "/" not in target:
            yield f'includes "{target}": name the folder'
        elif kind == '"' and other not in folders:
            yield f'includes "{target}": {other} is no folder of src'
        elif kind == '"' and other != name and other not in uses:
            yield f'includes "{target}": {name} does not USE {other}'


def reachable(name, folders):
    found, todo = set(), [name]
    while todo:
        for other in folders.get(todo.pop(), ()):
            if other not in found:
                found.add(other)
                todo.append(other)
    return found


def check(src):
    """All that is wrong below `src`, a line each."""
    folders = declared((src / "CMakeLists.txt").read_text())
    problems = []
    for name, uses in folders.items():
        if name in reachable(name, folders):
            problems.append(f"{name}: uses itself in a circle")
        for other in sorted(uses - set(folders)):
            problems.append(f"{name}: USES {other}, which is no folder")
    for folder in sorted(path for path in src.iterdir() if path.is_dir()):
        name = folder.name
        if not sources(folder):
            continue
        if name not in folders:
            problems.append(f"{name}: has no lmw_folder({name} ...) in src/CMakeLists.txt")
        if not (folder / "README.md").is_file():
            problems.append(f"{name}: has no README.md")
        for path in sources(folder):
            text = path.read_text()
            where = path.relative_to(src)
            lines = text.count("\n")
            if lines > MAX_LINES:
                problems.append(f"{where}: {lines} lines, more than {MAX_LINES}")
            for problem in check_includes(name, text, folders.get(name, set()), folders):
                problems.append(f"{where}: {problem}")
    return problems
