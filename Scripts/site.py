#!/usr/bin/env python3
"""Writes the pages of the documentation's site as DocC catalogs, and checks the links of the finished site.

    Scripts/site.py CATALOGS          one catalog a module, and `swift-otp`, of README and all other Markdown files
    Scripts/site.py CATALOGS SITE     completes the site: each link between pages must lead to a page and a heading

Links between Markdown files become addresses of the site. What is no page, such as a program, is named by its path.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

# DocC takes an address without a host for a link within an archive.
SITE = "https://site.invalid"
catalogs = pathlib.Path(sys.argv[1])
listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], check=True,
                        capture_output=True, text=True).stdout.split()
files = [pathlib.PurePath(name) for name in listed if os.path.exists(name)]


def place(file):
    """The catalog of a page, and the page's name there."""
    if file.parent.suffix == ".docc":
        return file.parent.stem, file.stem
    parts = [part for part in file.with_suffix("").parts if part != "README"]
    return "swift-otp", "-".join(parts) or "swift-otp"


def address(file, heading=""):
    catalog, name = place(file)
    path = f"{SITE}/documentation/{catalog}" + (f"/{name}" if name != catalog else "")
    if not heading:
        return path.lower()
    text = pathlib.Path(file).read_text(encoding="utf-8")
    anchors = [re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in re.findall(r"^#+ (.*)$", text, re.M)]
    return f"{path.lower()}#{next(anchor for anchor in anchors if anchor.lower() == heading)}"


def page(file):
    """A page's text with the site's links. Code stays as it is."""
    folder = catalogs / f"{place(file)[0]}.docc"

    def link(match):
        if match[1]:
            return match[1]
        is_image, text, target = match[2], match[3], match[4]
        if "://" in target:
            return match[0]
        path, _, heading = target.partition("#")
        found = pathlib.PurePath(os.path.normpath(file.parent / path)) if path else file
        if is_image:
            name = "-".join(found.parts)
            shutil.copy(found, folder / name)
            return f"![{text}]({name})"
        if found in files:
            return f"[{text}]({address(found, heading)})"
        return f"{text} (`{found}`)"
    text = pathlib.Path(file).read_text(encoding="utf-8")
    return re.sub(r"(^```.*?^```|`[^`\n]+`(?!\]))|(!?)\[((?:[^\]`]|`[^`]*`)*)\]\(([^)\s]+)\)", link, text,
                  flags=re.M | re.S)


if len(sys.argv) == 2:
    shutil.rmtree(catalogs, ignore_errors=True)
    for file in files:
        catalog, name = place(file)
        (catalogs / f"{catalog}.docc").mkdir(parents=True, exist_ok=True)
        text = page(file)
        if not text.lstrip().startswith("# "):
            text = f"# {file.stem}\n\n{text}"
        if name == "swift-otp":
            title, rest = text.split("\n", 1)
            # (docc merge fails if its first paragraph has a link.)
            text = f"{title}\n\n@Metadata {{\n  @TechnologyRoot\n}}\n\nOne-time passwords for servers.\n{rest}"
        (catalogs / f"{catalog}.docc" / f"{name}.md").write_text(text, encoding="utf-8")
    sys.exit()

site, count = pathlib.Path(sys.argv[2]), 0
contents = {path.relative_to(site / "data"): path.read_text(encoding="utf-8").replace(r"\/", "/")
            for path in (site / "data").rglob("*.json")}
for path, text in contents.items():
    for target in set(re.findall(rf'{SITE}/([^"]*)"', text)):
        name, _, heading = target.partition("#")
        found = contents.get(pathlib.PurePath(f"{name}.json"), "")
        if not (site / name / "index.html").exists() or (heading and f'"anchor":"{heading}"' not in found):
            sys.exit(f"docs: {path} links {target}")
        count += 1
    (site / "data" / path).write_text(text.replace(SITE, ""), encoding="utf-8")
(site / "index.html").write_text('<!doctype html><meta http-equiv="refresh" content="0; url=documentation/swift-otp/">')
print(f"docs: {count} links between pages")
