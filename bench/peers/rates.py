"""How fast calls are, as measure.ts finds it out: for peers that are asked by Python."""

import math
import re
import time


def cost_of(work):
    cpu, wall = time.process_time(), time.perf_counter()
    result = work()
    return result, {"cpuSeconds": time.process_time() - cpu, "seconds": time.perf_counter() - wall}


def repeat(inputs, call, seconds):
    latencies = []
    now = time.perf_counter()
    end = now + seconds
    while now < end:
        start = now
        call(inputs[len(latencies) % len(inputs)])
        now = time.perf_counter()
        latencies.append((now - start) * 1000)
    return latencies


def percentile(ascending, share):
    """The nearest rank, as in metrics.ts."""
    return ascending[max(0, math.ceil(share * len(ascending)) - 1)]


def rate_of(inputs, call, seconds):
    """As rateOf in measure.ts: a third of the time warms up."""
    repeat(inputs, call, seconds / 3)
    latencies, cost = cost_of(lambda: repeat(inputs, call, seconds * 2 / 3))
    latencies.sort()
    return {
        "perCpuSecond": len(latencies) / cost["cpuSeconds"],
        "perSecond": len(latencies) / cost["seconds"],
        "p50": percentile(latencies, 0.5),
        "p95": percentile(latencies, 0.95),
        "p99": percentile(latencies, 0.99),
        "calls": len(latencies),
    }


def resident():
    """Bytes; 0 where the system does not tell."""
    try:
        with open("/proc/self/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) * 1024
    except OSError:
        return 0
