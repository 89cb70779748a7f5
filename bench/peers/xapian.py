"""One contest of bench/search with Xapian, in a process of its own: python3 xapian.py <folder>.

The folder holds products.jsonl and task.json ({"seconds", "limit", "queries": {kind: [text]}}).
Prints one line of JSON; what it holds is described in xapian.ts, the only caller.
"""

import json
import math
import os
import re
import sys
import time

import xapian

TITLE_WEIGHT = 3


def index(folder, products):
    """All words without field prefixes, so that they are found wherever they stand; positions for phrases."""
    database = xapian.WritableDatabase(os.path.join(folder, "db"), xapian.DB_CREATE_OR_OVERWRITE)
    generator = xapian.TermGenerator()
    generator.set_database(database)
    generator.set_flags(xapian.TermGenerator.FLAG_SPELLING)
    for line, product in products:
        document = xapian.Document()
        document.set_data(line)
        generator.set_document(document)
        generator.index_text(product["title"], TITLE_WEIGHT)
        generator.increase_termpos()
        generator.index_text(product["desc"])
        document.add_boolean_term("Q" + product["id"])
        database.add_document(document)
    database.commit()
    return database


class Searcher:
    def __init__(self, database, limit):
        self.database = database
        self.limit = limit
        self.enquire = xapian.Enquire(database)
        self.parser = xapian.QueryParser()
        self.parser.set_database(database)
        self.parser.set_max_expansion(128, xapian.Query.WILDCARD_LIMIT_MOST_FREQUENT, xapian.QueryParser.FLAG_PARTIAL)

    def query(self, kind, text):
        parser = self.parser
        parser.set_default_op(xapian.Query.OP_AND if kind in ("and", "prefix") else xapian.Query.OP_OR)
        if kind == "phrase":
            return parser.parse_query('"%s"' % text, xapian.QueryParser.FLAG_PHRASE)
        if kind == "prefix":
            return parser.parse_query(text, xapian.QueryParser.FLAG_PARTIAL)
        if kind == "typo":
            query = parser.parse_query(text, xapian.QueryParser.FLAG_SPELLING_CORRECTION)
            corrected = parser.get_corrected_query_string()
            return parser.parse_query(corrected, 0) if corrected else query
        return parser.parse_query(text, 0)

    def search(self, kind, text, whole=False):
        self.enquire.set_query(self.query(kind, text))
        matches = self.enquire.get_mset(0, self.limit)
        if whole:
            return [(match.weight, json.loads(match.document.get_data())) for match in matches]
        return [(match.weight, match.docid) for match in matches]


def cost_of(work):
    cpu, wall = time.process_time(), time.perf_counter()
    result = work()
    return result, {"cpuSeconds": time.process_time() - cpu, "seconds": time.perf_counter() - wall}


def repeat(texts, call, seconds):
    latencies = []
    now = time.perf_counter()
    end = now + seconds
    while now < end:
        start = now
        call(texts[len(latencies) % len(texts)])
        now = time.perf_counter()
        latencies.append((now - start) * 1000)
    return latencies


def percentile(ascending, share):
    """The nearest rank, as in metrics.ts."""
    return ascending[max(0, math.ceil(share * len(ascending)) - 1)]


def rate_of(texts, call, seconds):
    """As rateOf in measure.ts: a third of the time warms up."""
    repeat(texts, call, seconds / 3)
    latencies, cost = cost_of(lambda: repeat(texts, call, seconds * 2 / 3))
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


def id_of(database, number):
    return json.loads(database.get_document(number).get_data())["id"]


def main(folder):
    with open(os.path.join(folder, "task.json")) as file:
        task = json.load(file)
    with open(os.path.join(folder, "products.jsonl")) as file:
        products = [(line, json.loads(line)) for line in file]
    empty = resident()
    database, build = cost_of(lambda: index(folder, products))
    searcher = Searcher(database, task["limit"])
    queries, seconds = task["queries"], task["seconds"]
    answers = {
        kind: [[id_of(database, number) for _, number in searcher.search(kind, text)] for text in texts]
        for kind, texts in queries.items()
    }
    full = resident()
    ids = {
        kind: rate_of(texts, lambda text, kind=kind: searcher.search(kind, text), seconds)
        for kind, texts in queries.items()
    }
    whole = rate_of(queries["or"], lambda text: searcher.search("or", text, True), seconds)
    database.close()

    def reopen():
        opened = xapian.Database(os.path.join(folder, "db"))
        Searcher(opened, task["limit"]).search("or", queries["or"][0])

    _, reopening = cost_of(reopen)
    figures = {"build": build, "resident": full - empty, "answers": answers, "ids": ids, "whole": whole}
    print(json.dumps({**figures, "reopening": reopening}))


main(sys.argv[1])
