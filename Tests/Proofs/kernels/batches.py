"""Proves that lanes.c gives each code of a batch to a kernel and writes no other: for given counts and plans.

    python3 batches.py LIBRARY COUNTS KERNEL,UP_TO...

The arguments are a plan's steps: each kernel for at most this many codes. For each count, `otp_lanes_key_values` of one
key and `otp_lanes_values` of a key and a counter for each lane write RFC 4226's truncated values, for all midstates and
counters; the array has room for exactly that count.
"""

import sys
import time

import terms
from image import Image
from prepare import planned, sizes_of
from prove import compare_value, hash_of, place, variables
from standards import tag


def prove_batch(machine, plan, hash_function, count, has_own_keys):
    width, state_words = hash_function.word_bits, hash_function.state_words
    values = place(machine, [None] * count, 4, is_writable=True)
    keys = [variables(("key", index), 16, width) for index in range(count if has_own_keys else 1)]
    pointers = [place(machine, key, width // 8, alignment=8) for key in keys]
    if has_own_keys:
        counters = variables(("counter",), count, 64)
        lanes = place(machine, [item for pair in zip(pointers, counters) for item in pair], 8)
        machine.call("otp_lanes_values", [plan, lanes, count, values])
    else:
        first = terms.variable("first", 64)
        counters = [terms.add(first, terms.constant(index, 64)) for index in range(count)]
        machine.call("otp_lanes_key_values", [plan, pointers[0], first, count, values])
        keys *= count
    for index, (key, counter) in enumerate(zip(keys, counters)):
        digest = tag(hash_function, key[:state_words], key[8:8 + state_words], counter)
        compare_value(machine.memory.load(values + 4 * index, 32), digest, f"the value of code {index}")


def main():
    library, counts = sys.argv[1], list(sizes_of(sys.argv[2]))
    steps = [(name, int(most)) for name, most in (word.split(",") for word in sys.argv[3:])]
    image = Image(library)
    hash_function, start, failures, proved = hash_of(steps[0][0]), time.process_time(), 0, 0
    for count in counts:
        for has_own_keys in (False, True):
            terms.forget()
            try:
                prove_batch(*planned(image, hash_function, steps), hash_function, count, has_own_keys)
                proved += 1
            except Exception as error:
                failures += 1
                print(f"a batch of {count}: REFUSED: {type(error).__name__}: {error}"[:300])
    seconds = time.process_time() - start
    print(f"{image.name} batches/{steps[0][0]}: {proved} sizes, {seconds:.1f} s", flush=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
