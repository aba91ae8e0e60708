"""Columns that several tables share: heading and kind of each."""

from tasks.reporting.cells import Column

AGENT = Column("agent", "Agent", "ordered")
MODEL = Column("model", "Model")
METHOD = Column("method", "Method", "ordered")
DATASET = Column("dataset", "Dataset", "ordered")
TASK = Column("task", "Task", "ordered")
LENGTH = Column("length", "Length", "length")
DONE = Column("done", "Examples", "done")
SCORE = Column("score", "Score", "percent", behind="method")
SCORE_ALONE = Column("score", "Pass@1 (%)", "percent")
FLAT = Column("flat", "Flat", "percent", behind="flat")
OTHER = Column("score", "Method’s score", "percent", behind="method")
INTERVAL = Column("interval", "95 % interval", "interval")
CLUSTERED = Column("clustered", "Clustered by context", "interval", optional=True)
P = Column("p", "p", "p", optional=True)
HOLM = Column("p_holm", "p (Holm)", "p", optional=True)
DATA = Column("data", "Data")
PUBLISHED = Column("published", "Published", "published", optional=True)
