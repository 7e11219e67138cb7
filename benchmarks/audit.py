"""How long the Merkle tree of the audit log takes to grow, against hashing its leaves alone.

python benchmarks/audit.py [--leaves 100000]
"""

import argparse
import sys
import time

from oblio.audit import tree
from oblio.testing.audit_tables import MemoryAuditTables

BATCH = 1_000


def run(leaves: int, /) -> None:
    """Measure and print."""
    bodies = [b"%08d" % index * 40 for index in range(leaves)]
    began = time.process_time()
    for body in bodies:
        tree.leaf_hash(body)
    hashed = time.process_time() - began
    tables = MemoryAuditTables()
    began = time.process_time()
    for start in range(0, leaves, BATCH):
        batch = bodies[start : start + BATCH]
        tables.add_leaves(list(enumerate(batch, start=start)))
        tables.add_nodes(tree.grow(start, [tree.leaf_hash(body) for body in batch], tables.nodes))
        tree.root(start + len(batch), tables.nodes)
    grown = time.process_time() - began
    sys.stdout.write(f"{leaves} leaves: {grown:.2f} s of processor time, {grown / hashed:.1f} times hashing alone\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leaves", type=int, default=100_000)
    run(parser.parse_args().leaves)
