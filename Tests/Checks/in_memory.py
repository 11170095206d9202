#!/usr/bin/env python3
"""Whether bytes are in a process's writable memory: in_memory.py PROCESS HEXADECIMAL prints True or False."""
import re
import sys


def in_memory(process, needle):
    """Whether they are there; nothing stops the process meanwhile."""
    with open(f"/proc/{process}/maps", encoding="ascii") as maps, open(f"/proc/{process}/mem", "rb") as memory:
        for start, end in re.findall(r"^(\w+)-(\w+) rw", maps.read(), re.M):
            memory.seek(int(start, 16))
            if needle in memory.read(int(end, 16) - int(start, 16)):
                return True
    return False


if __name__ == "__main__":
    print(in_memory(sys.argv[1], bytes.fromhex(sys.argv[2])))
