"""What people call the things that rows name by id, in the words of the paper."""

AGENTS = {"memagent": "MemAgent", "infmem": "InfMem", "memreread": "MemReread", "rememr1": "ReMemR1"}
FRAMEWORKS = {
    "base": "Base",
    "react": "ReAct",
    "summary": "Summary",
    "resum": "ReSum",
    "amem": "A-MEM",
    "thread": "THREAD",
    "hymem": "HyMem",
}
METHODS = {"flat": "Flat", "tree": "Tree", "tree_path": "Tree+Path", "treeagent": "TreeAgent"}
VARIANTS = {"full": "full", "without_isolated_reasoning": "w/o isolated reasoning", "without_memory": "w/o memory"}
BENCHMARKS = {"sample": "sample tasks", "gaia": "GAIA", "browsecomp_plus": "BrowseComp-Plus"}
DATASETS = {"json": "JSON", "html": "HTML", "yaml": "YAML", "javascript": "JavaScript", "mean": "mean of datasets"}
TASKS = {
    "fields_1": "1 field",
    "fields_2": "2 fields",
    "fields_4": "4 fields",
    "records_2": "2 records",
    "records_4": "4 records",
    "count": "conditional count",
    "frequent": "frequent values",
    "extremum": "numeric extremum",
}

OF_COLUMN = {
    "agent": AGENTS | FRAMEWORKS,
    "method": METHODS | VARIANTS,
    "dataset": DATASETS | BENCHMARKS,
    "task": TASKS,
}
"""Labels of the values in columns of ids, in the order of the papers."""


def label(column: str, value: str) -> str:
    """The label of a value in a column of ids; any other value is its own label."""
    return OF_COLUMN.get(column, {}).get(value, value)


def length(tokens: int) -> str:
    """A context length as people write it: 8192 is 8K, 1048576 is 1M, 1500 stays 1500."""
    for size, suffix in ((1 << 20, "M"), (1 << 10, "K")):
        if tokens >= size and tokens % size == 0:
            return f"{tokens // size}{suffix}"
    return str(tokens)


def listed(names: list[str]) -> str:
    """Names in a sentence: a, b and c."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
