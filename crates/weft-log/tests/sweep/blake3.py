"""BLAKE3 in plain Python, from its specification: hashing only, no keys, 32 bytes out. Slow, and needs nothing installed."""

IV = [0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19]
ORDER = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8]
COLUMNS = [(0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15)]
DIAGONALS = [(0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)]
CHUNK_START, CHUNK_END, PARENT, ROOT = 1, 2, 4, 8
MASK = 0xFFFFFFFF


def turn(x, n):
    return (x >> n) | (x << (32 - n)) & MASK


def compress(chain, block, counter, length, flags):
    v = chain + IV[:4] + [counter & MASK, counter >> 32, length, flags]
    m = [int.from_bytes(block[i : i + 4], "little") for i in range(0, 64, 4)]
    for _ in range(7):
        for i, (a, b, c, d) in enumerate(COLUMNS + DIAGONALS):
            for x, (r, s) in ((m[2 * i], (16, 12)), (m[2 * i + 1], (8, 7))):
                v[a] = (v[a] + v[b] + x) & MASK
                v[d] = turn(v[d] ^ v[a], r)
                v[c] = (v[c] + v[d]) & MASK
                v[b] = turn(v[b] ^ v[c], s)
        m = [m[i] for i in ORDER]
    return [v[i] ^ v[i + 8] for i in range(8)]


def to_bytes(words):
    return b"".join(word.to_bytes(4, "little") for word in words)


def chunk(data, counter, root):
    chain, blocks = IV, [data[i : i + 64] for i in range(0, len(data), 64)] or [b""]
    for i, block in enumerate(blocks):
        last = CHUNK_END | root if i == len(blocks) - 1 else 0
        first = CHUNK_START if i == 0 else 0
        chain = compress(chain, block.ljust(64, b"\0"), counter, len(block), first | last)
    return chain


def tree(data, counter, root):
    if len(data) <= 1024:
        return chunk(data, counter, root)
    left = 1 << (len(data) - 1).bit_length() - 1  # The largest power of two that leaves something on the right.
    left = max(1024, left)
    pair = tree(data[:left], counter, 0) + tree(data[left:], counter + left // 1024, 0)
    return compress(IV, to_bytes(pair), 0, 64, PARENT | root)


class blake3:
    def __init__(self, data):
        self.data = data

    def hexdigest(self):
        return to_bytes(tree(self.data, 0, ROOT)).hex()
