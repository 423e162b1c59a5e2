"""Runs scened and the floor by turns and prints how they compare; see README.md."""

import argparse
import json
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile

from servers import BUILT, HERE, Floor, Scened

COUNTS = os.path.join(HERE, "counts.json")
# Case, clients, and what it is about.
TIMED = [("rtt", 1), ("rtt", 64), ("fan", 1000), ("fan", 10000)]
# Name of the row, case, clients, value, unit, and the most that scened may need: times the floor, or more than it.
ROWS = [
    ("round trip, 1 client: CPU", "rtt", 1, "cpu_us", "us", "1.5 x"),
    ("round trip, 1 client: median time", "rtt", 1, "p50_us", "us", ""),
    ("round trip, 64 clients: CPU", "rtt", 64, "cpu_us", "us", "1.5 x"),
    ("round trip, 64 clients: median time", "rtt", 64, "p50_us", "us", ""),
    ("event to 1,000 scenes: CPU of a delivery", "fan", 1000, "cpu_us", "us", "1.15 x"),
    ("event to 1,000 scenes: trigger to last", "fan", 1000, "took_us", "us", ""),
    ("event to 10,000 scenes: CPU of a delivery", "fan", 10000, "cpu_us", "us", "1.15 x"),
    ("event to 10,000 scenes: trigger to last", "fan", 10000, "took_us", "us", ""),
    ("an idle scene among 10,000: memory", "fan", 10000, "idle_bytes", "B", "+1024 B"),
    ("the same after events", "fan", 10000, "later_bytes", "B", "+1024 B"),
]


def load(server, case, clients, length, pin=()):
    """The driver's figures; it fails on the first byte that is not as it should be."""
    words = [os.path.join(BUILT, "load"), case, server.socket, str(server.process.pid), str(clients), str(length)]
    if case == "rtt":
        words += server.messages("request", "reply")
    else:
        words += [str(server.sequence), *server.messages(
            "hello", "welcome", "trigger0", "event0", "reply0", "trigger1", "event1", "reply1")]
    driver = subprocess.run([*pin, *words], capture_output=True, text=True, timeout=600)
    if driver.returncode:
        raise SystemExit(f"{server.name}, {case} with {clients}: {driver.stderr}")
    return json.loads(driver.stdout)


# MARK: Times and memory

def core(number):
    return ["taskset", "-c", str(number)]


def timed(server, case, clients, options):
    # One client and its server wake each other: on one core, so that no idle core's waking is counted. The others
    # have a core each.
    split = (case, clients) != ("rtt", 1)
    server.mode = case
    server.start(core(0))
    try:
        return load(server, case, clients, options.seconds if case == "rtt" else options.events, core(int(split)))
    finally:
        server.stop()


def measure(servers, options):
    samples = {(server.name, *case): [] for server in servers for case in TIMED}
    for turn in range(options.rounds):
        for case in TIMED:
            order = servers[:]
            random.shuffle(order)
            for server in order:
                samples[(server.name, *case)].append(timed(server, *case, options))
        print(f"round {turn + 1} of {options.rounds}", file=sys.stderr)
    return samples


def print_times(samples):
    def values(name, case, clients, key):
        return [sample[key] for sample in samples[(name, case, clients)]]

    def ratio(name, row):
        pairs = zip(values(name, *row[1:4]), values("floor", *row[1:4]))
        return sorted(value / floor if floor else float("inf") for value, floor in pairs)

    def spread(ratios):
        return f"{statistics.median(ratios):.2f} ({ratios[0]:.2f}-{ratios[-1]:.2f})"

    print(f"{'':43}{'floor':>9} {'scened':>9}    {'floor / floor':<18} {'scened / floor':<18} aim")
    for row in ROWS:
        floor, ours = (statistics.median(values(name, *row[1:4])) for name in ("floor", "scened"))
        line = f"{row[0]:<43}{floor:>9.2f} {ours:>9.2f} {row[4]:<2} "
        if row[4] == "B":
            reached = ours - floor
            again = statistics.median(values("floor2", *row[1:4])) - floor
            line += f"{again:<+18.0f} {reached:<+18.0f}"
            met = reached <= float(row[5].split()[0])
        else:
            ours = ratio("scened", row)
            line += f"{spread(ratio('floor2', row)):<18} {spread(ours):<18}"
            met = not row[5] or statistics.median(ours) <= float(row[5].split()[0])
        print(line + (f" {row[5]}{'' if met else '  MISSED'}" if row[5] else ""))


# MARK: Exact counts

def instructions(server, case, clients, length):
    report = os.path.join(server.directory, "callgrind")
    server.mode = case
    # Dictionaries are laid out by a seed that differs from run to run.
    server.start(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"],
                 {"SWIFT_DETERMINISTIC_HASHING": "1"}, log="callgrind")
    load(server, case, clients, length)
    server.stop()
    with open(report) as file:
        return {"instructions": int(re.search(r"Collected : (\d+)", file.read())[1])}


def system_calls(server, case, clients, length):
    report = os.path.join(server.directory, "strace")
    server.mode = case
    server.start(["strace", "-f", "-c", "-U", "name,calls", "-o", report])
    load(server, case, clients, length)
    server.stop()
    with open(report) as file:
        lines = [line.split() for line in file]
    return {line[0]: int(line[1]) for line in lines if len(line) == 2 and line[1].isdigit() and line[0] != "total"}


def difference(left, right):
    return {name: left.get(name, 0) - right.get(name, 0) for name in {**left, **right}}


def exact(count, server):
    """Counts of one round trip and one delivery: what a longer run needs more, so that start and end are left out;
    for deliveries, what more of that more scenes need, so that the commit is left out too."""
    found = {}
    for clients in (1, 64):
        more = difference(*(count(server, "rtt", clients, f"{length}x") for length in (22000, 2000)))
        found[f"round trip, {clients} client{'s' * (clients > 1)}"] = {k: v / 20000 for k, v in more.items()}
    many, few = (difference(*(count(server, "fan", clients, length) for length in (22, 2))) for clients in (600, 100))
    found["delivery of an event"] = {k: v / (20 * 500) for k, v in difference(many, few).items()}
    return found


def tidy(counts):
    """What comes less than once in a hundred times is somebody else's."""
    return {name: round(value) if name == "instructions" else round(value, 2)
            for name, value in sorted(counts.items()) if value >= 0.01}


def print_counts(servers, save):
    try:
        with open(COUNTS) as file:
            kept = json.load(file)
    except FileNotFoundError:
        kept = {}
    found = {}
    for server in servers:
        found[server.name] = {}
        for count in (instructions, system_calls):
            for what, counts in exact(count, server).items():
                found[server.name].setdefault(what, {}).update(tidy(counts))
    print(f"\n{'exact counts':<43}{'floor':>9} {'scened':>9}    kept")
    for what in found["floor"]:
        for name in sorted({**found["floor"][what], **found["scened"][what]}):
            floor, ours = (found[server][what].get(name, 0) for server in ("floor", "scened"))
            before = kept.get("scened", {}).get(what, {}).get(name, 0)
            print(f"{what + ': ' + name:<43}{floor:>9g} {ours:>9g}    {before:g}")
    if save:
        with open(COUNTS, "w") as file:
            json.dump(found, file, indent=1)
            file.write("\n")


def main():
    parser = argparse.ArgumentParser(prog="Tests/bench/run", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="how often each case runs on each server (7)")
    parser.add_argument("--seconds", type=float, default=1, help="of round trips in a case (1)")
    parser.add_argument("--events", type=int, default=10, help="events in a case (10)")
    parser.add_argument("--only", choices=["times", "counts"], help="leave the other out")
    parser.add_argument("--save", action="store_true", help="keep the exact counts in counts.json")
    options = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory(prefix="bench-") as directory:
        scened = Scened("scened", directory)
        floors = [Floor(name, directory, like=scened) for name in ("floor", "floor2")]
        sizes = scened.sizes
        print(f"request {sizes['request']} B, reply {sizes['reply']} B, event {sizes['event0']} B\n")
        if options.only != "counts":
            print_times(measure([*floors, scened], options))
        if options.only != "times":
            print_counts([floors[0], scened], options.save)


if __name__ == "__main__":
    main()
