"""One contest of bench/filters with Xapian, in a process of its own: python3 xapian_filters.py <folder>.

The folder holds products.jsonl and task.json ({"seconds", "limit", "kinds": {kind: [question]}}), each question as
filter-questions.ts has it. Prints one line of JSON; what it holds is described in xapian-filters.ts, the only caller.
"""

import json
import os
import sys
import time

import xapian

# Behind all others: this folder has a file of the name of the module.
sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from rates import cost_of, rate_of, resident

SLOTS = {"price": 0, "color": 1, "maker": 2}
BATCH = 1000


def batches(path):
    """Products, some at a time: a million of them take gigabytes."""
    with open(path) as file:
        some = []
        for line in file:
            some.append(json.loads(line))
            if len(some) == BATCH:
                yield some
                some = []
    if some:
        yield some


def add(database, generator, products):
    for product in products:
        document = xapian.Document()
        document.set_data(product["id"])
        generator.set_document(document)
        generator.index_text(product["title"])
        generator.increase_termpos()
        generator.index_text(product["desc"])
        document.add_boolean_term("B" + product["brand"])
        document.add_boolean_term("K" + product["tag"])
        document.add_value(SLOTS["price"], xapian.sortable_serialise(product["price"]))
        document.add_value(SLOTS["color"], product["color"])
        document.add_value(SLOTS["maker"], product["maker"])
        database.add_document(document)


def index(folder):
    database = xapian.WritableDatabase(os.path.join(folder, "db"), xapian.DB_CREATE_OR_OVERWRITE)
    generator = xapian.TermGenerator()
    total = {"cpuSeconds": 0, "seconds": 0}

    def timed(work):
        _, cost = cost_of(work)
        for name in total:
            total[name] += cost[name]

    for products in batches(os.path.join(folder, "products.jsonl")):
        timed(lambda products=products: add(database, generator, products))
    timed(database.commit)
    return database, total


class Searcher:
    def __init__(self, database, limit):
        self.limit = limit
        self.documents = database.get_doccount()
        self.enquire = xapian.Enquire(database)
        self.parser = xapian.QueryParser()
        self.parser.set_database(database)
        self.prices = xapian.NumberRangeProcessor(SLOTS["price"])

    def query(self, question):
        parts = []
        if "word" in question:
            parts.append(self.parser.parse_query(question["word"], 0))
        for name, prefix in (("brand", "B"), ("tag", "K")):
            if name in question:
                parts.append(xapian.Query(prefix + question[name]))
        if "price" in question:
            parts.append(self.prices(*(repr(bound) for bound in question["price"])))
        if not parts:
            return xapian.Query.MatchAll
        query = parts[0]
        for other in parts[1:]:
            query = xapian.Query(xapian.Query.OP_FILTER, query, other)
        return query

    def ask(self, question, with_total=False):
        """Counts are exact only where all that match are looked at."""
        enquire = self.enquire
        enquire.set_query(self.query(question))
        by_price = question.get("byPrice", False)
        if by_price:
            enquire.set_sort_by_value(SLOTS["price"], False)
        else:
            enquire.set_sort_by_relevance()
        facet = question.get("facet")
        spy = xapian.ValueCountMatchSpy(SLOTS[facet]) if facet else None
        enquire.clear_matchspies()
        if spy:
            enquire.add_matchspy(spy)
        matches = enquire.get_mset(0, self.limit, self.documents if facet or with_total else 0)
        answer = {"total": matches.get_matches_estimated()}
        if by_price:
            answer["prices"] = [
                xapian.sortable_unserialise(match.document.get_value(SLOTS["price"])) for match in matches
            ]
        else:
            answer["hits"] = [match.docid for match in matches]
        if spy:
            answer["values"] = [[item.term.decode(), item.termfreq] for item in spy.top_values(self.limit)]
        return answer


def checked(searcher, questions, seconds):
    """The answers to the first questions, as many as there is time for."""
    answers = []
    end = time.perf_counter() + seconds
    for question in questions:
        if time.perf_counter() > end:
            break
        answer = searcher.ask(question, True)
        answer.pop("hits", None)
        answers.append(answer)
    return answers


def main(folder):
    with open(os.path.join(folder, "task.json")) as file:
        task = json.load(file)
    empty = resident()
    database, build = index(folder)
    searcher = Searcher(database, task["limit"])
    kinds = task["kinds"]
    answers = {kind: checked(searcher, asked, task["mostChecked"]) for kind, asked in kinds.items()}
    rates = {kind: rate_of(asked, searcher.ask, task["seconds"]) for kind, asked in kinds.items()}
    print(json.dumps({"build": build, "resident": resident() - empty, "answers": answers, "rates": rates}))


main(sys.argv[1])
