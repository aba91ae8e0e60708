"""A made-up warehouse of the TreeAgent paper's full size: 204,800 predictions and 11 million model calls."""

from pathlib import Path

import duckdb

from tasks.warehouse import database, migrations
from tasks.warehouse.schema import SQL

DATASETS = ("json", "html", "yaml", "javascript")
TASKS = ("fields_1", "fields_2", "fields_4", "records_2", "records_4", "count", "frequent", "extremum")
LENGTHS = tuple(8192 << step for step in range(8))
SECTIONS = (2, 4, 7, 14, 27, 53, 105, 210)
"""Sections of an example at 5,000 tokens, by length."""
AGENTS = ("memagent", "infmem", "memreread", "rememr1")
METHODS = ("flat", "tree", "tree_path", "treeagent")

_GRID = f"""
CREATE TEMP TABLE grid AS
SELECT
    md5(concat_ws('/', dataset, task, length, number)) AS example_id, dataset, task, length, number,
    {list(SECTIONS)}[list_position({list(LENGTHS)}, length)] AS sections
FROM unnest({list(DATASETS)}) d(dataset), unnest({list(TASKS)}) t(task), unnest({list(LENGTHS)}) l(length),
    range($examples) n(number);
INSERT INTO sources
SELECT 'made-up-' || dataset, dataset, 'Made up', NULL, NULL, 'CC0-1.0', NULL, '1', TRUE
FROM unnest({list(DATASETS)}) d(dataset);
INSERT INTO payloads (payload_id, source, dataset, format, response_id, records, characters, licence, sample, text)
SELECT md5('payload' || dataset || n), 'made-up-' || dataset, dataset, dataset, 'r', 10, 2, 'CC0-1.0', TRUE, '{{}}'
FROM unnest({list(DATASETS)}) d(dataset), range(2000) r(n);
INSERT INTO questions
SELECT
    example_id, dataset, task, 'event', 'What is the value of record ' || number || '?', '{{}}', '["4.2"]', 'number',
    TRUE, 't', TRUE
FROM grid;
INSERT INTO examples
SELECT example_id, dataset, task, length, 'test', number, example_id, sha256(example_id), length * 4, '[0]', TRUE
FROM grid;
INSERT INTO example_payloads
SELECT example_id, position, md5('payload' || dataset || (hash(example_id, position) % 2000))
FROM grid, unnest(range(sections)) p(position);
INSERT INTO builds
SELECT 'build-' || dataset, dataset, '{{"seed": 42}}', 'p', 2000, 'qwen', TRUE, TIMESTAMP '2026-03-01'
FROM unnest({list(DATASETS)}) d(dataset);
INSERT INTO build_examples SELECT 'build-' || dataset, example_id FROM grid;
INSERT INTO budgets
SELECT example_id, 'qwen', method, 5000, 5000 + hash(example_id) % 4000, sections * 5000, sections,
    sections + CASE WHEN method = 'tree' AND hash(example_id) % 4 = 0 THEN 1 ELSE 0 END, '[[5000, 2]]'
FROM grid, unnest(['flat', 'tree']) m(method);
INSERT INTO validations
SELECT 'build-' || dataset, 'independent', example_id, check_name, TRUE, NULL, NULL, TIMESTAMP '2026-03-01'
FROM grid, unnest(['answer', 'length', 'leak', 'schema', 'unique']) c(check_name);
INSERT INTO validations
SELECT
    'build-' || dataset, 'expectations', subject, 'expect_column_values_to_be_unique column=' || n, TRUE,
    '0 of 3200 rows fail', NULL,
    TIMESTAMP '2026-03-01'
FROM unnest({list(DATASETS)}) d(dataset), unnest(['examples', 'questions', 'payloads']) s(subject), range(10) r(n);
"""

_RUN = """
INSERT INTO runs
VALUES (
    $run, 'build-' || $dataset, $dataset, $agent, $method, $agent || '-7b', 'http://127.0.0.1:30000/v1', '{}',
    'default', 'p', 'qwen', 't', NULL, 5000,
    '{"seed": 42, "temperature": 0.0, "memory_tokens": 1024, "answer_tokens": 1024}', '0.1.0', NULL, TRUE,
    TIMESTAMP '2026-03-02'
);
INSERT INTO run_examples (run_id, example_id) SELECT $run, example_id FROM grid WHERE dataset = $dataset;
INSERT INTO predictions
SELECT $run, example_id,
    CASE
        WHEN hash(example_id || $run) % 500 = 0 THEN 'timeout'
        WHEN hash(example_id || $run) % 50 = 1 THEN 'length'
        ELSE 'stop'
    END::outcome,
    'The answer is ' || hash($run, example_id) % 10 || '.2', sections + 1, NULL, TIMESTAMP '2026-03-02'
FROM grid WHERE dataset = $dataset;
INSERT INTO scores
SELECT $run, example_id, 'treeagent', '2', '["4.2"]',
    CASE
        WHEN task IN ('fields_2', 'fields_4', 'records_2', 'records_4') THEN hash(example_id || $run) % 5 / 4
        ELSE hash(example_id || $run) % 2
    END,
    TIMESTAMP '2026-03-02'
FROM grid WHERE dataset = $dataset;
INSERT INTO model_calls
SELECT
    md5(concat_ws('/', $run, example_id, position)), md5(concat_ws('/', $run, example_id, position, 'q')), $run,
    example_id,
    CASE WHEN position > sections THEN 'answer' ELSE 'memory' END, position, 1, 'p',
    6000 + hash(example_id, position) % 300, 6000 + hash(example_id, position) % 300,
    300 + hash(example_id, position) % 500, 3000, 1 + hash(example_id, position) % 1000 / 250, 'stop', 'stop', NULL,
    NULL,
    TIMESTAMP '2026-03-02' + to_seconds(position)
FROM grid, unnest(range(1, sections + 2)) p(position) WHERE dataset = $dataset;
INSERT INTO memories (run_id, example_id, position, text, retrieved)
SELECT $run, example_id, position, 'So far the value of record ' || hash(example_id) % 100 || ' is 4.2.', NULL
FROM grid, unnest(range(1, sections + 1)) p(position) WHERE dataset = $dataset;
"""

FRAMEWORKS = ("react", "summary", "resum", "amem", "thread", "hymem")
_AGENTS = f"""
INSERT INTO agent_tasks
SELECT 'gaia-' || n, 'gaia', n::VARCHAR, (1 + n % 3)::VARCHAR, '[]', 'h', NULL, NULL, NULL, TRUE, TRUE
FROM range(127) t(n)
UNION ALL
SELECT
    'browsecomp_plus-' || n, 'browsecomp_plus', n::VARCHAR, ['easy', 'medium', 'hard'][1 + n % 3], '[]', 'h', NULL,
    NULL, NULL, TRUE, TRUE
FROM range(150) t(n);
INSERT INTO runs
SELECT
    concat_ws('-', benchmark, agent, trial), 'tasks-' || benchmark, benchmark, agent, 'full', 'deepseek-v4', 'http',
    '{{}}', 'default', 'p', 'qwen', 't', NULL, 0, json_object('seed', 41 + trial, 'trial', trial), '0.1.0', NULL, TRUE,
    TIMESTAMP '2026-03-03'
FROM unnest(['gaia', 'browsecomp_plus']) b(benchmark), unnest({list(FRAMEWORKS)}) f(agent), range(1, 4) t(trial);
INSERT INTO run_examples (run_id, example_id) SELECT run_id, task_id FROM runs JOIN agent_tasks ON benchmark = dataset;
INSERT INTO predictions
SELECT run_id, task_id, 'stop', '4', 40, NULL, TIMESTAMP '2026-03-03' FROM runs JOIN agent_tasks ON benchmark = dataset;
INSERT INTO scores
SELECT run_id, task_id, 'gaia', '1', NULL, hash(run_id || task_id) % 2, TIMESTAMP '2026-03-03'
FROM runs JOIN agent_tasks ON benchmark = dataset;
INSERT INTO agent_events (
    run_id, task_id, event, space, session, turn, action, status, position, context_tokens, planning_tokens, recorded_at
)
SELECT
    run_id, task_id, event,
    CASE agent WHEN 'hymem' THEN 'planner' WHEN 'thread' THEN 'thread' ELSE 'flat' END, 1, event,
    CASE event % 2 WHEN 0 THEN 'tool' ELSE 'task' END, 'ok', CASE event % 2 WHEN 0 THEN NULL ELSE event END,
    CASE event % 2 WHEN 0 THEN NULL ELSE event * (900 - 100 * list_position({list(FRAMEWORKS)}, agent)) END,
    event * 100, TIMESTAMP '2026-03-03'
FROM runs JOIN agent_tasks ON benchmark = dataset, range(1, 99) e(event)
WHERE event <= 50 + 8 * list_position({list(FRAMEWORKS)}, agent);
INSERT INTO model_calls
SELECT
    md5(concat_ws('/', run_id, task_id, event)), 'q', run_id, task_id, 'agent', event, 1, 'p', context_tokens,
    context_tokens,
    200, 0, 1.5, 'stop', 'stop', NULL, NULL, TIMESTAMP '2026-03-03' + to_seconds(event)
FROM agent_events
WHERE action = 'task';
"""


def write(path: Path, examples: int = 50) -> None:
    """Write the snapshot `path` with so many examples a cell; 50 are the full size, about 4 GB."""
    database.create(path)
    with duckdb.connect(str(path)) as con:
        migrations.apply(con, SQL)
        for statement in con.extract_statements(_GRID):
            con.execute(statement, {"examples": examples} if statement.named_parameters else None)
        for dataset in DATASETS:
            for agent in AGENTS:
                for method in METHODS:
                    values = {
                        "run": f"{dataset}-{agent}-{method}",
                        "dataset": dataset,
                        "agent": agent,
                        "method": method,
                    }
                    for statement in con.extract_statements(_RUN):
                        con.execute(statement, {key: values[key] for key in statement.named_parameters})
        con.execute(_AGENTS)
        con.execute("CHECKPOINT")
