"""Proves the theorems, compares the formulas with the sources, and refuses planted faults.

  prove.py quick ANSWERS FOLDER    the theorems, few random inputs, every third fault
  prove.py all ANSWERS FOLDER      more random inputs, all faults; bitwuzla agrees, and the queries are in FOLDER
  prove.py cite                    prints the formulas with the hashes of the sources as they are now

ANSWERS is the program built from Answers.swift and the sources.
"""
import pathlib
import re
import sys
import time
import types

import bitwuzla
import z3

import compare
import faults
import source
import swift
import theorem
import theorems_of_codes  # noqa: F401
import theorems_of_steps  # noqa: F401

FORMULAS = pathlib.Path(__file__).with_name("formulas.py")


def formulas(text):
    """The formulas of a text, as names."""
    names = {name: value for name, value in vars(swift).items() if not name.startswith("__")}
    names["states"] = citations = source.Citations()
    exec(compile(text, str(FORMULAS), "exec"), names)
    return types.SimpleNamespace(**names), citations


class Refused(Exception):
    pass


def query(name, assumed, claim, asked):
    """Whether a claim follows: no values satisfy the assumptions and not the claim, or not one part of it."""
    for part in claim.children() if z3.is_and(claim) else [claim]:
        asked.append((name, z3.And(*assumed, z3.Not(part))))
        solver = z3.Solver()
        solver.set("timeout", 60_000)
        solver.add(*assumed, z3.Not(part))
        answer = solver.check()
        if answer == z3.sat:
            raise Refused(f"{name}: not for {' '.join(str(solver.model()).split())[:300]}")
        if answer != z3.unsat:
            raise Refused(f"{name}: {solver.reason_unknown()}")
    # An assumption that nothing satisfies would imply everything.
    vacuous = z3.Solver()
    vacuous.add(*assumed)
    if vacuous.check() != z3.sat:
        raise Refused(f"{name}: its assumptions contradict each other")


def prove(f, only=None, report=None):
    """Proves all theorems, or those whose names contain a word. Returns how many queries that took, and their parts."""
    count, asked = 0, []
    for title, queries in theorem.ALL:
        if only and only not in title:
            continue
        began = time.monotonic()
        before = count
        for name, assumed, claim in queries(f):
            query(f"{title}: {name}", assumed, claim, asked)
            count += 1
        if report:
            report(f"  {title}: {count - before} queries, {time.monotonic() - began:.1f} s")
    return count, asked


def certify(asked, folder):
    """Writes what z3 found unsatisfiable, as SMT-LIB, and asks bitwuzla, unless it is about integers without bounds."""
    agreed, useful = 0, set()
    for index, (name, formula) in enumerate(asked):
        solver, formula = z3.Solver(), z3.simplify(formula)
        solver.add(formula)
        useful |= set() if z3.is_false(formula) else {name}
        path, text = folder / f"{index:03}.smt2", solver.to_smt2()
        path.write_text(f"; {name}: unsat\n(set-logic ALL)\n{text}", encoding="utf-8")
        if " Int)" in text:
            continue
        parser = bitwuzla.Parser(bitwuzla.TermManager(), bitwuzla.Options())
        parser.parse(str(path), True, True)
        if parser.bitwuzla().check_sat() != bitwuzla.Result.UNSAT:
            raise Refused(f"{name}: bitwuzla disagrees with z3")
        agreed += 1
    print(f"windows: bitwuzla agrees on {agreed} of {len(asked)} parts; {len(useful)} queries need a solver")


def refuse_faults(text, mode):
    """Plants each fault in the formulas, and expects a theorem to refuse it."""
    planted = faults.FORMULA_FAULTS if mode == "all" else faults.FORMULA_FAULTS[::3]
    for fault in planted:
        if text.count(fault.old) != 1:
            sys.exit(f"windows: the fault '{fault.name}' changes {text.count(fault.old)} places")
        try:
            prove(formulas(text.replace(fault.old, fault.new))[0], fault.theorem)
        except Refused as refusal:
            print(f"  refused: {fault.name}: {str(refusal)[:150]}")
            continue
        sys.exit(f"windows: the fault '{fault.name}' was proved right")
    return len(planted)


def refuse_drift(citations, copy):
    """Changes each of some sources in a copy, and expects its citation to fail."""
    for fault in faults.SOURCE_FAULTS:
        path = copy / fault.path
        text = (source.SOURCES / fault.path).read_text(encoding="utf-8")
        if text.count(fault.old) != 1:
            sys.exit(f"windows: the fault '{fault.name}' changes {text.count(fault.old)} places")
        path.write_text(text.replace(fault.old, fault.new), encoding="utf-8")
        if not citations.changed(copy):
            sys.exit(f"windows: the source drifted unnoticed: {fault.name}")
        path.write_text(text, encoding="utf-8")
    if citations.changed(copy):
        sys.exit("windows: the copied sources differ")
    return len(faults.SOURCE_FAULTS)


def main():
    text = FORMULAS.read_text(encoding="utf-8")
    f, citations = formulas(text)
    if sys.argv[1] == "cite":
        for path, start, expected in citations.cited:
            now = source.digest(source.declaration(path, start))
            pattern = re.escape(start) + r'"{1,3}, "' + re.escape(expected)
            text = re.sub(pattern, lambda match: match.group()[:-len(expected)] + now, text)
        print(text, end="")
        return
    mode, program, folder = sys.argv[1:]
    changed = citations.changed()
    if changed:
        sys.exit("windows: the sources are not what the formulas state\n" + "\n".join(changed))
    began = time.monotonic()
    try:
        queries, asked = prove(f, report=print)
        if mode == "all":
            certify(asked, pathlib.Path(folder))
    except Refused as refusal:
        sys.exit(f"windows: {refusal}")
    proved = time.monotonic() - began
    cases = compare.run(f, program, 8_000 if mode == "all" else 800)
    compare.refuse_wrong_answers(formulas, text, program)
    refused = refuse_faults(text, mode)
    with compare.copied_sources() as copy:
        drifted = refuse_drift(citations, copy)
    if mode == "all":
        compare.refuse_wrong_sources(f)
    print(f"windows: {len(theorem.ALL)} theorems by {queries} queries in {proved:.0f} s, about "
          f"{len(citations.cited)} declarations; {cases} random inputs agree; {refused} wrong formulas and {drifted} "
          "changed sources were refused")


if __name__ == "__main__":
    main()
