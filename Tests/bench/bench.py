"""Runs scened and the floor by turns and prints how they compare; see README.md."""

import argparse
import json
import os
import random
import re
import resource
import shutil
import statistics
import sys
import tempfile

from cases import load, restarts, timed
from servers import HERE, MISSED, Floor, Scened
from tokens import ACCOUNTS, PEERS, Agent, Crowd

COUNTS = os.path.join(HERE, "counts.json")
# What is measured, by the names that --only knows: cases and clients of the driver.
PARTS = {
    "calls": [("rtt", 1), ("rtt", 64)],
    "tokens": [("token", 1), ("token", 64), ("dial", 1), ("dial", 64)],
    "events": [("fan", 1000), ("fan", 10000)],
    "replay": [("replay", 1000)],
    "back": [("back", 10000)],
    "growth": [("growth", 10000)],
    "stopped": [("stopped", 1000)],
    "login": [("login", 500), ("login", 5000)],
    "restart": [],
    "counts": [],
}
# Name of the row, case, clients, value, unit, and the most that scened may need: times the floor, or more than it.
ROWS = [
    ("round trip, 1 client: CPU", "rtt", 1, "cpu_us", "us", "1.5 x"),
    ("round trip, 1 client: median time", "rtt", 1, "p50_us", "us", ""),
    ("round trip, 64 clients: CPU", "rtt", 64, "cpu_us", "us", "1.5 x"),
    ("round trip, 64 clients: median time", "rtt", 64, "p50_us", "us", ""),
    ("a token, 1 caller: CPU", "token", 1, "cpu_us", "us", "1.5 x"),
    ("a token, 1 caller: median time", "token", 1, "p50_us", "us", ""),
    ("a token, 64 callers: CPU", "token", 64, "cpu_us", "us", "1.5 x"),
    ("a token, 64 callers: median time", "token", 64, "p50_us", "us", ""),
    ("a connection and a token, 1 caller: CPU", "dial", 1, "cpu_us", "us", "1.5 x"),
    ("a connection and a token, 1: median time", "dial", 1, "p50_us", "us", ""),
    ("a connection and a token, 64 callers: CPU", "dial", 64, "cpu_us", "us", "1.5 x"),
    ("a connection and a token, 64: median time", "dial", 64, "p50_us", "us", ""),
    ("event to 1,000 scenes: CPU of a delivery", "fan", 1000, "cpu_us", "us", "1.15 x"),
    ("event to 1,000 scenes: trigger to last", "fan", 1000, "took_us", "us", ""),
    ("event to 10,000 scenes: CPU of a delivery", "fan", 10000, "cpu_us", "us", "1.15 x"),
    ("event to 10,000 scenes: trigger to last", "fan", 10000, "took_us", "us", ""),
    ("an idle scene among 10,000: memory", "fan", 10000, "idle_bytes", "B", "+1024 B"),
    ("the same after events", "fan", 10000, "later_bytes", "B", "+1024 B"),
    ("1,000 missed events, 1,000 scenes: CPU of one", "replay", 1000, "cpu_us", "us", "3 x"),
    ("the same: first hello to last event", "replay", 1000, "took_us", "us", ""),
    ("10,000 scenes come back: CPU of one", "back", 10000, "back_cpu_us", "us", "5 x"),
    ("the same: first to last, all at once", "back", 10000, "back_us", "us", ""),
]
# Name of the row, the smaller case and its value, the larger one's, unit, and what the ratio should be at most.
COMPARISONS = [
    ("LoginIfRequired, 10 and 10,000 scenes: CPU", ("growth", 10000, "few0_cpu_us"), ("growth", 10000, "many0_cpu_us"), "us", "1.1 x"),
    ("the same: median time", ("growth", 10000, "few0_p50_us"), ("growth", 10000, "many0_p50_us"), "us", "1.2 x"),
    ("UpdateScene, 10 and 10,000 scenes: CPU", ("growth", 10000, "few1_cpu_us"), ("growth", 10000, "many1_cpu_us"), "us", "1.1 x"),
    ("the same: median time", ("growth", 10000, "few1_p50_us"), ("growth", 10000, "many1_p50_us"), "us", "1.2 x"),
    ("100 of 1,100 stopped: event's CPU", ("stopped", 1000, "without_cpu_us"), ("stopped", 1000, "full_cpu_us"), "us", "1.1 x"),
    ("the same: trigger to last of 1,000", ("stopped", 1000, "without_us"), ("stopped", 1000, "full_us"), "us", "1.2 x"),
    ("100 of 1,100 far behind: event's CPU", ("stopped", 1000, "without_cpu_us"), ("stopped", 1000, "gone_cpu_us"), "us", "1.1 x"),
    ("the same: trigger to last of 1,000", ("stopped", 1000, "without_us"), ("stopped", 1000, "gone_us"), "us", "1.2 x"),
    ("joining a login, 500 and 5,000 wait: CPU", ("login", 500, "joined_cpu_us"), ("login", 5000, "joined_cpu_us"), "us", "1.2 x"),
    ("its end, 500 and 5,000 wait: CPU for each", ("login", 500, "each_cpu_us"), ("login", 5000, "each_cpu_us"), "us", "1.2 x"),
    ("the same: callback to last completion", ("login", 500, "took_us"), ("login", 5000, "took_us"), "us", ""),
    ("longest wait for an event, without/with restart", ("restart", 1000, "usual_slowest_us"), ("restart", 1000, "pause_slowest_us"), "us", ""),
    ("that with restart, 10 and 1,000 kept scenes", ("restart", 10, "pause_slowest_us"), ("restart", 1000, "pause_slowest_us"), "us", ""),
]


# MARK: Times and memory

def compared(part):
    """Cases that are compared with the floor; the others only with scened itself."""
    return part in ("calls", "tokens", "events", "replay", "back")


def measure(servers, options, agent=None, crowd=None):
    samples = {}
    for turn in range(options.rounds if any(PARTS[part] for part in options.only) else 0):
        for part in options.only:
            for case, clients in PARTS[part]:
                order = servers[:] if compared(part) else servers[-1:]
                if agent and case == "dial":
                    order.append(agent)
                random.shuffle(order)
                for server in order:
                    length = {"growth": options.trips, **dict.fromkeys(("rtt", "token", "dial"), options.seconds)}.get(case, options.events)
                    sample = timed(server, case, clients, length)
                    if case == "login":
                        sample["each_cpu_us"] = sample["cpu_us"] / clients
                    samples.setdefault((server.name, case, clients), []).append(sample)
        if crowd:
            samples.setdefault(("libcurl", "refresh", ACCOUNTS), []).append(crowd.plain())
            samples.setdefault(("crowd", "refresh", ACCOUNTS), []).append(crowd.refresh())
        print(f"round {turn + 1} of {options.rounds}", file=sys.stderr)
    if "restart" in options.only:
        for scenes in (10, 1000):
            samples[("scened", "restart", scenes)] = restarts(options.rounds, scenes)
    return samples


def spread(ratios):
    ratios = sorted(ratios)
    return f"{statistics.median(ratios):.2f} ({ratios[0]:.2f}-{ratios[-1]:.2f})"


def aim(value, wanted):
    if not wanted:
        return ""
    limit = float(wanted.split()[0])
    met = value >= limit if wanted.endswith("more") else value <= limit
    return f" {wanted}{'' if met else '  MISSED'}"


def print_times(samples):
    def values(name, case, clients, key):
        return [sample[key] for sample in samples[(name, case, clients)]]

    def ratio(name, row):
        pairs = zip(values(name, *row[1:4]), values("floor", *row[1:4]))
        return [value / floor if floor else float("inf") for value, floor in pairs]

    rows = [row for row in ROWS if ("scened", row[1], row[2]) in samples]
    if rows:
        print(f"{'':47}{'floor':>9} {'scened':>9}    {'floor / floor':<18} {'scened / floor':<18} aim")
    for row in rows:
        floor, ours = (statistics.median(values(name, *row[1:4])) for name in ("floor", "scened"))
        line = f"{row[0]:<47}{floor:>9.2f} {ours:>9.2f} {row[4]:<2} "
        if row[4] == "B":
            reached = ours - floor
            again = statistics.median(values("floor2", *row[1:4])) - floor
            line += f"{again:<+18.0f} {reached:<+18.0f}"
        else:
            ours = ratio("scened", row)
            line += f"{spread(ratio('floor2', row)):<18} {spread(ours):<18}"
            reached = statistics.median(ours)
        print(line + aim(reached, row[5]))
    itself = [(row[0], *(("scened", *side) for side in row[1:3]), *row[3:]) for row in COMPARISONS]
    print_comparisons(samples, "scened with itself", itself)
    print_comparisons(samples, "tokens", PEERS)


def print_comparisons(samples, title, comparisons):
    rows = [row for row in comparisons if all(side[:3] in samples for side in row[1:3])]
    if rows:
        print(f"\n{title:47}{'former':>9} {'latter':>9}    {'latter / former':<18} aim")
    for name, *sides, unit, most in rows:
        former, latter = ([sample[side[3]] for sample in samples[side[:3]]] for side in sides)
        ratios = [big / small for small, big in zip(former, latter)]
        print(f"{name:<47}{statistics.median(former):>9.2f} {statistics.median(latter):>9.2f} {unit:<2} "
              f"{spread(ratios):<18}{aim(statistics.median(ratios), most)}")


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
    calls = [("round trip, 1 client", "rtt", 1), ("round trip, 64 clients", "rtt", 64), ("a token", "token", 1),
             ("a connection and a token", "dial", 1)]
    for what, case, clients in calls:
        more = difference(*(count(server, case, clients, f"{length}x") for length in (22000, 2000)))
        if clients > 1 or case == "dial":
            # How many are ready at once hangs on how busy the machine is.
            more.pop("epoll_wait", None)
        found[what] = {k: v / 20000 for k, v in more.items()}
    many, few = (difference(*(count(server, "fan", clients, length) for length in (22, 2))) for clients in (600, 100))
    found["delivery of an event"] = {k: v / (20 * 500) for k, v in difference(many, few).items()}
    if count is instructions:
        # How much a system call takes hangs on how fast the driver reads, so these are not counted.
        more = difference(*(count(server, "replay", clients, 0) for clients in (300, 100)))
        found["a missed event"] = {k: v / (200 * MISSED) for k, v in more.items()}
    if isinstance(server, Scened):
        more = difference(*(count(server, "login", clients, 0) for clients in (1100, 100)))
        found["a call that waits for a login"] = {k: v / 1000 for k, v in more.items()}
    return found


def tidy(counts):
    """What comes less than once in ten times is somebody else's."""
    return {name: round(value) if name == "instructions" else round(value, 2)
            for name, value in sorted(counts.items()) if value >= 0.1}


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
    print(f"\n{'exact counts':<47}{'floor':>9} {'scened':>9}    kept")
    for what in found["scened"]:
        for name in sorted({**found["floor"].get(what, {}), **found["scened"][what]}):
            floor, ours = (found[server].get(what, {}).get(name, 0) for server in ("floor", "scened"))
            before = kept.get("scened", {}).get(what, {}).get(name, 0)
            print(f"{what + ': ' + name:<47}{floor:>9g} {ours:>9g}    {before:g}")
    if save:
        with open(COUNTS, "w") as file:
            json.dump(found, file, indent=1)
            file.write("\n")


def main():
    parser = argparse.ArgumentParser(
        prog="Tests/bench/run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7, help="how often each case runs on each server (7)")
    parser.add_argument("--seconds", type=float, default=1, help="of round trips in a case (1)")
    parser.add_argument("--events", type=int, default=10, help="events in a case (10)")
    parser.add_argument("--trips", type=int, default=5000, help="round trips among few and among many scenes (5000)")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), metavar="PART",
                        help="leave the others out: " + ", ".join(PARTS))
    parser.add_argument("--save", action="store_true", help="keep the exact counts in counts.json")
    options = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if "restart" in options.only and os.geteuid() != 0:
        print("The restarts are left out: only root can have a systemd for them.\n")
        options.only.remove("restart")
    with tempfile.TemporaryDirectory(prefix="bench-") as directory:
        scened = Scened("scened", directory)
        agent = crowd = None
        if "tokens" in options.only:
            crowd = Crowd(directory)
            if shutil.which("oidc-agent"):
                agent = Agent("oidc-agent", directory)
            else:
                print("oidc-agent is left out: install Debian's oidc-agent-cli to see it beside scened.\n")
        try:
            floors = [Floor(name, directory, like=scened) for name in ("floor", "floor2")]
            sizes = scened.sizes
            print(f"request {sizes['request']} B, reply {sizes['reply']} B, event {sizes['event0']} B\n")
            print_times(measure([*floors, scened], options, agent, crowd))
            if "counts" in options.only:
                print_counts([floors[0], scened], options.save)
        finally:
            scened.close()


if __name__ == "__main__":
    main()
