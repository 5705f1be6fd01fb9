"""XXH64, from its public specification: for forging manifests whose checksum is right."""

_MASK = (1 << 64) - 1
_P1, _P2, _P3, _P4, _P5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
                           0x27D4EB2F165667C5)


def _rotate(x, bits):
    return ((x << bits) | (x >> (64 - bits))) & _MASK


def _round(acc, lane):
    return _rotate((acc + lane * _P2) & _MASK, 31) * _P1 & _MASK


def _stripes(data):
    accs = [(_P1 + _P2) & _MASK, _P2, 0, -_P1 & _MASK]
    for at in range(0, len(data) - 31, 32):
        for i in range(4):
            accs[i] = _round(accs[i], int.from_bytes(data[at + 8 * i : at + 8 * i + 8], "little"))
    acc = sum(_rotate(a, bits) for a, bits in zip(accs, (1, 7, 12, 18))) & _MASK
    for a in accs:
        acc = ((acc ^ _round(0, a)) * _P1 + _P4) & _MASK
    return acc


def xxh64(data):
    """The hash of these bytes, with the seed 0."""
    acc = _stripes(data) if len(data) >= 32 else _P5
    acc = (acc + len(data)) & _MASK
    rest = data[len(data) // 32 * 32 :]
    while len(rest) >= 8:
        acc = (_rotate(acc ^ _round(0, int.from_bytes(rest[:8], "little")), 27) * _P1 + _P4) & _MASK
        rest = rest[8:]
    if len(rest) >= 4:
        acc = (_rotate(acc ^ (int.from_bytes(rest[:4], "little") * _P1 & _MASK), 23) * _P2 + _P3) & _MASK
        rest = rest[4:]
    for byte in rest:
        acc = _rotate(acc ^ (byte * _P5 & _MASK), 11) * _P1 & _MASK
    for shift, factor in ((33, _P2), (29, _P3), (32, 1)):
        acc = (acc ^ (acc >> shift)) * factor & _MASK
    return acc
