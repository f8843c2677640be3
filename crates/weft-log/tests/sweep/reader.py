"""Reads a segment or a whole store, checks all of it, and prints the records' positions and a verdict."""
import json, pathlib, sys
from blake3 import blake3

def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return f"{crc ^ 0xFFFFFFFF:08x}"

def read_head(path):
    covered, _, crc = path.read_bytes().rstrip().rpartition(b',"crc":"')
    assert path.stat().st_size == 512 and crc.decode() == crc32c(covered) + '"}', "head is damaged"
    return json.loads(covered + b"}")["weft_head"]

def read_seal(line, lines, opens, log):
    covered, _, rest = line.rpartition(b',"hash":"')
    assert rest == blake3(covered).hexdigest().encode() + b'"}}', "a seal is damaged"
    seal = json.loads(line)["weft_seal"]
    assert ("store" in seal) == opens and seal.get("format", 1) == 1, "no opening, or of a newer version"
    while opens and log and log[-1]["n"] and log[-1]["pos"] >= seal["pos"]:
        log.pop()  # Its write failed, and this segment repeats it.
    if log:
        assert seal["prev"] == log[-1]["hash"], f"the chain is broken before {seal['pos']}"
        assert seal["pos"] == log[-1]["pos"] + log[-1]["n"], f"records are missing before {seal['pos']}"
        opens and faults.clear()  # What stands before it, after the seal that it names, is left from a failed write.
    body = b"".join(line + b"\n" for line in lines)
    assert len(lines) == seal["n"] and len(body) == seal["bytes"], f"lines are missing at {seal['pos']}"
    assert seal.get("crc", []) == [crc32c(line) for line in lines], f"a record is damaged at {seal['pos']}"
    assert blake3(body).hexdigest() == seal["body"], f"a body is damaged at {seal['pos']}"
    return seal

def read_segment(data, log):
    lines, opens = [], True
    *whole, torn = data.split(b"\n")
    for line in whole:
        lines.append(line)
        if line.startswith(b'{"weft_seal":'):
            log.append(read_seal(line, lines[:-1], opens, log))
            lines, opens = [], False
    assert not lines and not torn and not opens, "no seal closes the end"

root, log, faults = pathlib.Path(sys.argv[1]), [], []
try:
    paths = sorted((root / "log").glob("events-*.jsonl")) if root.is_dir() else [root]
    head = read_head(root / "head") if root.is_dir() else {"segment": root.name, "end": None}
    for path in [path for path in paths if path.name <= head["segment"]]:
        try:
            read_segment(path.read_bytes()[: head["end"] if path.name == head["segment"] else None], log)
        except (AssertionError, KeyError, ValueError) as error:
            assert log, error  # Where the first segment says nothing, nothing says what follows it.
            faults.append(f"{path.name}: {error}")
    assert log and head.get("hash", log[-1]["hash"]) == log[-1]["hash"], "the end is not what head says"
except (AssertionError, KeyError, OSError, ValueError) as error:
    faults.append(f"{root.name}: {error}")
print("records", *(at for seal in log for at in range(seal["pos"], seal["pos"] + seal["n"])))
print(*(["damaged:", "; ".join(faults)] if faults else ["verified", log[-1]["hash"]]))
sys.exit(bool(faults))
