"""What pandas says of the columns of JSON lines: counts, different values, the most frequent ones, quantiles."""

import json
import sys
import time

import pandas

wall, cpu = time.perf_counter(), time.process_time()
with open(sys.argv[1], encoding="utf-8") as lines:
    frame = pandas.DataFrame([json.loads(line) for line in lines])
fields = {}
for name in frame.columns:
    column = frame[name]
    values = column.explode().dropna()
    present = int(column.map(lambda v: v is not None and v == v and v != []).sum())
    told = {
        "present": present,
        "missing": len(frame) - present,
        "distinct": int(values.nunique()),
        "top": [int(count) for count in values.value_counts().head(20)],
    }
    if pandas.api.types.is_numeric_dtype(column):
        numbers = column.dropna()
        told["mean"] = float(numbers.mean())
        told["quantiles"] = [float(q) for q in numbers.quantile([0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99])]
    fields[name] = told
print(
    json.dumps(
        {
            "fields": fields,
            "seconds": time.perf_counter() - wall,
            "cpuSeconds": time.process_time() - cpu,
            "version": pandas.__version__,
        }
    )
)
