"""One contest of bench/search with Xapian, in a process of its own: python3 xapian.py <folder>.

The folder holds products.jsonl and task.json ({"seconds", "limit", "queries": {kind: [text]}}).
Prints one line of JSON; what it holds is described in xapian.ts, the only caller.
"""

import json
import os
import sys

import xapian

# Behind all others: this folder has a file of the name of the module.
sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from rates import cost_of, rate_of, resident

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
