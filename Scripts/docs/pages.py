#!/usr/bin/env python3
"""Adds the site's own pages to the merged documentation, and checks their links. Usage: pages.py SITE

The front page is front.html. Its links, like those of all Markdown files, are paths in the repository: a link to an
article becomes one to DocC's page, and what else is linked becomes a page of its own, and what that links. Nothing is
written by hand twice, and a link that GitHub follows works here too.
"""

import functools
import html
import html.parser
import json
import os
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys
import textwrap
import urllib.parse

import markdown
from markdown.extensions.toc import TocExtension

here = pathlib.Path(__file__).resolve().parent
root = here.parent.parent
site = pathlib.Path(sys.argv[1])
template = (here / "page.html").read_text(encoding="utf-8")
list_files = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
tracked = subprocess.run(list_files, cwd=root, check=True, capture_output=True, text=True).stdout.split("\n")
columns = 85  # docc.html
copied_as_is = {".json", ".png", ".svg"}


def slug(text, separator):
    """A heading's anchor, as on GitHub."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", separator)


@functools.cache
def children(folder):
    """The names in a folder of the repository, folders with a slash."""
    inside = [path[len(folder) + 1:] for path in tracked if path.startswith(folder + "/")]
    return sorted({re.sub("/.*", "/", path) for path in inside})


def page_of(path):
    """Where a file or folder of the repository is in the site."""
    article = re.fullmatch(r"Sources/(\w+)/\1\.docc/(\w+)\.md", path)
    if article:
        module, name = article.groups()
        return "documentation/" + "/".join(dict.fromkeys((module.lower(), name.lower()))) + "/index.html"
    if "README.md" in children(path):
        path += "/README.md"
    if pathlib.PurePath(path).suffix in copied_as_is:
        return f"pages/{path}"
    return f"pages/{path.removesuffix('.md')}.html"


def relative(page, other):
    """The link from one page to another."""
    link = urllib.parse.quote(posixpath.relpath(other, posixpath.dirname(page)))
    return link.removesuffix("index.html") if other.startswith("documentation/") else link


def with_links(body, path, page):
    """The body of the file `path`, with its links as those of `page`; queues what it links."""
    def replaced(match):
        start, link, end = match.groups()
        parts = urllib.parse.urlsplit(html.unescape(link))
        if parts.scheme or parts.netloc or not parts.path:
            return match[0]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), urllib.parse.unquote(parts.path)))
        if target not in tracked and not children(target):
            faults.append(f"{path}: {link} is not in the repository")
            return match[0]
        queue.append(target)
        fragment = f"#{parts.fragment}" if parts.fragment else ""
        return f"{start}{relative(page, page_of(target))}{fragment}{end}"
    return re.sub(r'(<(?:a|img)\b[^>]*?\b(?:href|src)=")([^"]*)(")', replaced, body)


def from_markdown(path):
    text = (root / path).read_text(encoding="utf-8")
    # The converter does not know a list item's fenced code, only what is indented this far.
    text = re.sub(r"^( +)```\w*\n(.*?)^\1```$",
                  lambda code: "\n" + textwrap.indent(textwrap.dedent(code[2]), " " * 8), text, flags=re.S | re.M)
    body = markdown.markdown(text, extensions=["fenced_code", "sane_lists", "tables", TocExtension(slugify=slug)])
    return re.sub(r"<table>.*?</table>", r'<div class="table">\g<0></div>', body, flags=re.S)


def from_manual(path):
    command = ["mandoc", "-T", "html", "-O", "fragment,includes=../Sources/COTP/%I", path]
    body = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    # Its option for references would also link the manuals of other packages.
    return re.sub(r'<a class="Xr">(otp)\((\d)\)</a>', r'<a class="Xr" href="\1.\2">\1(\2)</a>', body)


def from_folder(path):
    rows = (f'<li><a href="{name}"><code>{name}</code></a></li>' for name in children(path))
    return f"<h1><code>{path}</code></h1><ul>{''.join(rows)}</ul>"


def from_source(path):
    text = (root / path).read_text(encoding="utf-8")
    return f'<h1><code>{path}</code></h1><pre><code>{html.escape(text)}</code></pre>'


def write(page, body, title):
    up = posixpath.relpath(".", posixpath.dirname(page))
    text = template.replace("{title}", html.escape(title)).replace("{up}", up).replace("{body}", body)
    (site / page).parent.mkdir(parents=True, exist_ok=True)
    (site / page).write_text(text, encoding="utf-8")


def add(path, page):
    """Writes the page of a file or folder."""
    if pathlib.PurePath(path).suffix in copied_as_is:
        (site / page).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / path, site / page)
        return
    readme = f"{path}/README.md"
    if children(path) and readme not in tracked:
        body = with_links(from_folder(path), path + "/", page)
    elif children(path) or path.endswith(".md"):
        path = readme if children(path) else path
        body = with_links(from_markdown(path), path, page)
    elif path.startswith("man/"):
        body = with_links(from_manual(path), path, page)
    else:
        body = from_source(path)
    heading = re.search(r"<h1[^>]*>(.*?)</h1>", body, re.S)
    title = path if path.startswith("man/") or not heading else re.sub("<[^>]*>", "", heading[1])
    write(page, body, html.unescape(title))
    own.append(page)


class Links(html.parser.HTMLParser):
    """What a page links, and the anchors that it has."""

    def __init__(self, page):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed((site / page).read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src"):
                self.links.append(value)
            if name == "id":
                self.anchors.add(value)


@functools.cache
def anchors(page):
    if not page.startswith("documentation/"):
        return Links(page).anchors
    # DocC's pages are made by the browser, from data.
    data = (site / "data" / posixpath.dirname(page)).with_suffix(".json").read_text(encoding="utf-8")
    return set(re.findall(r'"anchor":"([^"]*)"', data))


def check(page):
    for link in Links(page).links:
        parts = urllib.parse.urlsplit(link)
        if parts.scheme or parts.netloc:
            if parts.scheme not in ("https", "http", "mailto"):
                faults.append(f"{page}: {link}")
            continue
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page), urllib.parse.unquote(parts.path)))
        target = page if not parts.path else target + "/index.html" if (site / target).is_dir() else target
        if not (site / target).is_file() or parts.fragment and parts.fragment not in anchors(target):
            faults.append(f"{page}: {link} leads nowhere")


def check_width(path):
    """Lines of code in an article or in doc comments that a reader would have to scroll sideways."""
    within = False
    for number, line in enumerate((root / path).read_text(encoding="utf-8").split("\n"), 1):
        if path.endswith(".swift"):
            comment = re.match(r" *///( |$)", line)
            line = line[comment.end():] if comment else ""
        if line.lstrip().startswith("```"):
            within = not within
        elif within and len(line) > columns:
            faults.append(f"{path}:{number}: code over {columns} columns")


def add_to_docc():
    """Gives each page of DocC's what docc.html has: a bar that leads to the front page, and a size for code."""
    addition = (here / "docc.html").read_text(encoding="utf-8")
    for path in (site / "documentation").rglob("index.html"):
        head, body, rest = re.split(r"(<body[^>]*>)", path.read_text(encoding="utf-8"), maxsplit=1)
        path.write_text(head + body + addition + rest, encoding="utf-8")


faults, own, queue = [], ["index.html"], []
shutil.copy(here / "site.css", site / "site.css")
front = "Scripts/docs/front.html"
write("index.html", with_links((root / front).read_text(encoding="utf-8"), front, "index.html"), "swift-otp")
done = set()
while queue:
    path = queue.pop()
    page = page_of(path)
    if page not in done and not page.startswith("documentation/"):
        done.add(page)
        add(path, page)
for page in own:
    check(page)
for path in tracked:
    if re.fullmatch(r"Sources/.*(\.docc/.*\.md|\.swift)", path):
        check_width(path)
add_to_docc()
if faults:
    sys.exit("\n".join(f"docs: {fault}" for fault in faults))
print(f"docs: the links of {len(own)} other pages resolve")
