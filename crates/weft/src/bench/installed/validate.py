# Validates every *.jsonl of a folder with the schema beside it; prints the seconds of the best of three rounds.
import glob, json, sys, time
try:
    from jsonschema import FormatChecker
    from jsonschema.validators import validator_for
except ImportError:
    sys.exit(3)
work = []
for path in sorted(glob.glob(sys.argv[1] + "/*.jsonl")):
    with open(path.replace(".jsonl", ".schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    validator = validator_for(schema)(schema, format_checker=FormatChecker())
    with open(path, encoding="utf-8") as file:
        work.append((validator, file.read().splitlines()))
best = None
for _ in range(3):
    start = time.perf_counter()
    for validator, lines in work:
        for line in lines:
            assert validator.is_valid(json.loads(line)), line
    took = time.perf_counter() - start
    best = took if best is None else min(best, took)
print(best)
