-- What long-horizon agents did: their tasks, every turn in every context space, and every fold of the memories.

CREATE TABLE agent_tasks (
    task_id VARCHAR PRIMARY KEY,
    benchmark VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    level VARCHAR NOT NULL,
    files JSON NOT NULL,
    question_sha256 VARCHAR NOT NULL,
    question VARCHAR,
    answer VARCHAR,
    evidence JSON,
    gated BOOLEAN NOT NULL,
    sample BOOLEAN NOT NULL
);
COMMENT ON TABLE agent_tasks IS 'A task of a long-horizon benchmark; the texts of gated ones stay in the copy of the user';
COMMENT ON COLUMN agent_tasks.task_id IS 'Hash of benchmark, name and texts; stands in example_id of model_calls, predictions and scores';
COMMENT ON COLUMN agent_tasks.benchmark IS 'sample, gaia or browsecomp_plus';
COMMENT ON COLUMN agent_tasks.name IS 'Id of the task within its benchmark';
COMMENT ON COLUMN agent_tasks.level IS 'Level of difficulty as the benchmark names it; unrated where it has none';
COMMENT ON COLUMN agent_tasks.files IS 'Names of the attached files';
COMMENT ON COLUMN agent_tasks.question_sha256 IS 'SHA-256 of the question';
COMMENT ON COLUMN agent_tasks.question IS 'The question; null where the benchmark may not be written in plain text';
COMMENT ON COLUMN agent_tasks.answer IS 'The expected answer; null where the benchmark may not be written in plain text';
COMMENT ON COLUMN agent_tasks.evidence IS 'Ids of the documents that hold the evidence; null where the benchmark names none';
COMMENT ON COLUMN agent_tasks.gated IS 'True where the owners ask not to publish the texts';
COMMENT ON COLUMN agent_tasks.sample IS 'True for built-in sample tasks, which support no claims';

CREATE TABLE agent_events (
    run_id VARCHAR,
    task_id VARCHAR,
    event INTEGER,
    space VARCHAR NOT NULL,
    session INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    action VARCHAR NOT NULL,
    status VARCHAR NOT NULL,
    role VARCHAR,
    position INTEGER,
    tool VARCHAR,
    content JSON,
    text VARCHAR USING COMPRESSION zstd,
    context_tokens INTEGER,
    planning_tokens INTEGER,
    output_tokens INTEGER,
    raw_characters BIGINT,
    documents JSON,
    seconds DOUBLE,
    recorded_at TIMESTAMP NOT NULL,
    PRIMARY KEY (run_id, task_id, event)
);
COMMENT ON TABLE agent_events IS 'One turn of a long-horizon agent: a reply of the model, or a tool call, in one context space';
COMMENT ON COLUMN agent_events.run_id IS 'The run';
COMMENT ON COLUMN agent_events.task_id IS 'The task';
COMMENT ON COLUMN agent_events.event IS 'Number of the event within the task, from 1';
COMMENT ON COLUMN agent_events.space IS 'Context space: planner, executor, isolated or memory of HyMem; flat, notes or thread of the baselines';
COMMENT ON COLUMN agent_events.session IS 'Number of the instance of that space, from 1; a space that persists has one';
COMMENT ON COLUMN agent_events.turn IS 'Turn within the session, from 1';
COMMENT ON COLUMN agent_events.action IS 'What the turn was: task, iso_reason, fold, answer, code, tool_call, tool, distill, results, return, ...; superseded where a later try of the task ended before it';
COMMENT ON COLUMN agent_events.status IS 'ok, repaired (a second request was needed), unparsed, error, refused or forced';
COMMENT ON COLUMN agent_events.role IS 'Role of the model call; null for a tool call';
COMMENT ON COLUMN agent_events.position IS 'Position of the model call in model_calls; null for a tool call';
COMMENT ON COLUMN agent_events.tool IS 'Tool that was called';
COMMENT ON COLUMN agent_events.content IS 'Arguments of a tool call, or the typed message of an action';
COMMENT ON COLUMN agent_events.text IS 'Observation of a tool call as the context got it; a resumed run reads it here and calls no tool again';
COMMENT ON COLUMN agent_events.context_tokens IS 'Tokens of the context space at this turn: the prompt of the call';
COMMENT ON COLUMN agent_events.planning_tokens IS 'Those of them that are relevant to planning (equation 3): all but instructions, tool calls and their output';
COMMENT ON COLUMN agent_events.output_tokens IS 'Tokens of the reply, or of the observation';
COMMENT ON COLUMN agent_events.raw_characters IS 'Characters that a tool had found before they were cut to fit a context';
COMMENT ON COLUMN agent_events.documents IS 'Ids or addresses of the documents that a tool returned';
COMMENT ON COLUMN agent_events.seconds IS 'Seconds that a tool took';
COMMENT ON COLUMN agent_events.recorded_at IS 'When it was recorded (UTC); a later row replaces an earlier one';

CREATE TABLE memory_folds (
    run_id VARCHAR,
    task_id VARCHAR,
    fold INTEGER,
    event INTEGER NOT NULL,
    triggers JSON NOT NULL,
    turns INTEGER NOT NULL,
    executions INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    tool_calls INTEGER NOT NULL,
    utilisation DOUBLE NOT NULL,
    tokens_before INTEGER NOT NULL,
    tokens_after INTEGER NOT NULL,
    episode JSON,
    working JSON,
    tools JSON,
    kept JSON NOT NULL,
    recorded_at TIMESTAMP NOT NULL,
    PRIMARY KEY (run_id, task_id, fold)
);
COMMENT ON TABLE memory_folds IS 'One fold of HyMem (equation 13): what triggered it (equation 17) and the three memories after it';
COMMENT ON COLUMN memory_folds.run_id IS 'The run';
COMMENT ON COLUMN memory_folds.task_id IS 'The task';
COMMENT ON COLUMN memory_folds.fold IS 'Number of the fold within the task, from 1';
COMMENT ON COLUMN memory_folds.event IS 'Its last event: the request for the last of the three memories';
COMMENT ON COLUMN memory_folds.triggers IS 'What held: asked, context, executions, failures, turns, tool_calls';
COMMENT ON COLUMN memory_folds.turns IS 'Planner turns since the last fold';
COMMENT ON COLUMN memory_folds.executions IS 'Executor invocations since the last fold';
COMMENT ON COLUMN memory_folds.failures IS 'Executor failures in a row';
COMMENT ON COLUMN memory_folds.tool_calls IS 'Tool calls since the last fold';
COMMENT ON COLUMN memory_folds.utilisation IS 'Planner context as a share of what it may hold';
COMMENT ON COLUMN memory_folds.tokens_before IS 'Tokens of the planner context before the fold';
COMMENT ON COLUMN memory_folds.tokens_after IS 'Tokens of the planner context after it';
COMMENT ON COLUMN memory_folds.episode IS 'Episode memory after the fold';
COMMENT ON COLUMN memory_folds.working IS 'Working memory after the fold';
COMMENT ON COLUMN memory_folds.tools IS 'Tool memory after the fold';
COMMENT ON COLUMN memory_folds.kept IS 'Memories that could not be rewritten, so that the old ones were kept';
COMMENT ON COLUMN memory_folds.recorded_at IS 'When it was recorded (UTC); a later row replaces an earlier one';
